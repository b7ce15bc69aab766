"""The tree of agents: one row each, in the order in which they were first seen.

It draws what the state says and tells which row was chosen; it opens and stops nothing itself.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from canopy_tui.model import tree
from canopy_tui.model.glyphs import ASCII, UNICODE, badges
from canopy_tui.view.keys import TREE
from canopy_tui.view.labels import name_of
from canopy_tui.view.session_row import guides, row

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual import events
    from textual.binding import BindingType

    from canopy_tui.model.state import ClientState, SessionView

_SLOTS = 10


class SessionTree(ScrollView, can_focus=True):
    """Rows with a cursor. Enter or a click opens; left and right fold."""

    BINDINGS: ClassVar[list[BindingType]] = TREE.bindings()
    COMPONENT_CLASSES: ClassVar[set[str]] = {"tree--cursor", "tree--open", "tree--guide"}
    HELP = "The agents. Enter opens a transcript, x stops one agent, left and right fold."

    @dataclass
    class Opened(Message):
        """The person wants the transcript of ``session`` in view."""

        session: str

    @dataclass
    class Filtered(Message):
        """Other rows are shown."""

    @dataclass
    class LeftDown(Message):
        """The cursor went down beyond the last row."""

    @dataclass
    class StopAsked(Message):
        """The person wants to stop ``session`` only."""

        session: str

    def __init__(
        self,
        state: ClientState,
        glyphs: str = UNICODE,
        now: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(id="tree")
        self._now = now
        self._state = state
        self._glyphs = glyphs
        self._rows: list[tuple[int, SessionView]] = []
        self._folded: set[str] = set()
        self._open: str | None = None
        self._cursor: str | None = None
        self._awaits_slot = False
        self.filter = tree.Filter.ALL

    # --- what is shown ----------------------------------------------------------------------

    def show(self, open_session: str | None) -> None:
        """Draw the state as it is now, with the row of ``open_session`` marked."""
        kept = tree.kept(self._state, self.filter)
        every = tree.rows(self._state, frozenset(self._folded))
        self._rows = [row for row in every if kept is None or row[1].id in kept]
        if open_session != self._open or self._cursor not in self._state.sessions:
            self._cursor = open_session
        self._open = open_session
        self.virtual_size = Size(self.size.width, len(self._rows))
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One row."""
        width = self.size.width
        index = y + self.scroll_offset.y
        if not 0 <= index < len(self._rows):
            return Strip.blank(width, self.rich_style)
        _, view = self._rows[index]
        names = []
        if view.id == self._open:
            names.append("tree--open")
        if view.id == self._cursor and self.has_focus:
            names.append("tree--cursor")
        style = self.get_visual_style(*names) if names else self.visual_style
        content = self._content(index, view, width)
        if "tree--cursor" in names:
            # On the cursor's ground the colours of the marks would not be readable.
            content = Content(content.plain)
        return Strip(
            [Segment(text, part.rich_style) for text, part in content.render(style, end="")], width
        )

    def _content(self, index: int, view: SessionView, width: int) -> Content:
        now = self._now()
        hidden = sum(1 for _ in tree.below(self._state, view.id)) if view.id in self._folded else 0
        before = Content.assemble(
            self._lead(view), (guides(self._lasts(view), self._glyphs), "$line")
        )
        return row(
            view,
            name_of(self._state, view),
            badges(self._state, view, now),
            now,
            width,
            before=before,
            glyphs=self._glyphs,
            hidden=hidden,
        )

    def _lead(self, view: SessionView) -> Content:
        """A bar before the open row; before the others their number while the tree is in use."""
        if view.id == self._open:
            return Content.styled("#" if self._glyphs == ASCII else "▌", "$primary")
        slot = self._slot_of(view) if self.has_focus else _SLOTS
        return Content.styled(str(slot) if slot < _SLOTS else " ", "$text-muted")

    def _lasts(self, view: SessionView) -> list[bool]:
        levels = tree.path(self._state, view.id)
        return [parent.children[-1] == child.id for parent, child in pairwise(levels)]

    def _slot_of(self, view: SessionView) -> int:
        """Its number for alt+digit: 0 is the root, the others count on below it."""
        root = self._state.root_of(view)
        order = [root.id, *(child.id for child in tree.below(self._state, root.id))]
        return order.index(view.id)

    # --- what the person does ---------------------------------------------------------------

    def _place(self) -> int:
        ids = [view.id for _, view in self._rows]
        return ids.index(self._cursor) if self._cursor in ids else 0

    def _put_cursor(self, index: int) -> None:
        if self._rows:
            index = max(0, min(index, len(self._rows) - 1))
            self._cursor = self._rows[index][1].id
            self.scroll_to(y=max(0, index - self.size.height + 2), animate=False)
            self.refresh()

    def action_move(self, step: int) -> None:
        """The cursor moves by ``step`` rows; below the last one are the background tasks."""
        if step > 0 and self._place() == len(self._rows) - 1:
            self.post_message(self.LeftDown())
        self._put_cursor(self._place() + step)

    def action_move_to(self, end: str) -> None:
        """The cursor goes to the first or last row."""
        self._put_cursor(0 if end == "first" else len(self._rows))

    def action_open(self) -> None:
        """Open what the cursor is on."""
        if self._cursor is not None:
            self.post_message(self.Opened(self._cursor))

    def action_stop(self) -> None:
        """Ask to stop what the cursor is on."""
        if self._cursor is not None:
            self.post_message(self.StopAsked(self._cursor))

    def action_fold(self) -> None:
        """Fold the row, or go to its parent when there is nothing to fold."""
        view = self._state.sessions.get(self._cursor or "")
        if view is None:
            return
        if view.children and view.id not in self._folded:
            self._folded.add(view.id)
        elif view.parent is not None:
            self._cursor = view.parent
        self.show(self._open)

    def action_unfold(self) -> None:
        """Unfold the row."""
        self._folded.discard(self._cursor or "")
        self.show(self._open)

    def action_filter(self) -> None:
        """Show other rows: all, what needs the person, what works, what is done."""
        self.filter = self.filter.following
        self.show(self._open)
        self.post_message(self.Filtered())

    def action_slot(self) -> None:
        """The next digit is the number of a row."""
        self._awaits_slot = True

    async def on_key(self, event: events.Key) -> None:
        """The digit after ``g``."""
        if self._awaits_slot and event.key != "g":
            self._awaits_slot = False
            if event.character and event.character.isdecimal():
                event.stop()
                await self.run_action(f"app.open_slot({int(event.character)})")

    def on_click(self, event: events.Click) -> None:
        """Open the row under the pointer."""
        index = event.y + self.scroll_offset.y
        if 0 <= index < len(self._rows):
            self._put_cursor(index)
            self.action_open()

    def on_resize(self) -> None:
        """Rows fill the width."""
        self.virtual_size = Size(self.size.width, len(self._rows))
