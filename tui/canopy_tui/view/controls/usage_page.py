"""The page of what a session uses: context, cost, tokens, agents, limits, as far as it is told.

What nobody told is said to be unknown, never to be nothing; who tells it is not known here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from textual.content import Content

from canopy_tui.model import tree
from canopy_tui.model.glyphs import ASCII
from canopy_tui.model.intents import AskUsage, SendPrompt
from canopy_tui.model.sanitize import clipped
from canopy_tui.model.use import agent_lines, limit_lines, model_lines, totals
from canopy_tui.model.words import duration, model_name, money, tokens
from canopy_tui.view.controls.control_list import EMPTY, Item
from canopy_tui.view.drawing.strips import fitted
from canopy_tui.view.keyboard.keys import USAGE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from canopy_tui.model.intents import Intent
    from canopy_tui.model.state import ClientState, SessionView
    from canopy_tui.model.use import LimitLine

_COMMAND = "usage"
_MODEL = "model"
_BAR, _SHORTEST = 24, 4
"""Cells of a bar."""
_WORDS = 11
"""Cells of the word before a fact."""


class UsagePage:
    """Of the session ``root``. ``now`` is in epoch seconds."""

    title = "Usage"
    hints = USAGE.keys
    choice = ""

    def __init__(
        self,
        state: ClientState,
        root: str,
        glyphs: str,
        now: Callable[[], float],
        *,
        read_only: bool,
    ) -> None:
        self._state = state
        self._root = root
        self._ascii = glyphs == ASCII
        self._now = now
        self._read_only = read_only

    # --- lines --------------------------------------------------------------------------------

    def items(self, width: int) -> Sequence[Item]:
        """All that is known."""
        view = self._state.sessions.get(self._root)
        if view is None:
            return [Item(_quiet("The session is closed."))]
        return [
            *self._summary(view, width),
            *self._tokens(view, width),
            *self._agents(view, width),
            *self._limits(view, width),
            *self._ways(view),
        ]

    def _summary(self, view: SessionView, width: int) -> list[Item]:
        report = view.controls.report
        context, full = _quiet("not told"), 0.0
        if view.usage_size:
            full = max(0.0, min(1.0, view.usage_used / view.usage_size))
            filled = f" {full:.0%}  {tokens(view.usage_used)} of {tokens(view.usage_size)} tokens"
            context = self._with_bar(full, Content(filled), width - _WORDS)
        told = view.cost
        if told is None and report is not None:
            told = report.cost
        currency = clipped(view.currency, 8)
        cost = _quiet("not told") if told is None else Content(money(told, currency))
        rows = [
            (
                "Model",
                Content(clipped(model_name(view.model), 60)) if view.model else _quiet("not told"),
            )
        ]
        rows += [("Context", context), ("Cost", cost)]
        if report is not None and report.plan:
            rows.append(("Plan", Content(clipped(report.plan, 60))))
        if report is not None and report.seconds is not None:
            api = report.api_seconds
            said = duration(report.seconds)
            if api is not None:
                said += f" · for the model {duration(api)}"
                more = f"{said}, all agents together"
                said = more if len(more) <= width - _WORDS else said
            rows.append(("Time", Content(said)))
        return [Item(Content.assemble((f"{word:<{_WORDS}}", "bold"), fact)) for word, fact in rows]

    def _tokens(self, view: SessionView, width: int) -> list[Item]:
        title, rows = model_lines(view)
        if not rows:
            return [
                *_head("Tokens"),
                Item(_quiet(self._why_unknown(view, "No turn has told them."))),
            ]
        columns = [("in", 9), ("out", 9), ("cache read", 12), ("cache write", 13), ("cost", 10)]
        table = [*rows, ("all", *totals(rows))] if len(rows) > 1 else rows
        if all(cost is None for _, _, cost in rows):
            columns.pop()
        lines = [
            (
                clipped(model_name(name), 60),
                [
                    *(
                        tokens(n)
                        for n in (row.input, row.output, row.cached_read, row.cached_write)
                    ),
                    "" if cost is None else money(cost),
                ],
            )
            for name, row, cost in table
        ]
        return [*_head(title), *_table(columns, lines, width)]

    def _agents(self, view: SessionView, width: int) -> list[Item]:
        below = list(tree.below(self._state, view.id))
        if not below:
            return []
        rows = agent_lines(self._state, below, view.controls.report)
        items = _head("Agents")
        if not rows:
            words = self._why_unknown(view, "What each of them took is not told.")
            return [*items, Item(_quiet(words))]
        models = max(len(_MODEL), *(cell_len(cells[-1]) for _, cells in rows))
        columns = [("read", 9), ("cached", 9), ("wrote", 9), ("calls", 7)]
        columns.append((_MODEL, min(24, models + 2)))
        return [*items, *_table(columns, rows, width)]

    def _limits(self, view: SessionView, width: int) -> list[Item]:
        rows, report = limit_lines(view, self._now()), view.controls.report
        items = _head("Limits of the account")
        if rows:
            return [*items, *(self._limit(row, width) for row in rows)]
        if report is None:
            words = self._why_unknown(view, "The agent does not tell them.")
        else:
            words = "They could not be read." if report.has_limits else "There are none."
        return [*items, Item(_quiet(words))]

    def _limit(self, row: LimitLine, width: int) -> Item:
        head: list[Content] = []
        style = "bold $error" if row.is_reached else ""
        head.append(Content.styled(row.name, style))
        if row.words:
            head.append(_quiet(f", {row.words}"))
        line = EMPTY.join(head)
        if row.used is None:
            return Item(line)
        return Item(self._with_bar(row.used, Content(f" {row.used:.0%}  ").append(line), width))

    def _why_unknown(self, view: SessionView, usual: str) -> str:
        controls = view.controls
        if controls.asks_report and controls.report is None:
            return "asking the agent …"
        if controls.report_error:
            return clipped(controls.report_error, 300)
        return usual

    def _ways(self, view: SessionView) -> list[Item]:
        """An agent that tells nothing of its own may answer a command."""
        has = any(command.name == _COMMAND for command in view.commands)
        if self._state.link.tells_controls or self._read_only or not has:
            return []
        head = Content.styled("Send /usage: the agent answers in the transcript", "$primary")
        return [Item(EMPTY), Item(head, key=_COMMAND)]

    def _with_bar(self, part: float, words: Content, room: int) -> Content:
        """``words`` behind a bar, which is as long as they leave room for, or is not there."""
        cells = min(_BAR, room - words.cell_length)
        bar = self._bar(part, cells) if cells >= _SHORTEST else EMPTY
        return Content.assemble(bar, words)

    def _bar(self, part: float, cells: int) -> Content:
        on, off = ("#", "-") if self._ascii else ("━", "─")
        part = max(0.0, min(1.0, part))
        full = round(part * cells)
        style = "$primary" if part < 0.7 else "$warning" if part < 0.9 else "bold $error"
        return Content.assemble((on * full, style), (off * (cells - full), "$line"))

    # --- what the person does -----------------------------------------------------------------

    def chosen(self, key: str) -> tuple[Intent | None, str]:
        """The command of an agent that tells nothing of its own."""
        return (SendPrompt(self._root, f"/{_COMMAND}") if key == _COMMAND else None), ""

    def acted(self, action: str, key: str) -> Intent | None:
        """Ask anew."""
        return self.opened()

    def back(self) -> str | None:
        """There is nothing to fold."""
        return None

    def opened(self) -> Intent | None:
        """Ask the agent, if it answers that."""
        asks = self._state.link.tells_controls and not self._read_only
        return AskUsage(self._root) if asks else None

    def tick(self) -> Intent | None:
        """What is told changes with turns, not with time."""
        return None


def _quiet(words: str) -> Content:
    return Content.styled(words, "$text-muted")


def _head(title: str) -> list[Item]:
    return [Item(EMPTY), Item(Content.styled(title, "bold $primary"))]


def _table(
    columns: list[tuple[str, int]], rows: Sequence[tuple[str, Sequence[str]]], width: int
) -> list[Item]:
    """Names left, figures right; the last columns go where there is no room for them."""
    longest = max(len(name) for name, _ in rows)
    while len(columns) > 1 and min(longest, 16) + sum(cells for _, cells in columns) > width:
        columns = columns[:-1]
    room = max(8, width - sum(cells for _, cells in columns))
    room = min(room, max(longest, 16))

    def line(name: str, cells: Sequence[str], style: str) -> Item:
        figures = "".join(
            f"  {fitted(text, size - 2)}"
            if title == _MODEL
            else f"{fitted(text, size - 1):>{size}}"
            for text, (title, size) in zip(cells, columns, strict=False)
        )
        head = Content.assemble(_padded(name, room), (figures, style))
        return Item(head)

    titles = line("", [title for title, _ in columns], "$text-muted")
    return [titles, *(line(name, cells, "") for name, cells in rows)]


def _padded(text: str, cells: int) -> str:
    return set_cell_size(fitted(text, cells), cells)
