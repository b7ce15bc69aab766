"""ACP v2 over stdio, on the real CLI: turns, calls, terminals, subagents, background work, history.

The session is played once (``tale``), and every frame of it is judged by the schema when it ends.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from v2.tale import TICKS, merged, played, printed

if TYPE_CHECKING:
    from v2.tale import Chapter

FLOATING = ("usage_update", "session_info_update", "available_commands_update")
CLEARS = ("user_message", "agent_message", "agent_thought")


@pytest.fixture(scope="module")
def tale() -> dict[str, Chapter]:
    """The chapters of the session."""
    return asyncio.run(played())


def steady(updates: list[Any]) -> list[str]:
    """The kinds of updates whose place is fixed."""
    return [one["sessionUpdate"] for one in updates if one["sessionUpdate"] not in FLOATING]


# --- turns ----------------------------------------------------------------------------------------


def test_scenario_93_a_prompt_is_taken_in_and_its_work_ends(tale: dict[str, Chapter]) -> None:
    turn = tale["turn"]
    assert steady(turn.updates()) == [
        "user_message",
        "state_update",
        "agent_thought_chunk",
        "agent_message_chunk",
        "state_update",
    ]
    message, *_, end = [u for u in turn.updates() if u["sessionUpdate"] not in FLOATING]
    assert message["content"] == [{"type": "text", "text": "hello"}]
    assert turn["receipt"] == {"messageId": message["messageId"]}
    # the receipt is between the message and the work
    places = ["result" in one or one["params"]["update"]["sessionUpdate"] for one in turn.frames]
    assert places[:3] == ["user_message", True, "state_update"]
    assert turn.states() == ["running", "idle end_turn"]
    assert (end["background"], end["usage"]["outputTokens"] > 0) == ([], True)
    assert "quota" in end["_meta"]
    assert all(one["messageId"] for one in turn.updates("agent_message_chunk"))


def test_scenario_93_a_failure_is_an_idle_with_its_error(tale: dict[str, Chapter]) -> None:
    failure = tale["failure"]
    assert failure.states() == ["running", "idle error"]
    error = failure.updates("state_update")[-1]["error"]
    assert (error["code"], error["data"]) == (-32603, {"errorKind": "unknown"})
    assert "Refused, scripted" in error["message"]


def test_the_mode_is_an_option_and_its_change_is_told_before_the_answer(
    tale: dict[str, Chapter],
) -> None:
    option = tale["option"]
    update, answer = option.frames
    assert update["params"]["update"]["configOptions"] == answer["result"]["configOptions"]
    mode = option["answer"]["configOptions"][0]
    assert (mode["configId"], mode["currentValue"]) == ("mode", "acceptEdits")


# --- calls ----------------------------------------------------------------------------------------


def test_all_of_a_long_output_in_the_background_arrives_before_its_exit(
    tale: dict[str, Chapter],
) -> None:
    much = tale["much"]
    updates, terminal = much.updates(), much["terminal"]
    whole = "".join(f"{number}\n" for number in range(1, 60001))
    # Claude Code adds how the command ended, which may be after it told of the end
    assert printed(updates, terminal).removesuffix("\n[exited with code 0]\n") == whole
    mine = [one for one in updates if one.get("terminalId") == terminal]
    (exited,) = (at for at, one in enumerate(mine) if "exitStatus" in one)
    assert not any("data" in one or "output" in one for one in mine[exited:])


def test_scenario_94_a_command_has_a_terminal_of_its_own(tale: dict[str, Chapter]) -> None:
    command = tale["command"]
    (updates,) = command.calls("Bash")
    bash = merged(updates)
    assert bash["status"] == "completed"
    assert bash["content"] == [{"type": "terminal", "terminalId": bash["toolCallId"]}]
    assert "rawOutput" not in bash
    assert not any("terminal_" in str(one.get("_meta")) for one in updates)
    news = command.updates("terminal_update", "terminal_output_chunk")
    assert printed(news, bash["toolCallId"]).splitlines() == ["one", "two"]
    assert merged(news)["command"] == "echo one; echo two"
    assert [one["exitStatus"] for one in news if "exitStatus" in one] == [{"exitCode": 0}]
    # each report comes after the news of its terminal
    kinds = steady(command.updates())
    assert kinds.index("terminal_update") < kinds.index("tool_call_update")
    ended = next(i for i, one in enumerate(command.updates()) if "exitStatus" in one)
    assert ended < command.updates().index(updates[-1])


@pytest.mark.parametrize("chapter", ["edit", "edit again"])
def test_scenario_94_the_exact_patch_comes_before_the_edit(
    chapter: str, tale: dict[str, Chapter]
) -> None:
    edit = tale[chapter]
    (updates,) = edit.calls("Edit")
    with_diff = [one for one in updates if one.get("content")]
    (diff,) = with_diff[0]["content"]
    path = diff["changes"][0]["path"]
    assert path.endswith("/notes.txt")
    assert diff["changes"] == [{"operation": "modify", "path": path, "fileType": "text"}]
    assert diff["patch"]["format"] == "git_patch"
    assert f"--- {path}\n+++ {path}\n@@" in diff["patch"]["text"]
    assert updates.index(with_diff[0]) < len(updates) - 1
    assert updates[-1]["status"] == "completed"
    requests = edit.params("session/request_permission")
    assert len(requests) == (1 if chapter == "edit" else 0)
    for request in requests:
        assert request["subject"]["toolCall"]["content"] == [diff]
        assert "status" not in request["subject"]["toolCall"]
        assert edit.states() == ["running", "requires_action", "running", "idle end_turn"]


def test_scenario_94_what_a_cancel_stops_was_cancelled(tale: dict[str, Chapter]) -> None:
    cancel = tale["cancel"]
    (updates,) = cancel.calls("Bash")
    assert updates[-1]["status"] == "cancelled"
    assert cancel["late"].code == -32800  # never taken in
    assert len(cancel.updates("user_message")) == 1
    # no question was withdrawn, and what is in the background goes on
    assert cancel.states() == ["running", "idle cancelled"]
    assert cancel["end"]["background"] == [tale["background"]["item"]]


# --- the background -------------------------------------------------------------------------------


def test_a_command_in_the_background_prints_and_can_be_stopped(tale: dict[str, Chapter]) -> None:
    background, stop = tale["background"], tale["stop"]
    item = background["item"]
    assert item["type"] == "terminal"
    kinds = [one for one in background.updates() if "capabilities" in one or "state" in one]
    offered = next(place for place, one in enumerate(kinds) if "capabilities" in one)
    assert kinds[offered] == {
        "sessionUpdate": "terminal_update",
        "terminalId": item["terminalId"],
        "capabilities": {"cancel": {}},
    }
    assert [one["background"] for one in kinds[:offered]] == [[]] * offered
    assert all(one["background"] == [item] for one in kinds[offered + 1 :])
    assert "stopReason" not in kinds[offered + 1]
    # the output takes the place of the words that stood for it, if any did, and grows from there
    whole = [one for one in background.updates("terminal_update") if "output" in one]
    assert len(whole) <= 1
    news = background.updates("terminal_update", "terminal_output_chunk")
    assert printed(news, item["terminalId"]).startswith("tick 1\n")
    assert merged(news)["command"] == TICKS
    # it is stopped once, and ends before the list drops it
    assert (stop["refused"], stop["answer"], stop["again"]) == (-32602, {}, -32602)
    places = [
        "exit" if "exitStatus" in one else "list"
        for one in stop.updates("terminal_update", "state_update")
        if "exitStatus" in one or one.get("background") == []
    ]
    assert places[:2] == ["exit", "list"]


def test_scenario_9_v2_each_state_of_a_child_is_its_own_too(tale: dict[str, Chapter]) -> None:
    for name in ("near", "kids"):
        told = tale[name].params()
        states = 0
        for place, params in enumerate(told):
            update = params["update"]
            if update["sessionUpdate"] == "subagent_update" and "state" in update:
                states += 1
                mirror = told[place + 1]
                assert mirror["sessionId"] == update["sessionId"]
                assert mirror["update"] == {"sessionUpdate": "state_update", **update["state"]}
        assert states >= 2


def test_scenario_9_v2_a_child_in_the_foreground(tale: dict[str, Chapter]) -> None:
    near = tale["near"]
    updates = near.updates("subagent_update", "session_message", "state_update")
    kinds = [(one["sessionUpdate"], one.get("messageId", "")[-6:]) for one in updates]
    assert [kind for kind, _ in kinds] == [
        "state_update",
        "subagent_update",
        "session_message",
        "subagent_update",
        "session_message",
        "state_update",
    ]
    assert kinds[4][1] == ":reply"
    (child,) = {one["sessionId"] for one in near.updates("subagent_update")}
    assert near.states(child) == ["running", "idle end_turn"]
    assert near.states() == ["running", "idle end_turn"]  # at the result
    assert near.calls("Agent") == []
    # it is not listed: its call has not returned
    assert [one["background"] for one in near.updates("state_update")] == [[], []]


def test_children_in_the_background_are_asked_and_stopped_one_by_one(
    tale: dict[str, Chapter],
) -> None:
    kids = tale["kids"]
    kid, other = kids["kid"], kids["other"]
    listed = [{"type": "subagent", "sessionId": one} for one in (kid, other)]
    assert kids["end"]["background"] == listed
    assert kids["end"]["stopReason"] == "end_turn"  # nothing of the hold is seen
    assert kids["request"]["params"]["sessionId"] == kid
    assert kids["then"] == ("requires_action", "idle")
    assert "requires_action" not in kids.states()
    assert kids.states(kid) == ["running", "requires_action", "running", "idle end_turn"]
    assert kids.states(other) == ["running", "idle cancelled"]
    assert kids.states()[-1].startswith("idle")


# --- history --------------------------------------------------------------------------------------


def test_scenario_95_history_clears_what_the_client_has(tale: dict[str, Chapter]) -> None:
    replay = tale["replay"]
    assert replay["refused"] == -32602
    before = replay["before"]
    first: dict[tuple[str, str], str] = {}
    for params in before:
        update = params.get("update", {})
        kind, id_ = update.get("sessionUpdate", ""), update.get("messageId")
        whole = kind.removesuffix("_chunk")
        if whole in CLEARS:
            first.setdefault((whole, id_), kind)
            if kind == whole:
                assert update["content"] == []
    assert {kind for kind, _ in first} == set(CLEARS)
    assert all(kind in CLEARS for kind in first.values())
    # a call that is told anew loses what the client has of it and history has not
    calls = [one for one in replay.updates("tool_call_update") if one.get("name") == "Bash"]
    assert calls[0]["rawOutput"] is None


def test_a_replayed_edit_has_the_patch_that_it_had(tale: dict[str, Chapter]) -> None:
    frames = [{"params": one} for one in tale["replay"]["before"] if "update" in one]
    for chapter in ("edit", "edit again"):
        (live,) = tale[chapter].calls("Edit")
        again = [
            one["params"]["update"]
            for one in frames
            if one["params"]["update"].get("toolCallId") == live[0]["toolCallId"]
        ]
        (diff,) = merged(live)["content"]
        assert diff["patch"]["text"].count("\n-") == 1 + diff["patch"]["text"].count("\n--- ")
        assert merged(again)["content"][0]["changes"] == diff["changes"]
        lines = [text.partition("@@")[2] for text in (_patch(merged(again)), _patch(merged(live)))]
        assert lines[0] == lines[1] != ""


def _patch(call: dict[str, Any]) -> str:
    (diff,) = call["content"]
    return str(diff["patch"]["text"])


def test_scenario_95_the_state_comes_before_the_response(tale: dict[str, Chapter]) -> None:
    replay = tale["replay"]
    assert "sessionId" not in replay["answer"]
    assert replay["answer"]["configOptions"][0]["configId"] == "mode"
    assert replay["answer"]["availableCommands"][0]["type"] == "command"
    updates = [one["update"] for one in replay["before"] if one.get("sessionId") == replay.session]
    assert updates[-1] == {"sessionUpdate": "state_update", "state": "idle", "background": []}
    assert updates[-2]["sessionUpdate"] == "session_info_update"
    assert (updates[-2]["title"] != "", "updatedAt" in updates[-2]) == (True, True)
    # the states of children: the last one of each, on its own session, and again after it
    kids = tale["kids"]
    ends = {kids["kid"]: "idle end_turn", kids["other"]: "idle cancelled"}
    for child, end in ends.items():
        told = [one["update"] for one in replay["before"] if one.get("sessionId") == child]
        (state,) = [one for one in told if one["sessionUpdate"] == "state_update"]
        assert f"{state['state']} {state['stopReason']}" == end
        assert replay.states(child) == [end, end]


def test_a_session_goes_on_without_history_is_copied_and_deleted(tale: dict[str, Chapter]) -> None:
    again, fork = tale["resumed again"], tale["fork"]
    assert steady(again.updates()) == ["state_update"]
    assert "sessionId" not in again["answer"]
    copy = fork["answer"]["sessionId"]
    assert "configOptions" in fork["answer"]
    assert fork["listed"] == {copy, fork.session}
    assert (fork["deleted"], fork["left"]) == ({}, {fork.session})
