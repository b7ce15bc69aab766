"""How dear stored sessions are: a list of 10,000, a transcript of 50 MB loaded and forked.

Prints figures; the only assertions are about what was done, not how fast. The CLI is a fake, so all
time and memory is the agent's own.
"""

from __future__ import annotations

import itertools
import os
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from canopy_agent.history.store import folder_name
from canopy_shared.ext import air
from store.writing import Transcript
from stored_sessions.desk import Desk, desk
from waiting import eventually

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakes.cli import FakeCli
    from raw_client import Received

AIR = {"_meta": air.client_meta(air.LOAD_REPLAY_END)}
SESSIONS, FOLDERS = 10_000, 50
BIG = 50_000_000
STREAM: list[dict[str, Any]] = [
    {"open": {}},
    {"repeat": {"times": 6000, "steps": [{"say": "tick "}, {"sleep": 0.01}]}},
    {"done": {}},
]


def memory(pid: int, name: str) -> float:
    """``VmRSS`` (now) or ``VmHWM`` (the most so far) of a process in MB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) / 1024
    raise AssertionError(name)


def forget_peak(pid: int) -> None:
    """Let ``VmHWM`` begin anew."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")


def write_sessions(projects: Path, place: Path) -> None:
    """10,000 sessions of 20 kB in 50 directories, those of the last one in ``place``."""
    pattern = Transcript(projects, folder="pattern", cwd="/somewhere")
    for number in range(8):
        pattern.user(f"Question {number}: what does it do?")
        pattern.says("It does this and that. " * 80)
    text = pattern.path.read_text()
    pattern.path.unlink()
    for number in range(SESSIONS):
        cwd = f"/somewhere/{number % FOLDERS}" if number % FOLDERS else str(place)
        target = projects / folder_name(cwd) / f"{uuid.uuid4()}.jsonl"
        target.parent.mkdir(exist_ok=True)
        own = text.replace("/somewhere", cwd).replace("Question 0", f"Question {number}")
        target.write_text(own.replace(pattern.id, target.stem))


def write_big(transcript: Transcript) -> int:
    """A conversation of 50 MB as people have them: prompts, thoughts, calls with large results.

    Gives the number of turns.
    """
    rows = "\n".join(f"{n:5}\tdef function_{n}(value: int) -> int:" for n in range(400))
    turns = 0
    while not transcript.path.exists() or transcript.path.stat().st_size < BIG:
        for _ in range(20):
            turns += 1
            transcript.user(f"Question {turns}")
            transcript.block(
                f"m{turns}", {"type": "thinking", "thinking": "Hm. " * 100, "signature": "s" * 400}
            )
            for call in range(5):
                id_ = f"t{turns}-{call}"
                transcript.calls("Read", id_, f"m{turns}", file_path=f"/somewhere/{call}.py")
                file = {"filePath": "x", "content": rows, "numLines": 400, "startLine": 1}
                transcript.returns(id_, rows, toolUseResult={"type": "text", "file": file})
            transcript.says("It does this and that. " * 40, f"m{turns}-end")
    return turns


def spent(pid: int) -> float:
    """Seconds of CPU that a process used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Clock:
    """Seconds that went by, and those of CPU that the agent used, as text."""

    def __init__(self, pid: int) -> None:
        self._pid = pid

    async def timed(self, work: Callable[[], Any]) -> tuple[str, Any]:
        began, cpu = time.perf_counter(), spent(self._pid)
        result = await work()
        took, cpu = time.perf_counter() - began, spent(self._pid) - cpu
        return f"{took * 1e3:6.0f} ms ({cpu * 1e3:.0f} ms of CPU)", result


async def listed(d: Desk, **params: Any) -> list[dict[str, Any]]:
    """All pages."""
    rows: list[dict[str, Any]] = []
    cursor: dict[str, Any] = {}
    while True:
        page = await d.agent.request("session/list", **params, **cursor)
        rows += page["sessions"]
        if "nextCursor" not in page:
            return rows
        cursor = {"cursor": page["nextCursor"]}


def gap(received: list[Received]) -> float:
    """The longest time between two pieces of an answer in ms."""
    chunks = [one.at for one in received if "agent_message_chunk" in str(one.frame)[:200]]
    return max(b - a for a, b in itertools.pairwise(chunks)) * 1e3


async def test_a_list_of_ten_thousand(fake_cli: FakeCli, tmp_path: Path) -> None:
    fake_cli.play(turns=[STREAM])
    async with desk(fake_cli, tmp_path) as d:
        write_sessions(d.projects, d.cwd)
        pid = d.agent.process.pid
        clock = Clock(pid)
        session = await d.agent.new_session(d.cwd)
        before = memory(pid, "VmRSS")
        turn = d.agent.begin_prompt(session, "go")
        await eventually(lambda: len(d.agent.received) > 100, "a while of streaming")
        alone = len(d.agent.received)
        first, page = await clock.timed(lambda: d.agent.request("session/list"))
        again, _ = await clock.timed(lambda: d.agent.request("session/list"))
        own, rows = await clock.timed(lambda: listed(d, cwd=str(d.cwd)))
        whole, every = await clock.timed(lambda: listed(d))
        assert not turn.done()
        grown = memory(pid, "VmRSS") - before
        gaps = [gap(part) for part in (d.agent.received[:alone], d.agent.received[alone:])]
        await d.agent.request("session/close", sessionId=session)
    assert len(page["sessions"]) == 1000
    assert (len(rows), len(every)) == (SESSIONS // FOLDERS, SESSIONS)
    print(f"\n{SESSIONS:,} sessions in {FOLDERS} directories, while an answer streams")
    print(f"first page of all    {first}\nfirst page again     {again}")
    print(f"one directory        {own}\nall ten pages        {whole}")
    print(f"longest gap in the answer {gaps[1]:.0f} ms (without a list {gaps[0]:.0f} ms);", end=" ")
    print(f"memory {grown:+.0f} MB")


@pytest.mark.parametrize("capabilities", [{}, AIR], ids=["plain", "air"])
async def test_a_transcript_of_fifty_megabytes(
    fake_cli: FakeCli, tmp_path: Path, capabilities: dict[str, Any]
) -> None:
    async with desk(fake_cli, tmp_path, capabilities) as d:
        stored = d.transcript()
        turns = write_big(stored)
        pid = d.agent.process.pid
        clock = Clock(pid)
        before = memory(pid, "VmRSS")
        at = time.monotonic() - d.agent._born
        load, _ = await clock.timed(lambda: d.open("session/load", stored.id))
        peak = memory(pid, "VmHWM")
        first = next(one.at for one in d.agent.received if "_chunk" in str(one.frame)) - at
        assert len(d.agent.updates("user_message_chunk")) == turns
        sent = len(d.agent.received)
        d.agent.received.clear()
        forget_peak(pid)
        whole, _ = await clock.timed(lambda: d.open("session/fork", stored.id))
        point = air.wrap(fork={"version": 1, "messageId": f"m{turns // 2}-end"})
        half, _ = await clock.timed(lambda: d.open("session/fork", stored.id, _meta=point))
        fork_peak, after = memory(pid, "VmHWM"), memory(pid, "VmRSS")
    size = stored.path.stat().st_size / 1e6
    kind = "AIR" if capabilities else "plain"
    print(f"\n{kind} client: {size:.0f} MB, {turns} turns, {turns * 5} calls, {sent} frames")
    print(f"load                 {load}; first update after {first * 1e3:.0f} ms")
    print(f"fork, whole          {whole}\nfork, half           {half}")
    print(f"memory: {before:.0f} MB before, {peak:.0f} MB at most in the load,", end=" ")
    print(f"{fork_peak:.0f} MB at most in a fork, {after:.0f} MB afterwards")
