"""Questions on the real CLI: the model's own, those of MCP servers, and clients without forms."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from canopy_agent.demo.rules import Rule, ToolUse, When, flow
from e2e.world import FORM, world
from tools_e2e import desk_server
from tools_e2e.scripted import call, merged, sequence

if TYPE_CHECKING:
    from canopy_agent.demo.requests import ModelRequest
    from e2e.world import World

Json = dict[str, Any]
ELICIT = "elicitation/create"
DESK = {"name": "desk", "command": sys.executable, "args": [desk_server.__file__], "env": []}
BOTH = {"elicitation": {"form": {}, "url": {}}}


def option(label: str, **more: str) -> Json:
    return {"label": label, "description": label.lower(), **more}


SINGLE = {
    "question": "Which one?",
    "header": "One",
    "multiSelect": False,
    "options": [option("A", preview="a picture of A"), option("B, or C")],
}
MULTI = {**SINGLE, "question": "Which ones?", "header": "Ones", "multiSelect": True}


def echo(request: ModelRequest) -> str:
    return f"Result: {request.result_text}"


def asking(*questions: Json) -> tuple[Rule, ...]:
    return flow(
        When(says="ask"), [ToolUse("AskUserQuestion", {"questions": list(questions)})], echo
    )


ANSWERS: dict[str, tuple[Json, list[str], list[str]]] = {
    "an option": ({"question_0": "A"}, ['"Which one?"="A"'], []),
    "an option and a note": (
        {"question_0": "A", "question_0_custom": "but soon"},
        ['"Which one?"="A"', "but soon"],
        [],
    ),
    "words alone": ({"question_0_custom": " none "}, ['"Which one?"="none"'], []),
    "two ticks and words": (
        {"question_1": ["A", "B, or C"], "question_1_custom": "both"},
        ["Which ones?", "B, or C", "both"],
        ['"Which one?"='],
    ),
    "blank": ({"question_0": "A", "question_0_custom": "   "}, ['"Which one?"="A"'], ["notes"]),
}


async def test_b52_scenario_78_every_part_of_an_answer_reaches_the_model() -> None:
    async with world(asking(SINGLE, MULTI)) as w:
        await w.open(FORM)
        for name, (content, there, absent) in ANSWERS.items():
            w.agent.on(ELICIT, {"action": "accept", "content": content})
            before = len(w.agent.text())
            await w.prompt("ask me")
            told = w.agent.text()[before:]
            assert all(words in told for words in there), (name, told)
            assert not any(words in told for words in absent), (name, told)
        form = w.agent.requests(ELICIT)[0]["params"]
        assert form["toolCallId"] in {one["toolCallId"] for one in w.agent.updates("tool_call")}
        first = form["requestedSchema"]["properties"]["question_0"]["oneOf"][0]
        assert first["_meta"]["_claude/askUserQuestionOption"] == {"preview": "a picture of A"}


async def test_scenario_78_decline_is_no_answer_and_cancel_aborts_the_tool() -> None:
    async with world(asking(SINGLE)) as w:
        await w.open(FORM)
        statuses = []
        for action in ("decline", "cancel", "nonsense"):
            w.agent.on(ELICIT, {"action": action})
            before = len(w.agent.text())
            assert (await w.prompt("ask me"))["stopReason"] == "end_turn"
            card = list(merged(w.agent.updates()).values())[-1]
            statuses.append(card["status"])
            assert '="' not in w.agent.text()[before:]
        assert statuses == ["completed", "failed", "failed"]


async def test_a_client_that_cannot_show_a_form_after_all_fails_the_call_and_no_more() -> None:
    async with world(asking(SINGLE)) as w:
        await w.open(FORM)  # and answers every request with an error
        assert (await w.prompt("ask me"))["stopReason"] == "end_turn"
        card = list(merged(w.agent.updates()).values())[-1]
        assert card["status"] == "failed"
        assert "could not be shown" in w.agent.text()


async def test_b54_scenario_18_without_forms_the_model_has_no_question_tool() -> None:
    async with world(Rule(When(), "Hi.")) as w:
        await w.open({"elicitation": {"url": {}}})
        await w.prompt("hi")
        assert not w.model.turns[-1].offers("AskUserQuestion")
    async with world(Rule(When(), "Hi.")) as w:
        await w.open(FORM)
        await w.prompt("hi")
        assert w.model.turns[-1].offers("AskUserQuestion")


async def test_a_cancel_takes_an_open_question_back() -> None:
    async with world(asking(SINGLE), Rule(When(says="and"), "Fine.")) as w:
        await w.open(FORM)
        w.agent.on(ELICIT, None)
        turn = w.agent.begin_prompt(w.session, "ask me")
        asked = await w.agent.wait_request(ELICIT)
        w.agent.cancel(w.session)
        assert (await turn)["stopReason"] == "cancelled"
        withdrawn = [f for f in w.agent.frames if f.get("method") == "$/cancel_request"]
        assert [one["params"]["requestId"] for one in withdrawn] == [asked["id"]]
        assert list(merged(w.agent.updates()).values())[-1]["status"] == "failed"
        assert (await w.prompt("and now"))["stopReason"] == "end_turn"


# --- MCP servers ----------------------------------------------------------------------------------


def through(tool: str) -> Rule:
    name = f"mcp__desk__{tool}"
    return sequence(call("ToolSearch", query=f"select:{name}"), call(name), call(name), call(name))


async def open_with_desk(w: World, capabilities: Json) -> None:
    await w.agent.initialize(capabilities)
    w.session = await w.agent.new_session(w.cwd, mcpServers=[DESK])
    w.agent.on_permission("allow_once")


async def test_scenario_80_a_server_hears_accept_decline_and_cancel_apart() -> None:
    async with world(through("ask")) as w:
        await open_with_desk(w, FORM)
        content = {"colour": "blue", "count": 3, "sure": False}
        answers = iter(
            [{"action": "accept", "content": content}, {"action": "decline"}, {"action": "cancel"}]
        )
        w.agent.on(ELICIT, lambda params: next(answers))
        await w.prompt("go")
        heard = [str(card.get("rawOutput")) for card in merged(w.agent.updates()).values()][1:]
        assert "accept" in heard[0]
        assert '\\"colour\\": \\"blue\\"' in heard[0] or '"colour": "blue"' in heard[0]
        assert "decline" in heard[1]
        assert "cancel" in heard[2]
        schema = w.agent.requests(ELICIT)[0]["params"]["requestedSchema"]
        assert schema["required"] == ["colour"]
        assert schema["properties"]["count"]["minimum"] == 1


@pytest.mark.parametrize(
    ("capabilities", "asked"),
    [({}, 0), (FORM, 0), (BOTH, 1)],
    ids=["no forms", "forms alone", "forms and pages"],
)
async def test_scenario_80_a_page_is_shown_only_to_clients_that_open_pages(
    capabilities: Json, asked: int
) -> None:
    rule = sequence(
        call("ToolSearch", query="select:mcp__desk__ask_page"), call("mcp__desk__ask_page")
    )
    async with world(rule) as w:
        await open_with_desk(w, capabilities)
        w.agent.on(ELICIT, {"action": "accept"})
        assert (await w.prompt("go"))["stopReason"] == "end_turn"
        requests = w.agent.requests(ELICIT)
        assert len(requests) == asked
        for frame in requests:
            assert frame["params"]["mode"] == "url"
            assert frame["params"]["url"] == "https://desk.example/sign"
            assert frame["params"]["elicitationId"]
