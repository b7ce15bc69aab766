"""Questions of Claude, of MCP servers and of the CLI as forms, and their answers."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brokers.conftest import ask
from canopy_agent.brokers import dialogs, elicitation
from canopy_agent.brokers.asked import ABORTED, ControlResult, parse_permission_asked
from canopy_agent.capabilities import ClientProfile
from canopy_shared.elicitation import ElicitationAnswer, parse_elicitation
from canopy_shared.elicitation_fields import ChoiceField, MultiChoiceField, TextField

FORM = ClientProfile(elicitation_form=True)
URL = ClientProfile(elicitation_url=True)
AIR = ClientProfile(elicitation_form=True, air=True)

DATABASE = {
    "header": "DB",
    "question": "Which database?",
    "multiSelect": False,
    "options": [
        {"label": "Postgres", "description": "relational"},
        {"label": "Redis", "description": "key value"},
    ],
}
EXTRAS = {
    "header": "Extras",
    "question": "Which extras?",
    "multiSelect": True,
    "options": [{"label": "Cache", "description": "c"}, {"label": "Queue", "description": "q"}],
}
BOTH = ask("AskUserQuestion", {"questions": [DATABASE, EXTRAS]})


def accept(**content: Any) -> ElicitationAnswer:
    return ElicitationAnswer("accept", content)


def answers(answer: ElicitationAnswer, *, marks: bool = False, asked: Any = BOTH) -> dict[str, Any]:
    """The updated input beside the questions."""
    result = elicitation.answer_questions(asked, answer, marks_unanswered=marks)
    assert isinstance(result, ControlResult)
    assert result.response["behavior"] == "allow"
    assert set(result.response) == {"behavior", "updatedInput"}
    updated = dict(result.response["updatedInput"])
    assert updated.pop("questions") == asked.input["questions"]
    return updated


ODD_OPTIONS: list[Any] = ["x", None, 3, [], {}, {"label": 7}, {"label": None}, {"Label": "x"}]


def test_options_that_cannot_be_shown_are_left_out_and_a_question_without_any_too() -> None:
    lacking = {**DATABASE, "options": [*ODD_OPTIONS, *DATABASE["options"], "y"]}
    empty = {**EXTRAS, "options": ODD_OPTIONS}
    [question] = elicitation.questions_of({"questions": [empty, lacking, "odd", {"question": 1}]})
    assert question.text == DATABASE["question"]
    assert [one["label"] for one in question.options] == ["Postgres", "Redis"]


def test_scenario_78_two_questions_as_one_form() -> None:
    form = elicitation.question_form("s1", BOTH, FORM)
    assert form is not None
    properties = form["requestedSchema"]["properties"]
    assert list(properties) == [
        "question_0",
        "question_0_custom",
        "question_1",
        "question_1_custom",
    ]
    assert (form["mode"], form["sessionId"], form["toolCallId"]) == ("form", "s1", "toolu_1")
    assert properties["question_0"] == {
        "type": "string",
        "title": "DB",
        "description": "Which database?",
        "oneOf": [
            {"const": "Postgres", "title": "Postgres", "description": "relational"},
            {"const": "Redis", "title": "Redis", "description": "key value"},
        ],
    }
    assert properties["question_1"]["type"] == "array"
    assert [option["const"] for option in properties["question_1"]["items"]["anyOf"]] == [
        "Cache",
        "Queue",
    ]
    assert properties["question_0_custom"]["type"] == "string"
    assert "_meta" not in properties["question_0_custom"]
    assert "required" not in form["requestedSchema"]


def test_a_single_question_is_the_message() -> None:
    form = elicitation.question_form("s1", ask("AskUserQuestion", {"questions": [DATABASE]}), FORM)
    assert form is not None
    assert form["message"] == "Which database?"
    assert "description" not in form["requestedSchema"]["properties"]["question_0"]


def test_air_gets_links_from_free_text_to_its_question() -> None:
    form = elicitation.question_form("s1", BOTH, AIR)
    assert form is not None
    link = {"questionId": "question_0", "isCustomAnswer": True}
    assert form["requestedSchema"]["properties"]["question_0_custom"]["_meta"] == {
        "_askUserQuestionCustomAnswer": link,
        "jetbrains": {"air": {"version": 1, "customAnswer": link}},
    }


@pytest.mark.parametrize("profile", [FORM, AIR])
def test_our_client_reads_our_form(profile: ClientProfile, recorded: list[dict[str, Any]]) -> None:
    raw = next(item for item in recorded if item["tool_name"] == "AskUserQuestion")
    asked = parse_permission_asked(raw)
    assert asked is not None
    request = parse_elicitation(elicitation.question_form("s1", asked, profile))
    assert request is not None
    choice, custom = request.fields  # type: ignore[union-attr]
    assert isinstance(choice, ChoiceField)
    assert [(option.value, option.preview) for option in choice.options] == [
        ("A", "pre"),
        ("B", None),
    ]
    assert isinstance(custom, TextField)
    assert custom.custom_answer_to == choice.key
    several = parse_elicitation(elicitation.question_form("s1", BOTH, profile))
    assert several is not None
    assert isinstance(several.fields[2], MultiChoiceField)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"questions": "x"},
        {"questions": [{}]},
        {"questions": [{"question": "Q", "options": []}]},
    ],
)
def test_without_a_usable_question_nothing_is_asked(given: dict[str, Any]) -> None:
    assert elicitation.question_form("s1", ask("AskUserQuestion", given), FORM) is None
    assert elicitation.no_questions().response["behavior"] == "deny"
    assert elicitation.not_presented().response["behavior"] == "deny"


def test_scenario_78_a_pick_with_a_note() -> None:
    answered = answers(accept(question_0="Postgres", question_0_custom=" the newest "))
    assert answered == {
        "answers": {"Which database?": "Postgres"},
        "annotations": {"Which database?": {"notes": "the newest"}},
    }


def test_free_text_alone_is_the_answer() -> None:
    assert answers(accept(question_0_custom="SQLite")) == {"answers": {"Which database?": "SQLite"}}


def test_scenario_78_decline_and_cancel() -> None:
    assert answers(ElicitationAnswer("decline")) == {"answers": {}}
    cancelled = elicitation.answer_questions(
        BOTH, ElicitationAnswer("cancel"), marks_unanswered=True
    )
    assert cancelled == ABORTED


def test_scenario_79_several_picks_are_joined_and_quoted_when_ambiguous() -> None:
    assert answers(accept(question_1=["A", "B, C"]))["answers"] == {"Which extras?": 'A, "B, C"'}
    assert answers(accept(question_1=["Cache", 'say "x"'], question_1_custom="and logs")) == {
        "answers": {"Which extras?": 'Cache, "say \\"x\\"", and logs'}
    }


@pytest.mark.parametrize(
    ("value", "text"), [(3, "3"), (3.0, "3"), (2.5, "2.5"), (True, "true"), (False, "false")]
)
def test_picks_that_are_not_text(value: Any, text: str) -> None:
    assert answers(accept(question_0=value))["answers"] == {"Which database?": text}


@pytest.mark.parametrize("value", [None, "", [], {}, [""], [{}]])
def test_what_is_no_pick_is_no_answer(value: Any) -> None:
    assert answers(accept(question_0=value, question_1=value)) == {"answers": {}}


def test_unanswered_questions_are_marked_only_for_a_cli_that_knows_the_marks() -> None:
    partly = accept(question_0="Redis")
    assert "annotations" not in answers(partly)
    assert answers(partly, marks=True)["annotations"] == {
        "Which extras?": {"unanswered": "skipped"}
    }
    assert answers(ElicitationAnswer("decline"), marks=True)["annotations"] == {
        "Which database?": {"unanswered": "dismissed"},
        "Which extras?": {"unanswered": "dismissed"},
    }


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.sampled_from(["question_0", "question_1", "question_0_custom"]), JSON))
def test_whatever_comes_back_every_answer_is_text(content: dict[str, Any]) -> None:
    answered = answers(ElicitationAnswer("accept", content), marks=True)
    assert all(isinstance(text, str) and text for text in answered["answers"].values())
    open_ = {"Which database?", "Which extras?"} - set(answered["answers"])
    marked = {
        question
        for question, note in answered.get("annotations", {}).items()
        if note.get("unanswered") == "skipped"
    }
    assert marked == open_


# --- MCP servers --------------------------------------------------------------------------------


def mcp(profile: ClientProfile, **request: Any) -> dict[str, Any] | None:
    return elicitation.mcp_request("s1", {"message": "Which?", **request}, profile, "new-id")


def test_scenario_80_a_form_of_an_mcp_server() -> None:
    schema = {"properties": {"colour": {"type": "string"}}, "required": ["colour"]}
    assert mcp(FORM, mode="form", requested_schema=schema) == {
        "mode": "form",
        "sessionId": "s1",
        "message": "Which?",
        "requestedSchema": {**schema, "type": "object"},
    }
    assert mcp(FORM) == {
        "mode": "form",
        "sessionId": "s1",
        "message": "Which?",
        "requestedSchema": {"type": "object", "properties": {}},
    }


def test_scenario_80_what_the_client_cannot_show_is_cancelled() -> None:
    assert mcp(FORM, mode="url", url="https://a.example") is None
    assert mcp(URL, mode="form") is None
    assert mcp(URL, mode="url") is None
    assert elicitation.mcp_cancel().response == {"action": "cancel"}


def test_a_page_keeps_its_id_or_gets_one() -> None:
    page = mcp(URL, mode="url", url="https://a.example", elicitation_id="e1")
    fresh = mcp(URL, mode="url", url="https://a.example")
    assert page is not None
    assert fresh is not None
    assert (page["elicitationId"], fresh["elicitationId"]) == ("e1", "new-id")


@pytest.mark.parametrize(
    ("answer", "response"),
    [
        ({"action": "accept", "content": {"a": 1}}, {"action": "accept", "content": {"a": 1}}),
        ({"action": "accept"}, {"action": "accept", "content": {}}),
        ({"action": "accept", "content": "x"}, {"action": "accept", "content": {}}),
        ({"action": "decline"}, {"action": "decline"}),
        ({"action": "cancel"}, {"action": "cancel"}),
        ({"action": "later"}, {"action": "cancel"}),
        (None, {"action": "cancel"}),
    ],
)
def test_what_an_mcp_server_hears(answer: Any, response: dict[str, Any]) -> None:
    assert elicitation.mcp_answer(ElicitationAnswer.parse(answer)).response == response


# --- dialogs ------------------------------------------------------------------------------------

REFUSED = {
    "dialog_kind": "refusal_fallback_prompt",
    "payload": {"originalModel": "opus", "fallbackModel": "sonnet", "guidanceText": "Try less."},
}


def test_scenario_81_the_refusal_dialog() -> None:
    form = dialogs.dialog_form("s1", REFUSED, FORM)
    assert form is not None
    choice = form["requestedSchema"]["properties"]["choice"]
    assert [option["const"] for option in choice["oneOf"]] == ["retry_fallback", "cancelled"]
    assert all(option["title"] and option["description"] for option in choice["oneOf"])
    assert dialogs.dialog_answer(accept(choice="retry_fallback")).response == {
        "behavior": "completed",
        "result": "retry_fallback",
    }
    for other in (accept(choice="cancelled"), accept(), ElicitationAnswer("decline")):
        assert dialogs.dialog_answer(other).response == {
            "behavior": "completed",
            "result": "cancelled",
        }


@pytest.mark.parametrize(
    ("request_", "profile"),
    [
        (REFUSED, ClientProfile()),
        ({**REFUSED, "dialog_kind": "other"}, FORM),
        ({**REFUSED, "payload": {"originalModel": "opus"}}, FORM),
        ({**REFUSED, "payload": "x"}, FORM),
    ],
)
def test_what_cannot_be_shown_is_cancelled(request_: dict[str, Any], profile: Any) -> None:
    assert dialogs.dialog_form("s1", request_, profile) is None
    assert dialogs.not_shown().response == {"behavior": "cancelled"}


def test_dialogs_are_declared_for_clients_with_forms_alone() -> None:
    assert dialogs.supported_kinds(FORM) == ("refusal_fallback_prompt",)
    assert dialogs.supported_kinds(URL) == ()
