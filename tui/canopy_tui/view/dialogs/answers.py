"""The answers that can be given to a question, each on its own line, with the key that gives it.

What an answer means is not known here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from rich.cells import cell_len
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message

from canopy_tui.model.sanitize import clipped
from canopy_tui.view.drawing.clicks import Clickable, clickable


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
        self._most = 0

    def offer(self, answers: Sequence[Answer]) -> None:
        """Show other answers."""
        self.answers = tuple(answers)
        self._armed = None
        self.refresh(layout=True)

    def arm(self, key: str | None) -> None:
        """Show that the answer of ``key`` needs its key once more."""
        self._armed = key
        self.refresh(layout=True)

    def bound(self, rows: int) -> None:
        """Take up to ``rows`` rows for answers that are longer than their line; each has one."""
        if rows != self._most:
            self._most = rows
            self.refresh(layout=True)

    def wanted(self, width: int) -> int:
        """Rows that show every answer in full."""
        return sum(map(len, self._wrapped(width)))

    def place_of(self, answer: Answer) -> Region:
        """Where it is drawn."""
        heights = self._heights(self._wrapped(self.size.width))
        at = self.answers.index(answer)
        return Region(0, sum(heights[:at]), 1, heights[at])

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many rows as are drawn."""
        return sum(self._heights(self._wrapped(width)))

    def render(self) -> Content:
        """Every answer; a long one goes on below, as far as there is room."""
        wrapped = self._wrapped(self.size.width)
        heights = self._heights(wrapped)
        drawn = [
            self._drawn(index, lines, height)
            for index, lines, height in zip(count(), wrapped, heights)
        ]
        return Content("\n").join(line for lines in drawn for line in lines)

    def _heights(self, wrapped: Sequence[Sequence[Content]]) -> list[int]:
        """One row for each, and what is left to those that are longer, the first ones first."""
        left = max(0, self._most - len(wrapped))
        heights = []
        for lines in wrapped:
            more = min(left, len(lines) - 1)
            left -= more
            heights.append(1 + more)
        return heights

    def _drawn(self, index: int, lines: Sequence[Content], height: int) -> list[Content]:
        answer = self.answers[index]
        key = answer.key or " "
        indent = self._indent()
        first = Content.assemble(
            (f" {key} ", f"bold reverse {answer.style}".strip()),
            " " * (indent - cell_len(key) - 2),
        )
        shown = list(lines[:height])
        if height < len(lines):
            # What the key does next must not be what is cut off.
            again = self._again(answer)
            room = max(1, self.size.width - indent - again.cell_length)
            rest = Content(" ").join(lines[height - 1 :])
            rest = Content(rest.plain.removesuffix(again.plain))
            shown[-1] = Content.assemble(rest.truncate(room, ellipsis=True), again)
        click = clickable("choose", index)
        return [
            Content.assemble(" " * indent if at else first, line).stylize(click)
            for at, line in enumerate(shown)
        ]

    def _wrapped(self, width: int) -> list[list[Content]]:
        room = max(1, width - self._indent())
        return [
            Content.assemble(clipped(answer.label, 200), self._again(answer)).wrap(room)
            for answer in self.answers
        ]

    def _again(self, answer: Answer) -> Content:
        again = answer.key and answer.key == self._armed
        return Content.styled(f"  press {answer.key} again" if again else "", "bold $warning")

    def _indent(self) -> int:
        return 4 + max((cell_len(one.key or " ") for one in self.answers), default=1)

    def action_choose(self, index: int) -> None:
        """A line was clicked."""
        self.post_message(self.Chosen(self.answers[index]))
