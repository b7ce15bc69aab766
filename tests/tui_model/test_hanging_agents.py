"""Agents that hang, say odd things or flood: what is told, and the one key that goes on."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from canopy_tui.host.agent_life import AgentLife
from canopy_tui.host.stop_watch import StopWatch
from canopy_tui.model import events as e
from canopy_tui.model import intents as i
from canopy_tui.model.reduce import reduce
from canopy_tui.model.state import ClientState, Phase
from fakes.agent import FakeAgentScript, said
from fakes.inproc_agent import InProcessFake
from tui_model.client_world import foreign_world, notices, texts, world
from waiting import eventually

if TYPE_CHECKING:
    from pathlib import Path


async def test_an_agent_that_opens_no_session_is_told_of_and_can_be_started_again() -> None:
    made: list[InProcessFake] = []

    async def launch() -> Any:
        made.append(InProcessFake())
        if len(made) == 1:
            made[0].silent = frozenset({"session/new"})
            made[0].heard = lambda: "waits for a lock"  # type: ignore[method-assign]
        return made[-1]

    state = ClientState()
    life = AgentLife(
        launch, "/", lambda event: reduce(state, event), lambda: state, lambda: 0.0, patience=0.01
    )
    running = asyncio.create_task(life.run())
    await eventually(lambda: "no session" in state.link.detail, "a word")
    assert (state.link.status, state.link.stderr) == ("ready", "waits for a lock")
    life.run_again()
    await eventually(lambda: state.roots, "a session")
    await eventually(lambda: not state.link.detail, "no word any more")
    assert made[0].closed
    await life.aclose()
    await running


async def test_an_agent_that_hangs_in_a_turn_is_started_again_with_its_sessions(
    tmp_path: Path,
) -> None:
    made: list[InProcessFake] = []

    async def launch() -> Any:
        fake = InProcessFake()
        fake.answers["initialize"] = lambda _params: {
            "protocolVersion": 1,
            "agentCapabilities": {"loadSession": True},
        }
        made.append(fake)
        return fake

    async with world(launch, tmp_path) as seen:
        root = await seen.ready()
        seen.act(i.SendPrompt(root.id, "A"))
        seen.act(i.SendPrompt(root.id, "B"))
        seen.act(i.RestartAgent())  # it is there: this is no wish to end it
        await seen.until(lambda: made[0].prompts, "the turn")
        seen.act(i.RestartAgent(although_there=True))
        await seen.until(lambda: root.phase is Phase.IDLE, "the session again")
        assert made[0].closed
        assert len(made) == 2
        assert ("session/load") in dict(made[1].calls)
        assert not root.in_turn
        assert [prompt.text for prompt in root.queue] == ["B"]
        assert notices(root)[0].title == "The agent was told to start again."
        seen.act(i.SendQueue(root.id))
        await seen.until(lambda: made[1].prompts, "the message that waited")


async def test_a_turn_that_does_not_stop_is_told_of_once() -> None:
    state = ClientState()

    def apply(event: e.Event) -> None:
        reduce(state, event)

    for session in ("hangs", "stops"):
        apply(e.SessionOpened(session=session, at=1.0))
        apply(e.PromptSent(session=session, text="go", at=2.0))
    watch = StopWatch(state, apply, lambda: 3.0, patience=0.01)
    hangs, stops = (state.sessions[one] for one in ("hangs", "stops"))
    for root in (stops, hangs, hangs):
        watch.stopping(root)
    apply(e.TurnEnded(session="stops", stop_reason="cancelled", at=3.0))
    await eventually(lambda: notices(hangs), "a word")
    [notice] = notices(hangs)
    assert "has not yet" in notice.title
    assert notice.action == "restart_agent"
    assert notices(stops) == []
    apply(e.TurnEnded(session="hangs", stop_reason="cancelled", at=4.0))
    watch.stopping(hangs)  # nothing runs
    apply(e.PromptSent(session="hangs", text="go", at=5.0))
    watch.stopping(hangs)
    watch.close()


def _update(update: Any, session: Any = "S1") -> dict[str, Any]:
    params = {"sessionId": session, "update": update}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}


def _kind(kind: str, /, **fields: Any) -> dict[str, Any]:
    return _update({"sessionUpdate": kind, **fields})


ODD: list[Any] = [
    [],
    None,
    7,
    "x",
    {},
    {"jsonrpc": "2.0"},
    {"jsonrpc": "1.0", "method": "session/update", "params": {}},
    {"jsonrpc": "2.0", "method": "session/update"},
    {"jsonrpc": "2.0", "method": "session/update", "params": [1]},
    {"jsonrpc": "2.0", "id": 99, "result": {}},
    {"jsonrpc": "2.0", "id": None, "error": {"code": "x"}},
    {"jsonrpc": "2.0", "id": {"a": 1}, "method": "x"},
    {"jsonrpc": "2.0", "id": 5, "method": "session/request_permission", "params": 7},
    {"jsonrpc": "2.0", "id": 6, "method": "fs/read_text_file", "params": {}},
    _update({}, session=7),
    _update(7),
    _update({"sessionUpdate": None}),
    _kind("tool_call"),
    _kind("tool_call", toolCallId=7, title=[], locations=[None, {"path": 3}], content={"a": 1}),
    _kind(
        "tool_call",
        toolCallId="t",
        title=None,
        status="weird",
        kind=9,
        locations={"x": 1},
        content=[None, 7, {"type": "diff"}, {"type": "content", "content": None}],
        rawInput=[1],
    ),
    _kind("agent_message_chunk", content=None),
    _kind("agent_message_chunk", content={"type": "text", "text": 7}),
    _kind("plan", entries=[None, {"content": 1}]),
    _kind("available_commands_update", availableCommands=[{"name": 1}, None, {"name": "x"}]),
    _kind("config_option_update", configOptions=[{"id": 1}, {"id": "m", "options": "x"}]),
    _kind("usage_update", used="many", size=-1),
    *(_kind(f"kind_{number}", x=number) for number in range(300)),
    *(_update(said("w"), session=f"nobody-{number}") for number in range(300)),
]


async def test_nothing_odd_ends_a_turn_or_grows_without_bound(tmp_path: Path) -> None:
    lines = ["junk", "\x00\x01", '{"a":' + "[" * 100_000, *(json.dumps(one) for one in ODD)]
    flood = [said("word ", message=f"m{number // 50}") for number in range(5000)]
    steps: list[Any] = [{"raw": line} for line in lines]
    steps += [{"stderr": "x" * 100_000}, {"updates": flood}, {"update": said("after all", "end")}]
    script = FakeAgentScript(tmp_path, **{"session/prompt": [steps]})
    async with foreign_world(script) as seen:
        root = await seen.ready()
        seen.act(i.SendPrompt(root.id, "A"))
        await seen.until(lambda: root.turns_done == 1, "the end of the turn")
        assert seen.state.link.status == "ready"
        assert texts(root).endswith("after all")
        assert texts(root).count("word") == 5000
        assert len(notices(root)) <= 101
        assert len(seen.state.sessions) + len(seen.state.unplaced) < 150
        assert seen.state.waiting() == []
