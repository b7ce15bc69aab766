"""Recordings: what goes through a connection is in the file, private, and can be read back."""

from __future__ import annotations

import asyncio
import os
import stat
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from canopy_shared import jsonio
from canopy_shared.content import TextContent
from canopy_shared.errors import AcpError, parse_error
from canopy_shared.frames import Frame, Malformed, Notification, Request, Response
from canopy_shared.inproc import linked_pair
from canopy_shared.record import (
    AGENT,
    CLIENT,
    REDACTED,
    Recorder,
    Recording,
    RecordingError,
    RecordingTransport,
    read_recording,
    redacted,
)
from canopy_shared.updates import AgentMessageChunk, SessionUpdate


class Clock:
    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


def recorded(file: Path, *steps: tuple[float, Any, Frame]) -> Recording:
    """What is read back after ``(seconds, sender, frame)`` were recorded."""
    clock = Clock()
    recorder = Recorder(file, clock=clock)
    for at, sender, frame in steps:
        clock.now = 1_700_000_000.0 + at
        recorder.sent(sender, frame)
    recorder.close()
    return read_recording(file)


def same(a: Frame | None, b: Frame | None) -> bool:
    """Equal, errors by what they say."""
    if isinstance(a, Response) and isinstance(b, Response) and a.error and b.error:
        return (a.id, a.error.to_wire()) == (b.id, b.error.to_wire())
    if isinstance(a, Malformed) and isinstance(b, Malformed):
        return a.error.message == b.error.message
    return a == b


def test_messages_come_back_with_sender_and_time(tmp_path: Path) -> None:
    frames: list[tuple[float, Any, Frame]] = [
        (0.0, CLIENT, Request(1, "initialize", {"protocolVersion": 1})),
        (0.25, AGENT, Response(1, {"protocolVersion": 1})),
        (1.5, AGENT, Notification("session/update", {"sessionId": "s", "update": {}})),
        (2.0, AGENT, Request("p-1", "session/request_permission", {"sessionId": "s"})),
        (3.0, CLIENT, Response("p-1", error=AcpError(-32800, "Request cancelled"))),
        (4.0, AGENT, Malformed(None, parse_error("the line is not valid JSON"))),
    ]
    recording = recorded(tmp_path / "r.jsonl", *frames)
    assert recording.started_at == 1_700_000_000.0
    assert recording.duration == 4.0
    assert recording.damage() == ""
    assert [(step.at, step.sender) for step in recording.steps] == [f[:2] for f in frames]
    for step, (_, _, frame) in zip(recording.steps, frames, strict=True):
        assert same(step.frame, frame)


def test_the_file_is_private_and_never_an_old_one(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    Recorder(file).close()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    before = file.read_bytes()
    with pytest.raises(FileExistsError):
        Recorder(file)
    assert file.read_bytes() == before


def test_a_directory_gets_a_new_file_each_time(tmp_path: Path) -> None:
    made = [Recorder(tmp_path, clock=Clock()) for _ in range(3)]
    for recorder in made:
        recorder.close()
    assert len({recorder.file for recorder in made}) == 3
    assert {recorder.file.parent for recorder in made} == {tmp_path}


def test_a_full_disk_ends_the_recording_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    recorder = Recorder(tmp_path / "r.jsonl")

    def full(_descriptor: int, _bytes: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    recorder.sent(CLIENT, Notification("session/cancel", {"sessionId": "s"}))
    recorder.sent(CLIENT, Notification("session/cancel", {"sessionId": "s"}))
    recorder.happened("closed")
    recorder.close()
    assert [record.getMessage() for record in caplog.records] == [
        "the recording ends here: No space left on device"
    ]
    assert recorder.failure == "No space left on device"
    with pytest.raises(OSError, match="No space left"):
        Recorder(tmp_path / "other.jsonl")
    assert not (tmp_path / "other.jsonl").exists()


def test_cut_off_and_broken_lines_are_left_out_and_named(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    frame = Notification("session/cancel", {"sessionId": "s"})
    recorded(file, (1.0, CLIENT, frame), (2.0, CLIENT, frame))
    head, first, second, _ = file.read_bytes().split(b"\n")
    odd = [b"[]", b"{}", b'{"t":9,"from":"nobody","message":{}}', b'{"t":"x","from":"client"}']
    file.write_bytes(b"\n".join([head, first, b"{broken", *odd, b"", second, second[:-9]]))
    recording = read_recording(file)
    assert [step.frame for step in recording.steps] == [frame, frame]
    assert recording.broken == (3, 4, 5, 6, 7, 10)
    assert recording.torn
    assert recording.damage() == "lines 3, 4, 5, 6, 7 and 1 more are broken and were left out"


def test_a_recording_that_was_cut_off_says_where(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    frame = Notification("session/cancel", {"sessionId": "s"})
    recorded(file, (1.0, CLIENT, frame), (2.0, CLIENT, frame))
    whole = file.read_bytes()
    for cut in range(len(whole)):
        file.write_bytes(whole[:cut])
        lines = whole[:cut].count(b"\n")
        if not lines:
            continue
        recording = read_recording(file)
        rest = whole[:cut].rpartition(b"\n")[2]
        whole_last = rest.endswith(b"}}}")
        assert len(recording.steps) == lines - 1 + whole_last
        torn = bool(rest) and not whole_last
        expected = "" if recording.steps else "only the first line is there"
        if torn:
            expected = f"line {lines + 1} is cut off and was left out"
        assert recording.damage() == expected
    file.write_bytes(whole.replace(b'"method"', b"method", 1))
    assert read_recording(file).damage() == "line 2 is broken and was left out"


@pytest.mark.parametrize("time", ["1e308", "1e400", "-5", "NaN", "1" + "0" * 400, "4e7", "true"])
def test_a_time_that_no_recording_lasts_is_none(tmp_path: Path, time: str) -> None:
    file = tmp_path / "r.jsonl"
    frame = Notification("session/cancel", {"sessionId": "s"})
    recorded(file, (1.0, CLIENT, frame), (2.0, CLIENT, frame))
    head, first, second, _ = file.read_text().split("\n")
    odd = f'{{"t":{time},{first.partition(",")[2]}'
    file.write_text("\n".join([head, odd, first, odd, second]))
    recording = read_recording(file)
    assert recording.duration <= 2.0
    file.write_text("\n".join([f'{{"at":{time},{head[1:].replace("at", "was")}', first]))
    datetime.fromtimestamp(read_recording(file).started_at)


def test_only_the_first_line_is_read_of_what_is_no_recording(tmp_path: Path) -> None:
    file = tmp_path / "endless"
    with file.open("wb") as opened:
        opened.truncate(1 << 36)  # a hole: more than fits into memory
    with pytest.raises(RecordingError, match="is not a recording"):
        read_recording(file)


def test_time_never_goes_back(tmp_path: Path) -> None:
    frame = Notification("session/cancel", {"sessionId": "s"})
    recording = recorded(tmp_path / "r", (2.0, CLIENT, frame), (1.0, CLIENT, frame))
    assert [step.at for step in recording.steps] == [2.0, 2.0]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is not a recording"),
        (b"\x00\xff\n", "is not a recording"),
        (b'{"type":"user"}\n', "is not a recording"),
        (b'{"canopy":"recording","version":2}\n', "has version 2"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, content: bytes, says: str) -> None:
    file = tmp_path / "r"
    file.write_bytes(content)
    with pytest.raises(RecordingError, match=says):
        read_recording(file)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="No such file"):
        read_recording(tmp_path / "none")


def test_what_may_be_secret_is_not_recorded(tmp_path: Path) -> None:
    secret = "hunter2"
    params = {
        "cwd": "/home/ada",
        "mcpServers": [
            {
                "name": "s",
                "command": "srv",
                "args": ["--port", "80", "--api-key", secret, f"--token={secret}"],
                "env": [{"name": "KEY", "value": secret}],
            },
            {
                "name": "h",
                "type": "http",
                "url": f"https://example.org/mcp?key={secret}",
                "headers": [{"name": "Authorization", "value": secret}],
            },
        ],
        "_meta": {"claudeCode": {"options": {"env": {"A": secret, "B": secret}}}},
        "apiKey": secret,
        "maxTokens": 5,
    }
    recording = recorded(tmp_path / "r", (0.0, CLIENT, Request(1, "session/new", params)))
    assert secret not in (tmp_path / "r").read_text()
    frame = recording.steps[0].frame
    assert isinstance(frame, Request)
    first, second = frame.params["mcpServers"]
    assert first["args"] == ["--port", "80", "--api-key", REDACTED, f"--token={REDACTED}"]
    assert first["env"] == [{"name": "KEY", "value": REDACTED}]
    assert second["url"] == "https://example.org/mcp"
    assert second["headers"] == [{"name": "Authorization", "value": REDACTED}]
    assert frame.params["maxTokens"] == 5
    assert frame.params["cwd"] == "/home/ada"


def test_answers_about_secrets_are_not_recorded(tmp_path: Path) -> None:
    secret = "hunter2"
    page = f"https://example.org/login?state={secret}"
    providers = {"providers": [{"id": "p", "current": {"headers": {"x-key": secret}}}]}
    recorded(
        tmp_path / "r",
        (0.0, CLIENT, Request(1, "providers/list", {})),
        (0.0, AGENT, Request(1, "elicitation/create", {"mode": "url", "url": page})),
        (0.0, AGENT, Response(1, providers)),
        (0.0, CLIENT, Response(1, {"action": "accept", "content": {"apiKey": secret, "n": 1}})),
    )
    told = (tmp_path / "r").read_text()
    assert secret not in told
    assert '"n":1' in told
    assert "https://example.org/login" in told


def test_what_is_talked_about_is_recorded_as_it_is(tmp_path: Path) -> None:
    params = {"sessionId": "s", "prompt": [{"type": "text", "text": "x"}], "token": "t"}
    recording = recorded(tmp_path / "r", (0.0, CLIENT, Request(1, "session/prompt", params)))
    assert recording.steps[0].frame == Request(1, "session/prompt", params)


async def test_both_ends_of_a_pair_in_one_process_record_the_same(tmp_path: Path) -> None:
    ours, theirs = linked_pair()
    client = RecordingTransport(ours, Recorder(tmp_path / "c", clock=Clock()), CLIENT)
    agent = RecordingTransport(theirs, Recorder(tmp_path / "a", clock=Clock()), AGENT)
    client.send(Request(1, "session/prompt", {"sessionId": "s"}))
    assert await agent.receive() == [Request(1, "session/prompt", {"sessionId": "s"})]
    update = SessionUpdate("s", AgentMessageChunk(TextContent("Hi"), "m"))
    agent.send(Notification("session/update", update))
    assert await client.receive() == [Notification("session/update", update)]
    await client.drained()
    await agent.aclose()
    assert await client.receive() == []
    own, other = read_recording(tmp_path / "c"), read_recording(tmp_path / "a")
    assert own == other
    last = own.steps[-1].frame
    assert isinstance(last, Notification)
    assert last.params["update"]["content"] == {"type": "text", "text": "Hi"}


def test_a_message_that_cannot_be_serialised_is_left_out(tmp_path: Path) -> None:
    recording = recorded(tmp_path / "r", (0.0, AGENT, Notification("x", {"a": object()})))
    assert recording.steps == ()


_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
_objects = st.dictionaries(st.text(max_size=5), _json, max_size=4)
_ids = st.integers(0, 2**40) | st.text(min_size=1, max_size=8)
_frames = st.one_of(
    st.builds(Request, _ids, st.sampled_from(["session/prompt", "x/y"]), _objects),
    st.builds(Notification, st.sampled_from(["session/update", "$/z"]), _objects),
    st.builds(Response, _ids, _objects),
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.tuples(st.floats(0, 9), st.sampled_from([CLIENT, AGENT]), _frames)))
def test_any_messages_come_back(tmp_path: Path, steps: list[tuple[float, Any, Frame]]) -> None:
    file = tmp_path / "r.jsonl"
    file.unlink(missing_ok=True)
    steps.sort(key=lambda step: step[0])
    recording = recorded(file, *steps)
    told = [(step.sender, jsonio.dumps(as_json(step.frame))) for step in recording.steps]
    assert told == [(sender, jsonio.dumps(as_json(frame))) for _, sender, frame in steps]


def as_json(frame: Frame | None) -> Any:
    match frame:
        case Request(id_, method, params):
            return [id_, method, params]
        case Notification(method, params):
            return [method, params]
        case Response(id_, result):
            return [id_, result]
        case _:
            raise AssertionError(frame)


@settings(max_examples=60)
@given(value=_json)
def test_redaction_keeps_the_shape(value: Any) -> None:
    def shape(item: Any) -> Any:
        if isinstance(item, dict):
            return {key: shape(inner) for key, inner in item.items()}
        if isinstance(item, list):
            return [shape(inner) for inner in item]
        return type(item)

    assert shape(redacted(value)) == shape(value)


def test_recording_does_not_hold_a_connection_up(tmp_path: Path) -> None:
    """One line is one write: nothing waits in a buffer when the process is killed."""

    async def talk() -> bytes:
        ours, theirs = linked_pair()
        client = RecordingTransport(ours, Recorder(tmp_path / "c"), CLIENT)
        client.send(Notification("session/cancel", {"sessionId": "s"}))
        await theirs.receive()
        return (tmp_path / "c").read_bytes()

    assert asyncio.run(talk()).count(b"\n") == 2
