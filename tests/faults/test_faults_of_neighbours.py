"""The agent beside a client, a system or a CLI that does not do its part."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from canopy_agent.claude.process import ProcessExit
from canopy_agent.claude.start_failure import ENDED_HINT, ended_early
from canopy_agent.session.storage_watch import NOT_STORED
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


def test_a_line_at_the_end_of_python_ends_with_it() -> None:
    program = (
        "import logging, sys; from canopy_agent.stderr_lines import StderrLines\n"
        "logger = logging.getLogger('late'); logger.addHandler(StderrLines())\n"
        "class Late:\n"
        "    def __del__(self, sys=sys, logger=logger):\n"
        "        logger.error('said late: %s', sys.is_finalizing())\n"
        "late = Late()\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, timeout=BOUND, check=False
    )
    assert (run.returncode, run.stderr) == (0, b"said late: True\n")


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


async def test_a_session_that_cannot_be_stored_says_so_once(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    config = tmp_path / ".claude"
    config.mkdir()
    (config / "projects").write_text("")
    async with RawClient.spawn(env=surroundings(fake_cli, tmp_path)) as client:
        await client.initialize({"session": {"notices": {}}})
        session = await client.new_session(tmp_path)
        await client.prompt(session, "first")
        told = await client.wait_update("notice", session)
        assert NOT_STORED in str(told)
        assert "projects is not a directory" in str(told)
        await client.prompt(session, "second")
    assert len(client.updates("notice", session)) == 1


async def test_no_update_comes_before_the_client_knows_the_session(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    title = {"type": "system", "subtype": "session_title_changed", "title": "Early"}
    fake_cli.play(start=[{"emit": title}])
    async with RawClient.spawn(env=surroundings(fake_cli, tmp_path)) as client:
        await client.initialize()
        session = await client.new_session(tmp_path)
        await client.wait_update("session_info_update", session)
        named = [frame for frame in client.frames if session in str(frame)]
        assert "result" in named[0]


async def test_a_prompt_that_waits_for_a_cli_is_cancelled_by_a_close(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    async with RawClient.spawn(env=surroundings(fake_cli, tmp_path)) as client:
        await client.initialize()
        session = await client.new_session(tmp_path)
        fake_cli.play(control={"initialize": {"ignore": True}})
        os.kill(fake_cli.pids()[0], signal.SIGKILL)
        await eventually(lambda: "SIGKILL" in client.stderr, "the end of the CLI")
        turn = client.begin_prompt(session, "waits")
        await eventually(lambda: len(fake_cli.pids()) == 2, "another CLI")
        await client.request("session/close", sessionId=session)
        assert (await turn)["stopReason"] == "cancelled"


@pytest.mark.parametrize(
    ("returncode", "word"),
    [(-9, "memory"), (-25, "ulimit -f"), (-11, "canopy doctor"), (-15, ""), (1, ""), (None, "")],
)
def test_the_end_of_a_cli_says_what_it_often_means(returncode: int | None, word: str) -> None:
    ended = ProcessExit.of(returncode, "")
    assert word in ended.hint
    assert bool(word) == bool(ended.hint)
    assert (ended.hint or ENDED_HINT) in str(ended_early(None, ended))


def test_a_cli_that_cannot_use_its_temporary_directory_says_which_variable_helps() -> None:
    said = {"errors": ["EROFS: read-only"], "startup_failure_reason": "temp_dir_unusable"}
    told = str(ended_early(said, ProcessExit.of(1, "")))
    assert told.startswith("EROFS: read-only. Set CLAUDE_CODE_TMPDIR")
