"""What a model, a tool or a file may do wrong: every call still ends, and nothing is granted."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import sys
import uuid
from typing import TYPE_CHECKING, Any

import pytest

from canopy_agent.demo.rules import ToolUse
from e2e.world import FORM, world
from oracle import complaints
from raw_client import RawClient, RpcError
from tools_e2e import desk_server
from tools_e2e.scripted import call, merged, sequence

if TYPE_CHECKING:
    from pathlib import Path

    from fakes.cli import FakeCli

ASK = "session/request_permission"
Json = dict[str, Any]
DESK = {"name": "desk", "command": sys.executable, "args": [desk_server.__file__], "env": []}
HOSTILE = desk_server.HOSTILE
SEEN = HOSTILE.replace("\0", "")
MIB = 1024 * 1024


def cards_of(agent: RawClient) -> list[Json]:
    return list(merged(agent.updates()).values())


INPUTS = {
    "a list": '["ls"]',
    "a string": '"ls"',
    "null": "null",
    "cut off": '{"command": "ls',
    "no JSON": "rm -rf everything",
    "twice": '{"command": "echo a"}{"command": "echo b"}',
    "deep": '{"command": ' + "[" * 300 + "]" * 300 + "}",
    "wrong types": '{"command": {"a": 1}, "description": 7}',
    "foreign keys": '{"command": "echo fine", "__proto__": {"x": 1}, "": 2}',
}


async def test_input_that_is_no_object_never_runs_and_the_call_ends() -> None:
    calls = [ToolUse("Bash", raw_input=raw) for raw in INPUTS.values()]
    async with world(sequence(*calls)) as w:
        await w.open()
        w.agent.on_permission("reject_once")
        assert (await w.prompt("go"))["stopReason"] == "end_turn"
        cards = cards_of(w.agent)
        assert len(cards) == len(INPUTS)
        ran = {
            name for name, card in zip(INPUTS, cards, strict=True) if card["status"] == "completed"
        }
        assert ran <= {"foreign keys"}
        assert {card["status"] for card in cards} <= {"completed", "failed"}
        assert all(isinstance(card["rawInput"], dict) for card in cards)
        assert w.agent.text() == "All done."


# --- one turn with odd results --------------------------------------------------------------------


LOUD = 'for i in $(seq 1 35000); do echo "line $i of many"; done; echo the end'
PATH = "{cwd}/a\u202egpj.[bold]\u200b.txt"
QUESTION = {
    "question": HOSTILE,
    "header": "[red]H",
    "multiSelect": False,
    "options": [{"label": "[A]", "description": HOSTILE}, {"label": "B", "description": "b"}],
}
ODD_CALLS = {
    "search": call("ToolSearch", query="select:mcp__desk__hostile,mcp__desk__mixed"),
    "colours": call("Bash", command="printf '\\033[31mred\\033[0m\\a\\b \\0 \\377\\376 end'"),
    "binary": call("Bash", command="head -c 3000 /dev/urandom", description=HOSTILE),
    "loud": call("Bash", command=LOUD, description="Loud"),
    "write": call("Write", file_path=PATH, content=SEEN),
    "read": call("Read", file_path=PATH),
    "hostile": call("mcp__desk__hostile"),
    "mixed": call("mcp__desk__mixed"),
    "picture": call("Read", file_path="{cwd}/p.png"),
    "no picture": call("Read", file_path="{cwd}/broken.png"),
    "question": call("AskUserQuestion", questions=[QUESTION]),
}


async def _odd_turn() -> tuple[dict[str, Json], str, int, list[str]]:
    async with world(sequence(*ODD_CALLS.values(), end=SEEN)) as w:
        (w.cwd / "p.png").write_bytes(base64.b64decode(desk_server.PNG))
        (w.cwd / "broken.png").write_bytes(b"no picture at all")
        await w.agent.initialize({**FORM, "_meta": {"terminal_output": True}})
        w.session = await w.agent.new_session(w.cwd, mcpServers=[DESK])
        w.agent.on_permission("allow_once")
        w.agent.on("elicitation/create", {"action": "accept", "content": {"question_0": "[A]"}})
        assert (await w.prompt("go"))["stopReason"] == "end_turn"
        cards = dict(zip(ODD_CALLS, cards_of(w.agent), strict=True))
        names = [one.name for one in w.cwd.iterdir()]
        return cards, w.agent.text(), len(json.dumps(w.agent.frames)), names


@pytest.fixture(scope="module")
def odd_turn() -> tuple[dict[str, Json], str, int, list[str]]:
    """The cards of one turn by name, what the model said, how much was sent, and the files."""
    return asyncio.run(_odd_turn())


def test_hostile_text_reaches_the_client_as_text_and_titles_stay_one_line(odd_turn: Any) -> None:
    cards, said, _, files = odd_turn
    failed = {name for name, card in cards.items() if card["status"] != "completed"}
    assert failed <= {"no picture"}
    for card in cards.values():
        if card["name"] != "Bash":
            assert card["title"] == " ".join(card["title"].split())
            assert "\x1b" not in card["title"]
    assert "[bold]markup[/bold]" in json.dumps(cards["hostile"]["content"])
    assert said == SEEN
    assert [one for one in files if one.startswith("a\u202e")]


def test_binary_output_is_text_on_the_wire_and_ends(odd_turn: Any) -> None:
    cards = odd_turn[0]
    for name in ("colours", "binary"):
        meta = cards[name]["_meta"]
        assert isinstance(meta["terminal_output"]["data"], str)
        assert meta["terminal_exit"]["exit_code"] == 0
    assert cards["colours"]["_meta"]["terminal_output"]["data"].endswith("end")


def test_b57_output_of_a_command_is_bounded_and_keeps_its_end(odd_turn: Any) -> None:
    cards, _, sent, _ = odd_turn
    data = cards["loud"]["_meta"]["terminal_output"]["data"]
    assert "line 1 of many" in data
    assert "<persisted-output>" not in data
    assert sent < 3 * 35_000 * 20


def test_b58_odd_blocks_of_a_server_are_blocks_of_the_protocol(odd_turn: Any) -> None:
    content = odd_turn[0]["mixed"]["content"]
    assert "image" in [block["content"]["type"] for block in content]
    assert "words" in json.dumps(content)
    assert "inside" in json.dumps(content)


def test_b58_a_read_picture_is_an_image(odd_turn: Any) -> None:
    image = odd_turn[0]["picture"]["content"][0]["content"]
    assert image["type"] == "image"
    assert image["mimeType"].startswith("image/")


# --- sizes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("terminal", [False, True], ids=["console", "terminal"])
async def test_a_result_of_20_mib_is_bounded_and_the_session_goes_on(
    fake_cli: FakeCli, tmp_path: Path, terminal: bool
) -> None:
    tool = {"id": "t", "name": "Bash", "input": {"command": "flood"}}
    steps: list[Json] = [
        {"open": {}},
        {"tool": tool},
        {"tool_result": {"id": "t", "content": "x" * (20 * MIB) + " the end"}},
        {"say": "done"},
        {"done": {}},
    ]
    fake_cli.play(turns=[steps, [{"open": {}}, {"say": "still here"}, {"done": {}}]])
    async with RawClient.spawn(env=fake_cli.env) as client:
        await client.initialize({"_meta": {"terminal_output": terminal}})
        session = await client.new_session(tmp_path)
        assert (await client.prompt(session, "go"))["stopReason"] == "end_turn"
        lines = [len(json.dumps(frame)) for frame in client.frames]
        assert max(lines) < 3 * MIB
        assert "the end" in json.dumps(merged(client.updates()))
        assert (await client.prompt(session, "again"))["stopReason"] == "end_turn"
        assert client.text().endswith("still here")
        assert complaints(client.frames) == []


# --- the stream itself ----------------------------------------------------------------------------


def tool_frame(block: Any) -> Json:
    message = {"id": "m", "type": "message", "role": "assistant", "model": "fake", "usage": {}}
    return {
        "emit": {
            "type": "assistant",
            "parent_tool_use_id": None,
            "uuid": str(uuid.uuid4()),
            "session_id": "s",
            "message": {**message, "content": [block]},
        }
    }


def result_frame(content: Any, id_: str = "t", **more: Any) -> Json:
    block = {"type": "tool_result", "tool_use_id": id_, "content": content}
    return {
        "emit": {
            "type": "user",
            "parent_tool_use_id": None,
            "uuid": str(uuid.uuid4()),
            "session_id": "s",
            "message": {"role": "user", "content": [block]},
            **more,
        }
    }


RESULTS: dict[str, Any] = {
    "text": "out",
    "nothing": None,
    "an empty list": [],
    "a number": 7,
    "an object": {"a": 1},
    "odd blocks": [None, 7, "text", {"type": "text"}, {"type": "text", "text": None}, {"x": 1}],
    "an odd image": [{"type": "image", "source": None}, {"type": "image", "source": {"type": "?"}}],
    "an odd document": [{"type": "document", "source": "x", "title": 7}],
    "nested": [{"type": "tool_result", "content": [{"type": "text", "text": "deep"}]}],
}


async def test_b56_every_announced_call_ends_once_whatever_its_result_is(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    turns = []
    for name in ("Bash", "Read", "Edit", "Agent", "mcp__a__b", "WebSearch", "Skill", ""):
        for content in RESULTS.values():
            id_ = f"t{len(turns)}"
            block = {"type": "tool_use", "id": id_, "name": name, "input": {"command": "x"}}
            steps: list[Json] = [{"open": {}}, tool_frame(block), result_frame(content, id_)]
            turns.append([*steps, result_frame("a second time", id_), {"done": {}}])
    structured = {"tool_use_result": {"stdout": 7, "structuredPatch": "x", "file": [], "status": 1}}
    block = {"type": "tool_use", "id": "t", "name": "Bash", "input": {}}
    turns.append([{"open": {}}, tool_frame(block), result_frame("x", **structured), {"done": {}}])
    fake_cli.play(turns=turns)
    async with RawClient.spawn(env=fake_cli.env) as client:
        await client.initialize({"_meta": {"terminal_output": True}})
        session = await client.new_session(tmp_path)
        for number in range(len(turns)):
            before = len(client.updates())
            assert (await client.prompt(session, "go"))["stopReason"] == "end_turn", number
            told = client.updates()[before:]
            states = [u["status"] for u in told if u["sessionUpdate"] == "tool_call_update"
                      and "status" in u]  # fmt: skip
            assert states == ["completed"], number
        assert complaints(client.frames) == []


INTERRUPT = {"type": "control_request", "request": {"subtype": "interrupt"}}
NO_RESULT: dict[str, list[Json]] = {
    "the turn ends": [{"done": {}}],
    "the turn fails": [{"done": {"is_error": True, "subtype": "error_during_execution"}}],
    "the CLI is idle": [
        {"emit": {"type": "system", "subtype": "session_state_changed", "state": "idle"}}
    ],
    "the person cancels": [{"expect": INTERRUPT}, {"done": {"subtype": "error_during_execution"}}],
    "the CLI ends": [{"exit": 3}],
}


@pytest.mark.parametrize("end", NO_RESULT)
async def test_b56_a_call_without_a_result_has_failed_when_its_turn_is_over(
    fake_cli: FakeCli, end: str, tmp_path: Path
) -> None:
    names = ("Bash", "Read", "mcp__a__b", "TodoWrite")
    calls = [
        tool_frame({"type": "tool_use", "id": f"t{at}", "name": name, "input": {"command": "x"}})
        for at, name in enumerate(names)
    ]
    stray = result_frame("of nobody", "unknown")
    fake_cli.play(turns=[[{"open": {}}, *calls, stray, result_frame("out", "t0"), *NO_RESULT[end]]])
    async with RawClient.spawn(env=fake_cli.env) as client:
        await client.initialize()
        session = await client.new_session(tmp_path)
        turn = client.begin_prompt(session, "go")
        await client.wait_update("tool_call_update", match=lambda u: u.get("status") == "completed")
        if end == "the person cancels":
            client.cancel(session)
        with contextlib.suppress(RpcError):
            await turn
        states: dict[str, list[str]] = {}
        for update in client.updates():
            if update["sessionUpdate"] in ("tool_call", "tool_call_update"):
                told = states.setdefault(update["toolCallId"], [update["sessionUpdate"]])
                told += [update["status"]] if "status" in update else []
        ends = {id_: told[-1] for id_, told in states.items()}
        assert all(told[0] == "tool_call" for told in states.values())
        assert ends == {"t0": "completed", "t1": "failed", "t2": "failed"}
        assert all(told.count(ends[id_]) == 1 for id_, told in states.items())


ODD_BLOCKS: dict[str, Any] = {
    "no input": {"type": "tool_use", "id": "t", "name": "Bash"},
    "input is a list": {"type": "tool_use", "id": "t", "name": "Bash", "input": ["ls"]},
    "input is text": {"type": "tool_use", "id": "t", "name": "Write", "input": "ls"},
    "no name": {"type": "tool_use", "id": "t", "input": {}},
    "odd name": {"type": "tool_use", "id": "t", "name": 7, "input": {}},
    "no id": {"type": "tool_use", "name": "Bash", "input": {}},
    "not a block": 7,
    "no type": {"text": "x"},
    "surrogates": {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "\ud800"}},
}


async def test_odd_calls_in_the_stream_never_end_the_session(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    turns = []
    for number, block in enumerate(ODD_BLOCKS.values()):
        id_ = f"t{number}"
        named = {**block, "id": id_} if isinstance(block, dict) and "id" in block else block
        steps = [{"open": {}}, tool_frame(named), result_frame("done", id_)]
        turns.append([*steps, {"say": "ok"}, {"done": {}}])
    fake_cli.play(turns=turns)
    async with RawClient.spawn(env=fake_cli.env) as client:
        await client.initialize()
        session = await client.new_session(tmp_path)
        for name in ODD_BLOCKS:
            assert (await client.prompt(session, "go"))["stopReason"] == "end_turn", name
        assert client.text() == "ok" * len(ODD_BLOCKS)
        for update in client.updates("tool_call"):
            assert isinstance(update["rawInput"], dict)
        assert complaints(client.frames) == []
