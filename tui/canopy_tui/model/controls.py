"""What is known of a session beside its conversation: tokens of its turns, limits, the agent's own
report of its use, its MCP servers.

Pure; a value that nobody told stays unknown. Who asks for a report, and when, is not known here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from canopy_shared.ext.canopy_controls import McpServer, UsageReport


@dataclass(frozen=True, slots=True)
class Tokens:
    """Counts of model requests."""

    input: int = 0
    output: int = 0
    cached_read: int = 0
    cached_write: int = 0

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(
            self.input + other.input,
            self.output + other.output,
            self.cached_read + other.cached_read,
            self.cached_write + other.cached_write,
        )

    @property
    def total(self) -> int:
        """All of them."""
        return self.input + self.output + self.cached_read + self.cached_write


@dataclass(frozen=True, slots=True)
class TurnUse:
    """What one turn took: ``main`` as ACP's ``usage`` says (None: not told), and per model."""

    main: Tokens | None = None
    models: tuple[tuple[str, Tokens], ...] = ()


@dataclass(frozen=True, slots=True)
class RateLimit:
    """A limit of the account that the agent told with an update. ``used`` is a share of 1,
    ``resets_at`` in epoch seconds; None is not told.
    """

    kind: str
    status: str = ""
    used: float | None = None
    resets_at: float | None = None


@dataclass(slots=True)
class Controls:
    """Of one root. ``turns`` counts the turns that told their tokens."""

    turns: int = 0
    main: Tokens = field(default_factory=Tokens)
    models: dict[str, Tokens] = field(default_factory=dict)
    rate_limits: dict[str, RateLimit] = field(default_factory=dict)
    report: UsageReport | None = None
    asks_report: bool = False
    report_error: str = ""
    servers: tuple[McpServer, ...] | None = None
    servers_error: str = ""
    asks_servers: bool = False
    at_work: dict[str, str] = field(default_factory=dict)
    """Server → what is being done with it."""
    problems: dict[str, str] = field(default_factory=dict)
    """Server → why that was not done."""

    def add(self, use: TurnUse | None) -> None:
        """A turn ended that took this."""
        if use is None or (use.main is None and not use.models):
            return
        self.turns += 1
        self.main += use.main or Tokens()
        for model, tokens in use.models:
            self.models[model] = self.models.get(model, Tokens()) + tokens


def rate_limit_of(info: object) -> RateLimit | None:
    """The limit in ``_meta["_claude/rateLimit"]`` (claude-agent-acp 0.101.0)."""
    if not isinstance(info, Mapping):
        return None
    kind = info.get("rateLimitType")
    if not isinstance(kind, str) or not kind:
        return None
    status = info.get("status")
    return RateLimit(
        kind,
        status if isinstance(status, str) else "",
        _number(info.get("utilization")),
        _number(info.get("resetsAt")),
    )


def turn_use(usage: object, quota: object) -> TurnUse | None:
    """What the answer to a prompt says: ``usage`` of ACP, ``_meta.quota`` of claude-agent-acp."""
    main = _tokens(usage, "cachedReadTokens") if isinstance(usage, Mapping) else None
    rows = quota.get("model_usage") if isinstance(quota, Mapping) else None
    models = []
    for row in rows if isinstance(rows, (list, tuple)) else ():
        name = row.get("model") if isinstance(row, Mapping) else None
        count = row.get("token_count") if isinstance(row, Mapping) else None
        if isinstance(name, str) and name and isinstance(count, Mapping):
            models.append((name, _tokens(count, "cachedInputTokens")))
    return TurnUse(main, tuple(models)) if main is not None or models else None


def _tokens(counts: Mapping[str, Any], cached: str) -> Tokens:
    keys = ("inputTokens", "outputTokens", cached, "cachedWriteTokens")
    return Tokens(*(max(0, int(_number(counts.get(key)) or 0)) for key in keys))


def _number(value: object) -> float | None:
    good = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if good else None  # type: ignore[arg-type]  # narrowed by the line above
