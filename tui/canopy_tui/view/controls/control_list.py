"""Lines of which some can be chosen, by keys or the mouse: what the pages of controls are drawn in.

It wraps what it is given and keeps the cursor on the same thing while lines come and go; what a
line stands for is not known here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Region

from canopy_tui.view.drawing.clicks import Clickable, clickable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_LEAD = 2
"""Cells for the cursor."""
_CURSOR = "bold $block-cursor-foreground on $block-cursor-background"
EMPTY = Content("")


@dataclass(frozen=True, slots=True)
class Item:
    """``head`` is one line, ``more`` is wrapped below it. ``key`` "" cannot be chosen."""

    head: Content
    more: tuple[Content, ...] = ()
    key: str = ""
    indent: int = 0
    """Cells before ``more``, and before all of it ``depth``."""
    depth: int = 0


class ControlList(Clickable, can_focus=False):
    """``items`` is asked with the cells that a line may have."""

    def __init__(self, items: Callable[[int], Sequence[Item]]) -> None:
        super().__init__(id="control-list")
        self.items_of = items
        self.cursor = ""
        self._place = 0
        self._width = 0
        self._lines: list[Content] = []
        self._keys: list[tuple[str, int, int]] = []
        """Key of what can be chosen, its first line, its number of lines."""

    def lay(self) -> None:
        """Ask anew, and draw."""
        self._width = 0
        self.refresh(layout=True)

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        """As many lines as there are."""
        self._lay(width)
        return max(1, len(self._lines))

    def render(self) -> Content:
        """All lines."""
        self._lay(self.size.width)
        return Content("\n").join(self._lines)

    def _lay(self, width: int) -> None:
        if width == self._width or width < 1:
            return
        self._width = width
        items = self.items_of(width - _LEAD)
        keys = [item.key for item in items if item.key]
        if self.cursor not in keys and keys:
            self.cursor = keys[min(self._place, len(keys) - 1)]
        self._lines, self._keys = [], []
        for item in items:
            lines = _lines_of(item, width, chosen=bool(item.key) and item.key == self.cursor)
            if item.key:
                self._keys.append((item.key, len(self._lines), len(lines)))
                go = clickable("screen.choose_at", item.key)
                lines = [line.stylize(go) for line in lines]
            self._lines += lines
        self._place = next((n for n, row in enumerate(self._keys) if row[0] == self.cursor), 0)

    # --- the cursor ---------------------------------------------------------------------------

    @property
    def has_choices(self) -> bool:
        """Whether anything can be chosen."""
        return bool(self._keys)

    def move(self, step: int) -> bool:
        """Another line; False when there is none in this direction.

        Laid out first: keys that come in one burst would all start from the line that is drawn.
        """
        self._lay(self.size.width)
        place = max(0, min(len(self._keys) - 1, self._place + step))
        if not self._keys or place == self._place:
            return False
        self.move_to(self._keys[place][0])
        return True

    def move_to(self, key: str) -> None:
        """The line with this key, from the next layout on if it is not there yet."""
        self.cursor = key
        self.lay()
        self.call_after_refresh(self.show_cursor)

    def show_cursor(self) -> None:
        """Scroll what the cursor is on into view; with the first one all that is above it."""
        frame = self.parent
        if not isinstance(frame, VerticalScroll):
            return
        for place, (key, first, count) in enumerate(self._keys):
            if key == self.cursor:
                top = 0 if place == 0 else first
                region = Region(0, top, max(1, self._width), first + count - top)
                frame.scroll_to_region(region, animate=False)


def _lines_of(item: Item, width: int, *, chosen: bool) -> list[Content]:
    lead = ("> " if chosen else "  ") + " " * item.depth
    room = max(8, width - len(lead))
    head = item.head.truncate(room, ellipsis=True)
    if chosen:
        gap = " " * max(0, room - head.cell_length)
        lines = [Content.styled(f"{lead}{head.plain}{gap}", _CURSOR)]
    else:
        lines = [Content.assemble(lead, head)]
    indent = " " * (_LEAD + item.depth + item.indent)
    room = max(8, width - len(indent))
    for part in item.more:
        lines += [Content.assemble(indent, line) for line in part.wrap(room)]
    return lines
