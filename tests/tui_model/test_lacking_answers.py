"""Answers that lack what ACP demands, or have it of a wrong kind: the person is told which."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from canopy_shared.frames import Response
from canopy_tui.agents.foreign_agent import launch_foreign
from canopy_tui.model.catalogue import Query
from canopy_tui.model.entries import RuleEntry
from canopy_tui.model.intents import ForkSession, ListSessions, SendPrompt, SetOption
from canopy_tui.wire.answers import (
    UnusableAgentError,
    read_initialize,
    read_session,
    read_turn,
)
from fakes.agent import FakeAgentScript
from tui_model.client_world import foreign_world, notices, world

ODD: tuple[Any, ...] = (None, True, "", "x\x1b[2J", 0.5, 10**400, [], [{}], {}, {"a": 1})
HELLO = "The agent's answer to initialize "


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (None, f"{HELLO}is null where ACP has an object with protocolVersion. Is it an ACP agent?"),
        ([], f"{HELLO}is a list where"),
        ({}, f"{HELLO}has no protocolVersion, which ACP demands. Is it an ACP agent?"),
        ({"protocolVersion": None}, f"{HELLO}has no protocolVersion"),
        ({"protocolVersion": True}, f"{HELLO}has true as protocolVersion, which is not what"),
        ({"protocolVersion": "1\x1b["}, r"has the text '1\x1b[' as protocolVersion"),
        ({"protocolVersion": {}}, "has an object as protocolVersion"),
        ({"protocolVersion": "2025-06-18", "serverInfo": {}}, "It seems to be an MCP server"),
        ({"protocolVersion": 7}, "The agent speaks version 7 of ACP; this client speaks 1."),
        ({"protocolVersion": 2}, "canopy --protocol v2 speaks the draft of 2 too."),
    ],
)
def test_a_greeting_that_is_none(answer: Any, words: str) -> None:
    with pytest.raises(UnusableAgentError) as refusal:
        read_initialize(answer)
    assert words in str(refusal.value)
    assert str(refusal.value).isprintable()


def test_any_greeting_and_any_session_is_read_or_refused_in_one_line() -> None:
    for odd in ODD:
        for read in (
            lambda value: read_initialize({"protocolVersion": value}),
            read_initialize,
            lambda value: read_session({"sessionId": value}, None, "/", 0),
            lambda value: read_session(value, None, "/", 0),
        ):
            told = ""
            try:
                read(odd)
            except UnusableAgentError as refusal:
                told = str(refusal)
            assert told.isprintable()
            assert "None" not in told
        turn = read_turn(Response(1, {"stopReason": odd}), "S", 0)
        assert turn.stop_reason in (odd, "not_said")


async def test_what_an_agent_leaves_out_is_named(tmp_path: Path) -> None:
    can = {"sessionCapabilities": {"list": {}, "fork": {}}, "loadSession": True}
    option = {"id": "o", "name": "O", "type": "select", "currentValue": "a"}
    option["options"] = [{"value": "a", "name": "A"}, {"value": "b", "name": "B"}]  # type: ignore[assignment]
    script = FakeAgentScript(
        tmp_path,
        **{
            "initialize": {"agentCapabilities": can},
            "session/new": [[{"respond": {"sessionId": "S1", "configOptions": [option]}}]],
            "session/prompt": [[{"respond": {}}]],
            "session/list": [[{"respond": {"sessions": "none"}}]],
            "session/fork": [[{"respond": {"sessionId": 5}}]],
        },
    )
    async with foreign_world(script) as seen:
        root = await seen.ready()
        seen.act(SendPrompt(root.id, "A"))
        await seen.until(lambda: root.turns_done, "the turn")
        [rule] = [entry for entry in root.entries if isinstance(entry, RuleEntry)]
        assert rule.text == "not_said"
        seen.act(SetOption(root.id, "o", "b"))
        await seen.until(lambda: notices(root), "the refusal")
        assert notices(root)[0].title == (
            "The setting was not changed: "
            "The agent's answer to session/set_config_option has no configOptions, "
            "which ACP demands."
        )
        seen.act(ListSessions(Query(None)))
        await seen.until(lambda: seen.state.catalogue.error, "the failure")
        assert "session/list has the text 'none' as sessions" in seen.state.catalogue.error
        seen.act(ForkSession("S1", str(tmp_path), "x"))
        await seen.until(lambda: seen.state.problem, "the problem")
        assert seen.state.problem is not None
        assert "session/fork has the number 5 as sessionId" in seen.state.problem.detail


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ({"session/new": [[{"respond": None}]]}, "session/new is null where ACP has an object"),
        ({"session/new": [[{"respond": {}}]]}, "session/new has no sessionId"),
        ({"initialize": {"protocolVersion": None}}, "has no protocolVersion"),
    ],
)
async def test_an_agent_that_cannot_be_used_says_what_it_lacks(
    tmp_path: Path, script: dict[str, Any], words: str
) -> None:
    async with foreign_world(FakeAgentScript(tmp_path, **script)) as seen:
        await seen.until(lambda: seen.state.link.status == "failed", "the failure")
        assert words in seen.state.link.detail


async def test_a_program_that_is_no_agent(tmp_path: Path) -> None:
    async def launch() -> Any:
        return await launch_foreign(("cat",), tmp_path, os.environ)

    async with world(launch, tmp_path) as seen:
        await seen.until(lambda: seen.state.link.status == "failed", "the failure")
        assert "does not know initialize, so it is no ACP agent" in seen.state.link.detail
