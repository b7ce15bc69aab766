"""Conversations with subagents that another process opens again, on the real CLI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from canopy_agent.demo.rules import Gate, Rule, Text, ToolUse, When, flow
from e2e.world import BACKGROUND, NATIVE, RFD, World, world

if TYPE_CHECKING:
    from collections.abc import Mapping

    from canopy_agent.demo.requests import ModelRequest

PLAIN: dict[str, Any] = {}
READ = ToolUse("Read", {"file_path": "{cwd}/README.md"})
NEXT = Rule(When(says="next"), "Next.")
FOLLOW_UP = Rule(When(notified=""), "The agent is finished.")


def agent(role: str, *, background: bool = False) -> ToolUse:
    return ToolUse(
        "Agent",
        {
            "description": role.title(),
            "prompt": f"Role: {role}.\n\nDo your work.",
            "subagent_type": "general-purpose",
            "run_in_background": background,
        },
    )


MAIN = flow(When(says="go"), [Text("I delegate."), agent("kid")], "The child is done.")
KID = (
    Rule(
        When(agent="kid", test=lambda request: "Please look again." in str(request.body)),
        "Second answer.",
    ),
    *flow(When(agent="kid"), [Text("Kid reads."), agent("grandchild"), READ], "Kid is done."),
)
GRANDCHILD = flow(When(agent="grandchild"), "Grandchild is done.")


def children(w: World) -> list[dict[str, Any]]:
    """The children announced to an RFD client, each once and in order."""
    found: dict[str, dict[str, Any]] = {}
    for update in w.agent.updates("subagent_update"):
        found.setdefault(update["sessionId"], update)
    return list(found.values())


async def test_load_shows_nested_children_to_an_rfd_client_under_their_live_ids() -> None:
    async with world(MAIN, KID, GRANDCHILD, NEXT) as w:
        await w.open(RFD)
        await w.prompt("go")
        live = [child["sessionId"] for child in children(w)]
        assert len(live) == 2
        async with w.later() as again:
            await again.load(RFD)
            assert [child["sessionId"] for child in children(again)] == live
            assert again.agent.text(again.session) == "I delegate.The child is done."
            kid, grandchild = live
            assert again.agent.text(kid) == "Kid reads.Kid is done."
            assert again.agent.text(grandchild) == "Grandchild is done."
            under = again.agent.updates("subagent_update", kid)
            assert {u["sessionId"] for u in under} == {grandchild}
            last = {u["sessionId"]: u["state"] for u in again.agent.updates("subagent_update")}
            assert {state["state"] for state in last.values()} == {"idle"}
            await again.prompt("next")
            assert again.agent.text(again.session).endswith("Next.")


async def test_load_shows_children_to_an_air_client_as_restored_sessions() -> None:
    async with world(MAIN, KID, GRANDCHILD, NEXT) as w:
        await w.open(NATIVE)
        await w.prompt("go")
        async with w.later() as again:
            await again.load(NATIVE)
            kid, grandchild = again.agent.updates("subagent_spawned")
            assert again.agent.text(kid["subagentSessionId"]) == "Kid reads.Kid is done."
            assert again.agent.text(grandchild["subagentSessionId"]) == "Grandchild is done."
            ends = again.agent.updates("subagent_state_update")
            assert [end["subagentSessionId"] for end in ends] == [
                grandchild["subagentSessionId"],
                kid["subagentSessionId"],
            ]
            assert {end["state"] for end in ends} == {"completed"}
            assert not [c for c in again.agent.updates("tool_call") if c["name"] == "Agent"]


async def test_load_shows_nested_calls_to_a_plain_client_under_their_launch() -> None:
    async with world(MAIN, KID, GRANDCHILD, NEXT) as w:
        await w.open()
        await w.prompt("go")
        live = {c["toolCallId"]: c["_meta"]["claudeCode"] for c in w.agent.updates("tool_call")}
        async with w.later() as again:
            await again.load(PLAIN)
            calls = again.agent.updates("tool_call", again.session)
            told = {c["toolCallId"]: c["_meta"]["claudeCode"] for c in calls}
            parents = {id_: meta.get("parentToolUseId") for id_, meta in told.items()}
            assert parents == {id_: meta.get("parentToolUseId") for id_, meta in live.items()}
            assert sum(parent is not None for parent in parents.values()) == 2
            assert again.agent.text() == "I delegate.The child is done."


@pytest.mark.parametrize("form", ["air", "rfd"])
async def test_load_ends_a_child_that_died_with_its_process(form: str) -> None:
    capabilities: Mapping[str, Any] = BACKGROUND if form == "air" else RFD
    main = flow(When(says="go"), [agent("kid", background=True)], "It runs.")
    kid = flow(When(agent="kid"), [Text("Kid reads."), READ], [Gate("NEVER"), Text("Not said.")])
    async with world(main, kid, FOLLOW_UP, NEXT) as w:
        await w.open(capabilities)
        turn = w.agent.begin_prompt(w.session, "go")
        await w.model.reached("NEVER")
        if form == "air":
            await turn
        await w.agent.kill()
        async with w.later() as again:
            await again.load(capabilities)
            if form == "air":
                (spawned,) = again.agent.updates("subagent_spawned")
                session = spawned["subagentSessionId"]
                (end,) = again.agent.updates("subagent_state_update")
                assert end["subagentSessionId"] == session
                assert end["state"] in ("disconnected", "stopped", "cancelled")
            else:
                (child,) = children(again)
                session = child["sessionId"]
                last = again.agent.updates("subagent_update", again.session)[-1]
                assert last["state"]["state"] != "running"
                assert "capabilities" not in last
            assert again.agent.text(session) == "Kid reads."
            assert (await again.prompt("next"))["stopReason"] == "end_turn"


def message(request: ModelRequest) -> dict[str, Any]:
    to = str(request.body).split("agentId: ", 1)[1][:17]
    return {"to": to, "summary": "look again", "message": "Please look again."}


WAKE = (
    Rule(When(after_tool="ToolSearch"), [ToolUse("SendMessage", message)]),
    Rule(When(after_tool="SendMessage"), "Woken."),
    Rule(When(says="again"), [ToolUse("ToolSearch", {"query": "select:SendMessage"})]),
)


@pytest.mark.parametrize(("form", "method"), [("air", "session/resume"), ("rfd", "session/load")])
async def test_an_agent_of_an_earlier_process_can_be_woken(form: str, method: str) -> None:
    capabilities: Mapping[str, Any] = BACKGROUND if form == "air" else RFD
    async with world(WAKE, MAIN, KID, GRANDCHILD, FOLLOW_UP) as w:
        await w.open(capabilities)
        await w.prompt("go")
        async with w.later() as again:
            await again.load(capabilities, method)
            if method == "session/resume":
                assert not again.agent.updates("subagent_spawned")
                assert not again.agent.updates("subagent_update")
            before = len(again.agent.frames)
            assert (await again.prompt("now again"))["stopReason"] == "end_turn"
            if form == "air":
                end = await again.agent.wait_update(
                    "subagent_state_update",
                    again.session,
                    lambda u: ":generation:" in u["subagentSessionId"],
                )
                assert end["state"] == "completed"
                session = end["subagentSessionId"]
            else:
                session = (await again.agent.wait_update("subagent_update"))["sessionId"]
                await again.agent.wait_update(
                    "agent_message_chunk", session, lambda u: "Second" in str(u)
                )
            late = [f["params"] for f in again.agent.frames[before:] if "params" in f]
            said = [
                p["update"]["content"]["text"]
                for p in late
                if p.get("sessionId") == session
                and p["update"]["sessionUpdate"] == "agent_message_chunk"
            ]
            assert "".join(said) == "Second answer."
