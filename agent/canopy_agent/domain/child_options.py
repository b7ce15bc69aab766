"""What is known of a subagent's own model, mode, effort and type, and when the client hears of it.

Names of models and modes are worded elsewhere; a value that does not change is never said twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from canopy_agent.domain.bounded import Recent
from canopy_agent.domain.effects import Effect, Show
from canopy_agent.domain.facts import ChildOptionsShown
from canopy_agent.domain.usage import SYNTHETIC

if TYPE_CHECKING:
    from canopy_agent.domain.children import Children

Json = Mapping[str, Any]

MODE, MODEL, EFFORT, AGENT = "mode", "model", "effort", "agent"
_ORDER = (MODE, MODEL, EFFORT, AGENT)


def text_or_none(value: object) -> str | None:
    """``value`` if it is text that is not empty."""
    return value if isinstance(value, str) and value else None


@dataclass(slots=True)
class Known:
    """One subagent's values by option, and what the client was told of them on which session."""

    values: dict[str, str] = field(default_factory=dict)
    told: tuple[str, dict[str, str]] | None = None


class ChildOptions:
    """Options of recent subagents; of agents that were never announced nothing is said."""

    def __init__(self) -> None:
        self._known: Recent[str, Known] = Recent(512)

    def learned(self, agent: str, option: str, value: str | None) -> None:
        """``option`` of ``agent`` is ``value``; None says nothing."""
        if value is None or value == SYNTHETIC:
            return
        known = self._known.get(agent) or Known()
        known.values[option] = value
        self._known[agent] = known

    def hook(self, agent: str, event: str, input_: Json) -> None:
        """A hook of ``agent`` fired: its input tells how the agent runs."""
        self.learned(agent, MODE, text_or_none(input_.get("permission_mode")))
        self.learned(agent, AGENT, text_or_none(input_.get("agent_type")))
        effort = input_.get("effort")
        if isinstance(effort, Mapping):
            self.learned(agent, EFFORT, text_or_none(effort.get("level")))
        if event == "PostModelSwitch":
            self.learned(agent, MODEL, text_or_none(input_.get("to_model")))

    def tell(self, agent: str | None, children: Children) -> list[Effect]:
        """What changed since it was last said, once the child can hear it."""
        known = self._known.get(agent)
        session = children.live_session(agent) if agent is not None else None
        if known is None or session is None or known.told == (session, known.values):
            return []
        known.told = (session, dict(known.values))
        values = {option: known.values[option] for option in _ORDER if option in known.values}
        return [Show(session, ChildOptionsShown(values))]

    def clear(self) -> None:
        """Forget everything."""
        self._known.clear()
