"""Which agents can be left out of a tree because they are over and have nothing to say any more.

Pure questions to the state; how a tree is drawn, and what hides them, is not known here.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from canopy_tui.model.state import ClientState


def over(state: ClientState, kept: Collection[str | None] = ()) -> frozenset[str]:
    """The agents that ended, with nothing new in them, no question and nothing at work below them.

    What leads to one that stays, or to one of ``kept``, stays too; main agents always do.
    """
    asking = {request.session for request in state.waiting()}
    at_work = {task.session for task in state.tasks.values() if not task.is_over}
    staying: set[str] = set()
    for view in state.sessions.values():
        stays = (
            view.parent is None
            or not view.phase.ended
            or view.unseen > 0
            or view.requires_action
            or view.id in asking
            or view.id in at_work
            or view.id in kept
        )
        while stays and view.id not in staying:
            staying.add(view.id)
            if view.parent is None:
                break
            view = state.sessions[view.parent]
    return frozenset(state.sessions.keys() - staying)
