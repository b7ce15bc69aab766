"""The agent beside a client, a system or a CLI that does not do its part."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from canopy_agent.stderr_lines import BACKLOG, StderrLines
from fakes.cli import FakeCli, is_running
from raw_client import STDIO, RawClient, RpcError
from waiting import eventually

if TYPE_CHECKING:
    from pathlib import Path

BOUND = 60.0


def surroundings(fake: FakeCli, home: Path) -> dict[str, str]:
    return {**fake.env, "HOME": str(home), "CLAUDE_CONFIG_DIR": str(home / ".claude")}


async def test_a_client_that_never_reads_stderr_loses_nothing_else(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    reading, writing = os.pipe()
    process = await asyncio.create_subprocess_exec(
        *STDIO,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=writing,
        env={**os.environ, **surroundings(fake_cli, tmp_path)},
    )
    os.close(writing)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        async with asyncio.timeout(BOUND):
            for number in range(2000):  # each is a line in the log; a pipe holds some 600
                process.stdin.write(b'{"jsonrpc":"2.0","id":%d,"method":7}\n' % number)
            for number in range(2000):
                assert b'"id":%d,' % number in await process.stdout.readline()
            process.stdin.close()
            assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        os.close(reading)


async def test_lines_that_nobody_reads_are_counted() -> None:
    reading, writing = os.pipe()
    lines = StderrLines(writing)
    size = 1000
    for number in range(2 * BACKLOG // size):
        lines.emit(logging.makeLogRecord({"msg": f"{number} " + "x" * size}))
    read = b""
    while b"log lines were dropped" not in read:
        read += await asyncio.to_thread(os.read, reading, 1 << 16)
    assert read.startswith(b"0 xxx")
    lines.flush()
    os.close(writing)
    os.close(reading)


@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_a_closed_descriptor_is_said_in_one_line(closed: str) -> None:
    command = f'exec "$@" {closed}'
    run = subprocess.run(
        ["sh", "-c", command, "sh", *STDIO], capture_output=True, timeout=BOUND, check=False
    )
    assert run.returncode == 2
    assert run.stderr.decode() == "canopy: --stdio needs an open stdin and stdout\n"


async def test_a_signal_leaves_no_request_without_an_answer(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    fake_cli.play(turns=[[{"open": {}}, {"say": "working"}, {"hang": True}]])
    async with RawClient.spawn(env=surroundings(fake_cli, tmp_path)) as client:
        await client.initialize()
        session = await client.new_session(tmp_path)
        turns = [client.begin_prompt(session, text) for text in ("first", "second")]
        await client.wait_update("agent_message_chunk")
        fake_cli.play(control={"initialize": {"ignore": True}})
        opening: Any = client.begin("session/new", cwd=str(tmp_path), mcpServers=[])
        await eventually(lambda: len(fake_cli.pids()) == 2, "a second CLI")
        client.process.send_signal(signal.SIGTERM)
        assert [(await turn)["stopReason"] for turn in turns] == ["cancelled", "cancelled"]
        with pytest.raises(RpcError) as refused:
            await opening
        assert refused.value.code == -32800
    await eventually(lambda: not any(map(is_running, fake_cli.pids())), "no process is left")
