"""Text, thoughts, notices, usage, modes and the lives of children."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from canopy_agent.capabilities import ClientProfile
from canopy_agent.domain.facts import (
    ChildAnnounced,
    ChildEnded,
    ChildOptionsShown,
    ChildReported,
    Delivered,
    ModeShown,
    Noted,
    Pictured,
    Replied,
    Said,
    Thought,
    ToolReturned,
    UsageShown,
    UserSaid,
)
from canopy_agent.render.renderer import Renderer
from canopy_shared.updates import ConfigChoice, ConfigOption
from render.showing import AIR, CWD, PLAIN, PROFILES, shown, told

if TYPE_CHECKING:
    from collections.abc import Mapping

    from canopy_agent.domain.facts import Fact

Json = dict[str, Any]


def chunk(kind: str, content: Json, **more: Any) -> Json:
    return {"sessionUpdate": kind, "content": content, **more}


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def test_33_chunks_of_a_message_share_its_id() -> None:
    assert shown(PLAIN, Said("Hel", "msg_1"), Said("lo", "msg_1")) == [
        chunk("agent_message_chunk", text("Hel"), messageId="msg_1"),
        chunk("agent_message_chunk", text("lo"), messageId="msg_1"),
    ]


def test_34_a_message_that_did_not_stream_is_one_chunk() -> None:
    assert shown(PLAIN, Said("Hello")) == [chunk("agent_message_chunk", text("Hello"))]


def test_thoughts_and_pictures() -> None:
    image = Pictured("AAAA", "image/png", "https://a", "msg_1")
    assert shown(PLAIN, Thought("Hm", "msg_1"), image) == [
        chunk("agent_thought_chunk", text("Hm"), messageId="msg_1"),
        chunk(
            "agent_message_chunk",
            {"type": "image", "data": "AAAA", "mimeType": "image/png", "uri": "https://a"},
            messageId="msg_1",
        ),
    ]


def test_what_a_subagent_says_names_its_launch() -> None:
    meta = {"claudeCode": {"parentToolUseId": "launch"}}
    for fact in (Said("a"), Thought("a"), Pictured("A", "image/png"), UserSaid((text("a"),))):
        (update,) = shown(PLAIN, fact, parent="launch")
        assert update["_meta"] == meta


def test_empty_text_says_nothing() -> None:
    assert shown(PLAIN, Said(""), Thought(""), UserSaid((text(""),)), UserSaid(())) == []


def test_user_message_has_a_chunk_per_block() -> None:
    source = {"type": "base64", "media_type": "image/png", "data": "AAAA"}
    fact = UserSaid((text("look"), {"type": "image", "source": source}), "u1")
    assert shown(PLAIN, fact) == [
        chunk("user_message_chunk", text("look"), messageId="u1"),
        chunk(
            "user_message_chunk",
            {"type": "image", "data": "AAAA", "mimeType": "image/png"},
            messageId="u1",
        ),
    ]


def test_51_usage() -> None:
    origin = {"kind": "human"}
    limit = {"status": "allowed"}
    fact = UsageShown(5, 200_000, 0.25, "claude-x", origin, limit)
    assert shown(PLAIN, fact) == [
        {
            "sessionUpdate": "usage_update",
            "used": 5,
            "size": 200_000,
            "cost": {"amount": 0.25, "currency": "USD"},
            "_meta": {
                "_claude/model": "claude-x",
                "_claude/origin": origin,
                "_claude/rateLimit": limit,
            },
        }
    ]
    assert shown(PLAIN, UsageShown(0, 1)) == [
        {"sessionUpdate": "usage_update", "used": 0, "size": 1}
    ]


def test_mode() -> None:
    assert shown(PLAIN, ModeShown("plan")) == [
        {"sessionUpdate": "current_mode_update", "currentModeId": "plan"}
    ]


def test_options_of_a_child_are_worded_by_the_session() -> None:
    def worded(values: Mapping[str, str]) -> tuple[ConfigOption, ...]:
        choice = ConfigChoice(values["model"], "Opus")
        return (ConfigOption("model", "Model", "select", "opus", options=(choice,)),)

    here = Renderer(AIR, CWD, child_options=worded)
    (update,) = told(here, ChildOptionsShown({"model": "opus"}), parent="launch")
    assert update["sessionUpdate"] == "config_option_update"
    (option,) = update["configOptions"]
    assert option["options"] == [{"value": "opus", "name": "Opus"}]


NOTICES = ClientProfile(notices=True)


@pytest.mark.parametrize(
    ("fact", "notice", "line"),
    [
        (
            Noted("warning", "Auto mode unavailable", "Using accept edits."),
            ("warning", "Auto mode unavailable", "Using accept edits."),
            "**Auto mode unavailable:** Using accept edits.",
        ),
        (Noted("info", "Done"), ("info", "Done", None), "**Done**"),
        (Noted("info", "Hi there", kind={"kind": "informational"}), None, "Hi there"),
        (
            Noted("warning", "**Low** disk\nOnly `1` GB", kind={"kind": "informational"}),
            ("warning", "Low disk", "Only `1` GB"),
            "**Warning:** **Low** disk\nOnly `1` GB",
        ),
        (
            Noted("suggestion", "x" * 300, kind={"kind": "informational"}),
            ("info", "Claude Code", "x" * 300),
            "**Suggestion:** " + "x" * 300,
        ),
    ],
)
def test_notices(fact: Noted, notice: tuple[str, str, str | None] | None, line: str) -> None:
    notices = shown(NOTICES, fact)
    if notice is None:
        assert notices == []
    else:
        severity, title, description = notice
        assert notices == [
            {"sessionUpdate": "notice", "severity": severity, "title": title}
            | ({"description": description} if description else {})
        ]
    (chunk_,) = shown(PLAIN, fact)
    assert chunk_["content"] == text(line)


def test_notice_in_the_transcript_says_its_kind() -> None:
    fact = Noted("info", "srv failed", kind={"kind": "mcpServerStatus", "server": "srv"})
    (update,) = shown(PLAIN, fact)
    assert update["_meta"] == {"claudeCode": {"kind": "mcpServerStatus", "server": "srv"}}
    (update,) = shown(PLAIN, Noted("warning", "x", kind={"kind": "informational"}))
    assert update["_meta"] == {"claudeCode": {"kind": "informational", "level": "warning"}}
    (update,) = shown(PLAIN, Noted("info", "x"))
    assert "_meta" not in update


# --- children ------------------------------------------------------------------------------------

RUNNING = {"state": "running"}


@pytest.mark.parametrize(
    ("fact", "update"),
    [
        (
            ChildAnnounced("a1", "Fix", "Fix it", "Fix it please"),
            {
                "sessionUpdate": "subagent_spawned",
                "subagentSessionId": "a1",
                "name": "Fix",
                "task": "Fix it",
                "prompt": "Fix it please",
                "capabilities": {},
            },
        ),
        (
            ChildAnnounced("a1", "Fix", "Fix it", None, cancellable=True),
            {
                "sessionUpdate": "subagent_spawned",
                "subagentSessionId": "a1",
                "name": "Fix",
                "task": "Fix it",
                "capabilities": {"cancel": {}},
            },
        ),
        (
            ChildEnded("a1", "cancelled"),
            {
                "sessionUpdate": "subagent_state_update",
                "subagentSessionId": "a1",
                "state": "cancelled",
            },
        ),
        (
            ChildReported("a1", "Fix", "general-purpose", True, RUNNING),
            {
                "sessionUpdate": "subagent_update",
                "sessionId": "a1",
                "title": "Fix",
                "description": "general-purpose",
                "capabilities": {"cancel": {}},
                "state": RUNNING,
            },
        ),
        (
            ChildReported("a1", cwd="/tree"),
            {"sessionUpdate": "subagent_update", "sessionId": "a1", "cwd": "/tree"},
        ),
        (
            ChildReported("a1", clear_cwd=True),
            {"sessionUpdate": "subagent_update", "sessionId": "a1", "cwd": None},
        ),
        (
            Delivered("m", "S", "a1", (text("go"),), recipient_message_id="m"),
            {
                "sessionUpdate": "session_message",
                "messageId": "m",
                "senderSessionId": "S",
                "recipientSessionId": "a1",
                "content": [text("go")],
                "recipientMessageId": "m",
            },
        ),
        (
            Replied("m:reply", "a1", "S", ToolReturned("m", "Done.\nagentId: a1 (use it)")),
            {
                "sessionUpdate": "session_message",
                "messageId": "m:reply",
                "senderSessionId": "a1",
                "recipientSessionId": "S",
                "content": [text("Done.")],
            },
        ),
    ],
)
def test_lives_of_children(fact: Fact, update: Json) -> None:
    assert shown(PLAIN, fact) == [update]


def test_child_facts_that_say_nothing() -> None:
    launched = ToolReturned("m", "agentId: a1", structured={"status": "async_launched"})
    facts: list[Fact] = [
        ChildReported("a1"),
        Replied("m:reply", "a1", "S", ToolReturned("m", "")),
        Replied("m:reply", "a1", "S", launched),
    ]
    for profile in PROFILES.values():
        assert shown(profile, *facts) == []
