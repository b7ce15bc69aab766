"""The stdio door under bad input and bad neighbours: B11, B13, B15, B17, B87."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from canopy_agent.server import AgentServer
from canopy_shared.frames import Response
from canopy_shared.framing import LINE_LIMIT
from canopy_shared.inproc import linked_pair
from canopy_shared.peer import Peer
from fakes.cli import FakeCli, is_running
from raw_client import STDIO, RawClient, RpcError
from waiting import eventually


def agent(fake: FakeCli, home: Path, **options: Any) -> Any:
    """The agent with a fake CLI and a home of its own, started as a client starts it."""
    env = {**fake.env, "HOME": str(home), "CLAUDE_CONFIG_DIR": str(home / ".claude")}
    return RawClient.spawn(*STDIO, env=env, **options)


async def answered(client: RawClient, request_id: Any, bound: float = 30.0) -> dict[str, Any]:
    """The answer under ``request_id``."""

    def found() -> dict[str, Any] | None:
        frames = (f for f in client.frames if "method" not in f and f["id"] == request_id)
        return next(frames, None)

    return await eventually(found, f"an answer to {request_id}", bound=bound)  # type: ignore[return-value]


@pytest.mark.parametrize("size", [65535, 65536, 65537, 5 * 1024 * 1024])
async def test_b11_long_lines_pass_both_ways(fake_cli: FakeCli, tmp_path: Path, size: int) -> None:
    async with agent(fake_cli, tmp_path) as client:
        await client.initialize()
        session = await client.new_session(tmp_path)
        text = "x" * size
        assert (await client.prompt(session, text))["stopReason"] == "end_turn"
        assert client.text() == f"echo: {text}"


async def test_b11_a_line_over_the_limit_is_an_error_of_its_own(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    async with agent(fake_cli, tmp_path) as client:
        await client.initialize()
        session = await client.new_session(tmp_path)
        head = b'{"jsonrpc":"2.0","id":77,"method":"session/prompt","params":{"x":"'
        client.send_raw(head + b"y" * LINE_LIMIT + b'"}}\n')
        error = (await answered(client, 77, bound=120))["error"]  # 64 MiB through a pipe
        assert error["code"] == -32600
        assert str(LINE_LIMIT) in error["message"]
        assert (await client.prompt(session, "small"))["stopReason"] == "end_turn"


MALFORMED = [
    (b"{nonsense\n", None, -32700),
    (b"\xff\xfe\n", None, -32700),
    (b"[1, 2, 3]\n", None, -32600),
    (b'"text"\n', None, -32600),
    (b'{"jsonrpc":"2.0","id":{"a":1},"method":"initialize"}\n', None, -32600),
    (b'{"jsonrpc":"2.0","id":5,"method":7}\n', 5, -32600),
    (b'{"jsonrpc":"2.0","id":"six","method":"no/such"}\n', "six", -32601),
    (b'{"jsonrpc":"2.0","id":8,"method":"session/new","params":{"cwd":5}}\n', 8, -32602),
    (b'{"jsonrpc":"2.0","id":9,"method":"session/new","params":[1]}\n', 9, -32602),
    (b'{"jsonrpc":"2.0","id":10,"method":"session/prompt"}\n', 10, -32602),
]


@pytest.mark.parametrize(("line", "request_id", "code"), MALFORMED)
async def test_b87_a_bad_line_gets_its_error_and_the_connection_lives(
    fake_cli: FakeCli, tmp_path: Path, line: bytes, request_id: Any, code: int
) -> None:
    async with agent(fake_cli, tmp_path) as client:
        await client.initialize()
        client.send_raw(b"\n  \n" + line)
        assert (await answered(client, request_id))["error"]["code"] == code
        assert await client.new_session(tmp_path)


async def test_a_request_before_initialize_is_refused_and_the_connection_lives(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    async with agent(fake_cli, tmp_path) as client:
        with pytest.raises(RpcError) as refused:
            await client.new_session(tmp_path)
        assert refused.value.code == -32600
        client.notify("session/cancel", sessionId="x")
        client.notify("session/cancel")
        assert (await client.initialize())["protocolVersion"] == 1


NOISY = """
import logging, os, subprocess, sys, warnings
import canopy_agent.server as server
original = server.AgentServer._initialize
def initialize(self, request):
    print("print on stdout")
    sys.stdout.write("half a line")
    os.write(1, b"raw bytes on descriptor 1")
    sys.__stdout__.write("the first stdout") if sys.__stdout__ else None
    warnings.warn("a warning")
    logging.getLogger("third.party").error("a log line")
    subprocess.run([sys.executable, "-c", "print('a child')"], check=True)
    assert subprocess.run(["cat"], stdout=subprocess.PIPE, check=True).stdout == b""
    original(self, request)
server.AgentServer._initialize = initialize
from canopy_agent.stdio import serve
sys.exit(serve())
"""


async def test_b87_nothing_but_protocol_lines_on_stdout_whatever_prints(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    """The client checks at its end that every line of stdout was a JSON-RPC message."""
    env = {**fake_cli.env, "HOME": str(tmp_path)}
    async with RawClient.spawn(sys.executable, "-c", NOISY, env=env) as client:
        await client.initialize()
        session = await client.new_session(tmp_path)
        await client.prompt(session, "hello")
        heard = client.stderr
        for noise in ("print on stdout", "raw bytes", "a warning", "a log line", "a child"):
            await eventually(lambda noise=noise: noise in client.stderr, noise)
    assert "Traceback" not in heard


async def test_b13_unknown_frames_are_skipped_and_logged_once_per_kind(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    strange = [
        {"emit": {"type": "brand_new_event", "x": 1}},
        {"emit": {"type": "system", "subtype": "from_the_future"}},
        {"emit": {"type": "brand_new_event", "x": 2}},
        {"emit": {"type": "assistant", "message": None}},
        {"emit": {"type": "user", "message": {"content": 5}}},
        {"emit": {"type": "system", "subtype": "task_started"}},
        {
            "emit": {
                "type": "assistant",
                "parent_tool_use_id": None,
                "message": {
                    "id": "m1",
                    "model": "x",
                    "role": "assistant",
                    "content": [
                        {"type": "hologram", "data": 1},
                        {"type": "thinking", "thinking": "no signature"},
                        {"type": "text", "text": "after it"},
                    ],
                },
            }
        },
        {"raw": "this is no JSON\n"},
        {"raw": "[1]\n"},
    ]
    fake_cli.play(turns=[[{"open": {}}, {"say": "before, "}, *strange, {"done": {}}]])
    async with agent(fake_cli, tmp_path) as client:
        await client.initialize()
        session = await client.new_session(tmp_path)
        assert (await client.prompt(session, "go"))["stopReason"] == "end_turn"
        assert client.text() == "before, after it"
    assert client.stderr.count("brand_new_event") == 1
    assert client.stderr.count("from_the_future") == 1
    assert "Traceback" not in client.stderr


@pytest.mark.parametrize("case", ["idle", "mid-turn", "open request"])
async def test_b15_nothing_outlives_the_agent_even_if_it_ignores_sigterm(
    fake_cli: FakeCli, tmp_path: Path, case: str
) -> None:
    ask = {
        "ask": {
            "subtype": "can_use_tool",
            "tool_name": "Bash",
            "tool_use_id": "toolu_1",
            "input": {"command": "true"},
        }
    }
    steps: dict[str, list[dict[str, Any]]] = {
        "idle": [{"open": {}}, {"done": {}}],
        "mid-turn": [{"open": {}}, {"say": "working"}, {"hang": True}],
        "open request": [{"open": {}}, {"say": "asking"}, ask, {"done": {}}],
    }
    fake_cli.play(
        ignore_sigterm=True,
        on_eof="ignore",
        start=[{"grandchild": {"ignore_sigterm": True}}],
        turns=[steps[case]],
    )
    async with agent(fake_cli, tmp_path) as client:
        await client.initialize()
        sessions = [await client.new_session(tmp_path) for _ in range(2)]
        client.on("session/request_permission", None)
        turn = client.begin_prompt(sessions[0], "go")
        if case == "idle":
            await turn
        elif case == "mid-turn":
            await client.wait_update("agent_message_chunk")
        else:
            await client.wait_request("session/request_permission")
        await eventually(lambda: len(fake_cli.grandchildren()) == 2, "the grandchildren")
        client.close_stdin()
        assert await client.process.wait() == 0
    await eventually(lambda: not any(map(is_running, fake_cli.pids())), "no process is left")


async def test_b15_the_cli_goes_when_the_agent_is_killed(fake_cli: FakeCli, tmp_path: Path) -> None:
    """Its stdin ends with the agent, which is all that can be counted on then."""
    async with agent(fake_cli, tmp_path, exit_code=-9) as client:
        await client.initialize()
        await client.new_session(tmp_path)
        client.process.kill()
        await client.process.wait()
    await eventually(lambda: not any(map(is_running, fake_cli.pids())), "no process is left")


async def test_a_request_withdrawn_at_once_is_answered(fake_cli: FakeCli, tmp_path: Path) -> None:
    ours, theirs = linked_pair()
    home = {"HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(tmp_path / ".claude")}
    serving = asyncio.create_task(AgentServer(theirs, environ={**fake_cli.env, **home}).serve())
    client = Peer(ours)
    running = asyncio.create_task(client.run())
    await client.request("initialize", {"protocolVersion": 1, "clientCapabilities": {}})
    answers: list[Response] = []
    setup = {"cwd": str(tmp_path), "mcpServers": []}
    for method, params in (("session/new", setup), ("session/list", {})):
        id_ = client.call(method, params, answers.append)
        client.notify("$/cancel_request", {"requestId": id_})
    await eventually(lambda: len(answers) == 2, "both answers")
    assert [answer.error and answer.error.code for answer in answers] == [-32800, -32800]
    await client.aclose()
    await asyncio.wait_for(asyncio.gather(serving, running), 30)


async def test_b17_sessions_open_and_close_from_anywhere_without_a_trace(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    fake_cli.play(turns=[[{"open": {}}, {"say": "working"}, {"hang": True}]])
    env = {**fake_cli.env, "HOME": str(tmp_path), "PYTHONASYNCIODEBUG": "1"}
    command = (sys.executable, "-X", "dev", "-m", "canopy_tui", "--stdio")
    async with RawClient.spawn(*command, env=env) as client:
        await client.initialize()
        for number in range(10):
            opened = [client.begin("session/new", cwd=str(tmp_path), mcpServers=[]) for _ in "ab"]
            ids = [(await one)["sessionId"] for one in opened]
            turn = client.begin_prompt(ids[0], "go")
            if number % 2:
                await client.wait_update("agent_message_chunk", ids[0])
            closes = [client.begin("session/close", sessionId=one) for one in (*ids, ids[0])]
            assert await asyncio.gather(*closes) == [{}, {}, {}]
            assert (await turn)["stopReason"] == "cancelled"
        await eventually(
            lambda: not any(map(is_running, fake_cli.pids())), "every CLI is gone", bound=20
        )
        await eventually(Idle(client.process.pid), "an agent that rests", bound=20)
    for word in ("different task", "never retrieved", "was never awaited", "Traceback"):
        assert word not in client.stderr


class Idle:
    """Whether a process took less than a tenth of a core for a whole second. A loop that spins
    never does.
    """

    def __init__(self, pid: int) -> None:
        self._stat = Path(f"/proc/{pid}/stat")
        self._begin = self._now()

    def __call__(self) -> bool:
        (began, before), (now, spent) = self._begin, self._now()
        if now - began < 1.0:
            return False
        self._begin = now, spent
        return spent - before < 0.1

    def _now(self) -> tuple[float, float]:
        """The time, and the user and system time of the process so far, in seconds."""
        fields = self._stat.read_text().rpartition(")")[2].split()
        spent = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return time.monotonic(), spent


async def test_a_session_that_cannot_start_says_what_to_do(tmp_path: Path) -> None:
    env = {"CLAUDE_CODE_EXECUTABLE": str(tmp_path / "missing"), "HOME": str(tmp_path)}
    async with RawClient.spawn(env=env) as client:
        await client.initialize()
        with pytest.raises(RpcError) as failed:
            await client.new_session(tmp_path)
        assert failed.value.code == -32603
        assert "CLAUDE_CODE_EXECUTABLE" in str(failed.value)


async def test_frames_are_json_text_with_one_newline(fake_cli: FakeCli, tmp_path: Path) -> None:
    nasty = 'line\u2028separator \x00 \x1b[31m \U0001f600 "quotes" \\ back\nslash'
    async with agent(fake_cli, tmp_path) as client:
        await client.initialize()
        session = await client.new_session(tmp_path)
        await client.prompt(session, nasty)
        assert client.text() == f"echo: {nasty}"
