"""Where a person who wants to see everything new goes next.

Pure questions to the state; what is in view, and how one gets there, is not known here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_tui.model.tree import rows

if TYPE_CHECKING:
    from canopy_tui.model.state import ClientState, SessionView


def first_unseen(view: SessionView) -> int | None:
    """Key of the oldest entry of a session that changed since it was seen at its end."""
    return min(view.unseen_keys, default=None)


def next_unseen(state: ClientState, current: str | None) -> SessionView | None:
    """The next session in the order of the tree, after ``current``, that has something new.

    ``current`` itself comes last.
    """
    order = [view for _, view in rows(state)]
    place = next((at for at, view in enumerate(order) if view.id == current), -1)
    around = [*order[place + 1 :], *order[: place + 1]]
    return next((view for view in around if view.unseen_keys), None)
