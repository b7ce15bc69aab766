"""The answers that can be given to a request, one line each, with the key that gives it.

Pure but for the widget that draws them: which keys belong to which answer is a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from textual.content import Content
from textual.message import Message

from canopy_shared.permission import ALLOW_ALWAYS, ALLOW_ONCE, REJECT_ALWAYS, REJECT_ONCE
from canopy_tui.model.sanitize import clipped
from canopy_tui.view.clicks import Clickable, clickable

if TYPE_CHECKING:
    from canopy_shared.permission import PermissionOption

_STYLES: Final = {
    ALLOW_ONCE: "$success",
    ALLOW_ALWAYS: "$warning",
    REJECT_ONCE: "$error",
    REJECT_ALWAYS: "$error",
}
KIND_KEYS: Final = {ALLOW_ONCE: "y", ALLOW_ALWAYS: "a", REJECT_ONCE: "n", REJECT_ALWAYS: "N"}


@dataclass(frozen=True, slots=True)
class Answer:
    """``value`` is for whoever asked; ``key`` is one character."""

    key: str
    label: str
    value: str
    style: str = ""


def permission_answers(options: Sequence[PermissionOption]) -> tuple[Answer, ...]:
    """Exactly ``options``, in their order.

    The first option of a known kind gets the key of that kind; all others get their number.
    """
    free = dict(KIND_KEYS)
    answers = []
    for number, option in enumerate(options, 1):
        key = free.pop(option.kind, str(number) if number < 10 else "")
        style = _STYLES.get(option.kind, "")
        answers.append(Answer(key, option.name, option.option_id, style))
    return tuple(answers)


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
        line = Content.assemble(
            (f" {answer.key or ' '} ", f"bold reverse {answer.style}".strip()),
            "  ",
            clipped(answer.label, 200),
            (again, "bold $warning"),
        )
        return line.truncate(max(1, self.size.width), ellipsis=True).stylize(click)

    def action_choose(self, index: int) -> None:
        """A line was clicked."""
        self.post_message(self.Chosen(self.answers[index]))
