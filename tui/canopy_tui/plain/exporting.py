"""Writes the transcript of a talk in lines to a new file.

Blocking; what the file holds is made by ``model.export``, and no file is ever written over.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from canopy_tui.model.state import ClientState

_ENDINGS = {"markdown": ".md", "json": ".json"}


def exported(state: ClientState, kind: str, directory: Path) -> str:
    """Write what the last root and its agents said to ``directory``; a sentence on what became of
    it. ``kind`` is ``markdown`` or ``json``; what is drawn needs the screens.
    """
    from canopy_tui.desk.desktop import write_new
    from canopy_tui.model import export
    from canopy_tui.model.words import reason_of

    if kind not in _ENDINGS:
        return (
            "In lines there are /export md and /export json; canopy on a terminal draws the rest."
        )
    root = state.sessions[state.roots[-1]] if state.roots else None
    if root is None or not root.entries:
        return "There is nothing to export yet."
    made = export.as_markdown if kind == "markdown" else export.json_text
    stem = f"canopy-main-{time.strftime('%Y%m%d-%H%M')}"
    try:
        path = write_new(directory, stem, _ENDINGS[kind], made(state, root.id))
    except OSError as error:
        return f"Not exported: {reason_of(error)}"
    return f"Exported to {path}"
