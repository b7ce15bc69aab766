"""The transcript of one session as a widget: cursor, expanding, opening, copying.

It tells by messages what the person wants and never acts itself; ``transcript_canvas`` draws and
scrolls.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.message import Message

from canopy_tui.view.blocks.look import Look
from canopy_tui.view.drawing.markdown_inline import LINK
from canopy_tui.view.keyboard.keys import TRANSCRIPT
from canopy_tui.view.transcript.acts import TranscriptActs
from canopy_tui.view.transcript.selection import selection_around

if TYPE_CHECKING:
    from textual.binding import BindingType

    from canopy_tui.model.entries import AnyEntry
    from canopy_tui.model.state import ClientState


class TranscriptView(TranscriptActs, can_focus=True):
    """One transcript, with a cursor that stands on entries while the view has focus."""

    HELP = """\
    The transcript follows its end until you scroll up; End follows again. Up and down walk from
    entry to entry, space expands one, enter opens an agent, y copies the text, v shows all of it
    as it came.
    """
    BINDING_GROUP_TITLE = "Transcript"

    BINDINGS: ClassVar[list[BindingType]] = TRANSCRIPT.bindings()

    @dataclass
    class OpenChild(Message):
        """The person wants to see a child session."""

        session_id: str

    @dataclass
    class OpenChanges(Message):
        """The person wants to review the changed files of the entry with that key."""

        session_id: str
        key: int

    @dataclass
    class CopyText(Message):
        """The person wants ``text`` on the clipboard."""

        text: str

    @dataclass
    class NoticeAction(Message):
        """The person wants the action that a notice offers."""

        action: str

    @dataclass
    class SeenEnd(Message):
        """The end of the transcript is in view, with everything so far."""

        session_id: str

    @dataclass
    class LeftEnd(Message):
        """The end is no longer in view."""

        session_id: str

    def __init__(self, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]  # those of the canvas
        self._cursor: int | None = None
        self._seen: tuple[str, int] | None = None

    # --- cursor ----------------------------------------------------------------------------------

    def show(self, session: str, state: ClientState, at: int | None = None) -> None:
        """Show the session, where and how it was left, or with the entry ``at`` on top."""
        self._cursor, self._seen = None, None
        if self.text_selection is not None:
            self.screen.clear_selection()  # it is of another text
        super().show(session, state, at)

    def marked(self) -> int | None:
        """The entry under the cursor, while the view has focus."""
        return self._cursor if self.has_focus else None

    def watch_has_focus(self, has_focus: bool) -> None:
        """Show the cursor, or hide it."""
        super().watch_has_focus(has_focus)
        self.paint()

    def reveal(self, key: int) -> None:
        """Put the cursor on the entry with that key and scroll to it."""
        if self.viewport is None or (index := self.viewport.layout.index_of(key)) is None:
            return
        self._go(index)

    def to_entry(self, index: int) -> None:
        """Put the cursor on an entry, its first row at the top."""
        if self.viewport is not None:
            self._cursor = index
            self.viewport.top_entry(index)
            self.paint()

    def _go(self, index: int) -> None:
        assert self.viewport is not None
        self._cursor = index
        self.viewport.reveal(index)
        self.paint()

    def action_cursor(self, step: int) -> None:
        """Move to the next entry, after scrolling through the rest of one that is taller."""
        viewport = self.viewport
        if viewport is None or not (seen := viewport.entries_in_view()):
            return
        cursor = self._cursor
        if cursor is None or not seen[0] <= cursor <= seen[-1]:
            self._go(seen[-1] if step < 0 else seen[0])
            return
        edge = viewport.shown[-1 if step > 0 else 0][0]
        if cursor == edge.entry and self._continues(step):
            viewport.move(step * max(1, viewport.height // 2))
            self.paint()
            return
        target = cursor + step
        while 0 <= target < len(viewport.layout) and not viewport.layout.block_count(target):
            target += step
        if 0 <= target < len(viewport.layout):
            self._go(target)
        elif step > 0:
            self.action_end()

    def _continues(self, step: int) -> bool:
        """Whether the entry at that edge of the view goes on beyond it."""
        assert self.viewport is not None
        layout, place = self.viewport.layout, self.viewport.shown[-1 if step > 0 else 0][0]
        if step < 0:
            return (place.block, place.row) > (0, 1)
        last = layout.block_count(place.entry) - 1
        rows = len(layout.rows(place.entry, last)) if last >= 0 else 0
        return (place.block, place.row) < (last, rows - 1)

    def show_found(self, key: int, number: int) -> None:
        """Put the cursor on an occurrence of what is wanted, unfolding its entry if need be."""
        from canopy_tui.view.transcript.finding import found_place

        viewport = self.viewport
        if viewport is None or (index := viewport.layout.index_of(key)) is None:
            return
        self._cursor = index
        layout, pattern, look = viewport.layout, self.wanted, viewport.layout.look(index)
        for wider in (look, replace(look, expanded=True), replace(look, raw=True)):
            if wider != layout.look(index):
                viewport.hold()
                layout.set_look(index, wider)
                viewport.settle()
            place = found_place(layout, index, pattern, number) if pattern is not None else None
            if place is not None:
                viewport.show_place(place)
                self.paint()
                return
        self._look_anew(index, look)
        self._go(index)

    # --- scrolling -------------------------------------------------------------------------------

    def action_page(self, step: int) -> None:
        """Scroll by a screen, less one line to keep the thread."""
        if self.viewport is not None:
            self.viewport.move(step * max(1, self.viewport.height - 1))
            self.paint()

    def action_start(self) -> None:
        """Go to the first line."""
        if self.viewport is not None:
            self.viewport.jump(0)
            self.paint()

    def action_end(self) -> None:
        """Go to the end and follow it."""
        if self.viewport is not None:
            self._cursor = None
            self.viewport.to_end()
            self.paint()

    def painted(self) -> None:
        """Tell whether the end is in view."""
        assert self.viewport is not None
        assert self.session is not None
        session = self.session
        if not self.viewport.at_end:
            if self._seen is not None:
                self._seen = None
                self.post_message(self.LeftEnd(session.id))
            return
        now = session.id, self.changes
        if self._seen != now and self.display:
            self._seen = now
            self.post_message(self.SeenEnd(session.id))

    # --- entries ---------------------------------------------------------------------------------

    def chosen(self) -> int | None:
        """The entry that a key is meant for: under the cursor, else the last one in view."""
        if self.viewport is None:
            return None
        seen = self.viewport.entries_in_view()
        if seen and self._cursor not in seen:
            self._cursor = seen[-1]
        return self._cursor

    def _look_anew(self, index: int, look: Look) -> None:
        assert self.viewport is not None
        self.viewport.hold()
        self.viewport.layout.set_look(index, look)
        self._cursor = index
        if look.expanded or look.raw:
            self.viewport.settle()
            self.viewport.reveal(index)
        self.paint()

    def action_expand(self) -> None:
        """Expand or fold the entry."""
        if (index := self.chosen()) is not None and self.viewport is not None:
            look = self.viewport.layout.look(index)
            self._look_anew(
                index, replace(look, expanded=not (look.expanded or look.raw), raw=False)
            )

    def action_raw(self) -> None:
        """Show the entry as it came, or as before."""
        if (index := self.chosen()) is not None and self.viewport is not None:
            look = self.viewport.layout.look(index)
            self._look_anew(index, replace(look, raw=not look.raw))

    def action_open(self) -> None:
        """Open what the entry stands for; one that stands for nothing else is expanded."""
        from canopy_tui.model.entries import ChangesEntry, ToolEntry

        if (index := self.chosen()) is None or self.viewport is None:
            return
        entry = self.viewport.layout.entry(index)
        if isinstance(entry, ChangesEntry) and self.session is not None:
            self.post_message(self.OpenChanges(self.session.id, entry.key))
        elif (message := _leads_to(entry)) is not None:
            self.post_message(message)
            self.paint()
        elif isinstance(entry, ToolEntry):
            self.post_message(self.Detail(entry, self.cwd))
            self.paint()
        else:
            self.action_expand()

    def action_copy(self) -> None:
        """Copy the source text of the entry; at the end of a turn, its answer."""
        from canopy_tui.model.source import copied_at

        if (index := self.chosen()) is None or self.session is None or self.state is None:
            return
        self.post_message(self.CopyText(copied_at(self.session.entries, index, self.state)))
        self.paint()

    def on_click(self, event: events.Click) -> None:
        """Open a card, toggle a tool call, follow a link, or put the cursor there. Two clicks on
        text select a word, three its line.
        """
        event.prevent_default()  # Textual's two clicks select all of a widget, its three the pane
        offset = event.get_content_offset(self)
        if offset is None or self.text_selection is not None or self.viewport is None:
            return
        if self.viewport.new_below and offset.y == self.viewport.height - 1:
            self.action_end()
            return
        if (found := self.row_at(offset.y)) is None:
            return
        place, row = found
        self._cursor = place.entry
        if link := event.style.meta.get(LINK):
            self.follow_link(str(link))
        elif event.chain > 1:
            if not row.hit:  # the first click of a double one has done it
                self._select_around(event)
        elif row.hit == "toggle":
            self.action_expand()
        elif row.hit in ("open", "action"):
            self.action_open()
        self.paint()

    def _select_around(self, event: events.Click) -> None:
        screen = self.screen
        _, at = screen.get_widget_and_offset_at(event.screen_x, event.screen_y)
        chosen = selection_around(self, at, event.chain) if at is not None else None
        if chosen is not None:
            screen.selections = {self: chosen}
            self.post_message(events.TextSelected())


def _leads_to(entry: AnyEntry) -> Message | None:
    from canopy_tui.model.entries import ChildEntry, NoticeEntry, ToolEntry

    match entry:
        case ChildEntry(child=child) | ToolEntry(child=str(child)):
            return TranscriptView.OpenChild(child)
        case NoticeEntry(action=str(action)):
            return TranscriptView.NoticeAction(action)
        case _:
            return None
