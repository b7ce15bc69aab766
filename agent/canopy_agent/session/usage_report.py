"""What a session uses as plain figures, from the CLI's ``get_usage`` answer (2.1.332).

Pure; a part that is absent or of another shape is not known. How the figures are shown is not
known here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from canopy_agent.session.usage_markdown import WINDOWS
from canopy_shared.ext.canopy_controls import AgentUse, Limit, ModelUse, UsageReport

Json = Mapping[str, Any]


def usage_report(answer: Json, agents: tuple[AgentUse, ...] = ()) -> UsageReport:
    """The figures; an answer that is not understood gives an empty report."""
    session, plan = _object(answer, "session"), answer.get("subscription_type")
    models = _object(session, "model_usage")
    return UsageReport(
        plan=plan if isinstance(plan, str) else "",
        has_limits=answer.get("rate_limits_available") is True,
        limits=tuple(_limits(_object(answer, "rate_limits"))),
        cost=_number(session.get("total_cost_usd")),
        api_seconds=_seconds(session.get("total_api_duration_ms")),
        seconds=_seconds(session.get("total_duration_ms")),
        models=tuple(_model(name, row) for name, row in models.items() if isinstance(row, Mapping)),
        agents=agents,
    )


def _limits(limits: Json) -> list[Limit]:
    found = [_limit(title, _object(limits, key)) for key, title in WINDOWS]
    scoped = limits.get("model_scoped")
    for row in scoped if isinstance(scoped, list) else ():
        name = row.get("display_name") if isinstance(row, Mapping) else None
        if isinstance(name, str) and name:
            found.append(_limit(f"This week, {name}", row))
    extra = _object(limits, "extra_usage")
    if extra.get("is_enabled") is True:
        found.append(_limit("Extra usage", extra))
    return [limit for limit in found if limit is not None]


def _limit(title: str, row: Json) -> Limit | None:
    used, resets = _number(row.get("utilization")), row.get("resets_at")
    if used is None:
        return None
    return Limit(title, used, resets if isinstance(resets, str) else "")


def _model(name: str, row: Json) -> ModelUse:
    return ModelUse(
        name,
        _count(row, "inputTokens"),
        _count(row, "outputTokens"),
        _count(row, "cacheReadInputTokens"),
        _count(row, "cacheCreationInputTokens"),
        _number(row.get("costUSD")),
    )


def _object(source: Json, key: str) -> Json:
    value = source.get(key)
    return value if isinstance(value, Mapping) else {}


def _number(value: object) -> float | None:
    good = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if good else None  # type: ignore[arg-type]  # narrowed by the line above


def _count(source: Json, key: str) -> int:
    return int(_number(source.get(key)) or 0)


def _seconds(milliseconds: object) -> float | None:
    number = _number(milliseconds)
    return None if number is None else number / 1000
