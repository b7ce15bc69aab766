"""Compacts a large conversation shortly before the model's cache of it is lost, while nobody works.

Afterwards the next prompt costs a fraction of what it would. It decides when; what compacting is,
and how it is shown, is not known here. Bounds follow ``@agentclientprotocol/claude-agent-acp``
0.101.0.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    from canopy_agent.settings import IdlePolicy

log = logging.getLogger(__name__)

Json = Mapping[str, Any]

LATEST: Final = 60.0
"""Seconds that a timer may be late: a machine that slept has lost the cache."""

_COUNTS: Final = (
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
)
_SYNTHETIC: Final = "<synthetic>"


class Cancellable(Protocol):
    """A call that is still to come."""

    def cancel(self) -> None:
        """It will not come."""


Later = Callable[[float, Callable[[], None]], Cancellable]


def _later(seconds: float, call: Callable[[], None]) -> Cancellable:
    return asyncio.get_running_loop().call_later(seconds, call)


class IdleCompaction:
    """Watches one session. ``is_at_rest`` says that nothing runs, ``compact`` begins; ``allowed``
    that the user's settings do not forbid it. ``now`` is a wall clock in seconds, ``later`` calls
    something after so many of them.
    """

    def __init__(
        self,
        policy: IdlePolicy,
        is_at_rest: Callable[[], bool],
        compact: Callable[[], None],
        allowed: Callable[[], bool],
        now: Callable[[], float] = time.time,
        later: Later | None = None,
    ) -> None:
        self._policy = policy
        self._is_at_rest = is_at_rest
        self._compact = compact
        self._allowed = allowed
        self._now = now
        self._later = later or _later
        self._timer: Cancellable | None = None
        self._due = 0.0
        self._tokens = 0
        self._holds_an_hour = False
        self._limited = False

    def frame(self, frame: Json) -> None:
        """One frame of the CLI."""
        match frame.get("type"), frame.get("subtype"):
            case "assistant", _:
                if frame.get("parent_tool_use_id") is None:
                    self._answered(frame.get("message"))
            case "system", "compact_boundary":
                self._tokens = 0
                self.stop()
            case "rate_limit_event", _:
                facts = frame.get("rate_limit_info")
                status = facts.get("status") if isinstance(facts, Mapping) else None
                self._limited = status != "allowed"

    def _answered(self, message: object) -> None:
        """The model answered the main conversation: count anew from here."""
        if not isinstance(message, Mapping) or message.get("model") == _SYNTHETIC:
            return
        usage = message.get("usage")
        if not isinstance(usage, Mapping):
            return
        self._tokens = sum(_count(usage, name) for name in _COUNTS)
        created = usage.get("cache_creation")
        if isinstance(created, Mapping) and usage.get("cache_creation_input_tokens"):
            self._holds_an_hour = _count(created, "ephemeral_1h_input_tokens") > 0
        self._start()

    def _start(self) -> None:
        self.stop()
        if not self._policy.enabled or not self._is_worth_it:
            return
        self._due = self._now() + self._policy.delay
        self._timer = self._later(self._policy.delay, self._fire)

    @property
    def _is_worth_it(self) -> bool:
        return self._holds_an_hour and self._tokens >= self._policy.min_tokens

    def _fire(self) -> None:
        self._timer = None
        late = self._now() - self._due > LATEST
        if late or self._limited or not (self._is_at_rest() and self._allowed()):
            return
        log.info("compacting an idle conversation of %d tokens", self._tokens)
        self._compact()

    def stop(self) -> None:
        """Do nothing until the model answers again."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _count(source: Json, name: str) -> int:
    value = source.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
