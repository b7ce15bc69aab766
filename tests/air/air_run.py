"""One session of an AIR-like client on the real CLI, with every extension that a person meets.

``python -m air.air_run`` in ``tests`` records it anew; the test beside plays it and compares. Names
of people, places and runs are replaced in the recording.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from air.playing import EVERYTHING, declares
from canopy_agent.demo.rules import ApiError, Gate, Rule, Text, ToolUse, When, flow
from canopy_agent.demo.workspace import demo_environment
from canopy_shared.ext import air, file_report
from canopy_shared.ext import goal as goals
from canopy_shared.record import FORMAT, VERSION
from raw_client import RawClient
from waiting import eventually

if TYPE_CHECKING:
    from collections.abc import Iterable

    from canopy_agent.demo.requests import ModelRequest

Json = dict[str, Any]

RECORDING = Path(__file__).with_name("recorded") / "air-run.jsonl"
AIR = declares(*EVERYTHING, air.SESSION_INDEX, session={"notices": {}, "compaction": {}})
TICKS = "i=0; while [ $i -lt 600 ]; do i=$((i+1)); echo tick $i; sleep 0.1; done"
SHELL = {"command": TICKS, "description": "Count ticks", "run_in_background": True}
WRITE = {"file_path": "{cwd}/new.txt", "content": "one\n"}


def _is_goal_check(request: ModelRequest) -> bool:
    return '"impossible"' in request.system


def script() -> list[Rule]:
    """What the model says."""
    checks = [
        {"ok": False, "reason": "one test fails"},
        {"ok": True, "reason": "all tests pass"},
    ]
    return [
        Rule(When(test=_is_goal_check), lambda _: json.dumps(checks.pop(0))),
        *flow(When(says="tick"), [ToolUse("Bash", SHELL)], "The command runs."),
        *flow(When(says="write"), [ToolUse("Write", WRITE)], "The file is written."),
        Rule(When(says="count"), [Text(("One ", "two ", Gate("NEVER"), "three."))]),
        Rule(When(says="rather"), "Letters, then: a, b, c."),
        Rule(When(says="fail"), error=ApiError(529, "Overloaded, scripted")),
        Rule(When(says="."), "Done."),
    ]


class RecordedClient(RawClient):
    """A raw client that keeps what it sends, too."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        super().__init__(process)
        self.lines: list[tuple[float, str, Json]] = []
        self._start = time.monotonic()

    def _send(self, frame: Json) -> None:
        self._keep("client", {"jsonrpc": "2.0", **frame})
        super()._send(frame)

    def _take(self, frame: Json) -> None:
        self._keep("agent", frame)
        super()._take(frame)

    def _keep(self, sender: str, frame: Json) -> None:
        self.lines.append((time.monotonic() - self._start, sender, frame))


async def play() -> tuple[list[tuple[float, str, Json]], Path]:
    """Play the run; gives all messages with their times, and the directory it was in."""
    env = {"CLAUDE_CODE_MAX_RETRIES": "1"}
    async with demo_environment(script(), pace=0.0, env=env) as place:
        cwd = str(place.cwd)
        async with RecordedClient.spawn(env=place.env, cwd=cwd, whole_env=True) as client:
            assert isinstance(client, RecordedClient)
            await _run(client, cwd)
        return client.lines, place.cwd.parent


async def _run(client: RecordedClient, cwd: str) -> None:
    client.on_permission("allow_once")
    await client.initialize(AIR)
    session = await client.new_session(cwd)
    here = {"sessionId": session}

    await client.prompt(session, "tick, please")
    (progress,) = client.updates("async_task_progress")
    output = Path(progress["outputFilePath"])
    await eventually(lambda: "tick 3" in output.read_text(), "output that grows")
    (task,) = client.updates("async_task_spawned")
    await client.request("_session/async_task/stop", **here, asyncTaskId=task["asyncTaskId"])

    await client.request("_session/goal", **here, action="set", objective="all tests pass")

    def goal_is_gone() -> bool:
        told = [u.get("_meta") for u in client.updates("session_info_update")]
        return any(goals.read(meta) is None for meta in told)

    await eventually(goal_is_gone, "the goal is reached")

    turn = client.begin_prompt(session, "count")
    await client.wait_update("agent_message_chunk", match=lambda u: "two" in str(u))
    words = [{"type": "text", "text": "rather letters"}]
    await client.request("_session/steering", **here, prompt=words)
    await turn

    await client.prompt(session, "fail, please")
    await client.prompt(session, "write it", _meta=file_report.request("report-1"))
    await client.prompt(session, "/compact")
    await client.request("_session/rename", **here, title="A run of everything")
    await client.request("_session/archive", **here)


# --- the recording --------------------------------------------------------------------------------

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TIME = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)")
_PORT = re.compile(r"127\.0\.0\.1:\d+")
_CLAUDE_TMP = re.compile(r"/[^\"\s]*?/tasks/")


def neutral(text: str, home: Path, seen: dict[str, str]) -> str:
    """``text`` without names of this machine and this run; ``seen`` keeps ids apart."""

    def id_of(found: re.Match[str]) -> str:
        return seen.setdefault(found[0], f"00000000-0000-4000-8000-{len(seen) + 1:012x}")

    text = text.replace(str(home), "/home/somebody").replace(
        re.sub(r"[^a-zA-Z0-9]", "-", str(home)), "-home-somebody"
    )
    text = _PORT.sub("127.0.0.1:8080", _CLAUDE_TMP.sub("/tmp/claude/tasks/", text))
    return _TIME.sub("2026-12-02T10:00:00.000Z", _UUID.sub(id_of, text))


def recorded(lines: Iterable[tuple[float, str, Json]], home: Path) -> str:
    """The recording of a run as a file's text."""
    seen: dict[str, str] = {}
    rows: list[Json] = [{"canopy": FORMAT, "version": VERSION, "at": 0.0, "by": "0"}]
    for at, sender, frame in lines:
        rows.append({"t": round(at, 2), "from": sender, "message": frame})
    return "".join(neutral(json.dumps(row), home, seen) + "\n" for row in rows)


_FLOATING = frozenset({"usage_update", "available_commands_update", "config_option_update"})
_SAID = ("status", "state", "kind", "name", "title", "severity", "taskType", "stopReason")


def outline(text: str) -> list[str]:
    """What a recording says that does not depend on the moment: one line for each message of the
    agent, and text as a whole.
    """
    lines: list[str] = []
    words: dict[str, str] = {}
    for row in map(json.loads, text.splitlines()[1:]):
        frame = row["message"]
        if row["from"] != "agent":
            continue
        if "method" not in frame:
            lines.append(f"answer {_facts(frame.get('result', frame.get('error')))}")
        elif frame["method"] == "session/update":
            _update(frame["params"]["update"], lines, words)
        elif frame["method"] == "session/request_permission":
            lines.append("session/request_permission")
    return lines + [f"text {one}" for one in words.values()]


def _update(update: Json, lines: list[str], words: dict[str, str]) -> None:
    kind, meta = update["sessionUpdate"], update.get("_meta", {})
    if kind == "agent_message_chunk":
        id_ = update.get("messageId", "")
        words[id_] = words.get(id_, "") + update["content"].get("text", "")
    elif kind == "session_info_update":
        payload = air.payload_of(meta) or {}
        if payload:
            lines.append(f"{kind} {_facts(payload)}")
    elif kind not in _FLOATING:
        lines.append(f"{kind} {_facts(update)} {_facts(air.payload_of(meta) or {})}")


def _facts(value: Any) -> str:
    if not isinstance(value, dict):
        return json.dumps(value)
    told = {key: value[key] for key in _SAID if isinstance(value.get(key), str)}
    inner = {
        key: _facts(one)
        for key, one in value.items()
        if isinstance(one, dict) and key not in ("usage", "quota", "content", "rawInput")
    }
    return f"{sorted(value)} {told} {inner}"


async def _main() -> None:
    lines, home = await play()
    RECORDING.parent.mkdir(exist_ok=True)
    RECORDING.write_text(recorded(lines, home))


if __name__ == "__main__":
    asyncio.run(_main())
