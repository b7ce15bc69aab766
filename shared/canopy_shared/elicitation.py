"""An elicitation and its answer, as both sides see them.

Shapes follow https://agentclientprotocol.com/protocol/elicitation (draft, in schema v1.19); who
asks is not known here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, assert_never
from urllib.parse import urlsplit

from canopy_shared.elicitation_fields import (
    BooleanField,
    ChoiceField,
    FormField,
    MultiChoiceField,
    NumberField,
    TextField,
    Value,
    read_fields,
)
from canopy_shared.formats import format_problem
from canopy_shared.patterns import fits

_SHOWN_PATTERN = 80

ACCEPT: Final = "accept"
DECLINE: Final = "decline"
CANCEL: Final = "cancel"


@dataclass(frozen=True, slots=True)
class FormElicitation:
    """An agent asks for values. ``session_id`` is None when the request is tied to no session."""

    message: str
    fields: tuple[FormField, ...]
    session_id: str | None = None
    tool_call_id: str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UrlElicitation:
    """An agent asks to open a page; ``elicitation_id`` is named again when that is done."""

    message: str
    url: str
    elicitation_id: str
    session_id: str | None = None
    tool_call_id: str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_web_page(self) -> bool:
        """Whether it is http or https with a host; nothing else may be opened by itself."""
        try:
            parts = urlsplit(self.url)
            return parts.scheme in ("http", "https") and bool(parts.hostname)
        except ValueError:
            return False


ElicitationRequest = FormElicitation | UrlElicitation


def parse_elicitation(params: object) -> ElicitationRequest | None:
    """What an agent asks, leniently; None for a mode that this client does not know."""
    if isinstance(params, (FormElicitation, UrlElicitation)):
        return params
    if not isinstance(params, Mapping):
        return None
    session_id, tool_call_id = params.get("sessionId"), params.get("toolCallId")
    message, meta = params.get("message"), params.get("_meta")
    shared: dict[str, Any] = {
        "message": message if isinstance(message, str) else "",
        "session_id": session_id if isinstance(session_id, str) else None,
        "tool_call_id": tool_call_id if isinstance(tool_call_id, str) else None,
        "meta": meta if isinstance(meta, Mapping) else {},
    }
    match params.get("mode", "form"):
        case "form":
            return FormElicitation(fields=read_fields(params.get("requestedSchema")), **shared)
        case "url" if isinstance(params.get("url"), str):
            id_ = params.get("elicitationId")
            return UrlElicitation(
                url=params["url"], elicitation_id=id_ if isinstance(id_, str) else "", **shared
            )
        case _:
            return None


@dataclass(frozen=True, slots=True)
class ElicitationAnswer:
    """The client's answer: ``action`` is one of the three names above; content only with accept."""

    action: str
    content: Mapping[str, Any] = field(default_factory=dict)

    def to_result(self) -> dict[str, Any]:
        """The JSON result to send."""
        if self.action != ACCEPT:
            return {"action": self.action}
        content = {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in self.content.items()
        }
        return {"action": ACCEPT, "content": content}

    @classmethod
    def parse(cls, result: object) -> ElicitationAnswer:
        """What the client answered; anything malformed counts as cancelled."""
        if isinstance(result, ElicitationAnswer):
            return result
        action = result.get("action") if isinstance(result, Mapping) else None
        if not isinstance(result, Mapping) or action not in (ACCEPT, DECLINE):
            return CANCELLED
        content = result.get("content")
        usable = action == ACCEPT and isinstance(content, Mapping)
        return cls(action, content if usable and content is not None else {})


CANCELLED: Final = ElicitationAnswer(CANCEL)


# --- checking a value before it is sent -----------------------------------------------------------


def problem_with(field: FormField, value: Value | None) -> str | None:
    """Why ``value`` cannot be sent for ``field``, as a short sentence part; None when it can."""
    if value is None or value == "" or value == ():
        return "needs an answer" if field.required else None
    match field:
        case TextField():
            return _text_problem(field, value)
        case NumberField():
            return _number_problem(field, value)
        case BooleanField():
            return None if isinstance(value, bool) else "must be yes or no"
        case ChoiceField():
            known = {option.value for option in field.options}
            return None if value in known else "must be one of the options"
        case MultiChoiceField():
            return _picks_problem(field, value)
        case _:
            assert_never(field)


def _text_problem(field: TextField, value: Value) -> str | None:
    if not isinstance(value, str):
        return "must be text"
    if field.min_length is not None and len(value) < field.min_length:
        return f"needs at least {field.min_length} characters"
    if field.max_length is not None and len(value) > field.max_length:
        return f"takes at most {field.max_length} characters"
    return format_problem(field.format, value) or _pattern_problem(field.pattern, value)


def _number_problem(field: NumberField, value: Value) -> str | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return "must be a number"
    if isinstance(value, float) and not math.isfinite(value):
        return "must be a number"
    if field.whole and value != int(value):
        return "must be a whole number"
    if field.minimum is not None and value < field.minimum:
        return f"must be at least {_plain(field.minimum)}"
    if field.maximum is not None and value > field.maximum:
        return f"must be at most {_plain(field.maximum)}"
    return None


def _plain(number: float) -> str:
    return str(int(number) if number == int(number) else number)


def _picks_problem(field: MultiChoiceField, value: Value) -> str | None:
    known = {option.value for option in field.options}
    if not isinstance(value, tuple) or not known.issuperset(value):
        return "must be some of the options"
    if field.min_items is not None and len(value) < field.min_items:
        return f"needs at least {field.min_items} picks"
    if field.max_items is not None and len(value) > field.max_items:
        return f"takes at most {field.max_items} picks"
    return None


def _pattern_problem(pattern: str | None, value: str) -> str | None:
    if pattern is None or fits(pattern, value) is not False:
        return None
    shown = pattern if pattern.isprintable() and len(pattern) <= _SHOWN_PATTERN else "of the agent"
    return f"must fit the pattern {shown}"
