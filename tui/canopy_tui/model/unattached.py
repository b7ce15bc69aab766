"""Sessions that an agent speaks of and never announces: shown below a root, not dropped.

An announcement that comes later puts them where they belong. What their updates say is not known
here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_shared import updates as u
from canopy_tui.model import children
from canopy_tui.model.sanitize import clipped
from canopy_tui.model.state import Phase, Replay

if TYPE_CHECKING:
    from canopy_tui.model.state import ClientState, SessionView, Touched

_ID_SHOWN = 40
_TOLD = (
    u.UserMessageChunk,
    u.AgentMessageChunk,
    u.AgentThoughtChunk,
    u.ToolCallStart,
    u.ToolCallUpdate,
    u.Plan,
)


def adopt(state: ClientState, root: SessionView, at: float, touched: Touched) -> list[str]:
    """Make children of ``root`` of sessions whose words still wait, and give their ids.

    For moments after which no announcement is to be expected. Nothing is adopted while another
    root works, since the sessions may be that one's.
    """
    others = (state.sessions[other] for other in state.roots if other != root.id)
    if any(view.in_turn or view.replay is not Replay.NO for view in others):
        return []
    told = [one for one, waiting in state.unplaced.items() if any(map(_tells, waiting))]
    for session in told:
        view = children.place(state, root, session, at, touched)
        view.title = clipped(f"not announced: {session}", _ID_SHOWN)
        view.unattached = True
        view.phase, view.ended_at = Phase.IDLE, at
    return told


def _tells(waiting: tuple[float, object]) -> bool:
    """Whether an update is part of a transcript; facts may also precede a session's opening."""
    return isinstance(waiting[1], _TOLD)
