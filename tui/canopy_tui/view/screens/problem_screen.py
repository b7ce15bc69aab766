"""Tells of something that did not work: what, why as far as that is known, and what to do now."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.widgets import Static

from canopy_tui.view.dialogs.answers import Answer, Answers
from canopy_tui.view.dialogs.dialog import Dialog
from canopy_tui.view.dialogs.small_frame import SmallFrame
from canopy_tui.view.drawing.labels import foreign
from canopy_tui.view.keyboard.keymap import filled, name
from canopy_tui.view.keyboard.keys import PROBLEM

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from canopy_tui.model.state import Problem

_SHOWN = 2000
_NAMED = 32
"""Characters that the title of a frame holds on every screen."""


class ProblemScreen(Dialog[bool]):
    """Dismisses with True when the person takes the way on that is offered."""

    BINDINGS: ClassVar[list[BindingType]] = PROBLEM.bindings()

    def __init__(self, problem: Problem) -> None:
        super().__init__()
        self._problem = problem
        close = Answer(name("problem-close"), "Close", "")
        way_on = (
            (Answer(name("problem-sessions"), "Show the sessions", "yes"),)
            if problem.offers
            else ()
        )
        self._answers = (*way_on, close)

    def compose(self) -> ComposeResult:
        """What, why, what now."""
        problem = self._problem
        named = len(problem.title) <= _NAMED
        words = (
            *(() if named else (Static(foreign(problem.title, "bold $error")),)),
            Static(foreign(problem.detail[:_SHOWN])),
            Static(foreign(filled(problem.advice), "$text-muted")),
        )
        title = foreign(problem.title).plain if named else "Not done"
        yield SmallFrame(title, words, Answers(self._answers))

    def on_answers_chosen(self, event: Answers.Chosen) -> None:
        """A click."""
        event.stop()
        self.dismiss(bool(event.answer.value))

    def action_answer(self, go_on: bool) -> None:
        """A key."""
        self.dismiss(go_on and bool(self._problem.offers))
