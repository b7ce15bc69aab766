"""Dialogs that the CLI asks its host to show (``request_user_dialog``), as forms.

One kind is known, the offer to go on with another model after a refusal; when it is sent is not
known here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from canopy_agent.brokers.asked import ControlResult
from canopy_agent.capabilities import ClientProfile
from canopy_shared.elicitation import ACCEPT, ElicitationAnswer

REFUSAL_FALLBACK: Final = "refusal_fallback_prompt"
RETRY: Final = "retry_fallback"
KEEP: Final = "cancelled"
_CHOICE: Final = "choice"


def supported_kinds(profile: ClientProfile) -> tuple[str, ...]:
    """The kinds to declare at start; the CLI never asks for one that was not declared."""
    return (REFUSAL_FALLBACK,) if profile.elicitation_form else ()


def dialog_form(
    session_id: str, request: Mapping[str, Any], profile: ClientProfile
) -> dict[str, Any] | None:
    """Parameters of ``elicitation/create``; None for what cannot be shown (:func:`not_shown`)."""
    payload = request.get("payload")
    if request.get("dialog_kind") != REFUSAL_FALLBACK or not profile.elicitation_form:
        return None
    if not isinstance(payload, Mapping):
        return None
    original, fallback = payload.get("originalModel"), payload.get("fallbackModel")
    if not isinstance(original, str) or not isinstance(fallback, str):
        return None
    options = [
        _option(RETRY, f"Try again with {fallback}", "The last message is sent to that model."),
        _option(KEEP, "Keep the refusal", f"The turn ends; the session stays on {original}."),
    ]
    return {
        "mode": "form",
        "sessionId": session_id,
        "message": _message(original, payload),
        "requestedSchema": {
            "type": "object",
            "properties": {_CHOICE: {"type": "string", "title": "Next step", "oneOf": options}},
            "required": [_CHOICE],
        },
    }


def _option(value: str, title: str, description: str) -> dict[str, str]:
    return {"const": value, "title": title, "description": description}


def _message(original: str, payload: Mapping[str, Any]) -> str:
    category, guidance = payload.get("apiRefusalCategory"), payload.get("guidanceText")
    reason = f" ({category})" if isinstance(category, str) and category else ""
    said = f"{original} declined to answer{reason}."
    return f"{said}\n\n{guidance}" if isinstance(guidance, str) and guidance else said


def dialog_answer(answer: ElicitationAnswer) -> ControlResult:
    """What the user chose; anything but the retry keeps the refusal."""
    retry = answer.action == ACCEPT and answer.content.get(_CHOICE) == RETRY
    return ControlResult({"behavior": "completed", "result": RETRY if retry else KEEP})


def not_shown() -> ControlResult:
    """The answer when the dialog could not be shown or was withdrawn."""
    return ControlResult({"behavior": "cancelled"})
