"""The card of a child session: one line on how it stands, which opens the child's transcript.

It reads the child's state and never its transcript's text, apart from counting lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len

from canopy_tui.model.entries import ChildEntry, MessageEntry, Role, ToolEntry
from canopy_tui.model.sanitize import visible
from canopy_tui.model.state import Phase
from canopy_tui.view.blocks.block import INDENT
from canopy_tui.view.drawing.labels import name_of
from canopy_tui.view.drawing.strips import WITH_KEYS, Row, fitted_name, width_of

if TYPE_CHECKING:
    from rich.style import Style

    from canopy_tui.model.entries import AnyEntry
    from canopy_tui.model.state import ClientState, SessionView
    from canopy_tui.view.drawing.strips import Paper, Run

_NAME = 16
"""Cells of the name that stay when there is too little room for everything."""


@dataclass(frozen=True, slots=True)
class Card:
    """Facts of the line. ``phase`` is a word; ``words`` are what follows the name."""

    child: str
    name: str
    phase: str
    asks: bool = False
    words: tuple[str, ...] = ()

    def draw(self, paper: Paper) -> list[Row]:
        """Exactly one row."""
        ink = paper.ink
        mark, style = self._mark(paper)
        hint: Run = (WITH_KEYS, ink.faint)
        head: list[Run] = [(f"{mark} ", style)]
        dot = f" {paper.marks.dot} "
        words = [*(["asks"] if self.asks else []), *self.words]
        tail = [(dot + visible(word, multiline=False), ink.muted) for word in words]
        room = paper.width - INDENT - width_of([hint])
        name = visible(self.name, multiline=False)
        least = min(cell_len(name), _NAME)
        while tail and width_of(tail) + least > room:
            tail.pop()
        name = fitted_name(name, room - width_of(tail), paper.marks.more)
        runs = (*head, (name, ink.secondary), *tail, hint)
        return [Row(runs, INDENT, hit="open")]

    def _mark(self, paper: Paper) -> tuple[str, Style]:
        ink, marks = paper.ink, paper.marks
        if self.asks:
            return marks.asks, ink.warning
        return {
            Phase.RUNNING.value: (marks.running, ink.secondary),
            Phase.DONE.value: (marks.done, ink.success),
            Phase.FAILED.value: (marks.failed, ink.error),
            Phase.DISCONNECTED.value: (marks.failed, ink.error),
            Phase.CANCELLED.value: (marks.cancelled, ink.warning),
        }.get(self.phase, (marks.pending, ink.muted))

    def guess(self, width: int) -> int:
        """Always one."""
        return 1


def card(entry: ChildEntry, state: ClientState) -> Card:
    """The card as the child stands now; one of an earlier run only says that the run is over."""
    view = state.sessions.get(entry.child)
    if view is None:
        return Card(entry.child, entry.child, "gone", words=("gone",))
    if entry.run != view.run:
        return Card(view.id, name_of(state, view), Phase.DONE.value, words=("earlier run",))
    asks = view.requires_action or any(request.session == view.id for request in state.waiting())
    running = view.phase is Phase.RUNNING
    tools, lines = _tally(view)
    words = [(view.activity or Phase.RUNNING.value) if running else view.phase.word]
    if view.phase_reason and not running and view.phase is not Phase.DONE:
        words.append(view.phase_reason)
    if tools:
        words.append(f"{tools:,} tool{'' if tools == 1 else 's'}")
    if lines:
        words.append(f"{lines:,} line{'' if lines == 1 else 's'} of text")
    return Card(view.id, name_of(state, view), view.phase.value, asks, tuple(words))


_counted: dict[str, tuple[SessionView, int, int, int]] = {}
"""Session → its first entries that cannot grow any more: how many, their tools, their lines."""
_REMEMBERED = 1_000


def _tally(view: SessionView) -> tuple[int, int]:
    """Tool calls, and lines of the answer so far. What has settled is counted once."""
    known = _counted.get(view.id)
    at, tools, lines = known[1:] if known is not None and known[0] is view else (0, 0, 0)
    entries = view.entries
    while at < len(entries) and getattr(entries[at], "settled", True):
        one = _tally_of(entries[at])
        at, tools, lines = at + 1, tools + one[0], lines + one[1]
    if len(_counted) >= _REMEMBERED:
        _counted.clear()
    _counted[view.id] = view, at, tools, lines
    rest = [_tally_of(entry) for entry in entries[at:]]
    return tools + sum(one[0] for one in rest), lines + sum(one[1] for one in rest)


def _tally_of(entry: AnyEntry) -> tuple[int, int]:
    if isinstance(entry, ToolEntry):
        return 1, 0
    if isinstance(entry, MessageEntry) and entry.role is Role.AGENT:
        return 0, sum(chunk.count("\n") for chunk in entry.chunks) + 1
    return 0, 0
