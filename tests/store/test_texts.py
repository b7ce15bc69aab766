"""What of a stored user record a person sees (adapter scenarios 21 and 22)."""

from __future__ import annotations

import pytest

from canopy_agent.history.texts import (
    compaction_summary,
    delivered_text,
    fork_directive,
    is_hidden,
    notification_of,
    queued_prompt,
    shown_blocks,
    shown_text,
)

NOTICE = (
    "<task-notification>\n<task-id>a1</task-id>\n<tool-use-id>t1</tool-use-id>\n"
    "<status>completed</status>\n<result>said <task-id>a9</task-id></result>\n</task-notification>"
)


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("as it is\n", "as it is\n"),
        ("words\n\n<system-reminder>\nhidden\n</system-reminder>", "words"),
        ("<system-reminder>a</system-reminder>b<system-reminder>c</system-reminder>", "b"),
        ("never <system-reminder> closed", "never <system-reminder> closed"),
        (
            "<command-message>review</command-message>\n<command-name>/review</command-name>\n"
            "<command-args>a b</command-args>",
            "/review a b",
        ),
        ("<command-name>/init</command-name>", "/init"),
        ("<command-name>init</command-name><command-args></command-args>", "/init"),
        (
            "<command-name>/srv:do (MCP)</command-name><command-args>x</command-args>",
            "/mcp:srv:do x",
        ),
        ("<command-name>/model</command-name><command-args>opus</command-args>", ""),
        ("<command-name>/context</command-name>", ""),
        ("<command-name>/x</command-name><local-command-stdout>o</local-command-stdout>", ""),
        ("<local-command-stdout>out</local-command-stdout>", ""),
        (NOTICE, ""),
        ("[Request interrupted by user]", ""),
        ("[Request interrupted by user for tool use]", ""),
        ("he wrote [Request interrupted by user]", "he wrote [Request interrupted by user]"),
    ],
)
def test_21_only_what_a_person_wrote_is_shown(stored: str, shown: str) -> None:
    assert shown_text(stored) == shown


def test_pictures_stay_and_results_go() -> None:
    picture = {"type": "image", "source": {"type": "base64", "data": "x"}}
    blocks = ({"type": "tool_result", "tool_use_id": "t"}, picture, {"type": "text", "text": "t"})
    assert shown_blocks(blocks) == (picture, {"type": "text", "text": "t"})


@pytest.mark.parametrize(
    ("record", "hidden"),
    [
        ({"isMeta": True, "origin": {"kind": "peer"}}, True),
        ({"isMeta": True}, True),
        ({"origin": {"kind": "task-notification"}}, True),
        ({"origin": {"kind": "task-notification", "subkind": "scheduled"}}, False),
        ({"origin": {"kind": "human"}}, False),
        ({}, False),
    ],
)
def test_records_of_the_harness_are_hidden(record: dict[str, object], hidden: bool) -> None:
    assert is_hidden(record) is hidden


def queued(**attachment: object) -> dict[str, object]:
    return {"uuid": "u", "attachment": {"type": "queued_command", **attachment}}


def test_a_prompt_that_was_sent_during_a_turn_is_one() -> None:
    block = {"type": "text", "text": "more"}
    assert queued_prompt(queued(commandMode="prompt", prompt=[block], source_uuid="p")) == (
        "p",
        (block,),
    )
    assert queued_prompt(queued(commandMode="prompt", prompt="more")) == ("u", (block,))
    assert queued_prompt(queued(commandMode="task-notification", prompt=NOTICE)) is None
    peer = {"kind": "peer"}
    assert queued_prompt(queued(commandMode="prompt", prompt="x", origin=peer)) is None


def test_notifications_count_where_the_harness_wrote_them_only() -> None:
    message = {"role": "user", "content": NOTICE}
    origin = {"kind": "task-notification"}
    for record in (
        {"type": "queue-operation", "operation": "enqueue", "content": NOTICE},
        {**queued(commandMode="task-notification", prompt=NOTICE), "type": "attachment"},
        {"type": "user", "message": message, "origin": origin},
    ):
        found = notification_of(record)
        assert found is not None
        assert (found.task, found.status, found.call) == ("a1", "completed", "t1")
    assert notification_of({"type": "user", "message": message}) is None
    assert (
        notification_of({"type": "queue-operation", "operation": "remove", "content": NOTICE})
        is None
    )
    assert notification_of({"type": "assistant", "message": message, "origin": origin}) is None


def test_frames_of_the_harness_come_off() -> None:
    told = (
        "The coordinator sent a message while you were working:\nnow B\n\n"
        "Address this before completing your current task."
    )
    assert delivered_text(told) == "now B"
    assert delivered_text("as it is") == "as it is"
    assert fork_directive("<fork-boilerplate>x</fork-boilerplate>\nYour directive: dig") == "dig"
    assert fork_directive("dig") == "dig"
    summary = (
        "This session is being continued from a previous conversation that ran out of context. "
        "The summary below covers the earlier portion of the conversation.\n\nSummary:\nIt rained."
    )
    assert compaction_summary(summary) == "It rained."
    assert compaction_summary("something else") is None
