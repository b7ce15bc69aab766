"""What every implementation of the port to the CLI must do."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from canopy_agent.claude.cli_process import CliProcess
from canopy_agent.claude.errors import ClaudeStartFailed
from canopy_agent.claude.process import LaunchSpec, ProcessExit
from fakes.cli import is_running
from waiting import eventually

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from canopy_agent.claude.process import ClaudeProcess
    from fakes.cli import FakeCli

    Start = Callable[..., Awaitable[ClaudeProcess]]

MIB = 1024 * 1024
GRACE = 60.0
"""So long that no busy machine turns a process that leaves by itself into a killed one."""


def prompt(text: str, uid: str = "u1") -> dict[str, Any]:
    return {"type": "user", "uuid": uid, "message": {"role": "user", "content": text}}


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def read_until(process: ClaudeProcess, kind: str) -> list[dict[str, Any]]:
    """All frames up to the first of ``type`` ``kind``, and what came in the same batch."""
    frames: list[dict[str, Any]] = []
    async with asyncio.timeout(20):
        while not any(frame.get("type") == kind for frame in frames):
            batch = await process.read()
            assert batch, f"the stream ended without {kind}: {frames}"
            frames += batch
    return frames


async def read_all(process: ClaudeProcess) -> list[dict[str, Any]]:
    frames: list[dict[str, Any]] = []
    async with asyncio.timeout(20):
        while batch := await process.read():
            frames += batch
    return frames


async def test_answers_a_prompt_and_a_control_request(start: Start, fake_cli: FakeCli) -> None:
    process = await start()
    assert process.exit is None
    process.write({"type": "control_request", "request_id": "r1", "request": {"subtype": "x"}})
    process.write(prompt("hëllo\n\u2028"))
    frames = await read_until(process, "result")
    assert frames[0] == {
        "type": "control_response",
        "response": {"subtype": "success", "request_id": "r1", "response": {}},
    }
    (spoken,) = [frame for frame in frames if frame["type"] == "assistant"]
    assert spoken["message"]["content"][0]["text"] == "echo: hëllo\n\u2028"
    assert process.pid == fake_cli.log("start")[0]["pid"]
    assert [frame["type"] for frame in fake_cli.received()] == ["control_request", "user"]


async def test_the_child_gets_the_arguments_environment_and_folder_asked_for(
    process_class: type[CliProcess], fake_cli: FakeCli, tmp_path: Path
) -> None:
    folder = tmp_path / "a folder"
    folder.mkdir()
    env = {**os.environ, **fake_cli.env, "CLAUDE_CODE_MARK": "a=b c"}
    process = process_class(LaunchSpec((fake_cli.path, "--x", "a b", ""), env, str(folder)))
    await process.start()
    try:
        await eventually(lambda: fake_cli.log("start"), "the fake CLI starts")
    finally:
        await process.aclose(grace=GRACE)
    (entry,) = fake_cli.log("start")
    assert entry["argv"] == ["--x", "a b", ""]
    assert entry["cwd"] == str(folder)
    assert entry["claude"]["CLAUDE_CODE_MARK"] == "a=b c"


async def test_frames_keep_their_order(start: Start, fake_cli: FakeCli) -> None:
    counted = {"repeat": {"times": 500, "steps": [{"emit": {"type": "n", "at": "{i}"}}]}}
    fake_cli.play(turns=[[counted, {"emit": {"type": "result"}}]])
    process = await start()
    process.write(prompt("go"))
    frames = await read_until(process, "result")
    assert [frame["at"] for frame in frames[:-1]] == [str(index) for index in range(500)]


async def test_waiting_frames_come_in_one_batch(start: Start, fake_cli: FakeCli) -> None:
    steps = [{"emit": {"type": "n", "at": index}} for index in range(20)]
    fake_cli.play(start=steps, on_eof="finish")
    process = await start()
    # When the process is gone all twenty are there, so nothing can be still to come.
    await process.aclose(grace=GRACE)
    assert [frame["at"] for frame in await process.read()] == list(range(20))
    assert await process.read() == []
    assert await process.read() == []


async def test_a_cancelled_read_loses_nothing(start: Start) -> None:
    process = await start()
    reading = asyncio.create_task(process.read())
    await asyncio.sleep(0)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    process.write(prompt("after"))
    frames = await read_until(process, "result")
    assert frames[0]["state"] == "running"


async def test_a_line_of_five_mebibytes_comes_whole(start: Start, fake_cli: FakeCli) -> None:
    fake_cli.play(start=[{"big": 5 * MIB}, {"emit": {"type": "after"}}])
    frames = await read_until(await start(), "after")
    assert [frame["type"] for frame in frames] == ["big", "after"]
    assert len(frames[0]["fill"]) > 5 * MIB - 100


async def test_a_big_frame_is_written_whole(start: Start, fake_cli: FakeCli) -> None:
    process = await start()
    process.write(prompt("y" * 5 * MIB))
    await process.drain()
    await read_until(process, "result")
    (frame,) = fake_cli.received("user")
    assert len(frame["message"]["content"]) == 5 * MIB


async def test_stderr_is_handed_on_by_line_and_its_end_is_kept(
    start: Start, fake_cli: FakeCli
) -> None:
    lines: list[str] = []
    fake_cli.play(
        start=[
            {"repeat": {"times": 300, "steps": [{"stderr": "noise {i} " + "z" * 50 + "\n"}]}},
            {"stderr": "last words"},
            {"exit": 3},
        ]
    )
    process = await start(on_stderr=lines.append)
    assert await read_all(process) == []
    ended = await process.aclose(grace=GRACE)
    assert ended.code == 3
    assert ended.stderr_tail.endswith("last words")
    assert len(ended.stderr_tail) <= 8 * 1024
    assert len(lines) == 301
    assert lines[0].startswith("noise 0 ")


async def test_a_sink_that_raises_costs_nothing(start: Start, fake_cli: FakeCli) -> None:
    def sink(line: str) -> None:
        raise ValueError(line)

    fake_cli.play(start=[{"stderr": "one\ntwo\n"}])
    process = await start(on_stderr=sink)
    process.write(prompt("hi"))
    await read_until(process, "result")
    ended = await process.aclose(grace=GRACE)
    assert "two" in ended.stderr_tail


@pytest.mark.parametrize(
    ("step", "code", "number", "text"),
    [
        ({"exit": 0}, 0, None, "exit status 0"),
        ({"exit": 143}, 143, None, "exit status 143"),
        ({"signal": "SIGKILL"}, None, signal.SIGKILL, "signal SIGKILL"),
    ],
)
async def test_the_end_is_told_exactly(
    start: Start,
    fake_cli: FakeCli,
    step: dict[str, Any],
    code: int | None,
    number: int | None,
    text: str,
) -> None:
    fake_cli.play(start=[{"emit": {"type": "only"}}, step])
    process = await start()
    assert await read_all(process) == [{"type": "only"}]
    assert process.exit == ProcessExit(code, number, "")
    assert process.exit.describe() == text
    assert await process.aclose(grace=GRACE) == process.exit
    process.write(prompt("nobody is there"))
    await process.drain()


async def test_closing_an_idle_process_lets_it_leave_by_itself(
    start: Start, fake_cli: FakeCli
) -> None:
    process = await start()
    process.write(prompt("the last words before the end"))
    ended = await process.aclose(grace=GRACE)
    assert ended == ProcessExit(0, None, "")
    assert process.exit == ended
    assert fake_cli.log("eof")
    assert fake_cli.received("user"), "what was written before the close arrives"
    assert not fake_cli.log("signal")


async def test_closing_in_mid_stream(start: Start, fake_cli: FakeCli) -> None:
    flood = {"repeat": {"times": 10**9, "steps": [{"emit": {"type": "n"}}]}}
    fake_cli.play(turns=[[flood]])
    process = await start()
    process.write(prompt("go"))
    await read_until(process, "n")
    ended = await process.aclose(grace=GRACE)
    assert ended.code == 0
    assert (await read_all(process))[-1:] in ([], [{"type": "n"}])


async def test_closing_while_a_read_waits(start: Start) -> None:
    process = await start()
    reading = asyncio.create_task(process.read())
    await asyncio.sleep(0)
    await process.aclose(grace=GRACE)
    async with asyncio.timeout(20):
        assert await reading == []


async def test_closing_from_other_tasks_and_twice(start: Start) -> None:
    process = await start()
    async with asyncio.TaskGroup() as group:
        closes = [group.create_task(process.aclose(grace=GRACE)) for _ in range(3)]
    assert {task.result() for task in closes} == {process.exit}
    assert await process.aclose(grace=GRACE) == process.exit


async def test_a_cancelled_closer_leaves_the_close_running(start: Start, fake_cli: FakeCli) -> None:
    process = await start()
    await eventually(lambda: fake_cli.log("start"), "the fake CLI starts")
    closing = asyncio.create_task(process.aclose(grace=GRACE))
    await asyncio.sleep(0)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    await eventually(lambda: process.exit, "the process ends all the same")
    assert (await process.aclose(grace=GRACE)).code == 0


async def test_closing_before_the_start_keeps_it_from_starting(
    process_class: type[CliProcess], fake_cli: FakeCli, tmp_path: Path
) -> None:
    process = process_class(fake_cli.spec(tmp_path))
    assert process.pid is None
    assert await process.aclose(grace=GRACE) == ProcessExit(None, None, "")
    with pytest.raises(ClaudeStartFailed):
        await process.start()
    assert not fake_cli.log()


async def test_nothing_a_deaf_cli_started_is_left(start: Start, fake_cli: FakeCli) -> None:
    fake_cli.play(
        on_eof="ignore",
        ignore_sigterm=True,
        start=[
            {"grandchild": {"ignore_sigterm": True, "hold_stdout": True}},
            {"grandchild": {"ignore_sigterm": True, "own_session": True}},
            {"emit": {"type": "ready"}},
        ],
    )
    process = await start()
    await read_until(process, "ready")
    pids = fake_cli.pids()
    assert len(pids) == 3
    assert all(is_running(pid) for pid in pids)
    ended = await process.aclose(grace=0.2)
    assert ended == ProcessExit(None, signal.SIGKILL, "")
    await eventually(lambda: not any(map(is_running, pids)), "all are gone")


async def test_a_cli_that_never_reads_blocks_neither_writes_nor_the_close(
    process_class: type[CliProcess], tmp_path: Path
) -> None:
    program = "import time; print('{}', flush=True); time.sleep(60)"
    spec = LaunchSpec((sys.executable, "-c", program), dict(os.environ), str(tmp_path))
    process = process_class(spec)
    await process.start()
    assert await process.read() == [{}]
    process.write(prompt("z" * 5 * MIB))
    draining = asyncio.create_task(process.drain())
    await asyncio.sleep(0)
    ended = await process.aclose(grace=0.2)
    assert ended == ProcessExit(None, signal.SIGTERM, "")
    async with asyncio.timeout(20):
        await draining


async def test_a_cancelled_start_leaves_nothing(
    process_class: type[CliProcess], fake_cli: FakeCli, tmp_path: Path
) -> None:
    before = asyncio.all_tasks()
    for passes in range(6):
        process = process_class(fake_cli.spec(tmp_path))
        starting = asyncio.create_task(process.start())
        for _ in range(passes):
            await asyncio.sleep(0)
        starting.cancel()
        await asyncio.wait({starting})
        await process.aclose(grace=GRACE)
    assert asyncio.all_tasks() == before


@pytest.mark.parametrize(
    ("argv0", "cwd", "words"),
    [
        ("missing/claude", ".", ["No Claude Code executable", "CLAUDE_CODE_EXECUTABLE"]),
        ("plain.txt", ".", ["not executable", "CLAUDE_CODE_EXECUTABLE"]),
        (".", ".", ["not executable"]),
        ("no_shebang", ".", ["not a program for this system", "first line"]),
        ("no_interpreter", ".", ["interpreter"]),
        ("no_shebang", "gone", ["working directory", "gone", "does not exist"]),
        ("no_shebang", "plain.txt", ["working directory", "not a directory"]),
    ],
)
async def test_a_start_that_fails_says_why_and_what_to_do(
    process_class: type[CliProcess], tmp_path: Path, argv0: str, cwd: str, words: list[str]
) -> None:
    (tmp_path / "plain.txt").write_text("")
    for name, text in (("no_shebang", "\x01\x02"), ("no_interpreter", "#!/nowhere/at/all\n")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    spec = LaunchSpec((str(tmp_path / argv0),), dict(os.environ), str(tmp_path / cwd))
    process = process_class(spec)
    with pytest.raises(ClaudeStartFailed) as failure:
        await process.start()
    assert failure.value.hint
    for word in words:
        assert word in str(failure.value)
    assert "SDK" not in str(failure.value)
    assert await process.aclose(grace=GRACE) == ProcessExit(None, None, "")


async def test_a_command_line_that_is_too_long_names_the_option(
    process_class: type[CliProcess], tmp_path: Path
) -> None:
    argv = (sys.executable, "--short", "x", "--system-prompt", "p" * 3 * MIB)
    process = process_class(LaunchSpec(argv, dict(os.environ), str(tmp_path)))
    with pytest.raises(ClaudeStartFailed, match=r"too long: --system-prompt has 3145728 bytes"):
        await process.start()


async def test_fifty_open_close_pairs_leave_nothing(
    process_class: type[CliProcess],
    fake_cli: FakeCli,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Opened by one task, read by a second, closed by a third, under asyncio's debug mode."""
    loop = asyncio.get_running_loop()
    loop.set_debug(True)
    loop.slow_callback_duration = 60.0
    before = asyncio.all_tasks()
    files = open_files()

    async def pair(number: int) -> None:
        process = process_class(fake_cli.spec(tmp_path))
        await asyncio.create_task(process.start())
        reading = asyncio.create_task(read_all(process))
        if number % 2:
            process.write(prompt("hi"))
        closing = asyncio.create_task(process.aclose(grace=GRACE))
        if number % 5 == 0:
            await asyncio.sleep(0)
            closing.cancel()
            await asyncio.wait({closing})
        assert (await process.aclose(grace=GRACE)).code == 0
        await reading

    with caplog.at_level(logging.WARNING):
        for first in range(0, 50, 10):
            async with asyncio.TaskGroup() as group:
                for number in range(first, first + 10):
                    group.create_task(pair(number))
    assert not caplog.records
    assert len(fake_cli.log("start")) == 50
    assert asyncio.all_tasks() == before
    await eventually(lambda: open_files() == files, "all pipes are closed")
