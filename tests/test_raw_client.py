"""The client that other tests rely on notices what it must notice."""

from __future__ import annotations

import contextlib
import sys
import textwrap
from typing import TYPE_CHECKING

import pytest

from canopy_shared.process_tree import Descendant, descendants, kill_all
from raw_client import RawClient, RpcError, parsed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

AGENT = """
import json, subprocess, sys

def send(frame):
    print(json.dumps({"jsonrpc": "2.0", **frame}), flush=True)

def update(kind, **more):
    params = {"sessionId": "s1", "update": {"sessionUpdate": kind, **more}}
    send({"method": "session/update", "params": params})

for line in sys.stdin:
    frame = json.loads(line)
    method, params = frame.get("method"), frame.get("params", {})
    if method == "initialize":
        send({"id": frame["id"], "result": {"protocolVersion": params["protocolVersion"]}})
    elif method == "session/new":
        send({"id": frame["id"], "result": {"sessionId": "s1"}})
    elif method == "session/prompt":
        text, asked = params["prompt"][0]["text"], frame["id"]
        if text == "junk":
            print("Loading model ...", flush=True)
        if text == "leave":
            sleep = [sys.executable, "-c", "import time; time.sleep(40)"]
            subprocess.Popen(sleep, stdin=-3, stdout=-3, stderr=-3)
        if text == "die":
            print("last words", file=sys.stderr)
            sys.exit(3)
        if text in ("ask", "withdraw"):
            kinds = {"y": "allow_once", "n": "reject_once"}
            options = [{"optionId": one, "kind": kind} for one, kind in kinds.items()]
            params = {"options": options}
            send({"id": "p1", "method": "session/request_permission", "params": params})
            if text == "withdraw":
                send({"method": "$/cancel_request", "params": {"requestId": "p1"}})
            update("agent_message_chunk", content={"type": "text", "text": sys.stdin.readline()})
        send({"id": asked, "result": {"stopReason": "end_turn"}})
    elif "id" in frame:
        send({"id": frame["id"], "error": {"code": -32601, "message": "no", "data": 1}})
"""


@pytest.fixture
def agent(tmp_path: Path) -> tuple[str, str]:
    path = tmp_path / "agent.py"
    path.write_text(textwrap.dedent(AGENT))
    return sys.executable, str(path)


async def test_a_whole_conversation(agent: tuple[str, str]) -> None:
    async with RawClient.spawn(*agent) as client:
        assert await client.initialize() == {"protocolVersion": 1}
        session = await client.new_session("/w")
        client.on_permission("reject_once")
        client.on_permission("allow_once")
        assert await client.prompt(session, "ask") == {"stopReason": "end_turn"}
        assert '"optionId": "y"' in client.text(session)
        assert (await client.wait_request("session/request_permission"))["id"] == "p1"
        with pytest.raises(RpcError) as failure:
            await client.request("unknown")
        assert (failure.value.code, failure.value.data) == (-32601, 1)
        times = [one.at for one in client.received]
        assert times == sorted(times)


async def test_a_held_request_is_given_up_when_withdrawn(agent: tuple[str, str]) -> None:
    async with RawClient.spawn(*agent) as client:
        client.on("session/request_permission", None)
        await client.prompt("s1", "withdraw")
        assert '"cancelled"' in (await client.wait_update("agent_message_chunk"))["content"]["text"]


async def test_a_request_without_a_rule_is_refused(agent: tuple[str, str]) -> None:
    async with RawClient.spawn(*agent) as client:
        await client.prompt("s1", "ask")
        assert "-32601" in client.text()


async def converse(agent: tuple[str, str], text: str) -> None:
    async with RawClient.spawn(*agent) as client:
        with contextlib.suppress(RpcError):
            await client.prompt("s1", text)


async def test_a_line_that_is_no_frame_fails_the_test(agent: tuple[str, str]) -> None:
    with pytest.raises(AssertionError, match="Loading model"):
        await converse(agent, "junk")


async def test_a_wrong_exit_status_fails_the_test(agent: tuple[str, str]) -> None:
    with pytest.raises(AssertionError, match=r"exit status 3; stderr: last words"):
        await converse(agent, "die")


async def test_an_end_of_the_agent_fails_what_waits(agent: tuple[str, str]) -> None:
    async with RawClient.spawn(*agent, exit_code=3) as client:
        with pytest.raises(RpcError, match="closed its stdout"):
            await client.prompt("s1", "die")


async def test_a_process_left_behind_fails_the_test(
    agent: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    left: list[Descendant] = []

    def watched(pid: int) -> tuple[Descendant, ...]:
        left.extend(descendants(pid))
        return tuple(left)

    async def look_once(condition: Callable[[], bool], what: str) -> None:
        assert condition(), what

    monkeypatch.setattr("raw_client.descendants", watched)
    monkeypatch.setattr("raw_client.eventually", look_once)
    with pytest.raises(AssertionError, match="are gone"):
        await converse(agent, "leave")
    assert len(left) == 1
    kill_all(tuple(left))


@pytest.mark.parametrize(
    "line",
    [
        b"text\n",
        b"[]\n",
        b'{"id":1,"result":{}}\n',
        b'{"jsonrpc":"2.0","id":1}\n',
        b'{"jsonrpc":"2.0","id":1,"result":1,"error":{}}\n',
        b'{"jsonrpc":"2.0","method":"x","params":[]}\n',
        b'{"jsonrpc":"2.0","method":"x","result":1}\n',
    ],
)
def test_what_is_no_json_rpc_message(line: bytes) -> None:
    assert parsed(line) is None
