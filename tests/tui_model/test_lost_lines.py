"""A line of the agent that cannot be read: the person hears of it, and nothing else is lost."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest

from canopy_shared.errors import AcpError
from canopy_shared.frames import Malformed, decode_line, oversized
from canopy_tui.host.lost_lines import TITLE, LostLines
from canopy_tui.model import events as e
from canopy_tui.model.entries import NoticeEntry
from canopy_tui.model.intents import SendPrompt
from fakes.agent import FakeAgentScript, said
from tui_model.client_world import foreign_world, notices, texts
from tui_model.reducing import Story

if TYPE_CHECKING:
    from pathlib import Path

    from canopy_shared.frames import Frame


def malformed(line: bytes | Frame) -> Malformed:
    frame = decode_line(line) if isinstance(line, bytes) else line
    assert isinstance(frame, Malformed)
    return frame


def lines_of(story: Story) -> LostLines:
    def apply(event: e.Event) -> None:
        story.happens(event)

    return LostLines(story.state, apply, lambda: story.now, "/state/canopy.log")


def told(story: Story, session: str = "S") -> list[NoticeEntry]:
    found = [entry for entry in story.entries(session) if isinstance(entry, NoticeEntry)]
    return [entry for entry in found if entry.title == TITLE]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"Server listens on 80", "It is not JSON"),
        (b"[1, 2]", "batches are not part of ACP"),
        (b'{"id": 1}', "neither a request nor a response"),
        (oversized(b'{"method":"session/update","x":"', 67108864), "larger than 67108864 bytes"),
    ],
)
async def test_what_was_lost_is_told_with_what_to_do(line: bytes | Frame, why: str) -> None:
    story = Story()
    lines_of(story).lost(malformed(line))
    (notice,) = told(story)
    assert notice.severity == "warning"
    assert why in notice.detail
    assert "send the message again" in notice.detail
    assert "/state/canopy.log" in notice.detail
    began = line.decode() if isinstance(line, bytes) else '{"method":"session/update"'
    assert f"It begins: {began}" in notice.detail


def test_each_session_hears_of_it_once_and_the_log_of_every_line(
    caplog: pytest.LogCaptureFixture,
) -> None:
    story = Story()
    story.happens(e.SessionOpened(session="T", at=story.now, cwd="/project"))
    lines = lines_of(story)
    story.prompt(session="T")
    with caplog.at_level(logging.WARNING):
        lines.lost(malformed(b"first"))
        assert (len(told(story)), len(told(story, "T"))) == (0, 1)  # only T works
        story.turn_ends(session="T")
        for line in (b"second", b"third"):
            lines.lost(malformed(line))
    assert (len(told(story)), len(told(story, "T"))) == (1, 1)
    for line in ("first", "second", "third"):
        assert line in caplog.text


def test_an_agent_that_is_gone_says_nothing_more() -> None:
    story = Story()
    story.happens(e.LinkChanged(status="lost", at=story.now))
    lines_of(story).lost(malformed(b"x"))
    assert told(story) == []


def test_a_line_is_shown_harmless_and_short() -> None:
    story = Story()
    line = Malformed(None, AcpError(-32700, "Parse error"), said=b"\x1b[31m\xff" + b"x" * 400)
    lines_of(story).lost(line)
    (notice,) = told(story)
    assert "\x1b" not in notice.detail
    assert "x" * 100 not in notice.detail


async def test_the_rest_of_what_an_agent_says_arrives(tmp_path: Path) -> None:
    steps: list[Any] = [
        {"updates": [said("before ")]},
        {"raw": "npm warn deprecated"},
        {"raw": "and again"},
        {
            "raw": '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"S1",'
            '"update":{"sessionUpdate":"agent_message_chunk","messageId":"m1",'
            '"content":{"type":"text","text":"caf\udcff"}}}}'
        },
        {"updates": [said(" after")]},
    ]
    script = FakeAgentScript(tmp_path, **{"session/prompt": [steps]})
    async with foreign_world(script, CANOPY_CONFIG_DIR=str(tmp_path)) as seen:
        root = await seen.ready()
        seen.act(SendPrompt(root.id, "go"))
        await seen.until(lambda: root.turns_done, "the end of the turn")
        (notice,) = [entry for entry in notices(root) if entry.title == TITLE]
        assert "It begins: npm warn deprecated" in notice.detail
        assert str(tmp_path / "state" / "canopy.log") in notice.detail
        assert texts(root) == "before caf\ufffd after"
