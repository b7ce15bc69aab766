"""``canopy --plain`` as a program: its lines, its exit codes, and what it writes nowhere."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fakes.agent import (
    FakeAgentScript,
    ask_permission,
    child_ended,
    said,
    spawned,
    tool_update,
)

CANOPY = (sys.executable, "-m", "canopy_tui")
HANG_SECONDS = 90  # a bound for what takes a second
HOSTILE = "\x1b[2J\x1b]0;title\x07[bold]not markup[/] \u202eback"
CONTROLS = {chr(code) for code in (*range(32), *range(127, 160))} - {"\n"}


def command(script: FakeAgentScript, *arguments: str) -> list[str]:
    return [*CANOPY, "--plain", "--trust", "--agent", json.dumps(script.command), *arguments]


def plain(
    script: FakeAgentScript, *arguments: str, typed: str | bytes = ""
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        command(script, *arguments),
        input=typed if isinstance(typed, bytes) else typed.encode(),
        capture_output=True,
        timeout=HANG_SECONDS,
        check=False,
        env={**os.environ, "CANOPY_CONFIG_DIR": str(script.folder / "config")},
    )
    out, err = done.stdout.decode(), done.stderr.decode()
    assert not CONTROLS & set(out + err)
    return subprocess.CompletedProcess(done.args, done.returncode, out, err)


def scripted(folder: Path, *prompts: list[Any], **more: Any) -> FakeAgentScript:
    return FakeAgentScript(folder, **{"session/prompt": list(prompts), **more})


def test_a_whole_talk_its_recording_and_its_replay(tmp_path: Path) -> None:
    script = scripted(
        tmp_path,
        [
            {"updates": [said(f"I look. {HOSTILE}\nTwo lines"), spawned("C", "Fix the build")]},
            {"update": said("Building.", "c1"), "session": "C"},
            ask_permission("p", "C", "t1"),
            {"answered": "p"},
            {"update": tool_update("t1", status="completed"), "session": "C"},
            {"update": child_ended("C")},
            {"update": said("All done.", "m2")},
        ],
    )
    recording = tmp_path / "talk.jsonl"
    done = plain(script, "make it work", "--record", str(recording), typed="yes\n1\n")
    assert done.stderr == f"canopy: recorded to {str(recording)!r}; canopy replay shows it\n"
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[:2] == ["canopy: connected to Fake", "you: make it work"]
    assert any("[bold]not markup[/]" in line for line in lines)
    asked = lines.index("Fix the build: question: rm -r build")
    assert lines[asked:][1:] == [
        "Fix the build:   | command: rm -r build",
        "Fix the build:   1. Allow",
        "Fix the build:   2. Reject",
        "Fix the build: Type a number from 1 to 2.",
        "canopy: That is no answer: type a number from 1 to 2.",
        "Fix the build: tool done: $ rm -r build",
        "Fix the build: agent done",
        "main: All done.",
        "main: turn ended",
    ]
    assert script.answers()[0]["result"]["outcome"]["optionId"] == "yes"

    again = subprocess.run(
        [*CANOPY, "replay", "--plain", str(recording)],
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        check=True,
    )
    for_the_person = ("canopy: That", "Fix the build: Type")
    own = [line for line in lines if not line.startswith(for_the_person)]
    assert again.stdout.splitlines() == own
    assert again.stderr == ""
    torn = tmp_path / "torn.jsonl"
    torn.write_bytes(recording.read_bytes()[:-9])
    number = recording.read_bytes().count(b"\n")
    cut = subprocess.run(
        [*CANOPY, "replay", "--plain", str(torn)],
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        check=True,
    )
    assert cut.stderr == f"canopy: {str(torn)!r}: line {number} is cut off and was left out\n"


def test_a_prompt_from_a_pipe_and_nobody_to_answer(tmp_path: Path) -> None:
    script = scripted(tmp_path, [ask_permission("p", "$SESSION", "t1"), {"answered": "p"}])
    done = plain(script, typed=b"do \xff it\nnow\n")
    assert script.received("session/prompt")[0]["params"]["prompt"] == [
        {"type": "text", "text": "do \ufffd it\nnow"}
    ]
    assert script.answers()[0]["result"]["outcome"]["optionId"] == "no"
    assert "canopy: nobody is there to answer, so the answer is no: Reject" in done.stdout
    assert "Type" not in done.stdout
    assert done.returncode == 4


@pytest.mark.parametrize(
    ("steps", "code", "words"),
    [
        ([{"respond": {"stopReason": "refusal"}}], 3, "turn ended: the model refused"),
        ([{"stderr": "no disk\x1b[1m"}, {"exit": 7}], 1, "stderr: no disk"),
    ],
)
def test_the_exit_code_says_how_it_ended(
    tmp_path: Path, steps: list[Any], code: int, words: str
) -> None:
    done = plain(scripted(tmp_path, steps), "go")
    assert words in done.stdout
    assert done.returncode == code


def test_a_reader_that_leaves_and_a_signal_end_it(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    script = scripted(tmp_path, [{"update": said("One\n")}, {"file": str(gate)}])
    with subprocess.Popen(
        command(script, "go"), stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True
    ) as running:
        assert running.stdout is not None
        while "One" not in running.stdout.readline():
            pass
        running.send_signal(signal.SIGTERM)
        assert running.wait(HANG_SECONDS) == 128 + signal.SIGTERM
    left = f"{shlex.join(command(script, 'go'))} | head -1; exit ${{PIPESTATUS[0]}}"
    gate.touch()
    script.play({"session/prompt": [[{"updates": [said("x\n" * 9000)]}]]})
    done = subprocess.run(
        ["bash", "-c", left],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        check=False,
    )
    assert (done.stderr, done.returncode) == ("", 128 + signal.SIGPIPE)


def test_a_full_disk_is_told_and_ends_it(tmp_path: Path) -> None:
    script = scripted(tmp_path, [{"updates": [said("x\n" * 9000)]}, {"file": "never"}])
    for line in (command(script, "go"), [*CANOPY, "--help"]):
        done = subprocess.run(
            ["sh", "-c", f"{shlex.join(line)} > /dev/full"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=HANG_SECONDS,
            check=False,
        )
        assert done.stderr == "canopy: the output cannot be written: No space left on device\n"
        assert done.returncode == 1


def test_a_recording_that_was_cut_off_is_told(tmp_path: Path) -> None:
    script = scripted(tmp_path, [{"updates": [said("x" * 90_000)]}])
    for blocks, words in (
        (0, "r0' cannot be made: File too large\n"),
        (9, "r9' is cut off: File too large; canopy replay shows it\n"),
    ):
        line = command(script, "--record", str(tmp_path / f"r{blocks}"), "go")
        done = subprocess.run(
            ["sh", "-c", f"ulimit -f {blocks}; PYTHONDONTWRITEBYTECODE=1 {shlex.join(line)}"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=HANG_SECONDS,
            check=False,
        )
        assert done.stderr.endswith(words)
