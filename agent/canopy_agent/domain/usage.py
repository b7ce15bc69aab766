"""Token counts: what a turn cost, and how full the context of the main conversation is.

Subagents never move the context gauge; shapes follow the ACP ``usage_update`` and the
``_meta.quota`` of ``@agentclientprotocol/claude-agent-acp`` 0.101.0. Limits and prices are not
known here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from canopy_agent.domain.facts import UsageShown

Json = Mapping[str, Any]

DEFAULT_WINDOW = 200_000
LARGE_WINDOW = 1_000_000
SYNTHETIC = "<synthetic>"
_CENT_PART = 1e-9


@dataclass(frozen=True, slots=True)
class Tokens:
    """Counts of one or more model requests."""

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

    def __sub__(self, other: Tokens) -> Tokens:
        return Tokens(
            self.input - other.input,
            self.output - other.output,
            self.cached_read - other.cached_read,
            self.cached_write - other.cached_write,
        )

    @property
    def total(self) -> int:
        """All tokens, cached ones included."""
        return self.input + self.output + self.cached_read + self.cached_write

    @property
    def negative(self) -> bool:
        """Whether any count is below zero, as after totals were restarted."""
        return min(self.input, self.output, self.cached_read, self.cached_write) < 0


def _count(source: Json, key: str) -> int:
    value = source.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def api_tokens(usage: Json) -> Tokens:
    """Counts as the Messages API spells them."""
    return Tokens(
        _count(usage, "input_tokens"),
        _count(usage, "output_tokens"),
        _count(usage, "cache_read_input_tokens"),
        _count(usage, "cache_creation_input_tokens"),
    )


def model_tokens(row: Json) -> Tokens:
    """Counts of one row of a result's ``modelUsage``."""
    return Tokens(
        _count(row, "inputTokens"),
        _count(row, "outputTokens"),
        _count(row, "cacheReadInputTokens"),
        _count(row, "cacheCreationInputTokens"),
    )


def _model_rows(models: Json) -> dict[str, Tokens]:
    return {model: model_tokens(row) for model, row in models.items() if isinstance(row, Mapping)}


def _row_cost(row: object) -> float:
    cost = row.get("costUSD") if isinstance(row, Mapping) else None
    return cost if isinstance(cost, (int, float)) and not isinstance(cost, bool) else 0.0


def prompt_usage(tokens: Tokens) -> dict[str, int]:
    """``usage`` of a prompt response."""
    return {
        "inputTokens": tokens.input,
        "outputTokens": tokens.output,
        "cachedReadTokens": tokens.cached_read,
        "cachedWriteTokens": tokens.cached_write,
        "totalTokens": tokens.total,
    }


def _quota_row(tokens: Tokens) -> dict[str, int]:
    return {
        "totalTokens": tokens.total,
        "inputTokens": tokens.input,
        "cachedInputTokens": tokens.cached_read,
        "cachedWriteTokens": tokens.cached_write,
        "outputTokens": tokens.output,
        "reasoningOutputTokens": 0,
    }


@dataclass(slots=True)
class TurnTally:
    """What one turn used so far: the main loop's tokens, and per model with its subagents."""

    main: Tokens = field(default_factory=Tokens)
    models: dict[str, Tokens] = field(default_factory=dict)
    counted: bool = False

    def usage(self) -> dict[str, int] | None:
        """``usage`` for the prompt response, None for a turn that never had a result."""
        return prompt_usage(self.main) if self.counted else None

    def meta(self) -> dict[str, Any]:
        """``_meta`` for the prompt response."""
        if not self.counted:
            return {}
        rows = [
            {"model": model, "token_count": _quota_row(tokens)}
            for model, tokens in self.models.items()
            if tokens.total
        ]
        return {"quota": {"token_count": _quota_row(self.main), "model_usage": rows}}


@dataclass(slots=True)
class Cost:
    """What a session cost in USD: the CLI's running total, with those of CLIs that are gone.

    A CLI that resumes a conversation goes on with the total that the one before it had saved, and
    begins at zero when that one was killed. What the client was told never goes down.
    """

    total: float | None = None
    _gone: float = 0.0
    _reading: float = 0.0
    _replaced: bool = False

    def read(self, cost: float, news: float | None) -> None:
        """The running total is ``cost``; ``news`` is the part that the last result brought."""
        from_zero = news is not None and abs(cost - news) < _CENT_PART
        if cost < self._reading or (self._replaced and from_zero):
            self.began_anew()
        self._replaced = False
        self._reading = cost
        self.total = max(self._gone + cost, self.total or 0.0)

    def began_anew(self) -> None:
        """The running total starts at zero again."""
        self._gone += self._reading
        self._reading = 0.0

    def process_replaced(self) -> None:
        """The next reading comes from another CLI."""
        self._replaced = True


class UsageMeter:
    """Follows the main conversation's context and the CLI's cumulative totals."""

    def __init__(self, *, resumed: bool = False) -> None:
        self._totals: dict[str, Tokens] = {}
        self._resumed = resumed
        self._message = Tokens()
        self._shown: tuple[int, int] | None = None
        self._used = 0
        self._cost = Cost()
        self._streamed: str | None = None
        self.model: str | None = None
        self.window = DEFAULT_WINDOW

    def began(
        self, model: str | None, usage: Json, message_id: str | None = None
    ) -> UsageShown | None:
        """A main-conversation message began to stream."""
        if model and model != SYNTHETIC:
            self.model = model
        self._streamed = message_id
        self._message = api_tokens(usage)
        return self._moved(self._message.total)

    def grew(self, usage: Json) -> UsageShown | None:
        """Newer counts of the message that streams; a count that is absent or zero keeps its
        value.
        """
        now, before = api_tokens(usage), self._message
        self._message = Tokens(
            now.input or before.input,
            now.output or before.output,
            now.cached_read or before.cached_read,
            now.cached_write or before.cached_write,
        )
        return self._moved(self._message.total)

    def said(
        self, model: str | None, usage: Json, message_id: str | None = None
    ) -> UsageShown | None:
        """A complete main-conversation message passed; counts only if it never streamed."""
        if model is None or model == SYNTHETIC:
            return None
        self.model = model
        tokens = api_tokens(usage)
        streamed = self._message.total and message_id == self._streamed
        if streamed or not tokens.total:
            return None
        self._streamed = message_id
        self._message = tokens
        return self._moved(tokens.total)

    def _moved(self, used: int) -> UsageShown | None:
        if not used or (used, self.window) == self._shown:
            return None
        self._used = used
        return self._show()

    def _show(self, cost: float | None = None, origin: Json | None = None) -> UsageShown:
        self._shown = (self._used, self.window)
        return UsageShown(self._used, self.window, cost, self.model, origin)

    def result(
        self,
        tally: TurnTally | None,
        usage: Json,
        models: Json,
        cost: float | None,
        origin: Json | None,
        news: Json | None = None,
    ) -> UsageShown | None:
        """A result came: add it to ``tally`` (None for an autonomous cycle) and move the
        baseline. ``models`` are the CLI's totals, ``news`` what came to them since its last result.
        """
        increments = self._increments(usage, models, news)
        if tally is not None:
            tally.main += api_tokens(usage)
            tally.counted = True
            for model, tokens in increments.items():
                tally.models[model] = tally.models.get(model, Tokens()) + tokens
        self._note_window(models)
        self._message = Tokens()
        if cost is not None:
            self._cost.read(cost, None if news is None else sum(map(_row_cost, news.values())))
        return self._show(self._cost.total, origin) if self._used else None

    def _increments(self, usage: Json, models: Json, news: Json | None) -> dict[str, Tokens]:
        readings, resumed = _model_rows(models), self._resumed
        self._resumed = False
        if news is not None:
            self._totals = readings
            return _model_rows(news)
        if resumed:
            self._totals = readings
            return {self.model: api_tokens(usage)} if self.model else {}
        increments = {}
        for model, reading in readings.items():
            step = reading - self._totals.get(model, Tokens())
            increments[model] = reading if step.negative else step
        self._totals = readings
        return increments

    def _note_window(self, models: Json) -> None:
        row = models.get(self.model or "")
        if isinstance(row, Mapping) and _count(row, "contextWindow") > 0:
            self.window = _count(row, "contextWindow")

    def window_known(self, size: int) -> UsageShown | None:
        """The size of the context window became known from elsewhere."""
        if size <= 0 or size == self.window:
            return None
        self.window = size
        return self._show() if self._used else None

    def compacted(self, tokens: int | None) -> UsageShown:
        """The context was compacted to ``tokens``, 0 when the CLI does not say."""
        self._used = tokens or 0
        return self._show()

    def rate_limit(self, facts: Json) -> UsageShown | None:
        """A rate-limit event, shown with the gauge as it stands."""
        if not self._used:
            return None
        return UsageShown(self._used, self.window, None, self.model, None, facts)

    def process_replaced(self) -> None:
        """The next readings come from a new CLI, whose totals begin anew."""
        self._totals = {}
        self._resumed = True
        self._message = Tokens()
        self._cost.process_replaced()

    def conversation_replaced(self) -> UsageShown:
        """A new CLI with an empty conversation stands for the old one, and counts from zero."""
        self._totals = {}
        self._resumed = False
        self._cost.began_anew()
        self.reset()
        return self._show()

    @property
    def used_percent(self) -> int | None:
        """How full the context is, None while nothing is known of it."""
        return round(100 * self._used / self.window) if self._used else None

    def cleared(self) -> UsageShown | None:
        """The conversation was cleared; told when something was shown of the one before."""
        before = self._used
        self.reset()
        return self._show() if before else None

    def reset(self) -> None:
        """A new conversation began."""
        self._used = 0
        self._shown = None
        self._message = Tokens()
