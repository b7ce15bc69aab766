"""Notices, copies of raw messages, idle compaction, the log file, managed policy, windows."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from accounts.stage import stage
from canopy_agent import log as agent_log
from canopy_agent.capabilities import ClientProfile
from canopy_agent.policy import with_policy
from canopy_agent.session.config_options import SessionOptions
from canopy_agent.session.context_window import ContextWindow, KnownWindows
from canopy_agent.session.idle_compaction import IdleCompaction
from canopy_agent.session.models import catalog
from canopy_agent.session.modes import Availability
from canopy_agent.session.notices import Notices
from canopy_agent.session.raw_mirror import MessageFilter, RawMirror, filters_of
from canopy_agent.session.settings_files import Tiers, claude_settings
from canopy_agent.settings import IdlePolicy, read_settings
from raw_client import RawClient
from waiting import eventually

if TYPE_CHECKING:
    from fakes.cli import FakeCli

Json = dict[str, Any]


# --- limits -------------------------------------------------------------------------------------


def limit(status: str, **facts: Any) -> Json:
    return {"type": "rate_limit_event", "rate_limit_info": {"status": status, **facts}}


def noted(profile: ClientProfile, *frames: Json) -> list[tuple[str, str | None]]:
    told: list[Any] = []
    notices = Notices(profile, told.append)
    for frame in frames:
        notices.frame(frame)
    return [(one.title, one.description) for one in told]


def test_a_limit_is_told_once_for_each_window_and_state() -> None:
    near = limit("allowed_warning", rateLimitType="seven_day", utilization=0.83, resetsAt=2_000_000)
    profile = ClientProfile(notices=True)
    told = noted(
        profile,
        limit("allowed"),
        near,
        near,
        limit("rejected", rateLimitType="seven_day", resetsAt=2_000_000),
        limit("allowed_warning", rateLimitType="tomorrow"),
    )
    assert [title for title, _ in told] == [
        "The weekly limit is near",
        "The weekly limit is reached",
        "The usage limit is near",
    ]
    assert told[0][1] is not None
    assert told[0][1].startswith("83% of it is used. It resets on ")


def test_limits_are_no_part_of_a_transcript() -> None:
    assert noted(ClientProfile(), limit("rejected", rateLimitType="five_hour")) == []


@pytest.mark.parametrize("facts", [3, {}, {"status": "rejected", "resetsAt": 10**30}])
def test_an_event_of_another_shape_does_no_harm(facts: Any) -> None:
    frame = {"type": "rate_limit_event", "rate_limit_info": facts}
    assert len(noted(ClientProfile(notices=True), frame)) <= 1


# --- copies of raw messages -----------------------------------------------------------------------


def test_what_a_client_may_ask_to_have_copied() -> None:
    def wanted(value: Any) -> Any:
        return filters_of({"claudeCode": {"emitRawSDKMessages": value}})

    assert wanted(True) == (MessageFilter(),)
    assert wanted(False) == wanted(None) == wanted("all") == ()
    rows = [{"type": "result", "origin": {"kind": "human"}}, {"subtype": "init"}, 3]
    assert wanted(rows) == (MessageFilter("result", None, "human"),)


def test_copies_fit_their_filter_and_hold_no_control_frames() -> None:
    sent: list[Any] = []
    filters = (MessageFilter("system", "init"), MessageFilter("result", origin="human"))
    mirror = RawMirror("s1", filters, lambda method, params: sent.append((method, params)))
    frames: list[Json] = [
        {"type": "system", "subtype": "init", "x": 1},
        {"type": "system", "subtype": "status"},
        {"type": "result", "origin": {"kind": "human"}},
        {"type": "result"},
        {"type": "control_request"},
    ]
    for frame in frames:
        mirror.frame(frame)
    assert sent == [
        ("_claude/sdkMessage", {"sessionId": "s1", "message": frames[0]}),
        ("_claude/sdkMessage", {"sessionId": "s1", "message": frames[2]}),
    ]
    everything: list[Any] = []
    all_of_it = RawMirror("s1", (MessageFilter(),), lambda _, params: everything.append(params))
    for frame in frames:
        all_of_it.frame(frame)
    assert len(everything) == 4


async def test_copies_over_the_wire(fake_cli: FakeCli, tmp_path: Path) -> None:
    wanted = {"claudeCode": {"emitRawSDKMessages": [{"type": "result"}]}}
    async with stage(fake_cli, tmp_path) as s:
        await s.open(_meta=wanted)
        await s.agent.prompt(s.session, "hi")
        copies = [f for f in s.agent.frames if f.get("method") == "_claude/sdkMessage"]
        (copy,) = [frame["params"] for frame in copies]
        assert copy["sessionId"] == s.session
        assert copy["message"]["type"] == "result"


async def test_a_url_elicitation_that_its_server_ends_is_completed(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    done = {
        "type": "system",
        "subtype": "elicitation_complete",
        "mcp_server_name": "x",
        "elicitation_id": "e1",
    }
    fake_cli.play(turns=[[{"open": {}}, {"emit": done}, {"done": {}}]])
    for capabilities, count in (({"elicitation": {"url": {}}}, 1), ({}, 0)):
        async with stage(fake_cli, tmp_path) as s:
            await s.open(capabilities)
            await s.agent.prompt(s.session, "hi")
            told = [f for f in s.agent.frames if f.get("method") == "elicitation/complete"]
            assert [f["params"] for f in told] == [{"elicitationId": "e1"}] * count


# --- idle compaction ------------------------------------------------------------------------------


class Timer:
    """A call that the test lets come."""

    def __init__(self, seconds: float, call: Any) -> None:
        self.seconds = seconds
        self.call = call
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class Idle:
    """An idle compaction with a clock and conditions that a test sets."""

    def __init__(self, **policy: Any) -> None:
        self.now = 0.0
        self.at_rest = True
        self.allowed = True
        self.count = 0
        self.timer: Timer | None = None
        self.watch = IdleCompaction(
            IdlePolicy(**policy),
            lambda: self.at_rest,
            self._compact,
            lambda: self.allowed,
            lambda: self.now,
            self._later,
        )

    def _later(self, seconds: float, call: Any) -> Any:
        self.timer = Timer(seconds, call)
        return self.timer

    def _compact(self) -> None:
        self.count += 1

    def answered(self, tokens: int = 250_000, *, hour: bool = True, **frame: Any) -> None:
        """The model answered with a context of ``tokens``."""
        kind = "ephemeral_1h_input_tokens" if hour else "ephemeral_5m_input_tokens"
        usage = {
            "input_tokens": 1,
            "cache_read_input_tokens": tokens,
            "cache_creation_input_tokens": 10,
            "cache_creation": {kind: 10},
        }
        message = {"model": "opus", "usage": usage}
        self.watch.frame(
            {"type": "assistant", "parent_tool_use_id": None, "message": message, **frame}
        )

    def passes(self, late: float = 0.0) -> int:
        """Let the delay pass; gives how often it compacted."""
        timer, self.timer = self.timer, None
        if timer is not None and not timer.cancelled:
            self.now += timer.seconds + late
            timer.call()
        return self.count


def test_a_large_idle_conversation_is_compacted_once() -> None:
    idle = Idle()
    idle.answered()
    assert idle.passes() == 1
    assert idle.passes() == 1
    idle.answered()
    assert idle.passes() == 2


def test_what_is_not_worth_it_or_not_allowed_is_left_alone() -> None:
    def busy(idle: Idle) -> None:
        idle.at_rest = False

    def forbidden(idle: Idle) -> None:
        idle.allowed = False

    def limited(idle: Idle) -> None:
        idle.watch.frame(limit("allowed_warning"))

    def compacted(idle: Idle) -> None:
        idle.watch.frame({"type": "system", "subtype": "compact_boundary"})

    def prompted(idle: Idle) -> None:
        idle.watch.stop()

    for hinder in (busy, forbidden, limited, compacted, prompted):
        idle = Idle()
        idle.answered()
        hinder(idle)
        assert idle.passes() == 0, hinder
    asleep = Idle()
    asleep.answered()
    assert asleep.passes(late=61.0) == 0
    for one, arguments in [
        (Idle(), {"tokens": 199_000}),
        (Idle(), {"hour": False}),
        (Idle(), {"parent_tool_use_id": "toolu_1"}),
        (Idle(enabled=False), {}),
    ]:
        one.answered(**arguments)
        assert one.passes() == 0, arguments


def test_a_read_of_the_cache_keeps_what_is_known_of_its_life() -> None:
    idle = Idle()
    idle.answered()
    usage = {"cache_read_input_tokens": 250_000, "cache_creation_input_tokens": 0}
    message = {"model": "opus", "usage": usage}
    idle.watch.frame({"type": "assistant", "parent_tool_use_id": None, "message": message})
    assert idle.passes() == 1


def test_the_environment_and_the_settings_of_idle_compaction() -> None:
    names = {
        "CLAUDE_AGENT_ACP_IDLE_COMPACT_DELAY_MS": "1500",
        "CLAUDE_CODE_IDLE_COMPACT_MIN_TOKENS": "5",
    }
    assert read_settings(names).idle_compaction == IdlePolicy(True, 1.5, 100_000)
    assert not read_settings({"DISABLE_AUTO_COMPACT": "1"}).idle_compaction.enabled
    assert read_settings({}).idle_compaction == IdlePolicy(True, 3240.0, 200_000)
    for key in ("idleCompaction", "autoCompactEnabled"):
        assert not claude_settings(Tiers(user={key: False})).compacts_when_idle
    assert claude_settings(Tiers()).compacts_when_idle


async def test_an_idle_compaction_over_the_wire(fake_cli: FakeCli, tmp_path: Path) -> None:
    usage = {
        "input_tokens": 250_000,
        "cache_creation_input_tokens": 10,
        "cache_creation": {"ephemeral_1h_input_tokens": 10},
    }
    said = {
        "type": "assistant",
        "parent_tool_use_id": None,
        "message": {"id": "m", "model": "x", "usage": usage, "content": []},
    }
    boundary = {
        "type": "system",
        "subtype": "compact_boundary",
        "uuid": "u",
        "compact_metadata": {"trigger": "manual", "pre_tokens": 9, "post_tokens": 1},
    }
    fake_cli.play(
        turns=[
            [{"open": {}}, {"emit": said}, {"done": {}}],
            [{"open": {}}, {"emit": boundary}, {"done": {"num_turns": 0}}],
        ]
    )
    delay = {"CLAUDE_AGENT_ACP_IDLE_COMPACT_DELAY_MS": "50"}
    async with stage(fake_cli, tmp_path, env=delay) as s:
        await s.open()
        await s.agent.prompt(s.session, "hi")
        call = await s.agent.wait_update("tool_call")
        assert call["rawOutput"] == {"trigger": "idle", "preTokens": 9, "postTokens": 1}
        assert (await s.agent.prompt(s.session, "on"))["stopReason"] == "end_turn"
        prompts = [frame["message"]["content"] for frame in fake_cli.received("user")]
        assert [blocks[0]["text"] for blocks in prompts] == ["hi", "/compact", "on"]


# --- windows --------------------------------------------------------------------------------------


def options(**row: Any) -> SessionOptions:
    init = {"models": [{"value": "m", "displayName": "M", "resolvedModel": "claude-m", **row}]}
    return SessionOptions("default", Availability(), models=catalog(init), model="m")


@pytest.mark.parametrize(
    ("row", "size"),
    [
        ({}, 200_000),
        ({"value": "m", "resolvedModel": "claude-m[1m]"}, 1_000_000),
        ({"description": "M with 1M context"}, 1_000_000),
        ({"description": "Costs $1.1m a year, 21m users"}, 200_000),
    ],
)
def test_a_first_guess_of_the_context(row: Json, size: int) -> None:
    said: list[int] = []
    never: list[Any] = []
    window = ContextWindow(KnownWindows(), _unused, never.append, said.append, lambda: "b")
    window.model_is(options(**row))
    never[0].close()
    assert said == [size]


def test_what_a_result_told_serves_later_sessions_of_the_same_backend() -> None:
    known = KnownWindows()
    said: list[int] = []
    work: list[Any] = []
    windows = {
        name: ContextWindow(known, _unused, work.append, said.append, lambda name=name: name)  # type: ignore[misc]
        for name in ("a", "b")
    }
    windows["a"].frame({"type": "result", "modelUsage": {"claude-m": {"contextWindow": 77}}})
    windows["a"].frame({"type": "result", "modelUsage": {"claude-m": {"contextWindow": 0}}})
    windows["a"].model_is(options())
    windows["b"].model_is(options())
    known.forget()
    windows["a"].model_is(options())
    for one in work:
        one.close()
    assert said == [77, 200_000, 200_000]


async def _unused(request: Json) -> Json:
    raise AssertionError(request)


# --- policy and log -------------------------------------------------------------------------------


def test_the_environment_of_managed_settings_goes_over_ours(tmp_path: Path) -> None:
    (tmp_path / "managed-settings.json").write_text(json.dumps({"env": {"A": "1", "B": "2"}}))
    more = tmp_path / "managed-settings.d"
    more.mkdir()
    (more / "10.json").write_text(json.dumps({"env": {"B": True, "C": 3, "D": None}}))
    found = with_policy({"A": "ours", "Z": "z"}, tmp_path)
    assert found == {"A": "1", "B": "true", "C": "3", "D": "", "Z": "z"}


@pytest.mark.parametrize("text", ["{", "[]", '{"env": 3}'])
def test_a_policy_that_cannot_be_read_changes_nothing(text: str, tmp_path: Path) -> None:
    (tmp_path / "managed-settings.json").write_text(text)
    assert with_policy({"A": "ours"}, tmp_path) == {"A": "ours"}
    assert with_policy({"A": "ours"}, tmp_path / "gone") == {"A": "ours"}


async def test_the_log_goes_to_a_file_and_errors_to_stderr_too(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    logs = tmp_path / "deep" / "logs"
    fake_cli.play(start=[{"stderr": "a line of the CLI\n"}])
    env = {**fake_cli.env, "CLAUDE_AGENT_LOGS": str(logs), "CLAUDE_CONFIG_DIR": str(tmp_path)}
    async with RawClient.spawn(env=env) as agent:
        await agent.initialize()
        await agent.new_session(tmp_path)
        path = logs / "agent.log"
        line = await eventually(
            lambda: [one for one in path.read_text().splitlines() if "a line of the CLI" in one],
            "a line in the log",
        )
        at, pid, *_ = line[0].split(" ")
        assert at.startswith("20")
        assert "T" in at
        assert pid == f"pid={agent.process.pid}"
        assert path.stat().st_mode & 0o077 == 0
        assert agent.stderr == ""


def test_a_log_directory_that_cannot_be_used_is_said_on_stderr(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    root = logging.getLogger()
    before, level = list(root.handlers), root.level
    (tmp_path / "file").write_text("")
    try:
        agent_log.set_up("WARNING", str(tmp_path / "file"))
        root.handlers[0].flush()
        assert "CLAUDE_AGENT_LOGS cannot be used" in capfd.readouterr().err
    finally:
        root.handlers, root.level = before, level


ODD: list[Json] = [
    {"type": "assistant", "error": {"a": 1}, "message": 3},
    {"type": "assistant", "message": {"usage": []}},
    {"type": "system", "subtype": "init", "mcp_servers": [3], "permissionMode": {}},
    {"type": "system", "subtype": "status", "permissionMode": 3},
    {"type": "system", "subtype": "elicitation_complete", "elicitation_id": 3},
    {"type": "system", "subtype": "model_refusal_fallback", "fallback_model": 3},
    {"type": "rate_limit_event", "rate_limit_info": []},
    {"type": "result", "modelUsage": [1], "fast_mode_state": {}, "is_error": "x"},
    {"type": "control_request", "request": 3},
    {"type": "command_lifecycle", "command_uuid": 3, "state": []},
]


async def test_frames_of_another_shape_stop_neither_a_session_nor_its_log(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    steps = [{"open": {}}, *({"emit": frame} for frame in ODD), {"say": "still here"}, {"done": {}}]
    fake_cli.play(turns=[steps])
    async with stage(fake_cli, tmp_path) as s:
        await s.open({"session": {"notices": {}}})
        await s.agent.prompt(s.session, "/usage")
        # one of the odd frames is a result, which may answer the prompt before the text
        await eventually(lambda: s.agent.text() == "still here", "the text behind the odd frames")
        assert "Traceback" not in s.agent.stderr
