"""Asks whether a directory is trusted, before an agent reads what lies in it.

What an answer means, and where it is kept, is not known here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.content import Content
from textual.widgets import Static

from canopy_tui.view.dialogs.answers import Answer, Answers
from canopy_tui.view.dialogs.dialog import Dialog
from canopy_tui.view.dialogs.small_frame import SmallFrame
from canopy_tui.view.drawing.labels import foreign
from canopy_tui.view.keyboard.key_guard import KeyGuard
from canopy_tui.view.keyboard.keymap import is_key, name
from canopy_tui.view.keyboard.keys import TRUST
from canopy_tui.view.keyboard.lone_keys import AnsweredByKeys

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

ALWAYS, ONCE, REFUSED = "always", "once", "refused"

_YES = "Yes, I trust this directory and what lies below it"
_WHY = (
    "An agent that works here reads this directory's own settings: hooks, MCP servers and "
    "instructions in it can run commands on your machine. Nothing of it has been read or run yet."
)


class TrustScreen(AnsweredByKeys, Dialog[str]):
    """Dismisses with one of the three answers; Enter answers nothing, Esc is a no. ``found`` names
    settings that lie in the directory.
    """

    BINDINGS: ClassVar[list[BindingType]] = TRUST.bindings()

    def __init__(self, directory: str, *, at_start: bool, found: Sequence[str] = ()) -> None:
        super().__init__()
        self.guard = KeyGuard()
        self._directory = directory
        self._found = ", ".join(found)
        no = "No: leave" if at_start else "No: do not open it"
        self._answers = (
            Answer(name("trust-always"), _YES, ALWAYS),
            Answer(name("trust-once"), "Only this time", ONCE),
            Answer(name("trust-no"), no, REFUSED),
        )

    def compose(self) -> ComposeResult:
        """The directory, what is in it, the reason, the answers."""
        words = [Static(foreign(self._directory, "bold"))]
        if self._found:
            words.append(Static(foreign(f"It holds {self._found}.")))
        words.append(Static(Content(_WHY)))
        yield SmallFrame("Do you trust this directory?", words, Answers(self._answers))

    def on_answers_chosen(self, event: Answers.Chosen) -> None:
        """A click."""
        event.stop()
        self.dismiss(event.answer.value)

    def answers_to(self, key: str) -> bool:
        """All three letters."""
        return any(is_key(one.id, key) for one in TRUST.keys)

    def action_answer(self, value: str) -> None:
        """A key."""
        self.dismiss(value)
