"""What goes with the message being written: long pastes and pictures, to be looked at or removed.

It shows what it is told and says what was clicked; it changes nothing itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from textual.content import Content
from textual.message import Message

from canopy_tui.model.glyphs import ASCII, UNICODE
from canopy_tui.model.sanitize import clipped
from canopy_tui.model.shelf import Pasted, Picture
from canopy_tui.view.drawing.clicks import Clickable, clickable

SHOWN = 4


class AttachmentStrip(Clickable):
    """One line each; hidden while there is nothing."""

    @dataclass
    class Unfold(Message):
        """The person wants the paste ``mark`` as text in the field."""

        mark: str

    @dataclass
    class Remove(Message):
        """The person wants ``mark`` out of the message."""

        mark: str

    def __init__(self, glyphs: str = UNICODE) -> None:
        super().__init__(id="attachments")
        self._cross = "x " if glyphs == ASCII else "× "
        self._held: Mapping[str, Pasted | Picture] = {}
        self.display = False

    def show(self, held: Mapping[str, Pasted | Picture]) -> None:
        """Show what the marks of the message stand for."""
        if list(held) != list(self._held):
            self._held = held
            self.display = bool(held)
            self.refresh(layout=True)

    def render(self) -> Content:
        """The lines."""
        lines = [self._line(mark, thing) for mark, thing in list(self._held.items())[:SHOWN]]
        if len(self._held) > SHOWN:
            lines.append(Content.styled(f"  and {len(self._held) - SHOWN} more", "$text-muted"))
        return Content("\n").join(line.truncate(self.size.width, ellipsis=True) for line in lines)

    def _line(self, mark: str, thing: Pasted | Picture) -> Content:
        remove = clickable("remove", mark)
        cross = Content(self._cross).stylize(remove).stylize("$text-muted")
        label = mark.strip("[]").partition(":")[0]
        if isinstance(thing, Picture):
            kind = thing.mime_type.removeprefix("image/").upper()
            facts = f"{kind} {thing.width} x {thing.height}, {shown_size(thing.size)}"
            words = Content.assemble(clipped(thing.name, 200), "  ", (facts, "$text-muted"))
        else:
            unfold = Content("unfold").stylize(clickable("unfold", mark)).stylize("$secondary")
            start = clipped(thing.text.lstrip()[:2000], 200)
            words = Content.assemble(unfold, ("  ", ""), (start, "$text-muted"))
        return Content.assemble((f"  {label}  ", "$primary"), cross, words)

    def action_unfold(self, mark: str) -> None:
        """``unfold`` was clicked."""
        self.post_message(self.Unfold(mark))

    def action_remove(self, mark: str) -> None:
        """A cross was clicked."""
        self.post_message(self.Remove(mark))


def shown_size(size: int) -> str:
    """Bytes as a person reads them."""
    if size < 1024:
        return f"{size} B"
    return f"{size / 1024:.0f} kB" if size < 1024 * 1024 else f"{size / 1024 / 1024:.1f} MB"
