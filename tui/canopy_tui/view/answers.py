"""The answers that can be given to a question, one line each, with the key that gives it.

What an answer means is not known here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual.content import Content
from textual.message import Message

from canopy_tui.model.sanitize import clipped
from canopy_tui.view.clicks import Clickable, clickable


@dataclass(frozen=True, slots=True)
class Answer:
    """``value`` is for whoever asked; ``key`` is the name of its key, ``keys`` all its keys in
    Textual's spelling where the widget around it listens for them.
    """

    key: str
    label: str
    value: str
    style: str = ""
    keys: frozenset[str] = frozenset()


class Answers(Clickable):
    """The lines. A click is the same as the key."""

    @dataclass
    class Chosen(Message):
        """The person clicked an answer."""

        answer: Answer

    def __init__(self, answers: Sequence[Answer]) -> None:
        super().__init__(id="answers")
        self.answers = tuple(answers)
        self._armed: str | None = None

    def offer(self, answers: Sequence[Answer]) -> None:
        """Show other answers."""
        self.answers = tuple(answers)
        self._armed = None
        self.refresh(layout=True)

    def arm(self, key: str | None) -> None:
        """Show that the answer of ``key`` needs its key once more."""
        self._armed = key
        self.refresh()

    def render(self) -> Content:
        """One line each."""
        return Content("\n").join(
            self._line(index, answer) for index, answer in enumerate(self.answers)
        )

    def _line(self, index: int, answer: Answer) -> Content:
        click = clickable("choose", index)
        again = f"  press {answer.key} again" if answer.key and answer.key == self._armed else ""
        key = answer.key or " "
        longest = max(cell_len(one.key) for one in self.answers)
        line = Content.assemble(
            (f" {key} ", f"bold reverse {answer.style}".strip()),
            " " * (2 + max(0, longest - cell_len(key))),
            clipped(answer.label, 200),
            (again, "bold $warning"),
        )
        return line.truncate(max(1, self.size.width), ellipsis=True).stylize(click)

    def action_choose(self, index: int) -> None:
        """A line was clicked."""
        self.post_message(self.Chosen(self.answers[index]))
