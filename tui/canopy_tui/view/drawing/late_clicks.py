"""Has lists ignore a click on a line that is gone since it was drawn.

Textual 8.2.8 looks the line up by its old place and fails; that may be in any list of options, also
in that of its own palette. Which lists there are is not known here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widgets import OptionList

if TYPE_CHECKING:
    from textual import events

_clicked = OptionList._on_click


async def _on_click(self: OptionList, event: events.Click) -> None:
    place = event.style.meta.get("option")
    if place is None or place < self.option_count:
        await _clicked(self, event)


def forgive() -> None:
    """From now on, in every list."""
    OptionList._on_click = _on_click  # type: ignore[method-assign]
