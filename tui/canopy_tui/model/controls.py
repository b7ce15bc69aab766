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
    from canopy_tui.model.events import ServersAsked, ServersTold, UsageTold
    from canopy_tui.model.state import ClientState, Touched


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


def usage_asked(state: ClientState, session: str, touched: Touched) -> None:
    """A report is on its way."""
    view = state.find(session)
    if view is not None:
        touched.sessions.add(view.id)
        view.controls.asks_report = True


def usage_told(state: ClientState, event: UsageTold, touched: Touched) -> None:
    """A report came, or the reason why none does."""
    view = state.find(event.session)
    if view is not None:
        touched.sessions.add(view.id)
        view.controls.asks_report = False
        view.controls.report = event.report or view.controls.report
        view.controls.report_error = event.error


def servers_asked(state: ClientState, event: ServersAsked, touched: Touched) -> None:
    """Servers are asked for, perhaps with something to do with one of them."""
    view = state.find(event.session)
    if view is None:
        return
    touched.sessions.add(view.id)
    view.controls.asks_servers = True
    if event.server:
        view.controls.at_work[event.server] = event.action
        view.controls.problems.pop(event.server, None)


def servers_told(state: ClientState, event: ServersTold, touched: Touched) -> None:
    """Servers came, or the reason why none do."""
    view = state.find(event.session)
    if view is None:
        return
    touched.sessions.add(view.id)
    controls = view.controls
    controls.asks_servers = False
    controls.at_work.pop(event.server, None)
    controls.servers = controls.servers if event.servers is None else event.servers
    controls.servers_error = event.error
    if event.problem and event.server:
        controls.problems[event.server] = event.problem


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
