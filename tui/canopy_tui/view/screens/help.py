"""All keys on one page, from the same tables that the bindings are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from canopy_tui.model.glyphs import ASCII, UNICODE, marks
from canopy_tui.model.sanitize import clipped
from canopy_tui.view.dialogs.dialog import Dialog
from canopy_tui.view.keyboard.keymap import USUAL, filled, keys_of
from canopy_tui.view.keyboard.keys import EVERYWHERE, GROUPS, HELP, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from textual.app import ComposeResult

    from canopy_tui.view.keyboard.keys import Group, Key
    from canopy_tui.view.surroundings import Surroundings

_KEY_WIDTH, _NARROW_KEY_WIDTH, _ROOMY = 28, 20, 84

_HOW = (
    "  In {file}, below a line [keys], write the name at the end of its row and the key: "
    'sessions = "alt+s". A list of keys, or "none", is possible too. It holds from the next start.'
)
_NOTES = (
    "A question of an agent never takes a key that you typed for something else: for a moment "
    "after it appears no key counts, and {permission-later} only puts it off.",
)


class HelpScreen(Dialog[None]):
    """The page. Any of Esc, F1, q closes it."""

    # First: the frame has keys of its own for scrolling, which nobody could change.
    BINDINGS: ClassVar[list[BindingType]] = [
        *HELP.bindings(first=True),
        Binding(EVERYWHERE.keys[0].keys, "dismiss", show=False, id=EVERYWHERE.keys[0].id),
    ]

    def __init__(self, around: Surroundings, groups: Iterable[Group] = GROUPS) -> None:
        super().__init__()
        self._around = around
        self._ascii = around.glyphs == ASCII
        self._groups = tuple(groups)

    def compose(self) -> ComposeResult:
        """One table per place."""
        frame = VerticalScroll(Static("", id="help-text"), id="help-frame")
        frame.styles.scrollbar_gutter = "stable"  # names stand at its right edge
        frame.border_title = Content("Keys")
        frame.border_subtitle = Content(filled("{help-close} closes"))
        yield frame

    def on_mount(self) -> None:
        """Scroll with the arrows."""
        self.query_one("#help-frame").focus()

    def on_resize(self) -> None:
        """A row stays a row."""
        for text in self.query("#help-text").results(Static):  # none while it is taken down
            frame = self.query_one("#help-frame")
            text.update(self._text(frame.scrollable_content_region.width))

    def action_scroll(self, lines: int) -> None:
        """Scroll by lines."""
        self.query_one("#help-frame").scroll_relative(y=lines, animate=False)

    def action_scroll_page(self, pages: int) -> None:
        """Scroll by pages."""
        frame = self.query_one("#help-frame")
        frame.scroll_relative(y=pages * max(1, frame.size.height - 1), animate=False)

    def _text(self, width: int) -> Content:
        rows = [
            Content.styled("Marks", "bold $primary"),
            *(Content.styled(line, "$text-muted") for line in self._marks(width)),
            Content(""),
            Content.styled("To change a key", "bold $primary"),
            Content.styled(_HOW.format(file=clipped(self._around.config_file, 300)), "$text-muted"),
            *(Content.styled(clipped(fault, 500), "$warning") for fault in self._around.faults),
            *(Content.styled(clipped(note, 500), "$text-muted") for note in self._around.key_notes),
        ]
        title = ""
        groups = [(group.title, group.keys) for group in self._groups]
        for group, keys in groups:
            if group != title:
                rows += [Content(""), Content.styled(filled(group), "bold $primary")]
                title = group
            folded = _SLOTS[1:] if _slots_are_usual() else ()
            listed = (key for key in keys if key.id not in folded)
            rows += [line for key in listed for line in self._row(key, width)]
        rows.append(Content(""))
        rows += [Content.styled(filled(note), "$text-muted") for note in _NOTES]
        return Content("\n").join(rows)

    def _marks(self, width: int) -> Iterator[str]:
        """What each mark means; one is never divided."""
        line = ""
        for found in marks(ASCII if self._ascii else UNICODE):
            part = f"  {found.glyph} {found.meaning}"
            if line and cell_len(line + part) > width:
                yield line
                line = ""
            line += part
        yield line

    def _row(self, key: Key, width: int) -> list[Content]:
        """What is pressed, what it does, what it is called; the name gets a line of its own where
        there is no room.
        """
        keys = key.keys if key.fixed else shown(keys_of(key.id), ascii_only=self._ascii)
        label, id = filled(key.label), "" if key.fixed else key.id
        if id == _SLOTS[0] and _slots_are_usual():
            keys, label, id = ("…".join(pair) for pair in _TOGETHER)
        column = _KEY_WIDTH if width >= _ROOMY else min(_NARROW_KEY_WIDTH, width // 3)
        gap = " " * max(2, column - 1 - cell_len(keys))
        line = Content.assemble((" " + keys, "bold"), gap, (label, "$text-muted"))
        name = Content.styled(id, "$text-muted 70%")
        room = width - line.cell_length - cell_len(id)
        if room >= _GAP:
            return [Content.assemble(line, " " * room, name)]
        line = line.truncate(max(1, width), ellipsis=True)
        return [line, Content.assemble(" " * max(0, width - cell_len(id)), name)]


_GAP = 2
_SLOTS = tuple(f"slot-{number}" for number in range(1, 10))
_TOGETHER = (("Alt+1 ", " Alt+9"), ("Agent 1 ", " 9"), ("slot-1 ", " slot-9"))
"""How keys, label and name of all slots are shown in one row."""


def _slots_are_usual() -> bool:
    return all(keys_of(id) == USUAL[id] for id in _SLOTS)
