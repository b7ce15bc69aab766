"""Requests that a real CLI makes only by bad luck: unannounced, at once, late, malformed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from oracle import complaints
from raw_client import RawClient
from waiting import eventually

if TYPE_CHECKING:
    from pathlib import Path

    from fakes.cli import FakeCli

ASK = "session/request_permission"
Json = dict[str, Any]


def asks(key: str, tool_use_id: str, tool: str = "Bash", **request: Any) -> Json:
    """A step: the CLI asks for permission under the id ``key`` and does not wait."""
    given = {"tool_name": tool, "tool_use_id": tool_use_id, "input": {"command": key}, **request}
    frame = {"subtype": "can_use_tool", **given}
    return {"emit": {"type": "control_request", "request_id": key, "request": frame}}


def answered(key: str) -> Json:
    """A step: wait for the answer to ``key``."""
    return {"expect": {"type": "control_response", "response": {"request_id": key}}}


def answers(fake_cli: FakeCli) -> dict[str, Json]:
    """What the CLI heard, by the id of its request."""
    heard = [frame["response"] for frame in fake_cli.received("control_response")]
    return {one["request_id"]: one for one in heard}


def behavior(fake_cli: FakeCli, key: str) -> str:
    answer = answers(fake_cli)[key]
    return str(answer["response"]["behavior"] if answer["subtype"] == "success" else "error")


def pick(kind: str) -> Json:
    return {"outcome": {"outcome": "selected", "optionId": kind}}


def open_requests(client: RawClient) -> dict[str, Any]:
    """The ids of the agent's permission requests, by the command that they are about."""
    return {frame["params"]["toolCall"]["title"]: frame["id"] for frame in client.requests(ASK)}


async def test_b07_requests_at_once_are_answered_in_any_order(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    steps: list[Json] = [
        {"open": {}},
        {"tool": {"id": "t-main", "name": "Bash", "input": {"command": "main"}}},
        asks("main", "t-main"),
        asks("side", "t-side"),
        asks("late", "t-late"),
        *map(answered, ("main", "side", "late")),
        {"done": {}},
    ]
    fake_cli.play(turns=[steps])
    async with RawClient.spawn(env=fake_cli.env) as client:
        await client.initialize()
        session = await client.new_session(tmp_path)
        client.on(ASK, None)
        turn = client.begin_prompt(session, "go")
        await eventually(lambda: len(client.requests(ASK)) == 3, "three requests")
        announced = {one["toolCallId"] for one in client.updates("tool_call")}
        assert announced == {"t-main", "t-side", "t-late"}
        ids = open_requests(client)
        client.answer(ids["late"], pick("reject"))
        client.answer(ids["side"], pick("allow-once"))
        client.answer(ids["main"], pick("reject"))
        # the calls get no result, so the prompt says so
        await eventually(turn.done, "the answer")
        turn.exception()
        assert [behavior(fake_cli, key) for key in ("main", "side", "late")] == [
            "deny",
            "allow",
            "deny",
        ]
        assert complaints(client.frames) == []


async def test_a_request_for_a_call_that_the_stream_has_not_shown_announces_it_first(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    steps: list[Json] = [
        {"open": {}},
        asks("early", "t"),
        answered("early"),
        {"tool": {"id": "t", "name": "Bash", "input": {"command": "early"}}},
        {"tool_result": {"id": "t", "content": "out"}},
        {"done": {}},
    ]
    fake_cli.play(turns=[steps])
    async with RawClient.spawn(env=fake_cli.env) as client:
        await client.initialize()
        session = await client.new_session(tmp_path)
        client.on_permission("allow_once")
        assert (await client.prompt(session, "go"))["stopReason"] == "end_turn"
        kinds = [
            frame.get("params", {}).get("update", {}).get("sessionUpdate") or frame.get("method")
            for frame in client.frames
        ]
        assert kinds.index("tool_call") < kinds.index(ASK)
        (call,) = client.updates("tool_call")
        assert call["rawInput"] == {"command": "early"}
        states = [u["status"] for u in client.updates("tool_call_update") if "status" in u]
        assert states == ["completed"]


@pytest.mark.parametrize(("kind", "status"), [("allow-once", "completed"), ("reject", "failed")])
async def test_a_question_of_the_sandbox_ends_with_its_answer(
    fake_cli: FakeCli, tmp_path: Path, kind: str, status: str
) -> None:
    rule = {"toolName": "SandboxNetworkAccess", "ruleContent": "a.example"}
    suggestion = {
        "type": "addRules",
        "behavior": "allow",
        "destination": "localSettings",
        "rules": [rule],
    }
    host = {"input": {"host": "a.example"}, "permission_suggestions": [suggestion]}
    steps: list[Json] = [
        {"open": {}},
        asks("net", "n", "SandboxNetworkAccess", **host),
        answered("net"),
        {"say": "ok"},
        {"done": {}},
    ]
    fake_cli.play(turns=[steps])
    async with RawClient.spawn(env=fake_cli.env) as client:
        await client.initialize()
        session = await client.new_session(tmp_path)
        client.on(ASK, pick(kind))
        assert (await client.prompt(session, "go"))["stopReason"] == "end_turn"
        (asked,) = client.requests(ASK)
        assert asked["params"]["toolCall"]["title"] == "a.example"
        kinds = [one["kind"] for one in asked["params"]["options"]]
        assert kinds == ["allow_once", "allow_always", "reject_once"]
        (ended,) = [u for u in client.updates("tool_call_update") if "status" in u]
        assert (ended["toolCallId"], ended["status"]) == ("n", status)


async def test_scenario_72_an_answer_after_the_withdrawal_changes_nothing(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    plan = {"plan": "# Plan"}
    steps: list[Json] = [
        {"open": {}},
        {"tool": {"id": "t", "name": "ExitPlanMode", "input": plan}},
        asks("plan", "t", "ExitPlanMode", input=plan),
        {"expect": {"type": "control_request", "request": {"subtype": "set_permission_mode"}}},
        {"emit": {"type": "control_cancel_request", "request_id": "plan"}},
        {"tool_result": {"id": "t", "content": "a hook refused", "is_error": True}},
        {"say": "ok"},
        {"done": {}},
    ]
    fake_cli.play(turns=[steps])
    async with RawClient.spawn(env=fake_cli.env) as client:
        await client.initialize()
        session = await client.new_session(tmp_path)
        client.on(ASK, None)
        turn = client.begin_prompt(session, "go")
        asked = await client.wait_request(ASK)
        client._held.clear()  # this client answers although it was told not to
        await client.request("session/set_mode", sessionId=session, modeId="acceptEdits")
        await eventually(
            lambda: any(f.get("method") == "$/cancel_request" for f in client.frames), "withdrawal"
        )
        client._send({"id": asked["id"], "result": pick("exit-plan-default")})
        assert (await turn)["stopReason"] == "end_turn"
        assert answers(fake_cli).get("plan") is None
        options = client.updates("config_option_update")[-1]["configOptions"]
        assert options[0]["currentValue"] == "acceptEdits"


MALFORMED: dict[str, Json] = {
    "no tool": {"tool_name": ""},
    "no input": {"input": None},
    "input is a list": {"input": ["ls"]},
    "input is text": {"input": "ls"},
    "odd suggestions": {"permission_suggestions": "all"},
    "hostile suggestions": {
        "permission_suggestions": [
            {
                "type": "addRules",
                "behavior": "allow",
                "destination": "session",
                "rules": [{"toolName": "Bash", "ruleContent": "ls\u202e:*"}],
            }
        ]
    },
}


async def test_a_malformed_request_is_asked_as_it_is_or_refused_and_never_granted(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    steps: list[Json] = [{"open": {}}]
    for number, (name, fields) in enumerate(MALFORMED.items()):
        steps += [asks(name, f"t{number}", **fields), answered(name)]
    fake_cli.play(turns=[[*steps, {"say": "ok"}, {"done": {}}]])
    async with RawClient.spawn(env=fake_cli.env) as client:
        await client.initialize()
        session = await client.new_session(tmp_path)
        client.on(ASK, pick("allow-with-updates"))
        turn = client.begin_prompt(session, "go")
        await eventually(turn.done, "the end of the turn")
        turn.exception()
        assert {behavior(fake_cli, name) for name in MALFORMED} == {"error"}
        for frame in client.requests(ASK):
            kinds = [one["kind"] for one in frame["params"]["options"]]
            assert "allow_always" not in kinds
        assert complaints(client.frames) == []
