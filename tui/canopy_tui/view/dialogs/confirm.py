"""A question with two answers, for what cannot be taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from canopy_tui.view.dialogs.answers import Answer, Answers
from canopy_tui.view.dialogs.dialog import Dialog
from canopy_tui.view.keyboard.key_guard import KeyGuard
from canopy_tui.view.keyboard.keymap import is_key, name
from canopy_tui.view.keyboard.keys import CONFIRM
from canopy_tui.view.keyboard.lone_keys import AnsweredByKeys

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult
    from textual.binding import BindingType


class ConfirmScreen(AnsweredByKeys, Dialog[bool]):
    """Dismisses with True only on ``y`` or a click; Enter does nothing, Esc and ``n`` say no."""

    BINDINGS: ClassVar[list[BindingType]] = CONFIRM.bindings()

    def __init__(self, title: str, question: str | Callable[[], str], yes: str, no: str) -> None:
        super().__init__()
        self.guard = KeyGuard()
        self._title = title
        self._question = question
        self._answers = (
            Answer(name("confirm-yes"), yes, "yes"),
            Answer(name("confirm-no"), no, ""),
        )

    def compose(self) -> ComposeResult:
        """Question and answers. All texts are our own or made harmless by the caller."""
        frame = Vertical(
            Static(self._words(), id="confirm-question"),
            Answers(self._answers),
            id="confirm-frame",
        )
        frame.border_title = Content(self._title)
        yield frame

    def answers_to(self, key: str) -> bool:
        """Both letters."""
        return is_key("confirm-yes", key) or is_key("confirm-no", key)

    def _words(self) -> Content:
        return Content(self._question if isinstance(self._question, str) else self._question())

    def show(self) -> None:
        """Ask anew: what the question is about may have changed meanwhile."""
        if not isinstance(self._question, str):
            self.query_one("#confirm-question", Static).update(self._words())

    def on_answers_chosen(self, event: Answers.Chosen) -> None:
        """A click."""
        event.stop()
        self.dismiss(bool(event.answer.value))

    def action_answer(self, yes: bool) -> None:
        """A key."""
        self.dismiss(yes)
