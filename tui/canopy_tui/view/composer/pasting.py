"""Puts the text of the clipboard into a field that is not the message.

Pictures have no place there; what is pasted into the message is not known here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events

from canopy_tui.view.composer.prompt_area import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.widgets import Input, TextArea


async def paste_into(field: Input | TextArea, environment: Mapping[str, str], own: str) -> str:
    """Paste from the clipboard of the desktop, else ``own``: what was copied in here. Returns why
    there was nothing, empty when there was.
    """
    from canopy_tui.desk.clipboard import read_clipboard

    clipping = await read_clipboard(environment)
    text = plain(clipping.text or own)
    if text:
        field.post_message(events.Paste(text))
    elif clipping.picture:
        return "A picture cannot be pasted here, only into the message."
    return "" if text else clipping.why
