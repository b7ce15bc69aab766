"""Facts about work, which only clients are told that follow it by its state.

Foreground work is what a prompt or Claude Code itself began; background work goes on beside it. How
either is worded is ``render``'s.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from canopy_agent.domain.effects import Outcome

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class WorkShown:
    """What the main conversation does: ``state`` is ``running``, ``requires_action`` or ``idle``.

    ``outcome`` says how work ended that ends with this; ``background`` are the items that a state
    lists, None where no state lists any.
    """

    state: str
    background: tuple[Json, ...] | None = ()
    outcome: Outcome | None = None


@dataclass(frozen=True, slots=True)
class StopOffered:
    """What the call ``id`` began goes on in the background and can be stopped: its terminal, or
    the call itself.
    """

    id: str
    in_terminal: bool


@dataclass(frozen=True, slots=True)
class ToolMoved:
    """A call that outlived its result is in ``status`` now."""

    id: str
    status: str


@dataclass(frozen=True, slots=True)
class ToolComing:
    """A call is about to run with this input, and waits until this was seen."""

    id: str
    name: str
    input: Json


WorkFact = WorkShown | StopOffered | ToolMoved | ToolComing
