"""Asks whether a directory is trusted, before an agent reads what lies in it.

What an answer means, and where it is kept, is not known here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from canopy_tui.view.answers import Answer, Answers
from canopy_tui.view.keymap import name
from canopy_tui.view.keys import TRUST
from canopy_tui.view.labels import foreign

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

ALWAYS, ONCE, REFUSED = "always", "once", "refused"

_YES = "Yes, I trust this directory and what lies below it"
_WHY = (
    "An agent that works here reads this directory's own settings: hooks, MCP servers and "
    "instructions in it can run commands on your machine. Nothing of it has been read or run yet."
)


class TrustScreen(ModalScreen[str]):
    """Dismisses with one of the three answers; Enter answers nothing, Esc is a no."""

    BINDINGS: ClassVar[list[BindingType]] = TRUST.bindings()

    def __init__(self, directory: str, *, at_start: bool) -> None:
        super().__init__()
        self._directory = directory
        no = "No: leave" if at_start else "No: do not open it"
        self._answers = (
            Answer(name("trust-always"), _YES, ALWAYS),
            Answer(name("trust-once"), "Only this time", ONCE),
            Answer(name("trust-no"), no, REFUSED),
        )

    def compose(self) -> ComposeResult:
        """The directory, the reason, the answers."""
        frame = Vertical(
            Static(foreign(self._directory, "bold"), classes="words"),
            Static(Content(_WHY), classes="words"),
            Answers(self._answers),
            classes="small-frame",
        )
        frame.border_title = Content("Do you trust this directory?")
        yield frame

    def on_answers_chosen(self, event: Answers.Chosen) -> None:
        """A click."""
        event.stop()
        self.dismiss(event.answer.value)

    def action_answer(self, answer: str) -> None:
        """A key."""
        self.dismiss(answer)
