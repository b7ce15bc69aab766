"""The report of changed files: who gets one, what it names, and what it never names."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from accounts.stage import stage
from air.playing import declares, traces_of_air
from canopy_agent.claude.errors import ControlFailed
from canopy_agent.session import file_report
from canopy_agent.session.file_report import FileReports, ReportedPrompt, Roots
from canopy_shared.codec import encode
from canopy_shared.errors import AcpError, internal_error
from canopy_shared.ext import air
from canopy_shared.ext import file_report as fr
from fakes.cli import FakeCli

REPORTS = declares(air.AGENT_FILE_CHANGE_REPORT)


class Request:
    """A prompt of the client."""

    def __init__(self) -> None:
        self.answer: Any = None
        self.cancel: Any = None

    def respond(self, result: Any) -> None:
        self.answer = result

    def fail(self, error: Any) -> None:
        self.answer = error

    def on_cancel(self, callback: Any) -> None:
        self.cancel = callback


class Table:
    """Reports of one session over a CLI that gives ``answer``."""

    def __init__(self, cwd: Path, answer: Any, *, follows: bool = False) -> None:
        self.asked: list[Any] = []
        self.shown: list[Any] = []
        self.tasks: list[asyncio.Task[Any]] = []

        async def ask(request: Any) -> Any:
            self.asked.append(request)
            if answer is None:
                await asyncio.Event().wait()
            if isinstance(answer, Exception):
                raise answer
            return answer

        self.reports = FileReports(
            Roots((str(cwd),)),
            ask=ask,
            spawn=lambda work: self.tasks.append(asyncio.ensure_future(work)),
            show=lambda update: self.shown.append(encode(update)),
            follows=follows,
        )

    def begin(self, id_: str = "r1") -> tuple[Request, Any]:
        request = Request()
        answered = self.reports.watched(request, fr.request(id_))
        if isinstance(answered, ReportedPrompt):
            answered.prompt = "p1"
        self.reports.turned("p1")
        return request, answered

    async def end(self, answered: Any, result: Any = None) -> dict[str, Any]:
        """End the turn; gives its report."""
        answered.respond(result or {"stopReason": "end_turn"})
        await asyncio.gather(*self.tasks)
        payload: dict[str, Any] = self.shown[-1]["_meta"]["jetbrains"]["air"][fr.KEY]
        return payload


async def test_scenario_86_golden_report(tmp_path: Path) -> None:
    table = Table(tmp_path, {"canRewind": True, "filesChanged": [f"{tmp_path}/a.txt"]})
    request, answered = table.begin()
    assert await table.end(answered) == {
        "version": 1,
        "requestId": "r1",
        "status": "reported",
        "paths": [f"{tmp_path}/a.txt"],
        "declaredComplete": False,
        "truncated": False,
    }
    assert table.asked == [{"subtype": "rewind_files", "user_message_id": "p1", "dry_run": True}]
    assert request.answer == {"stopReason": "end_turn"}


def test_scenario_86_a_repeated_id_is_ignored(tmp_path: Path) -> None:
    table = Table(tmp_path, {})
    first, second = table.begin(), table.begin()
    assert isinstance(first[1], ReportedPrompt)
    assert second[1] is second[0]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (None, "timeout"),
        (ControlFailed("rewind_files", "no"), "providerError"),
        ({"canRewind": False}, "invalidOutput"),
        ({"filesChanged": [1]}, "invalidOutput"),
    ],
)
async def test_scenario_86_unavailable(
    answer: Any, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_report, "PATIENCE", 0.05)
    table = Table(tmp_path, answer)
    request, answered = table.begin()
    told = {"version": 1, "requestId": "r1", "status": "unavailable", "reason": reason}
    assert await table.end(answered) == told
    assert request.answer == {"stopReason": "end_turn"}


async def test_a_cancelled_turn_is_answered_at_once(tmp_path: Path) -> None:
    table = Table(tmp_path, None)
    request, answered = table.begin()
    answered.on_cancel(lambda: None)
    report = await table.end(answered, {"stopReason": "cancelled"})
    assert report["reason"] == "cancelled"
    assert (request.answer, table.asked) == ({"stopReason": "cancelled"}, [])
    assert request.cancel is not None


async def test_a_client_that_follows_work_is_told_before_the_end_is(tmp_path: Path) -> None:
    def payloads(table: Table) -> list[Any]:
        return [one["_meta"]["jetbrains"]["air"][fr.KEY] for one in table.shown]

    table = Table(tmp_path, {"filesChanged": [f"{tmp_path}/a.txt"]}, follows=True)
    request, answered = table.begin()
    answered.respond({"messageId": "p1"})
    assert (request.answer, table.shown) == ({"messageId": "p1"}, [])
    own = {"type": "result", "origin": {"kind": "task-notification"}}
    for frame in ({"type": "assistant"}, own, {"type": "result", "terminal_reason": "aborted_x"}):
        assert table.reports.rewrite(frame) is None
    result = {"type": "result", "subtype": "success"}
    held = table.reports.rewrite(result)
    assert held is not None
    assert (await held, table.shown) == (result, [])
    answered.settled(cancelled=False)
    assert payloads(table)[0]["paths"] == [f"{tmp_path}/a.txt"]
    assert table.reports.rewrite(result) is None  # once

    for id_, code, reason in (("r2", -32800, "cancelled"), ("r3", -32603, "providerError")):
        request, answered = table.begin(id_)
        answered.fail(AcpError(code, "no"))
        assert (payloads(table)[-1]["requestId"], payloads(table)[-1]["reason"]) == (id_, reason)
        assert request.answer.code == code
    request, answered = table.begin("r4")
    answered.respond({"messageId": "p1"})
    answered.settled(cancelled=True)
    assert payloads(table)[-1]["reason"] == "cancelled"


async def test_a_failed_turn_is_reported_before_its_error(tmp_path: Path) -> None:
    table = Table(tmp_path, {"filesChanged": []})
    request, answered = table.begin()
    answered.fail(internal_error("broken"))
    await asyncio.gather(*table.tasks)
    assert table.shown[-1]["_meta"]["jetbrains"]["air"][fr.KEY]["paths"] == []
    assert request.answer.code == -32603


async def test_the_end_of_the_session_answers_too(tmp_path: Path) -> None:
    table = Table(tmp_path, None)
    request, answered = table.begin()
    answered.respond({"stopReason": "end_turn"})
    await asyncio.sleep(0)
    for task in table.tasks:
        task.cancel()
    await asyncio.gather(*table.tasks, return_exceptions=True)
    assert request.answer == {"stopReason": "end_turn"}


# --- subagents ------------------------------------------------------------------------------------


def edit(id_: str, path: Any, name: str = "Write", field: str = "file_path") -> dict[str, Any]:
    block = {"type": "tool_use", "id": id_, "name": name, "input": {field: path}}
    return {"type": "assistant", "parent_tool_use_id": "T1", "message": {"content": [block]}}


def edited(id_: str, *, failed: bool = False) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": id_, "is_error": failed}
    return {"type": "user", "parent_tool_use_id": "T1", "message": {"content": [block]}}


async def test_what_subagents_edited_is_added(tmp_path: Path) -> None:
    table = Table(tmp_path, {"filesChanged": [f"{tmp_path}/a"]})
    table.reports.frame(edit("e0", f"{tmp_path}/before"))
    table.reports.frame(edited("e0"))
    _, answered = table.begin()
    for frame in (
        edit("e1", f"{tmp_path}/b"),
        edit("e2", f"{tmp_path}/refused"),
        edit("e3", f"{tmp_path}/c.ipynb", "NotebookEdit", "notebook_path"),
        edit("e4", f"{tmp_path}/read", "Read"),
        edit("e5", 7),
        edited("e1"),
        edited("e2", failed=True),
        edited("e3"),
        edited("e4"),
        edited("e9"),
        {"type": "user", "parent_tool_use_id": "T1", "message": "odd"},
    ):
        table.reports.frame(frame)
    report = await table.end(answered)
    assert report["paths"] == [f"{tmp_path}/a", f"{tmp_path}/b", f"{tmp_path}/c.ipynb"]


async def test_what_subagents_edited_is_told_alone(tmp_path: Path) -> None:
    table = Table(tmp_path, ControlFailed("rewind_files", "no"))
    _, answered = table.begin()
    table.reports.frame(edit("e1", f"{tmp_path}/b"))
    table.reports.frame(edited("e1"))
    assert (await table.end(answered))["paths"] == [f"{tmp_path}/b"]


# --- paths ----------------------------------------------------------------------------------------


def test_paths_are_canonical_and_inside(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "real").mkdir(parents=True)
    (project / "link").symlink_to(project / "real")
    (project / "out").symlink_to(tmp_path)
    roots = Roots((str(project),))
    assert roots.sorted_out([f"{project}/link/a", f"{project}/real/a"]) == (
        (f"{project}/real/a",),
        False,
    )
    for wrong in (
        str(project),
        f"{project}/out/secret",
        f"{tmp_path}/elsewhere",
        f"{project}-not/a",
        "relative",
        f"{project}/a\nb",
        f"{project}/{'x' * 4100}",
        f"{project}/..",
    ):
        assert roots.sorted_out([wrong]) == ((), True), wrong


def test_a_report_is_bounded() -> None:
    roots = Roots(("/project",))
    paths, left_out = roots.sorted_out(f"/project/{number}" for number in range(2000))
    assert (len(paths), left_out) == (1024, True)
    long = [f"/project/{'x' * 3000}{number}" for number in range(200)]
    paths, left_out = roots.sorted_out(long)
    assert left_out
    assert sum(map(len, paths)) <= 256 * 1024


# --- who may ask ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "asked",
    [
        {"version": 2, "requestId": "r"},
        {"version": True, "requestId": "r"},
        {"version": 1, "requestId": ""},
        {"version": 1, "requestId": "a b"},
        {"version": 1, "requestId": "x" * 129},
        {"version": 1, "requestId": 5},
        {"version": 1, "requestId": "r", "more": 1},
        {"requestId": "r"},
        "r",
        None,
    ],
)
def test_a_malformed_request_is_none(asked: Any) -> None:
    assert fr.requested(air.wrap(**{fr.REQUEST_KEY: asked})) is None


def test_a_request_and_a_report_read_back() -> None:
    assert fr.requested(fr.request("a.B:c-1")) == "a.B:c-1"
    for report in (
        fr.FileReport("r", ("/a",), True),
        fr.FileReport("r", reason="timeout"),
    ):
        assert fr.read(fr.wrap(report)) == report
    assert fr.read({}) is None


@pytest.mark.parametrize(
    "capabilities", [{}, declares(), REPORTS], ids=["plain", "without", "with"]
)
async def test_a_plain_client_gets_no_report(
    capabilities: dict[str, Any], fake_cli: FakeCli, tmp_path: Path
) -> None:
    fake_cli.play(control={"rewind_files": {"response": {"filesChanged": []}}})
    async with stage(fake_cli, tmp_path) as s:
        session = await s.open(capabilities)
        await s.agent.prompt(session, "hi", _meta=fr.request("r1"))
        metas = [u.get("_meta", {}) for u in s.agent.updates("session_info_update")]
        reports = [one for one in map(fr.read, metas) if one is not None]
        wanted = capabilities is REPORTS
        assert len(reports) == wanted
        assert bool(fake_cli.requests("rewind_files")) is wanted
        if not capabilities:
            assert traces_of_air(s.agent.updates()) == []
        if wanted:
            frames = s.agent.frames
            at = next(i for i, one in enumerate(frames) if fr.KEY in str(one))
            answer = next(i for i, one in enumerate(frames) if "stopReason" in str(one))
            assert at < answer
