"""The ways to log in that the agent offers, while it wants a login or the person asks for one.

It says which was chosen; running a command in the terminal is the app's business.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from canopy_tui.model.intents import LogIn, LoginDone
from canopy_tui.model.sanitize import clipped
from canopy_tui.view.dialogs.answers import Answer, Answers
from canopy_tui.view.dialogs.dialog import Dialog
from canopy_tui.view.dialogs.small_frame import SmallFrame
from canopy_tui.view.drawing.labels import foreign
from canopy_tui.view.keyboard.key_guard import KeyGuard
from canopy_tui.view.keyboard.keymap import everywhere, filled, name
from canopy_tui.view.keyboard.keys import LOGIN
from canopy_tui.view.keyboard.lone_keys import AnsweredByKeys
from canopy_tui.view.posting import Posted

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from canopy_tui.model.login import LoginMethod
    from canopy_tui.model.state import ClientState

_MOST = 9
_AGAIN = "again"


class LoginScreen(AnsweredByKeys, Dialog[None]):
    """Closes by itself when the login is done. ``agent_command`` started the agent."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *LOGIN.bindings(),
        *everywhere("quit"),
    ]

    @dataclass
    class CommandChosen(Message):
        """Log in by running ``command`` in the terminal."""

        command: tuple[str, ...]
        environment: tuple[tuple[str, str], ...]

    def __init__(self, state: ClientState, agent_command: tuple[str, ...]) -> None:
        super().__init__()
        self.guard = KeyGuard()
        self._state = state
        self._agent_command = agent_command
        self._wanted = state.login is not None

    def compose(self) -> ComposeResult:
        """Why, how, and what the last try came to."""
        answers = [
            Answer(str(number), _label(method), method.id)
            for number, method in enumerate(self._methods, 1)
        ]
        words = (
            Static("", id="login-why", markup=False),
            Static("", id="login-tried", markup=False),
        )
        again = Answer(name("login-again"), "Try again: I have logged in by myself", _AGAIN)
        later = filled("Later: {palette}, “Log in” brings this back")
        close = Answer(name("login-close"), later, "")
        yield SmallFrame("Log in", words, Answers((*answers, again, close)))

    def on_mount(self) -> None:
        """Draw."""
        self.show()

    @property
    def _methods(self) -> tuple[LoginMethod, ...]:
        return self._state.link.logins[:_MOST]

    def show(self) -> None:
        """Follow the state."""
        need = self._state.login
        if need is None and self._wanted:
            self.dismiss()
            return
        name = clipped(self._state.link.name, 60) or "The agent"
        why = f"{name} wants you to log in before it goes on."
        if need is None:
            why = f"Log in to {name}."
        elif need.message:
            why += f"\n{need.message}"
        if not self._methods:
            why += "\nIt does not say how. See its own documentation, then press "
            why += filled("{login-again}.")
        self.query_one("#login-why", Static).update(foreign(why))
        tried = Content("")
        if need is not None and need.busy:
            tried = Content.styled("Logging in …", "bold $primary")
        elif need is not None and need.tried:
            tried = foreign(need.tried, "bold $error")
        line = self.query_one("#login-tried", Static)
        line.update(tried)
        line.display = bool(tried)

    def answers_to(self, key: str) -> bool:
        """Numbers begin a login."""
        return key in "123456789"[: len(self._methods)]

    def on_key(self, event: events.Key) -> None:
        """Numbers choose."""
        if event.character and event.character in "123456789":
            index = int(event.character) - 1
            if index < len(self._methods):
                event.stop()
                self._choose(self._methods[index])

    def on_answers_chosen(self, event: Answers.Chosen) -> None:
        """A click."""
        event.stop()
        value = event.answer.value
        if value == _AGAIN:
            self.action_again()
        elif not value:
            self.dismiss()
        for method in self._methods:
            if method.id == value:
                self._choose(method)

    def action_again(self) -> None:
        """Ask the agent once more."""
        self.post_message(Posted(LoginDone()))

    def _choose(self, method: LoginMethod) -> None:
        need = self._state.login
        if need is not None and need.busy:
            return
        command = method.command_line(self._agent_command)
        if command:
            self._wanted = True
            self.app.post_message(self.CommandChosen(command, method.environment))
        elif method.kind == "terminal":
            words = shlex.join(method.arguments)
            self.post_message(Posted(LoginDone(f"Run the agent in a terminal with: {words}")))
        else:
            self._wanted = True
            self.post_message(Posted(LogIn(method.id)))


def _label(method: LoginMethod) -> str:
    about = f": {clipped(method.description, 120)}" if method.description else ""
    return clipped(method.name, 60) + about
