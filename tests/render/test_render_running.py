"""Commands while they run, and memories that are recalled."""

from __future__ import annotations

from typing import Any

import pytest

from canopy_agent.capabilities import ClientProfile
from canopy_agent.domain.facts import (
    Recalled,
    ToolClosed,
    ToolExited,
    ToolInputComplete,
    ToolPrinted,
    ToolReturned,
)
from render.showing import PLAIN, renderer, shown, texts, told

STREAMS = ClientProfile(terminal="delta", terminal_replaces=True)
COMMAND = ToolInputComplete("t", "Bash", {"command": "make"})


def returned(stdout: str, **more: Any) -> ToolReturned:
    structured = {"stdout": stdout, "stderr": "", "interrupted": False, **more}
    return ToolReturned("t", stdout, structured=structured)


def output(updates: list[dict[str, Any]]) -> str:
    """What a client's terminal holds in the end."""
    held = ""
    for update in updates:
        meta = update.get("_meta", {})
        if "terminal_output" in meta:
            held = meta["terminal_output"]["data"]
        held += meta.get("terminal_output_delta", {}).get("data", "")
    return held


@pytest.mark.parametrize(
    ("printed", "whole", "sent"),
    [
        (["a\n", "b\n"], "a\nb\nc", ["a\n", "b\n", "c"]),
        (["a\n", "b\n"], "a\nb", ["a\n", "b\n"]),
        (["a\n"], "a\n", ["a\n"]),
        (["a\n", "\n[…]\nz\n"], "a\nb\nz", ["a\n", "\n[…]\nz\n", "a\nb\nz"]),
    ],
    ids=["more at the end", "no last line break", "nothing new", "a gap is filled at the end"],
)
def test_b55_output_comes_as_it_is_printed_and_once(
    printed: list[str], whole: str, sent: list[str]
) -> None:
    facts = [ToolPrinted("t", text) for text in printed]
    updates = shown(STREAMS, COMMAND, *facts, returned(whole))
    told_output = [
        value["data"]
        for update in updates
        for key, value in update.get("_meta", {}).items()
        if key.startswith("terminal_output")
    ]
    assert told_output == sent
    assert output(updates).rstrip("\n") == whole.rstrip("\n")
    assert updates[-1]["_meta"]["terminal_exit"]["exit_code"] == 0


def test_a_command_that_moves_to_the_background_keeps_its_output_and_its_terminal() -> None:
    here = renderer(STREAMS)
    told(here, COMMAND, ToolPrinted("t", "a\n"))
    done = told(here, returned("", backgroundTaskId="b1"))
    assert "terminal_exit" not in str(done)
    assert output(done) == ""
    assert output(told(here, ToolPrinted("t", "b\n"))) == "b\n"
    (exited,) = told(here, ToolExited("t"))
    assert exited["_meta"]["terminal_exit"]["terminal_id"] == "t"
    assert told(here, ToolPrinted("t", "late")) == []


def test_output_in_the_background_replaces_the_words_of_its_start() -> None:
    here = renderer(STREAMS)
    words = "Command running in background with ID: b1"
    started = ToolReturned("t", words, structured={"backgroundTaskId": "b1"}, backgrounded=True)
    updates = told(here, COMMAND, started, ToolPrinted("t", "a\n"), ToolPrinted("t", "b\n"))
    assert output(updates[:2]) == words
    assert output(updates) == "a\nb\n"


def test_output_of_a_command_that_is_cancelled_stays() -> None:
    updates = shown(STREAMS, COMMAND, ToolPrinted("t", "a\n"), ToolClosed("t", "cancelled"))
    assert output(updates) == "a\n"
    assert updates[-1]["status"] == "failed"


def test_clients_without_a_terminal_get_the_output_at_the_end() -> None:
    updates = shown(PLAIN, COMMAND, ToolPrinted("t", "a\n"), returned("a\nb"))
    assert len(updates) == 2
    assert texts(updates[-1]) == ["```console\na\nb\n```"]


def test_recalled_memories_are_places() -> None:
    rows = ({"path": "/m/a.md", "scope": "personal"}, {"path": "/m/b.md", "scope": "team"})
    (call,) = shown(PLAIN, Recalled("u", "select", rows))
    assert call == {
        "sessionUpdate": "tool_call",
        "toolCallId": "u",
        "title": "Recalled 2 memories",
        "kind": "read",
        "status": "completed",
        "content": [],
        "locations": [{"path": "/m/a.md"}, {"path": "/m/b.md"}],
        "_meta": {"claudeCode": {"toolName": "memory_recall", "toolResponse": {"mode": "select"}}},
    }


def test_a_memory_without_a_file_is_text() -> None:
    made = {"path": "<synthesis:/m>", "scope": "personal", "content": "You like tabs."}
    (call,) = shown(PLAIN, Recalled("u", "synthesize", (made,)))
    assert call["title"] == "Recalled synthesized memory"
    assert texts(call) == ["You like tabs."]
    assert "locations" not in call
    (shared,) = shown(PLAIN, Recalled("u", "select", ({"path": "https://x.example/m"},)))
    assert shared["title"] == "Recalled 1 memory"
    assert "locations" not in shared
