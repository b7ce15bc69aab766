"""Questions to the user as forms: AskUserQuestion, and what MCP servers ask, with their answers.

Shapes follow https://agentclientprotocol.com/protocol/elicitation (draft); when a request goes
out, and who withdraws it, is not known here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from canopy_agent.brokers.asked import (
    ABORTED,
    ControlAnswer,
    ControlResult,
    PermissionAsked,
)
from canopy_agent.capabilities import ClientProfile
from canopy_shared import jsonio
from canopy_shared.elicitation import ACCEPT, DECLINE, ElicitationAnswer
from canopy_shared.ext import air
from canopy_shared.ext.claude import CUSTOM_ANSWER_KEY, QUESTION_OPTION_KEY

Json = Mapping[str, Any]

NO_QUESTIONS_MESSAGE: Final = "There was no question that could be shown to the user"
NOT_PRESENTED_MESSAGE: Final = "The question could not be shown to the user"
SEVERAL_QUESTIONS: Final = "Please answer these questions."

_OTHER_HINT: Final = "Your own answer, or a note on the option picked above (optional)."
_OTHER_HINT_MULTI: Final = "Your own answer, added to what is picked above (optional)."


@dataclass(frozen=True, slots=True)
class Question:
    """One usable question: it has a text and at least one option. ``key`` names its form field."""

    key: str
    text: str
    header: str | None
    options: tuple[Json, ...]
    multi: bool

    @property
    def custom_key(self) -> str:
        """The field for free text."""
        return f"{self.key}_custom"


def questions_of(given: Json) -> tuple[Question, ...]:
    """The usable questions of an AskUserQuestion input, in order."""
    listed = given.get("questions")
    found: list[Question] = []
    for item in listed if isinstance(listed, list) else ():
        if not isinstance(item, Mapping) or not isinstance(item.get("question"), str):
            continue
        options = item.get("options")
        usable = [
            option
            for option in (options if isinstance(options, list) else ())
            if isinstance(option, Mapping) and isinstance(option.get("label"), str)
        ]
        if usable:
            header = item.get("header")
            found.append(
                Question(
                    f"question_{len(found)}",
                    item["question"],
                    header if isinstance(header, str) and header else None,
                    tuple(usable),
                    item.get("multiSelect") is True,
                )
            )
    return tuple(found)


def question_form(
    session_id: str, asked: PermissionAsked, profile: ClientProfile
) -> dict[str, Any] | None:
    """Parameters of ``elicitation/create`` for AskUserQuestion; None when no question is usable."""
    questions = questions_of(asked.input)
    if not questions:
        return None
    several = len(questions) > 1
    properties: dict[str, Any] = {}
    for question in questions:
        properties[question.key] = _select(question, described=several)
        properties[question.custom_key] = _other(question, profile)
    return {
        "mode": "form",
        "sessionId": session_id,
        "toolCallId": asked.tool_use_id,
        "message": SEVERAL_QUESTIONS if several else questions[0].text,
        "requestedSchema": {"type": "object", "properties": properties},
    }


def _select(question: Question, *, described: bool) -> dict[str, Any]:
    field: dict[str, Any] = {"type": "array" if question.multi else "string"}
    if question.header is not None:
        field["title"] = question.header
    if described:
        field["description"] = question.text
    options = [_option(option) for option in question.options]
    if question.multi:
        field["items"] = {"anyOf": options}
    else:
        field["oneOf"] = options
    return field


def _option(option: Json) -> dict[str, Any]:
    shown: dict[str, Any] = {"const": option["label"], "title": option["label"]}
    description, preview = option.get("description"), option.get("preview")
    if isinstance(description, str) and description:
        shown["description"] = description
    if isinstance(preview, str) and preview:
        shown["_meta"] = {QUESTION_OPTION_KEY: {"preview": preview}}
    return shown


def _other(question: Question, profile: ClientProfile) -> dict[str, Any]:
    field: dict[str, Any] = {
        "type": "string",
        "title": "Other",
        "description": _OTHER_HINT_MULTI if question.multi else _OTHER_HINT,
    }
    if profile.air:
        link = {"questionId": question.key, "isCustomAnswer": True}
        field["_meta"] = {CUSTOM_ANSWER_KEY: link, **air.wrap(customAnswer=link)}
    return field


# --- answers to AskUserQuestion -----------------------------------------------------------------


def no_questions() -> ControlResult:
    """The answer when there is nothing to ask."""
    return ControlResult({"behavior": "deny", "message": NO_QUESTIONS_MESSAGE})


def not_presented() -> ControlResult:
    """The answer when the client could not show the form."""
    return ControlResult({"behavior": "deny", "message": NOT_PRESENTED_MESSAGE})


def answer_questions(
    asked: PermissionAsked, answer: ElicitationAnswer, *, marks_unanswered: bool
) -> ControlAnswer:
    """The control answer for what the user filled in.

    ``marks_unanswered`` says that the CLI advertised ``ask_user_question_unanswered_v1``; an
    older one refuses an answer that carries such a mark.
    """
    if answer.action not in (ACCEPT, DECLINE):
        return ABORTED
    answers: dict[str, str] = {}
    notes: dict[str, dict[str, Any]] = {}
    for question in questions_of(asked.input):
        text, note = _answer(question, answer.content) if answer.action == ACCEPT else (None, None)
        if text is not None:
            answers[question.text] = text
        elif marks_unanswered:
            why = "skipped" if answer.action == ACCEPT else "dismissed"
            notes[question.text] = {"unanswered": why}
        if note is not None:
            notes[question.text] = {"notes": note}
    updated: dict[str, Any] = {**asked.input, "answers": answers}
    if notes:
        given = asked.input.get("annotations")
        updated["annotations"] = {**(given if isinstance(given, Mapping) else {}), **notes}
    return ControlResult({"behavior": "allow", "updatedInput": updated})


def _answer(question: Question, content: Json) -> tuple[str | None, str | None]:
    """The answer and the note to one question; both None when it was left open."""
    written = content.get(question.custom_key)
    custom = written.strip() if isinstance(written, str) else ""
    picked = content.get(question.key)
    values = picked if isinstance(picked, (list, tuple)) else [picked]
    picks = [text for text in map(_pick, values) if text]
    if question.multi:
        items = [*picks, custom] if custom else picks
        return (", ".join(map(_item, items)) or None), None
    if not picks or isinstance(picked, (list, tuple)):
        return custom or None, None
    return picks[0], custom or None


def _pick(value: object) -> str | None:
    """A picked value as text; numbers read as JavaScript writes them."""
    match value:
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return str(int(value)) if value.is_integer() else repr(value)
        case _:
            return None


def _item(text: str) -> str:
    """One of several answers; quoted when it could be read as more than one."""
    return jsonio.dumps(text).decode() if ", " in text or '"' in text else text


# --- MCP servers --------------------------------------------------------------------------------


def mcp_request(
    session_id: str, request: Json, profile: ClientProfile, new_id: str
) -> dict[str, Any] | None:
    """Parameters of ``elicitation/create`` for the CLI's ``elicitation`` request.

    None when the client cannot show it, which is answered with :func:`mcp_cancel`. ``new_id``
    names a page that came without an id.
    """
    message = request.get("message")
    params: dict[str, Any] = {
        "sessionId": session_id,
        "message": message if isinstance(message, str) else "",
    }
    mode, url = request.get("mode") or "form", request.get("url")
    if mode == "form" and profile.elicitation_form:
        schema = request.get("requested_schema")
        return {"mode": "form", **params, "requestedSchema": _schema(schema)}
    if mode == "url" and profile.elicitation_url and isinstance(url, str) and url:
        given = request.get("elicitation_id")
        id_ = given if isinstance(given, str) and given else new_id
        return {"mode": "url", **params, "url": url, "elicitationId": id_}
    return None


def _schema(schema: object) -> dict[str, Any]:
    given = dict(schema) if isinstance(schema, Mapping) else {}
    properties = given.get("properties")
    given["type"] = "object"
    given["properties"] = dict(properties) if isinstance(properties, Mapping) else {}
    return given


def mcp_answer(answer: ElicitationAnswer) -> ControlResult:
    """What an MCP server gets; the content is passed on as it is, for the server to check."""
    if answer.action == ACCEPT:
        content = {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in answer.content.items()
        }
        return ControlResult({"action": ACCEPT, "content": content})
    return ControlResult({"action": DECLINE}) if answer.action == DECLINE else mcp_cancel()


def mcp_cancel() -> ControlResult:
    """The answer when the user did not decide: no support, an error of the client, a withdrawal."""
    return ControlResult({"action": "cancel"})
