"""Permission requests and forms as a client reads them, with the schema of ACP as a second
opinion.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brokers.conftest import ask
from canopy_agent.brokers.choices import ALLOW, REJECT
from canopy_agent.brokers.elicitation import mcp_request, question_form
from canopy_agent.capabilities import ClientProfile
from canopy_shared.codec import decode_tool_call
from canopy_shared.content import Diff, Location, TextContent, ToolContent
from canopy_shared.elicitation import (
    ElicitationAnswer,
    FormElicitation,
    UrlElicitation,
    parse_elicitation,
    problem_with,
)
from canopy_shared.elicitation_fields import (
    BooleanField,
    ChoiceField,
    FieldOption,
    FormField,
    MultiChoiceField,
    NumberField,
    TextField,
    read_fields,
)
from canopy_shared.permission import (
    PermissionOption,
    PermissionOutcome,
    PermissionRequest,
    parse_permission_request,
    presentation_meta,
)
from canopy_shared.updates import ToolCallUpdate

CALL = ToolCallUpdate(
    "toolu_1",
    title="Write a.txt",
    name="Write",
    kind="edit",
    status="pending",
    content=(Diff("/p/a.txt", "new", None), ToolContent(TextContent("why"))),
    locations=(Location("/p/a.txt"),),
    raw_input={"file_path": "/p/a.txt"},
)
OPTIONS = (ALLOW.to_option(), REJECT.to_option())

# --- permission ---------------------------------------------------------------------------------


def test_a_request_goes_round() -> None:
    from acp import schema

    meta = presentation_meta("Write a.txt", "Reason: outside", default_to_no=True)
    request = PermissionRequest("s1", CALL, OPTIONS, meta)
    params = request.to_params()
    assert "sessionUpdate" not in params["toolCall"]
    schema.RequestPermissionRequest.model_validate(params)
    read = parse_permission_request(params)
    assert read == request
    assert read is not None
    assert (read.title, read.description) == ("Write a.txt", "Reason: outside")
    assert read.default_to_no
    assert parse_permission_request(request) is request


def test_a_request_without_wording_is_named_by_its_call() -> None:
    read = parse_permission_request(PermissionRequest("s1", CALL, OPTIONS).to_params())
    assert read is not None
    assert (read.title, read.description, read.default_to_no) == ("Write a.txt", None, False)


def test_the_form_of_the_next_protocol_version_is_read() -> None:
    read = parse_permission_request(
        {
            "sessionId": "s1",
            "title": "Write a file?",
            "description": "Reason: new",
            "subject": {"type": "tool_call", "toolCall": {"toolCallId": "t", "title": "Write"}},
            "options": [{"optionId": "a", "kind": "allow_once", "name": "A"}],
        }
    )
    assert read is not None
    assert (read.title, read.description) == ("Write a file?", "Reason: new")
    assert read.tool_call == decode_tool_call({"toolCallId": "t", "title": "Write"})


def test_unusable_parts_are_left_out() -> None:
    read = parse_permission_request(
        {"sessionId": "s", "toolCall": "x", "options": [{}, 3, {"optionId": "a", "kind": 3}]}
    )
    assert read is not None
    assert read.options == (PermissionOption("a", "a", ""),)
    assert not read.options[0].allows
    assert read.option("a") is read.options[0]
    assert read.option("b") is None


@pytest.mark.parametrize(
    "params", [None, [], {}, {"sessionId": "s"}, {"sessionId": 3, "options": []}]
)
def test_a_request_with_nothing_to_pick_is_none(params: Any) -> None:
    assert parse_permission_request(params) is None


@pytest.mark.parametrize("option", ["allow-once", None])
def test_an_outcome_goes_round(option: str | None) -> None:
    outcome = PermissionOutcome(option)
    assert PermissionOutcome.parse(outcome.to_result()) == outcome
    assert PermissionOutcome.parse(outcome) is outcome


@pytest.mark.parametrize(
    "result",
    [
        None,
        "x",
        {},
        {"outcome": "selected"},
        {"outcome": {"outcome": "selected"}},
        {"outcome": {"outcome": "selected", "optionId": 3}},
        {"outcome": {"outcome": "picked", "optionId": "a"}},
    ],
)
def test_a_malformed_outcome_is_cancelled(result: Any) -> None:
    assert PermissionOutcome.parse(result).option_id is None


# --- forms --------------------------------------------------------------------------------------

SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["name", "size", 3],
    "properties": {
        "name": {
            "type": "string",
            "title": "Name",
            "description": "Of the thing",
            "minLength": 2,
            "maxLength": 4,
            "default": "abc",
        },
        "mail": {"type": "string", "format": "email"},
        "size": {"type": "integer", "minimum": 1, "maximum": 3, "default": 2},
        "ratio": {"type": "number", "minimum": 0.5},
        "sure": {"type": "boolean", "default": True},
        "colour": {"type": "string", "enum": ["r", "g"], "enumNames": ["Red", "Green"]},
        "shape": {"type": "string", "oneOf": [{"const": "o", "title": "Round"}], "default": "x"},
        "tags": {
            "type": "array",
            "items": {"type": "string", "enum": ["a", "b"]},
            "minItems": 1,
            "maxItems": 2,
            "default": ["a", "z"],
        },
        "later": {"type": "_picture", "title": "Later"},
        "broken": 3,
    },
}


def form() -> dict[str, FormField]:
    return {field.key: field for field in read_fields(SCHEMA)}


def test_fields_of_every_type() -> None:
    fields = form()
    assert list(fields) == list(SCHEMA["properties"])
    name = fields["name"]
    assert isinstance(name, TextField)
    assert (name.title, name.description, name.required) == ("Name", "Of the thing", True)
    assert (name.default, name.min_length, name.max_length) == ("abc", 2, 4)
    size, ratio = fields["size"], fields["ratio"]
    assert isinstance(size, NumberField)
    assert isinstance(ratio, NumberField)
    assert (size.whole, ratio.whole, size.default, ratio.required) == (True, False, 2, False)
    sure, colour, shape, tags = (fields[key] for key in ("sure", "colour", "shape", "tags"))
    assert isinstance(sure, BooleanField)
    assert sure.default is True
    assert isinstance(colour, ChoiceField)
    assert colour.options == (FieldOption("r", "Red"), FieldOption("g", "Green"))
    assert isinstance(shape, ChoiceField)
    assert (shape.options, shape.default) == ((FieldOption("o", "Round"),), None)
    assert isinstance(tags, MultiChoiceField)
    assert (tags.default, tags.min_items, tags.max_items) == (("a",), 1, 2)
    assert isinstance(fields["later"], TextField)
    assert isinstance(fields["broken"], TextField)


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("name", "abc", None),
        ("name", "a", "at least 2"),
        ("name", "abcde", "at most 4"),
        ("name", "", "needs an answer"),
        ("name", None, "needs an answer"),
        ("mail", "", None),
        ("mail", "me@x", None),
        ("mail", "me", "e-mail"),
        ("size", 3, None),
        ("size", 2.5, "whole"),
        ("size", 0, "at least 1"),
        ("size", 9, "at most 3"),
        ("size", True, "number"),
        ("ratio", 0.25, "at least 0.5"),
        ("ratio", float("inf"), "number"),
        ("sure", False, None),
        ("sure", "no", "yes or no"),
        ("colour", "r", None),
        ("colour", "Red", "one of"),
        ("tags", ("a", "b"), None),
        ("tags", ("z",), "some of"),
        ("tags", (), None),
    ],
)
def test_what_can_be_sent(key: str, value: Any, problem: str | None) -> None:
    found = problem_with(form()[key], value)
    assert found is None if problem is None else problem in (found or "")


@pytest.mark.parametrize(
    ("format_", "good", "bad"),
    [
        ("uri", "https://a.example", "nowhere"),
        ("date", "2026-01-31", "2026-02-31"),
        ("date-time", "2026-01-31T12:00:00Z", "noon"),
        ("_new", "anything", None),
    ],
)
def test_formats(format_: str, good: str, bad: str | None) -> None:
    field = TextField(key="x", format=format_)
    assert problem_with(field, good) is None
    assert bad is None or problem_with(field, bad)


def test_a_form_and_a_page() -> None:
    read = parse_elicitation(
        {
            "mode": "form",
            "message": "M",
            "sessionId": "s",
            "toolCallId": "t",
            "requestedSchema": SCHEMA,
        }
    )
    assert isinstance(read, FormElicitation)
    assert (read.message, read.session_id, read.tool_call_id) == ("M", "s", "t")
    page = parse_elicitation({"mode": "url", "url": "https://a.example", "elicitationId": "e"})
    assert isinstance(page, UrlElicitation)
    assert (page.elicitation_id, page.is_web_page) == ("e", True)
    for address in ("file:///etc/passwd", "javascript:x", "https://", "http://[::"):
        other = parse_elicitation({"mode": "url", "url": address})
        assert isinstance(other, UrlElicitation)
        assert not other.is_web_page
    for unknown in ({"mode": "_new"}, {"mode": "url"}, None, {"mode": 3}):
        assert parse_elicitation(unknown) is None


def test_what_we_ask_fits_the_schema() -> None:
    from acp import schema

    profile = ClientProfile(elicitation_form=True, elicitation_url=True, air=True)
    question = {"question": "Q?", "options": [{"label": "A", "preview": "p"}], "multiSelect": True}
    asked = ask("AskUserQuestion", {"questions": [question, {**question, "multiSelect": False}]})
    form_ = question_form("s1", asked, profile)
    schema.CreateFormSessionElicitationRequest.model_validate(form_)
    page = mcp_request("s1", {"mode": "url", "url": "https://a.example"}, profile, "id")
    schema.CreateUrlSessionElicitationRequest.model_validate(page)


def test_an_answer_goes_round() -> None:
    answer = ElicitationAnswer("accept", {"a": ("x", "y"), "b": 1})
    assert answer.to_result() == {"action": "accept", "content": {"a": ["x", "y"], "b": 1}}
    assert ElicitationAnswer("decline").to_result() == {"action": "decline"}
    assert ElicitationAnswer.parse(answer) is answer


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    *("type", "properties", "enum", "oneOf", "const", "default", "items"),
                    *("minimum", "minLength", "required", "_meta", "jetbrains", "air"),
                ]
            ),
            inner,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None)
@given(JSON, JSON)
def test_a_client_survives_whatever_an_agent_asks(first: Any, second: Any) -> None:
    schema = {"properties": {"a": first, "a_custom": second}, "required": second}
    for field in read_fields(schema):
        for value in (None, "x", 1, True, ("x",), 10**400):
            problem_with(field, value)
    parse_elicitation(first)
    parse_permission_request({"sessionId": "s", "options": first, "toolCall": second})
