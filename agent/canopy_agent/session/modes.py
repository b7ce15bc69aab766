"""Permission modes: which ones a session offers, and in which one it begins.

Names follow Claude Code; how a mode is switched, and what the CLI does in it, is not known here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from canopy_agent.capabilities import ClientProfile
from canopy_agent.session.settings_files import ClaudeSettings
from canopy_agent.settings import AdapterSettings
from canopy_shared.ext import air
from canopy_shared.unset import UNSET
from canopy_shared.updates import ConfigChoice

DEFAULT: Final = "default"
ACCEPT_EDITS: Final = "acceptEdits"
PLAN: Final = "plan"
AUTO: Final = "auto"
BYPASS: Final = "bypassPermissions"
DONT_ASK: Final = "dontAsk"

_ALIASES: Final = {
    "manual": DEFAULT,
    "default": DEFAULT,
    "acceptedits": ACCEPT_EDITS,
    "plan": PLAN,
    "auto": AUTO,
    "bypass": BYPASS,
    "bypasspermissions": BYPASS,
    "dontask": DONT_ASK,
}


@dataclass(frozen=True, slots=True)
class Mode:
    """One mode as a client sees it; ``air_kind`` groups modes in an AIR client."""

    id: str
    name: str
    description: str
    air_kind: str


MODES: Final = (
    Mode(DEFAULT, "Manual", "Ask before each change and command", "standard"),
    Mode(ACCEPT_EDITS, "Accept edits", "Edit files without asking", "standard"),
    Mode(PLAN, "Plan", "Read and plan, change nothing", "plan"),
    Mode(AUTO, "Auto", "Claude decides what needs your approval", "auto_review"),
    Mode(BYPASS, "Bypass permissions", "Never ask", "full_access"),
)


@dataclass(frozen=True, slots=True)
class Availability:
    """Which of the modes that need leave are offered."""

    auto: bool = True
    bypass: bool = True

    def has(self, mode: str) -> bool:
        """Whether a session may be in ``mode``."""
        if mode == AUTO:
            return self.auto
        return self.bypass if mode == BYPASS else mode in _ALIASES.values()

    def modes(self) -> tuple[Mode, ...]:
        """The modes to list, in order."""
        return tuple(mode for mode in MODES if self.has(mode.id))


def availability(
    adapter: AdapterSettings, settings: ClaudeSettings, *, caller_allows_bypass: bool = True
) -> Availability:
    """What the settings, the user and the caller leave available."""
    return Availability(
        auto=not settings.auto_disabled,
        bypass=adapter.may_bypass and not settings.bypass_disabled and caller_allows_bypass,
    )


@dataclass(frozen=True, slots=True)
class InitialMode:
    """The mode to start the CLI in. ``chosen`` is false for the built-in one; ``note`` is for
    the log.
    """

    mode: str
    chosen: bool
    note: str | None = None


def initial_mode(
    offered: Availability,
    *,
    explicit: str | None = None,
    resumed: str | None = None,
    configured: str | None = None,
) -> InitialMode:
    """The mode of a new session.

    ``explicit`` is the mode of a session that is started again, ``resumed`` that of its
    transcript, ``configured`` the user's ``defaultMode``. Without any of them it is ``auto``
    where that is offered.
    """
    for known in (explicit, resumed):
        if known is not None and offered.has(known):
            return InitialMode(known, chosen=True)
    if configured is not None:
        mode = _ALIASES.get(configured.lower())
        if mode is not None and offered.has(mode):
            return InitialMode(mode, chosen=True)
        why = "unknown" if mode is None else "not available here"
        return InitialMode(DEFAULT, chosen=True, note=f"permissions.defaultMode is {why}: Manual")
    return InitialMode(AUTO if offered.auto else DEFAULT, chosen=False)


@dataclass(frozen=True, slots=True)
class SettledMode:
    """The mode that the model can run in; ``lost_auto`` says that the user has to be told."""

    mode: str
    lost_auto: bool = False


def settled_mode(mode: str, *, chosen: bool, model_has_auto: bool) -> SettledMode:
    """``auto`` with a model that lacks it: Manual when nobody chose it, else Accept edits and a
    warning.
    """
    if mode != AUTO or model_has_auto:
        return SettledMode(mode)
    return SettledMode(ACCEPT_EDITS, lost_auto=True) if chosen else SettledMode(DEFAULT)


def modes_state(current: str, offered: Availability, profile: ClientProfile) -> dict[str, Any]:
    """The ``modes`` of a session response."""
    listed = []
    for mode in offered.modes():
        entry: dict[str, Any] = {
            "id": mode.id,
            "name": mode.name,
            "description": mode.description,
        }
        if profile.air:
            entry["_meta"] = air.wrap(kind=mode.air_kind)
        listed.append(entry)
    return {"currentModeId": current, "availableModes": listed}


def mode_choices(offered: Availability, profile: ClientProfile) -> tuple[ConfigChoice, ...]:
    """The values of the ``mode`` option."""
    return tuple(
        ConfigChoice(
            mode.id,
            mode.name,
            mode.description,
            air.wrap(kind=mode.air_kind) if profile.air else UNSET,
        )
        for mode in offered.modes()
    )
