"""What the client can do, read once from ``initialize`` into a frozen profile, and what we
advertise.

Every other module asks the profile; none looks at raw capabilities again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from canopy_shared.ext import air, canopy
from canopy_shared.ext.claude import SUBAGENT_TRANSCRIPT
from canopy_shared.ext.terminal import OUTPUT, OUTPUT_DELTA


class ChildForm(Enum):
    """How a subagent is shown to the client."""

    NONE = "none"
    AIR = "air"
    RFD = "rfd"


@dataclass(frozen=True, slots=True)
class ClientProfile:
    """Everything the agent may want to know of its client.

    ``air`` means the client is AIR-like, whatever it declared; ``air_capabilities`` holds the
    capabilities declared under a usable version. ``terminal`` says how command output travels:
    ``None`` (as content), ``"output"`` (whole) or ``"delta"``; ``terminal_replaces`` says that a
    client of deltas takes the whole output too, in place of what it has. ``reports_work``:
    foreground and background work are told by state, a prompt is answered when it is taken in, and
    what is told of a call or a terminal is kept by the client.
    """

    reports_work: bool = False
    child_form: ChildForm = ChildForm.NONE
    flat_transcript: bool = False
    child_cancel: bool = False
    air: bool = False
    air_capabilities: frozenset[str] = frozenset()
    terminal: str | None = None
    terminal_replaces: bool = False
    elicitation_form: bool = False
    elicitation_url: bool = False
    boolean_options: bool = False
    notices: bool = False
    compaction: bool = False
    plan_documents: bool = False
    auth_terminal: bool = False
    auth_terminal_meta: bool = False
    auth_gateway: bool = False
    own: bool = False
    """It is the client of Canopy itself."""

    def air_has(self, capability: str) -> bool:
        """Whether an AIR client declared ``capability``."""
        return capability in self.air_capabilities

    @property
    def native_children(self) -> bool:
        """Whether subagents are ACP sessions of their own."""
        return self.child_form is not ChildForm.NONE

    @property
    def ends_turns_with_live_subagents(self) -> bool:
        """Whether a turn ends at its result while its subagents still run."""
        return self.reports_work or self.air_has(air.BACKGROUND_SUBAGENTS)

    @property
    def follows_tasks(self) -> bool:
        """Whether background tasks are told as such (AIR); else they are in a list of work."""
        return not self.reports_work and self.air_has(air.ASYNC_TASKS)

    @property
    def follows_goals(self) -> bool:
        """Whether the goal is told (AIR)."""
        return self.air and not self.reports_work

    @property
    def keeps_index(self) -> bool:
        """Whether the client keeps an index of the sessions (AIR)."""
        return not self.reports_work and self.air_has(air.SESSION_INDEX)

    @property
    def takes_patches(self) -> bool:
        """Whether file changes can be told as git patches."""
        return self.reports_work or (self.air and self.air_has(air.DIFF_PATCH))

    @property
    def keeps_terminals(self) -> bool:
        """Whether the terminal of a command in the background stays open after the call."""
        return self.reports_work or not self.air

    @property
    def spares_background(self) -> bool:
        """Whether an interrupt leaves background subagents running (``perTaskStopAffordance``)."""
        return self.child_form is ChildForm.RFD or self.child_cancel

    @property
    def forwards_child_text(self) -> bool:
        """Whether the CLI is asked for the full text of subagents."""
        return self.native_children or self.flat_transcript


def _section(source: Mapping[str, Any], *path: str) -> Mapping[str, Any]:
    """A nested object, empty when any step is missing or is not an object."""
    here: Any = source
    for key in path:
        here = here.get(key) if isinstance(here, Mapping) else None
    return here if isinstance(here, Mapping) else {}


def client_profile(capabilities: Mapping[str, Any]) -> ClientProfile:
    """Read ``clientCapabilities``. Malformed parts count as not declared."""
    declared_air = air.declaration(capabilities)
    meta = _section(capabilities, "_meta")
    declared_children = isinstance(capabilities.get("subagents"), Mapping) or declared_air.has(
        air.NATIVE_SUBAGENT_SESSIONS
    )
    if not declared_children:
        form = ChildForm.NONE
    else:
        form = ChildForm.AIR if declared_air.present else ChildForm.RFD
    terminal = (
        "delta"
        if meta.get(OUTPUT_DELTA) is True
        else "output"
        if meta.get(OUTPUT) is True
        else None
    )
    session = _section(capabilities, "session")
    elicitation = _section(capabilities, "elicitation")
    auth = _section(capabilities, "auth")
    return ClientProfile(
        child_form=form,
        flat_transcript=meta.get(SUBAGENT_TRANSCRIPT) is True,
        child_cancel=form is ChildForm.AIR and canopy.wants_child_cancel(capabilities),
        air=declared_air.present,
        air_capabilities=declared_air.capabilities,
        terminal=terminal,
        terminal_replaces=terminal == "delta" and meta.get(OUTPUT) is True,
        elicitation_form=_declared(elicitation.get("form")),
        elicitation_url=_declared(elicitation.get("url")),
        boolean_options=_section(session, "configOptions").get("boolean") is not None,
        notices=isinstance(session.get("notices"), Mapping),
        compaction=isinstance(session.get("compaction"), Mapping),
        plan_documents=capabilities.get("plan") is not None,
        auth_terminal=auth.get("terminal") is True,
        auth_terminal_meta=meta.get("terminal-auth") is True,
        own=canopy.is_own(capabilities),
        auth_gateway=_section(auth, "_meta").get("gateway") is True,
    )


def _declared(value: object) -> bool:
    """An empty object declares support; JavaScript's falsy values do not."""
    return isinstance(value, Mapping) or bool(value)
