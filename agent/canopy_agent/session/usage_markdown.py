"""``/usage`` as Markdown, from the CLI's ``get_usage`` answer (2.1.332).

Pure: times come in, and a part that is absent or of another shape is left out. Names in it come
from plugins and servers and are shown as text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from canopy_agent.session.mcp_status import plain_words

Json = Mapping[str, Any]

_BAR_CELLS: Final = 20
_TOP_SERVERS: Final = 3
WINDOWS: Final = (
    ("five_hour", "Current session (5 hours)"),
    ("seven_day", "This week, all models"),
    ("seven_day_opus", "This week, Opus"),
    ("seven_day_sonnet", "This week, Sonnet"),
    ("seven_day_oauth_apps", "This week, other apps"),
)
_TOKENS: Final = (
    ("Input", "inputTokens"),
    ("Output", "outputTokens"),
    ("Cache read", "cacheReadInputTokens"),
    ("Cache write", "cacheCreationInputTokens"),
)
_BEHAVIOURS: Final = {
    "cache_miss": "Requests without a warm cache",
    "long_context": "Long conversations",
    "subagent_heavy": "Many subagents",
    "high_parallel": "Many sessions at once",
    "cron": "Scheduled work",
    "max_effort": "Highest effort",
    "workflow": "Workflows",
    "always_on_context": "Context that is always loaded",
    "large_tool_results": "Large tool results",
}


def usage_markdown(answer: Json, now: datetime) -> str | None:
    """The whole text; None when the answer holds no session, and so is not understood.

    ``now`` is aware, in the zone in which reset times are told.
    """
    session = _object(answer, "session")
    if not session:
        return None
    parts = [
        "## Usage",
        _subscription(answer),
        _limits(answer, now),
        _session(session),
        _tokens(session),
        _contributors(_object(answer, "behaviors")),
    ]
    return "\n\n".join(part for part in parts if part)


def _subscription(answer: Json) -> str:
    plan = answer.get("subscription_type")
    if isinstance(plan, str) and plan:
        return f"Claude {plain_words(plan.capitalize())} subscription"
    return "" if answer.get("rate_limits_available") is True else "No subscription limits apply."


# --- limits -------------------------------------------------------------------------------------


def _limits(answer: Json, now: datetime) -> str:
    limits = _object(answer, "rate_limits")
    rows = [_window(title, _object(limits, key), now) for key, title in WINDOWS]
    models = limits.get("model_scoped")
    for row in models if isinstance(models, list) else ():
        name = row.get("display_name") if isinstance(row, Mapping) else None
        if isinstance(name, str) and name:
            rows.append(_window(f"This week, {plain_words(name)}", row, now))
    rows.append(_extra(_object(limits, "extra_usage")))
    shown = [row for row in rows if row]
    if not shown and answer.get("rate_limits_available") is True:
        return "The limits of the plan could not be read."
    return "\n\n".join(("### Limits", *shown)) if shown else ""


def _window(title: str, window: Json, now: datetime) -> str:
    used = _number(window.get("utilization"))
    if used is None:
        return ""
    until = _reset(window.get("resets_at"), now)
    return f"{title}  \n`{_bar(used)}` {used:.0f}%{until}"


def _extra(extra: Json) -> str:
    used = _number(extra.get("utilization"))
    if extra.get("is_enabled") is not True or used is None:
        return ""
    return f"Extra usage  \n`{_bar(used)}` {used:.0f}%"


def _bar(percent: float) -> str:
    filled = max(0, min(_BAR_CELLS, round(percent / 100 * _BAR_CELLS)))
    return "█" * filled + "░" * (_BAR_CELLS - filled)


def _reset(value: object, now: datetime) -> str:
    try:
        at = (
            datetime.fromisoformat(value).astimezone(now.tzinfo) if isinstance(value, str) else None
        )
    except ValueError:
        return ""
    if at is None:
        return ""
    when = at.strftime("%H:%M") if at - now < timedelta(hours=24) else at.strftime("%d %b %H:%M")
    return f", resets {when}"


# --- the session --------------------------------------------------------------------------------


def _session(session: Json) -> str:
    rows = [
        ("Cost", _money(session.get("total_cost_usd"))),
        ("API time", _duration(session.get("total_api_duration_ms"))),
        ("Active time", _duration(session.get("total_duration_ms"))),
    ]
    known = [(name, value) for name, value in rows if value]
    return _table("### This session", ("", "Total"), known)


def _tokens(session: Json) -> str:
    models = _object(session, "model_usage")
    rows = []
    for model, row in models.items():
        if isinstance(row, Mapping):
            counts = [_count(row.get(key)) for _, key in _TOKENS]
            rows.append((plain_words(model), *counts, _money(row.get("costUSD"))))
    titles = ("Model", *(title for title, _ in _TOKENS), "Cost")
    return _table("### Tokens", titles, rows)


def _table(heading: str, titles: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    if not lines:
        return ""
    rule = "|".join(("---", *("---:" for _ in titles[1:])))
    return "\n".join((heading, "", f"| {' | '.join(titles)} |", f"|{rule}|", *lines))


# --- what uses the limits -----------------------------------------------------------------------


def _contributors(behaviours: Json) -> str:
    parts = [
        _period(title, _object(behaviours, key))
        for key, title in (("day", "Last 24 hours"), ("week", "Last 7 days"))
    ]
    shown = [part for part in parts if part]
    return "\n\n".join(("### What uses the limits", *shown)) if shown else ""


def _period(title: str, period: Json) -> str:
    rows = _rows(period, "behaviors", lambda row: _BEHAVIOURS.get(row.get("key", ""), ""))
    rows += _rows(period, "mcp_servers", lambda row: f"MCP server {_name(row)}")[:_TOP_SERVERS]
    advice = [_advice(row) for row in _list(period, "recommendations")]
    lines = [*rows, *(line for line in advice if line)]
    return "\n".join((f"**{title}**", *lines)) if lines else ""


def _rows(period: Json, key: str, words: Callable[[Json], str]) -> list[str]:
    """One line for each entry with a share, the largest first."""
    found = []
    for row in _list(period, key):
        share, text = _number(row.get("pct")), words(row)
        if share is not None and text.strip():
            found.append((share, text))
    found.sort(key=lambda pair: -pair[0])
    return [f"- {text}: {share:.0f}%" for share, text in found]


def _name(row: Json) -> str:
    name = row.get("name")
    return plain_words(" ".join(name.split())) if isinstance(name, str) else ""


def _advice(row: Json) -> str:
    title, detail = row.get("title"), row.get("detail")
    if not isinstance(title, str) or not title.strip():
        return ""
    more = f" ({plain_words(detail)})" if isinstance(detail, str) and detail.strip() else ""
    return f"- Tip: {plain_words(title)}{more}"


# --- values -------------------------------------------------------------------------------------


def _object(source: Json, key: str) -> Json:
    value = source.get(key)
    return value if isinstance(value, Mapping) else {}


def _list(source: Json, key: str) -> list[Json]:
    value = source.get(key)
    return [row for row in value if isinstance(row, Mapping)] if isinstance(value, list) else []


def _number(value: object) -> float | None:
    good = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if good else None  # type: ignore[arg-type]  # narrowed by the line above


def _count(value: object) -> str:
    number = _number(value)
    return f"{number:,.0f}" if number is not None else "0"


def _money(value: object) -> str:
    number = _number(value)
    if number is None:
        return ""
    return f"${number:.4f}" if 0 < number < 0.5 else f"${number:.2f}"


def _duration(value: object) -> str:
    """Milliseconds as hours, minutes and seconds."""
    number = _number(value)
    if number is None:
        return ""
    seconds = round(number / 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
