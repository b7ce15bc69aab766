"""The list of stored sessions over the client: typed search, a preview, and what can be done.

It shows the catalogue of the state and says what the person wants; opening is the app's business.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from canopy_tui.model.catalogue import ALL, UNARCHIVED, ListedSession, Query, found
from canopy_tui.model.intents import ArchiveSession, DeleteSession, ListSessions, RenameSession
from canopy_tui.model.sanitize import clipped, visible
from canopy_tui.model.words import model_name
from canopy_tui.view.bars.header import home_short
from canopy_tui.view.dialogs.confirm import ConfirmScreen
from canopy_tui.view.dialogs.dialog import Dialog
from canopy_tui.view.drawing.labels import foreign
from canopy_tui.view.keyboard.caret_keys import CARET
from canopy_tui.view.keyboard.keymap import everywhere, filled, take_keys
from canopy_tui.view.keyboard.keys import SESSIONS
from canopy_tui.view.once import once
from canopy_tui.view.posting import Posted
from canopy_tui.view.stored.session_hints import SessionHints
from canopy_tui.view.stored.session_list import SessionList, day_of

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from canopy_tui.model.intents import Intent
    from canopy_tui.model.state import ClientState
    from canopy_tui.view.surroundings import Peek

_WIDTHS = [(0, "-full"), (100, "-side")]
_HEIGHTS = [(0, "-short"), (20, "-high")]
_SEARCH = "Search: words of title, directory, model or id"
_TITLE = "Write the new title. {session-open} keeps it, {session-back} leaves the old one."
_NONE_HERE = (
    "No sessions in this directory yet. {session-everywhere} shows those of all directories."
)
_NEAR_END = 20
_PEEK_DELAY = 0.15
_STATES = {"idle": "", "running": "working", "requires_action": "asks you", "error": "failed"}
_NEEDS = {
    "fork": "fork",
    "delete": "delete",
    "rename": "index",
    "archive": "index",
    "archived": "index",
}


class SearchLine(Input):
    """The field that keeps the focus; keys that mean something here do not reach its editing."""

    def __init__(self) -> None:
        super().__init__(placeholder=_SEARCH, id="find")
        take_keys(self, SESSIONS, CARET)


class SessionPicker(Dialog[None]):
    """``Opened`` is posted to the app for what was picked. ``directory`` is where the client is."""

    BINDINGS: ClassVar[list[BindingType]] = everywhere("quit")
    HORIZONTAL_BREAKPOINTS = _WIDTHS
    VERTICAL_BREAKPOINTS = _HEIGHTS

    @dataclass
    class Opened(Message):
        """Open ``row``, or a copy of it."""

        row: ListedSession
        copy: bool = False

    @dataclass
    class NewAsked(Message):
        """Open a new session."""

    def __init__(
        self,
        state: ClientState,
        directory: str,
        glyphs: str,
        now: Callable[[], float],
        peek: Peek | None = None,
    ) -> None:
        super().__init__()
        self._state = state
        self._query = Query(directory)
        self._directory = directory
        self._glyphs = glyphs
        self._now = now
        self._peek = peek
        self.looks_only = False
        """Nothing new can be begun."""
        self._renamed: ListedSession | None = None
        self._search = ""
        self._words: dict[str, str] = {}

    def compose(self) -> ComposeResult:
        """Search above list and preview above keys."""
        frame = Vertical(id="session-frame")
        with frame:
            yield SearchLine()
            with Horizontal(id="session-middle"):
                yield SessionList(self._glyphs, self._now)
                with VerticalScroll(id="session-preview", can_focus=False):
                    yield Static("", id="session-facts", markup=False)
            yield Static("", id="session-status", markup=False)
            yield SessionHints(self._usable)

    def on_mount(self) -> None:
        """Ask for the first page."""
        self._ask()
        self.show()

    def on_resize(self) -> None:
        """There is more room, or less."""
        self.call_later(self._show_facts)

    # --- what is shown ------------------------------------------------------------------------

    def show(self) -> None:
        """Draw the catalogue as it is now. Called when it, or what is open, changed."""
        catalogue = self._state.catalogue
        rows = found(catalogue.rows, self._search) if catalogue.query == self._query else []
        everywhere = self._query.cwd is None
        self._list.show(rows, frozenset(self._state.sessions), with_place=everywhere)
        place = "all directories" if everywhere else clipped(home_short(self._directory), 60)
        also = ", archived too" if self._query.archived == ALL else ""
        self.query_one("#session-frame").border_title = Content(f"Sessions · {place}{also}")
        self.query_one("#session-status", Static).update(self._status(len(rows)))
        self._show_facts()
        wanted = self._search or self._list.place > len(rows) - _NEAR_END
        if catalogue.cursor and wanted and not (catalogue.loading or catalogue.error):
            self._post(ListSessions(self._query, more=True))

    def _status(self, number: int) -> Content:
        catalogue = self._state.catalogue
        if self._renamed is not None:
            return Content.styled(filled(_TITLE))
        if not self._can("list"):
            words = "This agent does not list its sessions."
            if self._state.link.status != "ready":
                words = "The agent is not there yet."
            return Content.styled(words, "$warning")
        if catalogue.error:
            words = clipped(catalogue.error, 300)
            return Content.assemble(
                (words, "bold $error"), "  ", (filled("{session-again} asks again"), "$text-muted")
            )
        if catalogue.loading:
            return Content.styled(f"{len(catalogue.rows)} so far …", "$text-muted")
        if number == 0:
            return Content.styled(self._nothing(), "$warning")
        of = f" of {len(catalogue.rows)}" if self._search else ""
        more = " and more" if catalogue.cursor else ""
        kept = " that Canopy remembers: this agent keeps no list" if self._remembers else ""
        word = "session" if number == 1 and not (of or more) else "sessions"
        return Content.styled(f"{number}{of} {word}{more}{kept}", "$text-muted")

    @property
    def _remembers(self) -> bool:
        return self._state.link.remembers

    def _nothing(self) -> str:
        if self._search:
            return "No session fits." + (
                ""
                if self._query.cwd is None
                else filled(" {session-everywhere} searches all directories.")
            )
        if self._query.cwd is not None:
            return filled(_NONE_HERE)
        return "No sessions yet."

    def _show_facts(self) -> None:
        row = self._list.current
        facts = Content("")
        if row is not None:
            named = [
                ("in", clipped(home_short(row.cwd), 300)),
                ("changed", day_of(clipped(row.updated_at, 60))),
                ("last prompt", day_of(clipped(row.last_prompt_at, 60))),
                ("model", clipped(model_name(row.model), 80)),
                ("state", _STATES.get(row.state, clipped(row.state, 30))),
                ("cost", f"${row.cost:.2f}" if row.cost else ""),
                ("copy of", clipped(row.forked_from, 60)),
                ("id", clipped(row.id, 80)),
            ]
            short = self.has_class("-full")  # so that what was said has room, too
            known = {"id", *([] if self._query.cwd is None else ["in"])} if short else set()
            parts = [
                Content.assemble((f"{name} ", "$text-muted"), text)
                for name, text in named
                if text and name not in known
            ]
            if short:
                parts = [Content.styled(" · ", "$text-muted").join(parts)]
            title = clipped(row.title, 600) or "(no title)"
            lines = [Content.styled(title, "bold"), *parts]
            words = self._words.get(row.id, "")
            if words:
                lines += [Content(""), foreign(words)]
            facts = Content("\n").join(lines)
            if self._peek is not None and row.id not in self._words:
                once(self, _PEEK_DELAY, lambda: self._look_into(row))
        self.query_one("#session-facts", Static).update(facts)

    def _look_into(self, row: ListedSession) -> None:
        """Get the last words of a session when the cursor stayed on it for a moment."""
        if self._list.current == row and row.id not in self._words and self._peek is not None:
            self._words[row.id] = ""
            self.run_worker(self._get_words(row, self._peek), exit_on_error=False)

    async def _get_words(self, row: ListedSession, peek: Peek) -> None:
        self._words[row.id] = await peek(row.id, row.cwd)
        if self.is_mounted:
            self._show_facts()

    @property
    def _list(self) -> SessionList:
        return self.query_one(SessionList)

    # --- what can be done ---------------------------------------------------------------------

    def _can(self, what: str) -> bool:
        link = self._state.link
        if link.remembers and what in ("list", "delete"):
            return True
        return link.has_session_index if what == "index" else link.offers(what)

    def _usable(self, action: str) -> bool:
        name = action.removeprefix("screen.")
        if name == "new" and self.looks_only:
            return False
        need = _NEEDS.get(name)
        return need is None or self._can(need)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What the agent cannot do has no key."""
        return self._usable(action)

    def _ask(self) -> None:
        if self._can("list"):
            self._post(ListSessions(self._query))

    def _post(self, intent: Intent) -> None:
        self.post_message(Posted(intent))

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search while it is typed."""
        event.stop()
        if self._renamed is None:
            self._search = event.value
            self.show()

    def on_session_list_picked(self, event: SessionList.Picked) -> None:
        """A click."""
        event.stop()
        self.action_pick()

    def on_session_list_moved(self, event: SessionList.Moved) -> None:
        """Another row."""
        event.stop()
        self.show()

    def action_move(self, step: int) -> None:
        """Move by rows."""
        self._list.move(step)

    def action_page(self, step: int) -> None:
        """Move by pages."""
        self._list.move(step * self._list.page)

    def action_back(self) -> None:
        """Leave the new title, then the search, then the list."""
        if self._renamed is not None:
            self._end_rename()
        elif self._search:
            self.query_one(SearchLine).value = ""
        else:
            self.dismiss()

    def action_pick(self) -> None:
        """Open what the cursor is on, or keep the new title."""
        row = self._list.current
        if self._renamed is not None:
            title = self.query_one(SearchLine).value.strip()
            if title and title != visible(self._renamed.title, multiline=False).strip():
                self._post(RenameSession(self._renamed.id, title))
            self._end_rename()
        elif row is not None:
            self._open(self.Opened(row))

    def _open(self, message: Message) -> None:
        self.app.post_message(message)

    def action_fork(self) -> None:
        """Open a copy."""
        if (row := self._row()) is not None:
            self._open(self.Opened(row, copy=True))

    def action_new(self) -> None:
        """A new session."""
        self._open(self.NewAsked())
        self.dismiss()

    def action_rename(self) -> None:
        """Write another title."""
        if (row := self._row()) is not None:
            self._renamed = row
            self._begin_line(visible(row.title, multiline=False))

    def _end_rename(self) -> None:
        self._renamed = None
        self._begin_line(self._search)

    def _begin_line(self, text: str) -> None:
        line = self.query_one(SearchLine)
        with self.prevent(Input.Changed):
            line.value = text
        line.cursor_position = len(text)
        hints = self.query_one(SessionHints)
        hints.renaming = self._renamed is not None
        hints.refresh()
        self.show()

    def action_archive(self) -> None:
        """Archive, or bring back."""
        if (row := self._row()) is not None:
            self._post(ArchiveSession(row.id, not row.archived))

    def action_archived(self) -> None:
        """Show archived ones too, or not."""
        archived = UNARCHIVED if self._query.archived == ALL else ALL
        self._change_query(Query(self._query.cwd, archived))

    def action_everywhere(self) -> None:
        """All directories, or only this one."""
        cwd = self._directory if self._query.cwd is None else None
        self._change_query(Query(cwd, self._query.archived))

    def action_preview(self, step: int) -> None:
        """Scroll what is shown of the session."""
        self.query_one("#session-preview").scroll_relative(y=3 * step, animate=False)

    def action_again(self) -> None:
        """Ask anew."""
        self._change_query(self._query)

    def _change_query(self, query: Query) -> None:
        self._query = query
        self._ask()
        self.show()

    def action_delete(self) -> None:
        """Delete, after a question."""
        row = self._row()
        if row is None:
            return
        title = clipped(row.title, 200) or row.id
        question = f"Delete “{title}” and its agents for good? This cannot be taken back."
        if self._remembers:
            question = f"Forget “{title}”? Canopy lists it no longer; the agent may still have it."
        elif row.id in self._state.sessions:
            question += " It is open here, and closes."
        words = ("Forget", "Forget it") if self._remembers else ("Delete", "Delete it")
        screen = ConfirmScreen(words[0], question, words[1], "Keep it")

        def answered(yes: Any) -> None:
            if yes:
                self._post(DeleteSession(row.id))

        self.app.push_screen(screen, answered)

    def _row(self) -> ListedSession | None:
        return self._list.current if self._renamed is None else None
