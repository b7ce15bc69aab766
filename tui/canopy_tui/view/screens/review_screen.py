"""Review of the files that a turn changed: the list on the left, the edits of one on the right.

It shows what the transcripts hold and reads nothing from disk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.containers import Horizontal, Vertical
from textual.content import Content

from canopy_tui.model.changes import reviewed, shortened
from canopy_tui.model.sanitize import clipped, visible
from canopy_tui.view.blocks.diff import change_runs
from canopy_tui.view.dialogs.dialog import Dialog
from canopy_tui.view.dialogs.preview import Preview
from canopy_tui.view.drawing.clicks import Clickable, clickable
from canopy_tui.view.drawing.diffs import changes, counted, diff_rows
from canopy_tui.view.drawing.labels import name_of, whole
from canopy_tui.view.drawing.strips import BLANK, Row, fitted
from canopy_tui.view.keyboard.keymap import name
from canopy_tui.view.keyboard.keys import REVIEW

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from canopy_tui.model.changes import ChangedFile
    from canopy_tui.model.entries import ChangesEntry
    from canopy_tui.model.state import ClientState, SessionView
    from canopy_tui.view.drawing.strips import Marks, Paper

_WIDTHS = [(0, "-stacked"), (90, "-beside")]


class FileList(Clickable):
    """One line per file; the one in view is marked."""

    def __init__(self, files: list[ChangedFile], cwd: str) -> None:
        super().__init__(id="review-files")
        self._files = files
        self._cwd = cwd
        self.chosen = 0

    def choose(self, index: int) -> None:
        """Mark another line."""
        self.chosen = index
        self.refresh()
        self.scroll_visible(animate=False)

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        """One row each."""
        return max(1, len(self._files))

    def render(self) -> Content:
        """The lines."""
        lines = [self._line(at, file) for at, file in enumerate(self._files)]
        return Content("\n").join(lines)

    def _line(self, index: int, file: ChangedFile) -> Content:
        counts = [counted(edit.old, edit.new) for _, edit in file.edits]
        added, removed = (sum(one[side] for one in counts) for side in (0, 1))
        tail = Content.assemble(
            (f" +{added}" if added else "", "$success"),
            (f" -{removed}" if removed else "", "$error"),
        )
        room = self.size.width - tail.cell_length - 2
        name = fitted(visible(shortened(file.path, self._cwd), multiline=False), max(4, room))
        lead = ("> ", "bold $primary") if index == self.chosen else ("  ", "")
        line = Content.assemble(lead, (name, "bold" if index == self.chosen else ""), tail)
        return line.stylize(clickable("screen.choose", index))


class ReviewScreen(Dialog[None]):
    """The files of one report. Up and down scroll the edits; Tab and Shift+Tab walk the files."""

    BINDINGS: ClassVar[list[BindingType]] = REVIEW.bindings()
    HORIZONTAL_BREAKPOINTS = _WIDTHS

    def __init__(
        self,
        state: ClientState,
        root: SessionView,
        entry: ChangesEntry,
        marks: Marks,
        copy: Callable[[str], None],
    ) -> None:
        super().__init__()
        self._state = state
        self._cwd = root.cwd
        self._files = reviewed(state, root, entry)
        self._marks = marks
        self._copy = copy
        self._more = entry.truncated

    def compose(self) -> ComposeResult:
        """List and edits."""
        frame = Vertical(id="review-frame")
        number = len(self._files)
        words = f"{number} file{'' if number == 1 else 's'} changed"
        frame.border_title = Content(f"{words}, and more" if self._more else words)
        with frame, Horizontal(id="review-middle"):
            yield FileList(self._files, self._cwd)
            yield Preview(self._marks, id="review-edits")

    def on_resize(self) -> None:
        """Name the keys that fit."""
        frame = self.query_one("#review-frame")
        keys = [f"{name(key.id)} {key.label}" for key in REVIEW.keys]

        def show() -> None:
            frame.border_subtitle = Content(whole(keys, frame.size.width - 2, "  ", stays=1))

        self.call_after_refresh(show)

    def on_mount(self) -> None:
        """Show the first file."""
        self.query_one(Preview).focus()
        self._show()

    def _show(self) -> None:
        file = self._files[self.query_one(FileList).chosen]
        self.query_one(Preview).draw(self._edits_of(file))

    def _edits_of(self, file: ChangedFile) -> Callable[[Paper], list[Row]]:
        def draw(paper: Paper) -> list[Row]:
            ink = paper.ink
            path = fitted(visible(file.path, multiline=False), paper.width, paper.marks.more)
            rows = [Row(((path, ink.strong),))]
            if not file.edits:
                words = "No edit of it is in the transcripts: a command may have changed it."
                rows.append(Row(((clipped(words, paper.width), ink.muted),)))
            for session, edit in file.edits:
                view = self._state.sessions.get(session)
                who = name_of(self._state, view) if view else clipped(session, 80)
                counts = change_runs(edit.old, edit.new, paper)
                rows += [BLANK, Row(((f"by {who}", ink.muted), *counts))]
                rows += diff_rows(changes(edit.old, edit.new, edit.first), paper)
            return rows

        return draw

    def action_choose(self, index: int) -> None:
        """A file was clicked."""
        self.query_one(FileList).choose(index)
        self._show()

    def action_step(self, step: int) -> None:
        """The next file, or the one before."""
        self.action_choose((self.query_one(FileList).chosen + step) % len(self._files))

    def action_copy(self) -> None:
        """Copy the path of the file."""
        self._copy(self._files[self.query_one(FileList).chosen].path)
