"""The mark of an update that tells history: it goes out like any other.

Only an encoder looks at it, which may have to clear what a client holds before history fills it.
"""

from __future__ import annotations

from dataclasses import dataclass

from canopy_shared.updates import SessionUpdate


@dataclass(frozen=True, slots=True)
class ReplayedUpdate(SessionUpdate):
    """Parameters of a ``session/update`` of a replay."""
