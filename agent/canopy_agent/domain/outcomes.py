"""How a turn ended, read from the CLI's result: an ACP stop reason, or an error that names its
cause.

Rules follow https://agentclientprotocol.com/protocol/prompt-turn#stop-reasons; whether the answer
goes out now is not decided here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from canopy_agent.domain.effects import Failed, Outcome, Stopped

if TYPE_CHECKING:
    from canopy_agent.domain.events import ResultCame
    from canopy_agent.domain.usage import TurnTally

_LOGIN = re.compile(r"\brun /login\b", re.IGNORECASE)
_LIMITS = frozenset(
    {"error_max_turns", "error_max_budget_usd", "error_max_structured_output_retries"}
)
LOG_IN = "log in to Claude (canopy --cli auth login) or set ANTHROPIC_API_KEY, then try again"
DIAGNOSTIC = "[ede_diagnostic]"


def stopped(reason: str, tally: TurnTally) -> Stopped:
    """An answer with a stop reason and what the turn used."""
    return Stopped(reason, tally.usage(), tally.meta())


def error_text(result: ResultCame) -> str:
    """The words of a failed result: its text, its errors, or at least its kind."""
    return result.text or "; ".join(result.errors) or result.subtype


def told_text(result: ResultCame) -> str:
    """The words of a failed result for a person: the CLI's note to itself is explained."""
    text = error_text(result)
    if text.startswith(DIAGNOSTIC):
        return f"Claude Code broke the turn off; send the prompt again ({text})"
    return text


def is_login_request(result: ResultCame) -> bool:
    """Whether the result only says that the user has to log in."""
    return (
        result.subtype == "success" and result.is_error and _LOGIN.search(result.text) is not None
    )


def is_plan_interruption(result: ResultCame) -> bool:
    """Whether the result is the CLI's note that a refused ExitPlanMode stopped the cycle."""
    text = error_text(result)
    return (
        text.startswith(DIAGNOSTIC)
        and "result_type=user" in text
        and "stop_reason=tool_use" in text
    )


def is_interrupted_handoff(result: ResultCame) -> bool:
    """Whether the result is the CLI's note that an interrupt caught it between two prompts."""
    text = error_text(result)
    return (
        text.startswith(DIAGNOSTIC)
        and "last_content_type=n/a" in text
        and "stop_reason=null" in text
    )


def is_interruption(result: ResultCame) -> bool:
    """Whether the result only says that an interrupt broke the cycle off."""
    aborted = (result.terminal_reason or "").startswith("aborted")
    return result.is_error and (aborted or error_text(result).startswith(DIAGNOSTIC))


def outcome_of(result: ResultCame, tally: TurnTally, error_kind: str | None) -> Outcome:
    """What the prompt is answered with. ``error_kind``: the SDK's category of the error before
    it.
    """
    if result.stop_reason == "refusal":
        return stopped("refusal", tally)
    if is_login_request(result):
        return Failed(LOG_IN, kind="auth")
    if result.is_error and error_kind == "authentication_failed":
        return Failed(error_text(result), kind="auth")
    if result.stop_reason == "max_tokens":
        return stopped("max_tokens", tally)
    if result.is_error:
        cause = error_kind or (result.subtype if result.subtype in _LIMITS else None)
        return Failed(told_text(result), data={"errorKind": error_kind or "unknown"}, cause=cause)
    if result.subtype in _LIMITS:
        return stopped("max_turn_requests", tally)
    return stopped("end_turn", tally)
