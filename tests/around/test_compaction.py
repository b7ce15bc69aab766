"""Compaction in both forms: by the rules, and on the real CLI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from canopy_agent.capabilities import ClientProfile
from canopy_agent.demo.rules import ApiError, Gate, Rule, Text, Usage, When
from canopy_agent.domain import events as e
from canopy_agent.domain.compaction import summary_of
from canopy_agent.domain.effects import Show
from canopy_agent.domain.session import step
from canopy_agent.domain.state import Policy, SessionState, new_state
from canopy_agent.render.renderer import Renderer
from canopy_shared.codec import encode
from e2e.world import world
from waiting import eventually

if TYPE_CHECKING:
    from collections.abc import Iterable

PLAIN = ClientProfile()
UPDATES = ClientProfile(compaction=True)
AIR = ClientProfile(air=True)
AIR_UPDATES = ClientProfile(air=True, compaction=True)

HOOK = "<analysis>private</analysis>\n<summary>\nAll said.\n</summary>"
BEGAN = e.CompactionBegan("c1")
WENT_WELL = e.CompactionEnded("c2", True)
BOUNDARY = e.Compacted(2_000, 9_000, "manual", 30, "c3")
FAILED = e.CompactionEnded("c2", False, "Error during compaction: no.")
RESULT = e.ResultCame("success")


def hook(text: str = HOOK) -> e.HookFired:
    return e.HookFired("h", "PostCompact", {"compact_summary": text})


def told(profile: ClientProfile, events: Iterable[e.Event], prompt: bool = True) -> list[Any]:
    """What a client with ``profile`` is sent for ``events``, gauge left out."""
    state = new_state("s", Policy())
    if prompt:
        step(state, e.PromptSubmitted("p", (), 1, "/compact"))
    return [u for u in _shown(state, profile, events) if u["sessionUpdate"] != "usage_update"]


def _shown(state: SessionState, profile: ClientProfile, events: Iterable[e.Event]) -> list[Any]:
    renderer = Renderer(profile, "/x")
    shown: list[Any] = []
    for event in events:
        for effect in step(state, event):
            if isinstance(effect, Show):
                shown += encode(renderer.render(effect.fact, effect.parent))
    return shown


def test_scenario_85_a_plain_client_sees_a_tool_call_and_the_facts() -> None:
    begun, ended = told(PLAIN, [BEGAN, hook(), WENT_WELL, BOUNDARY, RESULT])
    assert begun == {
        "sessionUpdate": "tool_call",
        "toolCallId": "c1",
        "title": "Compact conversation",
        "kind": "think",
        "status": "in_progress",
        "_meta": {"claudeCode": {"toolName": "compact"}},
    }
    facts = {"trigger": "manual", "preTokens": 9_000, "postTokens": 2_000, "durationMs": 30}
    assert ended == {
        "sessionUpdate": "tool_call_update",
        "toolCallId": "c1",
        "status": "completed",
        "rawOutput": facts,
        "_meta": {"claudeCode": {"toolName": "compact"}},
    }


def test_scenario_85_a_client_with_compaction_sees_a_pair() -> None:
    begun, ended = told(UPDATES, [BEGAN, hook(), WENT_WELL, BOUNDARY, RESULT])
    assert begun == {
        "sessionUpdate": "compaction_update",
        "compactionId": "c1",
        "status": "in_progress",
    }
    assert ended == {
        "sessionUpdate": "compaction_update",
        "compactionId": "c1",
        "status": "completed",
        "summary": [{"type": "text", "text": "All said."}],
    }


def test_scenario_85_the_gauge_follows() -> None:
    shown = _shown(new_state("s", Policy()), UPDATES, [BEGAN, WENT_WELL, BOUNDARY])
    assert [u["used"] for u in shown if u["sessionUpdate"] == "usage_update"] == [2_000]
    assert shown[-1]["sessionUpdate"] == "usage_update"


def test_scenario_85_a_failure_says_why_once() -> None:
    words = e.TextCame(None, "Error during compaction: no.", "m", streamed=False)
    events = [BEGAN, FAILED, words, e.LocalOutput("Error during compaction: no."), RESULT]
    _, ended = told(UPDATES, events)
    assert (ended["status"], ended["error"]) == ("failed", "Error during compaction: no.")
    _, ended = told(PLAIN, events)
    assert ended["status"] == "failed"
    text = ended["content"][0]["content"]["text"]
    assert text == "Compaction failed: Error during compaction: no."


def test_an_air_client_gets_the_facts_in_its_own_place() -> None:
    air = {"version": 1, "trigger": "automatic", "preTokens": 9_000, "postTokens": 2_000}
    boundary = e.Compacted(2_000, 9_000, "auto")
    for profile in (AIR, AIR_UPDATES):
        *_, ended = told(profile, [BEGAN, WENT_WELL, boundary])
        assert ended["_meta"]["jetbrains"]["air"]["contextCompaction"] == air
        assert "rawOutput" not in ended
    *_, ended = told(AIR, [BEGAN, FAILED])
    assert ended["_meta"]["jetbrains"]["air"]["contextCompaction"]["error"]


def test_a_start_that_was_missed_is_made_up_for() -> None:
    (only,) = told(PLAIN, [BOUNDARY])
    assert (only["sessionUpdate"], only["status"]) == ("tool_call", "completed")
    (only,) = told(UPDATES, [FAILED])
    assert (only["sessionUpdate"], only["status"]) == ("compaction_update", "failed")


def test_progress_is_no_second_start_and_pieces_stand_for_the_summary() -> None:
    pieces = [e.CompactionGrew("All "), e.CompactionGrew("said.")]
    events = [BEGAN, BEGAN, *pieces, hook(), WENT_WELL, BOUNDARY]
    begun, one, two, ended = told(UPDATES, events)
    assert begun["status"] == "in_progress"
    assert [one["content"]["text"], two["content"]["text"]] == ["All ", "said."]
    assert "summary" not in ended
    assert [u["status"] for u in told(PLAIN, events)] == [
        "in_progress",
        "in_progress",
        "completed",
    ]


@pytest.mark.parametrize("profile", [PLAIN, UPDATES])
def test_nothing_is_left_open(profile: ClientProfile) -> None:
    for end in (RESULT, e.StateChanged("idle"), e.StreamEnded("x"), e.SessionClosing()):
        *_, last = told(profile, [BEGAN, end])
        assert last["status"] == ("cancelled" if profile.compaction else "failed")
        *_, last = told(profile, [BEGAN, hook(), WENT_WELL, end])
        assert last["status"] == "completed"


def test_a_cancel_is_no_failure() -> None:
    aborted = e.CompactionEnded("c2", False, "API Error: Request was aborted.")
    said = e.TextCame(None, "Compaction canceled.", "m", streamed=False)
    *_, ended = told(UPDATES, [BEGAN, e.CancelRequested(2), aborted, said, RESULT])
    assert ended == {
        "sessionUpdate": "compaction_update",
        "compactionId": "c1",
        "status": "cancelled",
    }


@pytest.mark.parametrize("profile", [PLAIN, UPDATES])
def test_a_start_that_crosses_the_cancel_leaves_nothing_open(profile: ClientProfile) -> None:
    aborted = e.CompactionEnded("c2", False, "API Error: Request was aborted.")
    for end in ([aborted, RESULT], [RESULT, aborted], [e.StateChanged("idle")]):
        # the prompt was answered when the start arrives
        assert told(profile, [e.CancelRequested(2), BEGAN, *end]) == []
        # the prompt runs on until its result
        echoed = [e.PromptEchoed("p"), e.CancelRequested(2), BEGAN, *end]
        *_, last = told(profile, echoed)
        assert last["status"] == ("cancelled" if profile.compaction else "failed")
        assert "aborted" not in str(last)


def test_what_the_command_prints_of_it_is_not_shown() -> None:
    printed = e.LocalOutput("Compacted PreCompact [callback] completed successfully")
    spoken = e.TextCame(None, "Compacted", "m", streamed=False)
    assert len(told(UPDATES, [BEGAN, WENT_WELL, BOUNDARY, printed, RESULT])) == 2
    assert told(UPDATES, [BEGAN, WENT_WELL, BOUNDARY, spoken])[-1]["content"]["text"] == "Compacted"
    later = told(UPDATES, [BEGAN, WENT_WELL, BOUNDARY, RESULT, printed])
    assert later[-1]["sessionUpdate"] == "agent_message_chunk"


def test_one_of_our_own_is_idle_whatever_the_cli_calls_it() -> None:
    ours = e.PromptSubmitted("q", (), 1, "/compact", idle=True)
    *_, ended = told(PLAIN, [ours, BEGAN, WENT_WELL, BOUNDARY], prompt=False)
    assert ended["rawOutput"]["trigger"] == "idle"
    auto = e.Compacted(1, 2, "auto")
    *_, ended = told(PLAIN, [ours, BEGAN, WENT_WELL, auto], prompt=False)
    assert ended["rawOutput"]["trigger"] == "automatic"


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        (HOOK, "All said."),
        ("<summary>x</summary>", "x"),
        ("<summary> </summary>", None),
        ("some words", None),
        ("<analysis><summary>no</summary></analysis><summary>yes</summary>", "yes"),
    ],
)
def test_the_summary_is_what_is_framed_as_one(text: str, summary: str | None) -> None:
    assert summary_of(text) == summary


# --- the real CLI ---------------------------------------------------------------------------------


async def test_scenario_85_on_the_real_cli_by_command_and_by_itself() -> None:
    hello = Rule(When(says="hello"), "Hello.")
    big = Rule(When(says="big"), "Big.", usage=Usage(input_tokens=985_000))
    async with world(big, hello) as w:
        await w.open({"session": {"compaction": {}}})
        await w.prompt("hello")
        assert (await w.prompt("/compact"))["stopReason"] == "end_turn"
        assert w.agent.text() == "Hello."
        await w.prompt("big")
        await w.prompt("hello")
        updates = w.agent.updates("compaction_update")
        assert [u["status"] for u in updates] == ["in_progress", "completed"] * 2
        assert len({u["compactionId"] for u in updates}) == 2
        assert "The user asked for" in updates[1]["summary"][0]["text"]
        assert w.agent.text() == "Hello.Big.Hello."
        assert w.agent.updates("usage_update")[-1]["used"] < 10_000


async def test_a_failure_and_a_cancel_on_the_real_cli() -> None:
    broken = Rule(When(agent="summary"), error=ApiError(400, "no summary for you"))
    held = Rule(When(agent="summary"), [Gate("HELD"), Text("late")])
    hello = Rule(When(says="hello"), "Hello.")
    async with world(broken, hello) as w:
        await w.open()
        await w.prompt("hello")
        assert (await w.prompt("/compact"))["stopReason"] == "end_turn"
        (call,) = w.agent.updates("tool_call")
        assert call["title"] == "Compact conversation"
        assert w.agent.updates("tool_call_update")[-1]["status"] == "failed"
        assert "no summary for you" in str(w.agent.updates("tool_call_update")[-1])
        assert w.agent.text() == "Hello."
    async with world(held, hello) as w:
        await w.open({"session": {"compaction": {}}})
        await w.prompt("hello")
        turn = w.agent.begin_prompt(w.session, "/compact")
        await w.model.reached("HELD")
        await eventually(lambda: w.agent.updates("compaction_update"), "the start")
        w.agent.cancel(w.session)
        assert (await turn)["stopReason"] == "cancelled"
        assert [u["status"] for u in w.agent.updates("compaction_update")] == [
            "in_progress",
            "cancelled",
        ]
        assert w.agent.text() == "Hello."
