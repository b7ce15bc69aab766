"""Words about the model and the account's limits that come beside the conversation.

It reads frames and words notices; whether and how the client shows one is the renderer's. Frames
follow the CLI 2.1.332.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from canopy_agent.domain.facts import Noted

if TYPE_CHECKING:
    from canopy_agent.capabilities import ClientProfile
    from canopy_agent.domain.facts import Fact

log = logging.getLogger(__name__)

Json = Mapping[str, Any]

_LIMITS: Final = {
    "five_hour": "5-hour limit",
    "seven_day": "weekly limit",
    "seven_day_opus": "weekly Opus limit",
    "seven_day_sonnet": "weekly Sonnet limit",
    "seven_day_overage_included": "weekly limit of this model",
    "overage": "extra usage",
}
REFUSED: Final = "The model declined to answer"
SWITCHED: Final = "Another model answers"


class Notices:
    """The notices of one session. ``note`` shows one on the root."""

    def __init__(self, profile: ClientProfile, note: Callable[[Fact], None]) -> None:
        self._profile = profile
        self._note = note
        self._told: set[tuple[object, ...]] = set()

    def frame(self, frame: Json) -> None:
        """One frame of the CLI."""
        match frame.get("type"), frame.get("subtype"):
            case "system", "model_refusal_fallback":
                self._refused(frame)
            case "system", "model_fallback":
                words = _text(frame, "content")
                if words:
                    self._note(Noted("warning", SWITCHED, words, advisory=True))
            case "system", "mirror_error" | "session_writes_lost":
                log.warning("Claude Code could not store all of the session: %s", frame)
            case "rate_limit_event", _:
                facts = frame.get("rate_limit_info")
                if isinstance(facts, Mapping) and self._profile.notices:
                    self._limit(facts)

    def _refused(self, frame: Json) -> None:
        """A refused request was answered by another model."""
        original, fallback = _text(frame, "original_model"), _text(frame, "fallback_model")
        words = _text(frame, "content") or f"{fallback or 'Another model'} answers instead."
        stays = frame.get("scope") == "local" or frame.get("direction") == "revert"
        if stays and original:
            words = f"{words} The session stays on {original}."
        self._note(Noted("warning", REFUSED, words, advisory=True))

    def _limit(self, facts: Json) -> None:
        """A limit is near or reached: said once for each window and state."""
        status, kind = facts.get("status"), facts.get("rateLimitType")
        key = (status, kind, facts.get("resetsAt"))
        if status not in ("allowed_warning", "rejected") or key in self._told:
            return
        self._told.add(key)
        name = _LIMITS.get(kind if isinstance(kind, str) else "", "usage limit")
        reset = _reset(facts.get("resetsAt"))
        if status == "rejected":
            self._note(Noted("warning", f"The {name} is reached", reset or None))
            return
        used = facts.get("utilization")
        share = f"{used:.0%} of it is used." if isinstance(used, float) else ""
        words = " ".join(part for part in (share, reset) if part)
        self._note(Noted("warning", f"The {name} is near", words or None))


def _reset(value: object) -> str:
    if not isinstance(value, int) or isinstance(value, bool):
        return ""
    try:
        at = datetime.fromtimestamp(value, UTC).astimezone()
    except (OverflowError, OSError, ValueError):
        return ""
    return f"It resets on {at:%d %b at %H:%M}."


def _text(frame: Json, key: str) -> str | None:
    value = frame.get(key)
    return value if isinstance(value, str) and value.strip() else None
