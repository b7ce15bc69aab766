"""What happens to the list of stored sessions, applied to it.

Nothing here changes a session that is open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from canopy_tui.model import events as e
from canopy_tui.model.facts import TITLE_LIMIT
from canopy_tui.model.sanitize import clipped

if TYPE_CHECKING:
    from canopy_tui.model.catalogue import Catalogue


def changed(catalogue: Catalogue, event: e.AboutStored) -> bool:
    """Apply ``event``; whether anything changed by it."""
    match event:
        case e.SessionsAsked(query, more):
            catalogue.asked(query, more=more)
        case e.SessionsListed(query, rows, cursor):
            return catalogue.arrived(query, rows, cursor)
        case e.ListingFailed(query, error):
            return catalogue.failed(query, error)
        case e.StoredSessionChanged(session, deleted, title, archived):
            if deleted:
                catalogue.gone(session)
            if title is not None:
                catalogue.retitled(session, clipped(title, TITLE_LIMIT))
            if archived is not None:
                catalogue.archived(session, archived)
        case _:
            assert_never(event)
    return True
