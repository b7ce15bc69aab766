"""The tree of agents: one row each, in the order in which they were first seen.

It draws what the state says and tells which row was chosen; it opens and stops nothing itself.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from canopy_tui.model import tree
from canopy_tui.model.glyphs import ASCII, UNICODE, badges
from canopy_tui.model.state import Phase
from canopy_tui.view.drawing.labels import name_of
from canopy_tui.view.keyboard.keymap import is_key
from canopy_tui.view.keyboard.keys import TREE
from canopy_tui.view.tree.session_row import RowLook, guides, row, time_of, word_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual import events
    from textual.binding import BindingType
    from textual.style import Style

    from canopy_tui.model.state import ClientState, SessionView
    from canopy_tui.view.tree.name_line import NameLine

_SLOTS = 10
_REMEMBERED = 1000
"""Drawn rows that are kept."""


class SessionTree(ScrollView, can_focus=True):
    """Rows with a cursor. Enter or a click opens; left and right fold."""

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = TREE.bindings()
    COMPONENT_CLASSES: ClassVar[set[str]] = {"tree--cursor", "tree--open", "tree--guide"}

    @dataclass
    class Opened(Message):
        """The person wants the transcript of ``session`` in view."""

        session: str

    @dataclass
    class Filtered(Message):
        """Other rows are shown."""

    @dataclass
    class Moved(Message):
        """The cursor is on another row, or hidden."""

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
        *,
        hides_ended: bool = False,
    ) -> None:
        super().__init__(id="tree")
        self._now = now
        self._state = state
        self._glyphs = glyphs
        self._rows: list[SessionView] = []
        self._shown: list[RowLook | None] = []
        self._strips: dict[tuple[RowLook, int, Style], Strip] = {}
        self._last_below: dict[str | None, str] = {}
        self._slots: dict[str, int] = {}
        self._folded: set[str] = set()
        self._open: str | None = None
        self._cursor: str | None = None
        self._awaits_slot = False
        self._drawn_width = 0
        self.filter = tree.Filter.ALL
        self.hides_ended = hides_ended
        """Agents that are over are left out while all are shown."""
        self._over: frozenset[str] = frozenset()
        self.wanted = ""
        """The name that is searched for, as it was typed."""
        self._called: frozenset[str] | None = None
        self._led = self._begins = False
        self._name_line: NameLine | None = None

    # --- what is shown ----------------------------------------------------------------------

    def show(self, open_session: str | None) -> None:
        """Draw the state as it is now, with the row of ``open_session`` marked.

        Only rows that look different are drawn again.
        """
        kept = tree.kept(self._state, self.filter)
        self._called = called = tree.called(self._state, self.wanted)
        if called is not None:
            named = tree.with_those_above(self._state, called)
            kept = named if kept is None else kept & named
        self._over = hidden = self._hidden(open_session)
        every = tree.rows(self._state, frozenset() if self.wanted else frozenset(self._folded))
        self._rows = [
            view for _, view in every if view.id not in hidden and (kept is None or view.id in kept)
        ]
        self._last_below = {view.parent: view.id for view in self._rows}
        if open_session != self._open or self._cursor not in self._state.sessions:
            self._cursor = open_session
        self._open = open_session
        self._slots = self.numbered() if self.has_focus else {}
        if self._name_line is not None:
            self._name_line.told(len(self.matches), len(self._state.sessions))
        self._resize_to(Size(self.scrollable_content_region.width, len(self._rows)))
        self._redraw()

    def _resize_to(self, size: Size) -> None:
        """Lay out anew only for the scrollbar: that takes longer than all rows."""
        before, room = self.virtual_size, self.size.height
        if size == before:
            return
        if max(size.height, before.height) <= room:
            self.set_reactive(Widget.virtual_size, size)
        else:
            self.virtual_size = size

    @property
    def marked(self) -> SessionView | None:
        """The session under the cursor while the tree is in use, else the open one."""
        return self._state.sessions.get((self._cursor if self._in_use else self._open) or "")

    @property
    def marked_stops(self) -> bool:
        """Whether what is marked can be stopped by itself."""
        return self.marked is not None and tree.stops(self.marked)

    @property
    def _in_use(self) -> bool:
        return self.has_focus or self._led

    def _hidden(self, open_session: str | None) -> frozenset[str]:
        """What is left out because it is over; never the row that the person is on."""
        if not self.hides_ended or self.filter is not tree.Filter.ALL or self._called is not None:
            return frozenset()
        from canopy_tui.model.ended import over

        return over(self._state, (open_session, self._cursor if self.has_focus else None))

    @property
    def hidden_ended(self) -> int:
        """How many agents are left out because they are over."""
        return len(self._over)

    def _redraw(self) -> None:
        """Draw the rows in view that look different from what is on screen."""
        width, height = self.scrollable_content_region.size
        before, self._shown = self._shown, [self._look_at(y) for y in range(height)]
        if len(before) != height or width != self._drawn_width:
            self._drawn_width = width
            self.refresh()
            return
        for y, look in enumerate(self._shown):
            if look != before[y]:
                self.refresh(Region(0, y, width, 1))

    def _look_at(self, y: int) -> RowLook | None:
        index = y + self.scroll_offset.y
        if not 0 <= index < len(self._rows):
            return None
        view, now = self._rows[index], self._now()
        marks = badges(self._state, view, now)
        is_open = view.id == self._open
        slot = self._slots.get(view.id, _SLOTS)
        folded = view.id in self._folded and not self.wanted
        return RowLook(
            name=name_of(self._state, view),
            badges=marks,
            word=word_of(view, marks),
            time=time_of(view, now),
            faded=view.phase in (Phase.DONE, Phase.CANCELLED)
            or (self._called is not None and view.id not in self._called),
            lead=self._bar if is_open else str(slot) if slot < _SLOTS else " ",
            guides=guides(self._lasts(view), self._glyphs),
            hidden=sum(1 for _ in tree.below(self._state, view.id)) if folded else 0,
            is_open=is_open,
            has_cursor=view.id == self._cursor and self._in_use,
        )

    @property
    def _bar(self) -> str:
        return "#" if self._glyphs == ASCII else "▌"

    def render_line(self, y: int) -> Strip:
        """One row, beside the scrollbar where there is one."""
        width = self.scrollable_content_region.width
        look = self._look_at(y)
        if look is None:
            return Strip.blank(width, self.rich_style)
        names = [
            *(["tree--open"] if look.is_open else []),
            *(["tree--cursor"] if look.has_cursor else []),
        ]
        style = self.get_visual_style(*names) if names else self.visual_style
        key = (look, width, style)
        strip = self._strips.get(key)
        if strip is None:
            content = row(look, width, self._glyphs)
            if look.has_cursor:
                # On the cursor's ground the colours of the marks would not be readable.
                content = Content(content.plain)
            parts = content.render(style, end="")
            strip = Strip([Segment(text, part.rich_style) for text, part in parts], width)
            if len(self._strips) >= _REMEMBERED:
                self._strips.clear()
            self._strips[key] = strip
        return strip

    def _lasts(self, view: SessionView) -> list[bool]:
        levels = tree.path(self._state, view.id)
        return [self._last_below.get(up.id) == down.id for up, down in pairwise(levels)]

    def numbered(self) -> dict[str, int]:
        """The numbers for alt+digit: 0 is the root in view, the others count on below it, without
        those that are left out.
        """
        view = self._state.sessions.get(self._open or "")
        if view is None:
            return {}
        root = self._state.root_of(view).id
        below = (view.id for view in tree.below(self._state, root) if view.id not in self._over)
        return {root: 0} | {session: at for at, session in enumerate(islice(below, _SLOTS - 1), 1)}

    # --- what the person does ---------------------------------------------------------------

    def _place(self) -> int:
        ids = [view.id for view in self._rows]
        return ids.index(self._cursor) if self._cursor in ids else 0

    def _put_cursor(self, index: int, *, at_top: bool = False) -> None:
        if self._rows:
            index = max(0, min(index, len(self._rows) - 1))
            self._cursor = self._rows[index].id
            height = self.size.height
            around = 1 if height > 2 else 0  # a row beside it, to see what comes
            highest, lowest = index - height + 1 + around, max(0, index - around)
            top = lowest if at_top else min(max(self.scroll_offset.y, highest), lowest)
            self.scroll_to(y=top, animate=False)
            self._redraw()
            self.post_message(self.Moved())

    def bring_up(self) -> None:
        """Begin with who matters most where not all rows fit."""
        ids = [view.id for view in self._rows]
        self._begins = not self.size.height  # once it has a size
        if len(ids) > self.size.height > 0 and self._cursor in ids:
            self._put_cursor(ids.index(tree.begins_at(self._state, ids, self._cursor)), at_top=True)

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

    # --- by name ------------------------------------------------------------------------------

    async def open_name_line(self) -> None:
        """Have a name typed, above the tree."""
        if self._name_line is None:
            from canopy_tui.view.tree.name_line import NameLine

            self._name_line = NameLine(self)
            await self.screen.mount(self._name_line, before=self)
        self._name_line.open()

    @property
    def matches(self) -> list[str]:
        """The rows that have the name, in their order."""
        return [view.id for view in self._rows if view.id in (self._called or ())]

    def want(self, name: str) -> None:
        """Show only what is called so, with what is above it; empty shows all again."""
        self.wanted = name.strip()
        self.show(self._open)
        found = self.matches
        if found and self._cursor not in found:
            self._put_cursor([view.id for view in self._rows].index(found[0]))
        self.post_message(self.Moved())

    def lead(self, led: bool) -> None:
        """The cursor is moved from elsewhere, or no more."""
        self._led = led
        self.show(self._open)
        self.post_message(self.Moved())

    def show_all(self) -> bool:
        """Search for no name any more; whether one was searched for."""
        if self._name_line is None or not self.wanted:
            return False
        self._name_line.action_drop()
        return True

    def action_slot(self) -> None:
        """The next digit is the number of a row."""
        self._awaits_slot = True

    async def on_key(self, event: events.Key) -> None:
        """A digit that stands before a row opens it; others are text, except after ``g``."""
        if is_key("tree-slot", event.key):
            return
        if is_key("stop", event.key) and self.show_all():
            event.stop()
            return
        awaited, self._awaits_slot = self._awaits_slot, False
        if not (event.character and event.character.isdecimal()):
            return
        number = int(event.character)
        if awaited or (
            number in self._slots.values() and not self._bindings.key_to_bindings.get(event.key)
        ):
            event.stop()
            await self.run_action(f"app.open_slot({number})")

    def on_click(self, event: events.Click) -> None:
        """Open the row under the pointer."""
        index = event.y + self.scroll_offset.y
        if 0 <= index < len(self._rows):
            self._put_cursor(index)
            self.action_open()

    def on_resize(self) -> None:
        """Rows fill the width, and what is said of the marked one changes with it."""
        self.show(self._open)
        self.post_message(self.Moved())
        if self._begins:
            self.bring_up()

    def watch_has_focus(self, has_focus: bool) -> None:
        """Show the cursor and the numbers, or hide them."""
        super().watch_has_focus(has_focus)
        self.show(self._open)
        self.post_message(self.Moved())

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Other rows are in view."""
        super().watch_scroll_y(old_value, new_value)
        self._shown = []
        self._redraw()
