"""The part of the app that knows which transcript is in view, and the moves between transcripts.

It tells the host what is in view; everything else a person can do is in ``app``.
"""

from __future__ import annotations

import logging
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

from textual.app import App
from textual.worker import WorkerFailed

from canopy_tui.model import tree
from canopy_tui.model.state import Phase
from canopy_tui.process.terminal_guard import set_back
from canopy_tui.view.apps.main_screen import MainScreen
from canopy_tui.view.composer.drafts import Drafts
from canopy_tui.view.composer.placeholders import agent_missing
from canopy_tui.view.composer.prompt_history import PromptHistory
from canopy_tui.view.once import once
from canopy_tui.view.terminal.output import lasting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from textual.driver import Driver
    from textual.widget import Widget

    from canopy_tui.model.state import SessionView
    from canopy_tui.view.surroundings import MakeHost, Surroundings


log = logging.getLogger(__name__)

SPLIT_WIDTH = 140
"""Columns from which on two transcripts fit beside each other."""


class PaneApp(App[int]):
    """``open_session`` is the session in view, None before there is any."""

    def __init__(self, make_host: MakeHost, around: Surroundings) -> None:
        self.around = around  # which the driver wants already
        super().__init__()
        self.host = make_host(self.schedule, self.show_touched)
        self.state = self.host.state
        self.open_session: str | None = None
        self.drafts = Drafts(PromptHistory(list(around.history)))
        self.main = MainScreen(self.state, around, self.drafts, self.foot)
        self._watched: frozenset[str] = frozenset()
        self._ends: set[str] = set()
        self._roots = 0
        self._expects_root = False
        self._fault: BaseException | None = None

    def foot(self) -> Iterable[Widget]:
        """What stands above the last line of the main screen."""
        return ()

    def get_driver_class(self) -> type[Driver]:
        """The driver of this platform, which outlives its terminal."""
        return lasting(super().get_driver_class(), self.around.glyphs)

    def get_default_screen(self) -> MainScreen:
        """The main screen."""
        return self.main

    def _handle_exception(self, error: Exception) -> None:
        """An app that leaves takes its widgets down, also those that are still being made. What
        these then miss is logged; the person, who is about to see the shell, gets no traceback.
        """
        if self._exit:
            log.warning("on the way out: %s", error, exc_info=error)
            return
        fault = getattr(error, "error", error) if isinstance(error, WorkerFailed) else error
        log.error("a fault of our own: %s", fault, exc_info=fault)
        if self._fault is None:
            self._fault = fault
        super()._handle_exception(error)

    def _fatal_error(self) -> None:
        """End after a fault, keep what was being written, and tell the first fault. Textual 8.2.8
        would print the values of all variables, which may be private.
        """
        with suppress(Exception):  # whatever is at fault
            self.main.composer.keep_changed()
        if self._fault is not None and not self._exit_renderables:
            from canopy_tui.view.apps.own_fault import told

            self._exit_renderables.append(told(self._fault, self.around.log_file))
        self._close_messages_no_wait()

    def _print_error_renderables(self) -> None:
        """Print what is told first, with no line broken or cut."""
        for words in self._exit_renderables[:1]:
            self.error_console.print(words, soft_wrap=True)
        self._exit_renderables.clear()

    @contextmanager
    def suspend(self) -> Iterator[None]:
        """Give the terminal away, and take it back whatever happened meanwhile: Textual 8.2.8 does
        so only after what went well. Whoever had it may have left it in any state.
        """
        failed: Exception | None = None
        before = getattr(self._driver, "attrs_before", None)
        with super().suspend():
            try:
                yield
            except Exception as error:
                failed = error
            if before is not None:
                set_back(getattr(self._driver, "fileno", 0), before)
        if failed is not None:
            raise failed

    def schedule(self, seconds: float, callback: Callable[[], None]) -> object:
        """Call ``callback`` once, in so many seconds."""
        return once(self, seconds, callback) if seconds > 0 else self.call_later(callback)

    def say(
        self, text: str, seconds: float = 4.0, *, holds: Callable[[], object] | None = None
    ) -> None:
        """A sentence for a while."""
        raise NotImplementedError

    def show_touched(self, touched: object) -> None:
        """What changed in the state; the app draws it."""
        raise NotImplementedError

    @property
    def view(self) -> SessionView | None:
        """The session in view."""
        return self.state.sessions.get(self.open_session or "")

    @property
    def root(self) -> SessionView | None:
        """The root of the session in view."""
        view = self.view
        return self.state.root_of(view) if view else None

    @property
    def shows_main(self) -> bool:
        """Whether nothing lies over the main screen, and the app is not on its way out."""
        return self._running and self.screen_stack[-1:] == [self.main]

    def go(self, session: str | None, at: int | None = None) -> None:
        """Bring the transcript of ``session`` into view, from the entry with the key ``at`` on."""
        if session is None or session not in self.state.sessions:
            return
        if session != self.open_session:
            self._ends.clear()
            self.tell_watched()
        self.open_session = session
        self.main.show(session, at)

    def end_seen(self, session: str, *, seen: bool) -> None:
        """The end of a transcript came into view, or left it."""
        in_view = {self.open_session, self.main.beside.session}
        self._ends = {one for one in self._ends if one in in_view} - {session}
        if seen and session in in_view:
            self._ends.add(session)
        self.tell_watched(*self._ends)

    def tell_watched(self, *sessions: str) -> None:
        """Tell the host which transcripts are in view at their end."""
        from canopy_tui.model.intents import Watch

        watched = frozenset(sessions)
        if watched != self._watched:
            self._watched = watched
            self.host.act(Watch(watched))

    def keep_pane(self) -> None:
        """Leave a session that is gone, and enter the first one there is, or one asked for."""
        before, self._roots = self._roots, len(self.state.roots)
        asked_for = self._expects_root and self._roots > before
        if asked_for or self.open_session not in self.state.sessions:
            self._expects_root = False
            self.open_session = self.state.roots[-1] if self.state.roots else None
            self.main.show(self.open_session)

    # --- moves --------------------------------------------------------------------------------

    def action_open_session(self, session: str) -> None:
        """Open a transcript by its id."""
        self.go(session)

    def action_new_session(self) -> None:
        """One more session, which comes into view when it is there."""
        from canopy_tui.model.intents import OpenSession

        missing = agent_missing(self.state)
        if missing:
            self.say(missing)
            return
        self._expects_root = True
        self.host.act(OpenSession())

    def action_open_root(self) -> None:
        """The main agent."""
        self.go(self.root.id if self.root else None)
        self.main.leave_tree()

    def action_open_parent(self) -> None:
        """Up."""
        self.go(self.view.parent if self.view else None)

    def action_open_child(self) -> None:
        """Down to the first child."""
        self.go(next(iter(self.view.children), None) if self.view else None)

    def action_open_sibling(self, step: int) -> None:
        """To the agent beside this one; from the main agent to its first or last child."""
        view = self.view
        if view is None:
            return
        if view.parent is None and view.children:
            self.go(view.children[0 if step > 0 else -1])
        else:
            self.go(tree.sibling(self.state, view.id, step))

    def action_open_slot(self, number: int) -> None:
        """The agent of that number in the tree, 0 being the main one."""
        for session, slot in self.main.agents.numbered().items():
            if slot == number:
                self.go(session)

    def action_split(self) -> None:
        """The main agent's transcript beside that of one of its own, or alone again."""
        main, view = self.main, self.view
        if not main.has_class("-wide"):
            self.say(f"Two transcripts need {SPLIT_WIDTH} columns.")
            return
        main.split = not main.split
        if main.split and view is not None and view.parent is None:
            below = list(tree.below(self.state, view.id))
            working = [one for one in below if one.phase is Phase.RUNNING]
            if not below:
                main.split = False
                self.say("There is no agent to show beside the main one.")
                return
            self.go((working or below)[0].id)
        main.update_marks()

    def action_toggle_tree(self) -> None:
        """To the tree, or back to the message."""
        self.main.toggle_tree()

    def action_scroll_transcript(self, where: str) -> None:
        """Scroll without leaving the message: ``page_up``, ``page_down``, ``home`` or ``end``."""
        transcript = self.main.transcript
        moves: dict[str, Callable[[], None]] = {
            "page_up": partial(transcript.action_page, -1),
            "page_down": partial(transcript.action_page, 1),
            "home": transcript.action_start,
            "end": transcript.action_end,
        }
        moves[where]()
