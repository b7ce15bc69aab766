"""All keys on one page, from the same tables that the bindings are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from canopy_tui.model.glyphs import ASCII, UNICODE, mark
from canopy_tui.view.keys import GROUPS, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from textual.app import ComposeResult

    from canopy_tui.view.keys import Group, Key

_KEY_WIDTH, _NARROW_KEY_WIDTH, _ROOMY = 28, 16, 66

_NOTES = (
    "The name at the end of a row is what config.toml calls the key: [keys], then "
    'sessions = "alt+s".',
    "A question of an agent never takes a key that you typed for something else: for a moment "
    "after it appears no key counts, and Esc only puts it off.",
)
_MARKS = (
    ("running", "works"),
    ("idle", "waits for you to write"),
    ("ask", "asks you"),
    ("done", "done"),
    ("failed", "failed"),
    ("cancelled", "stopped"),
    ("stale", "silent for a minute"),
    ("new", "new since you looked"),
    ("after_turn", "came after the turn"),
)
"""What the marks mean that are on screen all the time."""


class HelpScreen(ModalScreen[None]):
    """The page. Any of Esc, F1, q closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f1,q,ctrl+c", "dismiss", show=False),
        Binding("j", "scroll(1)", show=False),
        Binding("k", "scroll(-1)", show=False),
    ]

    def __init__(
        self,
        glyphs: str,
        groups: Iterable[Group] = GROUPS,
        keymap: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__()
        self._keymap = keymap or {}
        self._ascii = glyphs == ASCII
        self._groups = tuple(groups)

    def compose(self) -> ComposeResult:
        """One table per place."""
        frame = VerticalScroll(Static("", id="help-text"), id="help-frame")
        frame.border_title = Content("Keys")
        frame.border_subtitle = Content("Esc closes")
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

    def _text(self, width: int) -> Content:
        glyphs = ASCII if self._ascii else UNICODE
        marks = "  ".join(f"{mark(name, glyphs).glyph} {words}" for name, words in _MARKS)
        rows = [
            Content.styled("Marks", "bold $primary"),
            Content.styled(f"  {marks}", "$text-muted"),
        ]
        title = ""
        groups = [(group.title, group.keys) for group in self._groups]
        for group, keys in groups:
            if group != title:
                rows += [Content(""), Content.styled(group, "bold $primary")]
                title = group
            rows += [self._row(key, width) for key in keys if key.id not in _FOLDED]
        rows.append(Content(""))
        rows += [Content.styled(note, "$text-muted") for note in _NOTES]
        return Content("\n").join(rows)

    def _row(self, key: Key, width: int) -> Content:
        own = self._keymap.get(key.id)
        keys = own or _SHOWN_TOGETHER.get(key.id) or key.keys
        keys = keys if keys in _SHOWN_TOGETHER.values() else shown(keys, ascii_only=self._ascii)
        column = _KEY_WIDTH if width >= _ROOMY else min(_NARROW_KEY_WIDTH, width // 3)
        gap = " " * max(2, column - cell_len(keys))
        line = Content.assemble((" " + keys, "bold"), gap, (key.label, "$text-muted"))
        if key.action and line.cell_length + cell_len(key.id) + 2 <= width:
            gap = " " * (width - line.cell_length - cell_len(key.id))
            line = Content.assemble(line, gap, (key.id, "$text-muted 70%"))
        return line.truncate(max(1, width), ellipsis=True)


_FOLDED = frozenset(f"slot-{number}" for number in range(2, 10))
_SHOWN_TOGETHER = {"slot-1": "Alt+1 … Alt+9"}
