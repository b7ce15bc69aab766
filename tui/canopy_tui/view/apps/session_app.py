"""The part of the app that opens stored sessions, asks for trust and login, and tells of problems.

It decides what is asked before something is opened; who opens it is the host's business.
"""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

from canopy_tui.model.sanitize import clipped, visible
from canopy_tui.model.state import Problem
from canopy_tui.view.apps.write_app import WriteApp
from canopy_tui.view.composer.placeholders import agent_missing
from canopy_tui.view.keyboard.keymap import name
from canopy_tui.view.once import once

if TYPE_CHECKING:
    from collections.abc import Callable

    from canopy_tui.model.catalogue import ListedSession
    from canopy_tui.model.intents import LoadSession
    from canopy_tui.model.login import LoginNeed
    from canopy_tui.view.screens.login_screen import LoginScreen
    from canopy_tui.view.stored.session_picker import SessionPicker
    from canopy_tui.view.surroundings import MakeHost, Surroundings

_GIVEN_BACK = 0.3


class SessionApp(WriteApp):
    """``begin`` starts the agent as soon as the directory may be worked in."""

    terminal_is_lent = False
    """Another program has the terminal: Ctrl+C is meant for that."""

    def __init__(self, make_host: MakeHost, around: Surroundings) -> None:
        super().__init__(make_host, around)
        self._told: Problem | None = None
        self._login: LoginNeed | None = None
        self._to_load: LoadSession | None = None
        """A session to open as soon as the agent is there."""

    # --- trust --------------------------------------------------------------------------------

    def begin(self) -> None:
        """Start the agent, after a question when the directory is new."""
        self.around.hear_unkept(self._tell_unkept)
        self._when_trusted(self.around.directory, self._offer_left, at_start=True)

    def _tell_unkept(self, text: str) -> None:
        words = visible(clipped(text, 1000), multiline=True)
        self.notify(words, severity="warning", timeout=15.0, markup=False)

    def _offer_left(self) -> None:
        """Offer what a client before this one had open when it ended without leaving."""
        left = self.around.left
        if self.around.faults:
            lines = "\n".join(self.around.faults)
            advice = "Canopy reads the file when it starts. {help} shows this again."
            self._show_problem(Problem("Some of your settings are wrong", lines, advice))
        if left is None:
            self.host.start()
            return
        question = (
            f"“{clipped(left.title, 200)}” was open when the Canopy before this one ended without "
            "leaving. It can go on where it was, with what you were writing."
        )

        from canopy_tui.model.intents import LoadSession
        from canopy_tui.view.dialogs.confirm import ConfirmScreen

        def answered(yes: bool | None) -> None:
            self._to_load = LoadSession(left.session, left.cwd, left.title) if yes else None
            self.host.start()

        screen = ConfirmScreen("Go on", question, "Go on with it", "Begin a new session")
        screen.spill = self.main.composer.area.insert
        self.push_screen(screen, answered)

    def _when_trusted(
        self, directory: str, go_on: Callable[[], None], *, at_start: bool = False
    ) -> None:
        """Call ``go_on`` once the person trusts ``directory``; at the start a refusal leaves."""
        trust = self.around.trust
        if trust is None or not directory or trust.holds(directory):
            go_on()
            return
        from canopy_tui.view.screens.trust_screen import ALWAYS, REFUSED, TrustScreen

        def answered(answer: str | None) -> None:
            if answer in (None, REFUSED):
                if at_start:
                    self.leave()
                return
            trust.give(directory, keep=answer == ALWAYS)
            go_on()

        screen = TrustScreen(directory, at_start=at_start, found=trust.found(directory))
        if at_start:
            screen.spill = self.main.composer.area.insert
        self.push_screen(screen, answered)

    # --- login --------------------------------------------------------------------------------

    def action_log_in(self) -> None:
        """The ways to log in."""
        from canopy_tui.view.screens.login_screen import LoginScreen

        missing = "" if self.state.link.logins else agent_missing(self.state)
        if missing:
            self.say(missing)
        elif not isinstance(self.screen, LoginScreen):
            self.push_screen(LoginScreen(self.state, self.around.agent_command))

    def on_login_screen_command_chosen(self, event: LoginScreen.CommandChosen) -> None:
        """A login that runs in the terminal: lend it, and go on when it is given back."""
        from canopy_tui.model.intents import LoginDone

        problem = self.lend_terminal(event.command, event.environment)
        self.host.act(LoginDone(problem))

    def lend_terminal(
        self, command: tuple[str, ...], environment: tuple[tuple[str, str], ...] = ()
    ) -> str:
        """Run ``command`` in the terminal; what went wrong, "" for nothing."""
        from canopy_tui.view.terminal.loan import run_in_terminal

        self.terminal_is_lent = True
        try:
            with self.suspend():
                return run_in_terminal(command, environment)
        except SuspendNotSupported:
            return f"This terminal cannot be lent. Run it yourself: {shlex.join(command)}"
        finally:
            # A signal of the time in between is told to the event loop only now.
            once(self, _GIVEN_BACK, self._terminal_is_back)

    def _terminal_is_back(self) -> None:
        self.terminal_is_lent = False

    # --- stored sessions ----------------------------------------------------------------------

    def action_show_sessions(self) -> None:
        """The list of stored sessions."""
        from canopy_tui.view.stored.session_picker import SessionPicker

        if not isinstance(self.screen, SessionPicker):
            self.push_screen(self.session_picker())

    def session_picker(self) -> SessionPicker:
        """The list, on the directory of the session in view."""
        from canopy_tui.view.stored.session_picker import SessionPicker

        around, root = self.around, self.root
        where = root.cwd if root is not None and root.cwd else around.directory
        picker = SessionPicker(self.state, where, around.glyphs, around.now, around.peek)
        picker.looks_only = around.read_only
        return picker

    def on_session_picker_opened(self, event: SessionPicker.Opened) -> None:
        """Open a stored session, or go to it when it is open."""
        row = event.row
        if row.id in self.state.sessions and not event.copy:
            self._close_picker()
            self.go(row.id)
            return
        self._when_trusted(row.cwd, lambda: self._when_free(row, copy=event.copy))

    def _when_free(self, row: ListedSession, *, copy: bool) -> None:
        """Ask before a session is opened that another client has open."""
        from canopy_tui.view.dialogs.confirm import ConfirmScreen

        holder = None if copy else self.around.held_elsewhere(row.id)
        if holder is None:
            self._open_row(row, copy=copy)
            return
        question = (
            f"Another Canopy {holder} has “{clipped(row.title, 100) or row.id}” open. When two go "
            "on with one session, each misses what the other does. A copy "
            f"({name('session-fork')}) is safe."
        )
        screen = ConfirmScreen("Open elsewhere", question, "Open it here too", "Leave it there")
        self.push_screen(screen, lambda yes: self._open_row(row, copy=copy) if yes else None)

    def _open_row(self, row: ListedSession, *, copy: bool) -> None:
        from canopy_tui.model.intents import ForkSession, LoadSession

        self._close_picker()
        cwd = row.cwd or self.around.directory
        root = self.root
        makes_room = root is not None and not self.main.composer.area.text.strip()
        instead_of = root.id if root is not None and makes_room else None
        self._expects_root = True
        kind = ForkSession if copy else LoadSession
        self.host.act(kind(row.id, cwd, row.title, instead_of))

    def _close_picker(self) -> None:
        from canopy_tui.view.stored.session_picker import SessionPicker

        for screen in self.screen_stack:
            if isinstance(screen, SessionPicker):
                screen.dismiss()

    def on_session_picker_new_asked(self) -> None:
        """A new session."""
        self.action_new_session()

    def action_close_session(self) -> None:
        """Close the session in view, after a question when it works."""
        from canopy_tui.model.intents import CloseSession
        from canopy_tui.view.dialogs.confirm import ConfirmScreen

        root = self.root
        if root is None:
            return
        if len(self.state.roots) < 2:
            self.say(f"It is the only session. {name('quit')} quits.")
            return
        if not self.turn_runs:
            self.host.act(CloseSession(root.id))
            return
        question = "Closing it stops what runs in it."
        screen = ConfirmScreen("Close", question, "Close it", "Stay")
        self.push_screen(screen, lambda yes: self.host.act(CloseSession(root.id)) if yes else None)

    def show_outside(self) -> None:
        """Draw what lies outside the transcripts: the list, a login, a problem."""
        from canopy_tui.view.screens.login_screen import LoginScreen
        from canopy_tui.view.stored.session_picker import SessionPicker

        root = self.root
        if self._to_load is not None and root is not None and self.state.link.status == "ready":
            wanted, self._to_load = self._to_load, None
            self._expects_root = self.main.composer.hands_on = True
            self.host.act(replace(wanted, instead_of=root.id))
        for screen in self.screen_stack:
            if isinstance(screen, SessionPicker | LoginScreen) and screen.is_mounted:
                screen.show()
        need, before, self._login = self.state.login, self._login, self.state.login
        if need is not None and before is None:
            self.action_log_in()
        problem, told, self._told = self.state.problem, self._told, self.state.problem
        if problem is not None and problem is not told:
            self._show_problem(problem)

    def _show_problem(self, problem: Problem) -> None:
        if not problem.title:
            self.action_show_sessions()
            return

        def answered(go_on: bool | None) -> None:
            if go_on and problem.offers:
                self.action_show_sessions()

        from canopy_tui.view.screens.problem_screen import ProblemScreen

        self.push_screen(ProblemScreen(problem), answered)
