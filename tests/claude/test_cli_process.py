"""What our own driver of the CLI does beyond the port: limits, junk, back-pressure, teardown."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import pytest

from canopy_agent.claude.cli_process import CliProcess
from canopy_agent.claude.process import ProcessExit
from fakes.cli import is_running
from waiting import eventually

if TYPE_CHECKING:
    from pathlib import Path

    from fakes.cli import FakeCli

MIB = 1024 * 1024


async def frames_of(process: CliProcess) -> list[dict[str, Any]]:
    await process.start()
    frames: list[dict[str, Any]] = []
    async with asyncio.timeout(60):
        while batch := await process.read():
            frames += batch
    await process.aclose(grace=60)
    return frames


async def test_a_line_of_twenty_mebibytes_comes_whole(fake_cli: FakeCli, tmp_path: Path) -> None:
    fake_cli.play(start=[{"big": 20 * MIB}, {"emit": {"type": "after"}}, {"exit": 0}])
    frames = await frames_of(CliProcess(fake_cli.spec(tmp_path)))
    assert [frame["type"] for frame in frames] == ["big", "after"]


async def test_a_line_above_the_limit_is_dropped_and_told_once(
    fake_cli: FakeCli, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    fake_cli.play(start=[{"big": 1001}, {"big": 1002}, {"big": 1000}, {"exit": 0}])
    frames = await frames_of(CliProcess(fake_cli.spec(tmp_path), line_limit=1000))
    assert len(frames) == 1
    assert [record.getMessage() for record in caplog.records] == [
        "Dropped a line of 1001 bytes from Claude Code"
    ]


async def test_lines_that_are_no_frames_are_skipped_and_told_once(
    fake_cli: FakeCli, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    junk = [
        "[SandboxDebug] on\n",
        '{"type": \n',
        "[1, 2]\n",
        "7\n",
        "\n",
        " \r\n",
        "[" * 9**5 + "\n",
    ]
    steps = [{"raw": text} for text in junk]
    steps += [{"raw": '{"type":"kept"}\r\n'}, {"raw": '{"type":"no newline"}'}]
    fake_cli.play(start=[*steps, {"exit": 0}])
    with caplog.at_level(logging.WARNING):
        frames = await frames_of(CliProcess(fake_cli.spec(tmp_path)))
    assert [frame["type"] for frame in frames] == ["kept", "no newline"]
    assert len(caplog.records) == 1
    assert "SandboxDebug" in caplog.records[0].getMessage()


async def test_a_closed_stdout_is_not_called_an_exit(fake_cli: FakeCli, tmp_path: Path) -> None:
    fake_cli.play(start=[{"emit": {"type": "only"}}, {"close_stdout": True}])
    process = CliProcess(fake_cli.spec(tmp_path))
    await process.start()
    assert await process.read() == [{"type": "only"}]
    assert await process.read() == []
    assert process.exit is None
    assert await process.aclose(grace=60) == ProcessExit(
        0, None, ""
    )  # It leaves at the end of its input.


async def test_what_a_dead_cli_left_in_its_group_goes_with_it(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    left = {"grandchild": {"ignore_sigterm": True, "hold_stdout": True}}
    fake_cli.play(start=[left, {"emit": {"type": "only"}}, {"signal": "SIGKILL"}])
    process = CliProcess(fake_cli.spec(tmp_path))
    assert await frames_of(process) == [{"type": "only"}]
    assert process.exit == ProcessExit(None, signal.SIGKILL, "")
    await eventually(lambda: not any(map(is_running, fake_cli.pids())), "all are gone")


async def test_a_stranger_that_holds_stdout_does_not_keep_the_stream_open(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    left = {"grandchild": {"own_session": True, "hold_stdout": True}}
    fake_cli.play(start=[left, {"emit": {"type": "only"}}, {"exit": 4}])
    process = CliProcess(fake_cli.spec(tmp_path))
    assert await frames_of(process) == [{"type": "only"}]
    assert process.exit == ProcessExit(4, None, "")
    (stranger,) = fake_cli.grandchildren()
    os.kill(stranger, signal.SIGKILL)
    await eventually(lambda: not is_running(stranger), "the stranger is gone")


async def test_a_reader_that_rests_makes_the_cli_wait(fake_cli: FakeCli, tmp_path: Path) -> None:
    big = {"repeat": {"times": 40, "steps": [{"big": MIB}]}}
    fake_cli.play(start=[big, {"emit": {"type": "last"}}])
    process = CliProcess(fake_cli.spec(tmp_path))
    await process.start()
    frames = process._frames
    await eventually(lambda: frames.waiting > 16 * MIB, "the backlog reaches the high-water mark")
    # Whatever else the CLI has must stay in the pipe while nobody reads.
    for _ in range(200):
        await asyncio.sleep(0)
    assert frames.waiting < 18 * MIB
    kinds: list[str] = []
    async with asyncio.timeout(60):
        while "last" not in kinds:
            kinds += [frame["type"] for frame in await process.read()]
    assert kinds == ["big"] * 40 + ["last"]
    await process.aclose(grace=60)


async def test_a_cli_that_waits_for_its_reader_can_still_leave(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    big = {"repeat": {"times": 30, "steps": [{"big": MIB}]}}
    fake_cli.play(start=[big], on_eof="finish")
    process = CliProcess(fake_cli.spec(tmp_path))
    await process.start()
    await eventually(lambda: process._frames.waiting > 16 * MIB, "the CLI has to wait")
    assert await process.aclose(grace=60) == ProcessExit(0, None, "")


async def test_other_tasks_get_turns_while_a_big_batch_is_decoded(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    fake_cli.play(start=[{"repeat": {"times": 8, "steps": [{"big": MIB}]}}], on_eof="finish")
    process = CliProcess(fake_cli.spec(tmp_path))
    await process.start()
    await process.aclose(grace=60)
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count())
    assert len(await process.read()) == 8
    counting.cancel()
    assert turns >= 7


async def test_a_read_cancelled_while_it_decodes_loses_nothing(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    fake_cli.play(start=[{"repeat": {"times": 8, "steps": [{"big": MIB}]}}], on_eof="finish")
    process = CliProcess(fake_cli.spec(tmp_path))
    await process.start()
    await process.aclose(grace=60)
    reading = asyncio.create_task(process.read())
    for _ in range(3):
        await asyncio.sleep(0)
    assert 0 < process._frames.waiting < 8 * MIB, "the read is half-way"
    reading.cancel()
    await asyncio.wait({reading})
    assert reading.cancelled()
    assert len(await process.read()) == 8


async def test_writes_of_one_pass_leave_in_one_call(fake_cli: FakeCli, tmp_path: Path) -> None:
    process = CliProcess(fake_cli.spec(tmp_path))
    await process.start()
    assert process._transport is not None
    stdin = process._transport.get_pipe_transport(0)
    assert isinstance(stdin, asyncio.WriteTransport)
    calls: list[bytes] = []
    stdin.write = calls.append  # type: ignore[method-assign, assignment]
    for number in range(3):
        process.write({"type": "n", "number": number})
    await asyncio.sleep(0)
    assert calls == [b'{"type":"n","number":0}\n{"type":"n","number":1}\n{"type":"n","number":2}\n']
    await process.aclose(grace=60)


async def test_a_second_start_is_refused(fake_cli: FakeCli, tmp_path: Path) -> None:
    process = CliProcess(fake_cli.spec(tmp_path))
    await process.start()
    with pytest.raises(RuntimeError):
        await process.start()
    await process.aclose(grace=60)


async def test_the_end_of_the_event_loop_kills_what_nobody_closed(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    fake_cli.play(
        on_eof="ignore",
        ignore_sigterm=True,
        start=[{"grandchild": {"ignore_sigterm": True, "own_session": True}}],
    )
    program = tmp_path / "program.py"
    program.write_text(
        textwrap.dedent(
            f"""
            import asyncio, os, pathlib
            from canopy_agent.claude.cli_process import CliProcess
            from canopy_agent.claude.process import LaunchSpec

            async def main():
                asyncio.get_running_loop().slow_callback_duration = 3600.0
                process = CliProcess(LaunchSpec(({fake_cli.path!r},), dict(os.environ), "."))
                await process.start()
                log = pathlib.Path(os.environ["FAKE_CLI_LOG"])
                while not log.exists() or "child" not in log.read_text().split('"kind": "')[-1]:
                    await asyncio.sleep(0.01)

            asyncio.run(main())
            """
        )
    )
    spec = fake_cli.spec(tmp_path)
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-X", "dev", str(program)],
        env=dict(spec.env),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert len(fake_cli.pids()) == 2
    await eventually(lambda: not any(map(is_running, fake_cli.pids())), "all are gone")
