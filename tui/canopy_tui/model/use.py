"""What a session used, as rows of names and figures: by model, by agent, and what the limits say.

Pure; unknown figures stay unknown. Names are made harmless; how a row looks is not known here.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from canopy_tui.model.children import agent_of
from canopy_tui.model.controls import Tokens
from canopy_tui.model.names import name_of
from canopy_tui.model.sanitize import clipped
from canopy_tui.model.words import model_name, tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from canopy_shared.ext.canopy_controls import UsageReport
    from canopy_tui.model.state import ClientState, SessionView

ModelLine = tuple[str, Tokens, float | None]
"""Model, what it took, its cost in USD if that is told."""

_DAY = 86_400.0
_KINDS = {
    "five_hour": "5 hours",
    "seven_day": "7 days",
    "seven_day_opus": "7 days, Opus",
    "seven_day_sonnet": "7 days, Sonnet",
    "overage": "extra usage",
}


class LimitLine(NamedTuple):
    """``used`` is a share of 1, None when it is not told."""

    name: str
    used: float | None
    words: str
    is_reached: bool = False


def model_lines(view: SessionView) -> tuple[str, list[ModelLine]]:
    """What the figures are of, and one row for each model; no rows when nothing is told."""
    controls, report = view.controls, view.controls.report
    rows: list[ModelLine]
    if report is not None and report.models:
        rows = [
            (row.model, Tokens(row.input, row.output, row.cached_read, row.cached_write), row.cost)
            for row in report.models
        ]
        return "Tokens of the session, with all its agents", rows
    count = "1 turn" if controls.turns == 1 else f"{controls.turns} turns"
    if controls.models:
        rows = [(model, row, None) for model, row in controls.models.items()]
        return f"Tokens of {count} since you opened it, with all its agents", rows
    if controls.main.total:
        name = view.model or "all models"
        return f"Tokens of {count} since you opened it", [(name, controls.main, None)]
    return "Tokens", []


def totals(rows: Sequence[ModelLine]) -> tuple[Tokens, float | None]:
    """All rows together; the cost only when each row has one."""
    whole, cost = Tokens(), 0.0
    for _, row, spent in rows:
        whole += row
        cost += spent or 0.0
    return whole, cost if all(spent is not None for _, _, spent in rows) else None


def agent_lines(
    state: ClientState, below: Sequence[SessionView], report: UsageReport | None
) -> list[tuple[str, list[str]]]:
    """Name, tokens read, cached and written, calls and model of each agent of which one is told."""
    by_agent = {row.agent: row for row in (report.agents if report is not None else ())}
    lines = []
    for view in below:
        row, name = by_agent.get(agent_of(view.id)), name_of(state, view)
        if row is not None:
            figures = [tokens(row.read), tokens(row.cached), tokens(row.written), str(row.calls)]
            lines.append((name, [*figures, clipped(model_name(row.model), 40)]))
        elif view.usage_used:
            figures = [tokens(view.usage_used), "", "", str(len(view.tools))]
            lines.append((name, [*figures, clipped(model_name(view.model), 40)]))
    return lines


def limit_lines(view: SessionView, now: float) -> list[LimitLine]:
    """The limits of the report, else those that came with updates."""
    report = view.controls.report
    if report is not None and report.limits:
        return [
            LimitLine(
                clipped(limit.name, 60),
                limit.used / 100,
                _resets(_moment(limit.resets_at), now),
                limit.used >= 100,
            )
            for limit in report.limits
        ]
    lines = []
    for limit in view.controls.rate_limits.values():
        reached = limit.status == "rejected"
        words = {"rejected": "reached", "allowed_warning": "near", "allowed": "not reached"}
        said = [words.get(limit.status, clipped(limit.status, 40)), _resets(limit.resets_at, now)]
        name = _KINDS.get(limit.kind, clipped(limit.kind, 40))
        lines.append(LimitLine(name, limit.used, ", ".join(w for w in said if w), reached))
    return lines


def _moment(stamp: str) -> float | None:
    try:
        return datetime.fromisoformat(stamp).timestamp() if stamp else None
    except (ValueError, OverflowError):
        return None


def _resets(at: float | None, now: float) -> str:
    if at is None:
        return ""
    try:
        moment = datetime.fromtimestamp(at)
    except (ValueError, OverflowError, OSError):
        return ""
    return f"resets {moment:%H:%M}" if at - now < _DAY else f"resets {moment:%d %b %H:%M}"
