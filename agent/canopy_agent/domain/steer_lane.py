"""Messages that steer a running turn: what of them the CLI has not answered yet.

A turn with such messages is answered by the result that answers the last of them; the rules that
fill and empty a lane are in ``steering``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from canopy_agent.domain.effects import Outcome

Json = Mapping[str, Any]


@dataclass(slots=True)
class SteerLane:
    """The steering messages of one turn. ``pending`` are those without a result, by id."""

    pending: dict[str, tuple[Json, ...]] = field(default_factory=dict)
    outcome: Outcome | None = None
    """What the last result of the turn amounts to; it counts when nothing better comes."""
    taken_in: bool = False
    """The CLI has begun one of the pending messages."""
    cycle_over: bool = False
    """A result that names no message came after that."""
