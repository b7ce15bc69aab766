"""Numbered scenarios: how one subagent looks in each form."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from canopy_agent.capabilities import client_profile
from canopy_agent.domain.state import Form, Policy
from canopy_agent.session.caller_options import CallerOptions
from canopy_agent.session.opener import policy_of
from domain.notation import (
    AIR,
    AIR_FLAT,
    FLAT,
    LAUNCHED,
    RFD,
    TRANSCRIPT,
    Script,
    begun,
    call,
    echo,
    ended,
    idle,
    launch,
    perform,
    prompt,
    result,
    returned,
    running,
    started,
    text,
)

FOREGROUND: Script = [
    *begun(),
    launch(),
    started(),
    call("R1", "Read", "T1"),
    returned("R1", "T1"),
    text("Looked.", "T1", streamed=False),
    ended(),
    returned("T1"),
    text("Done.", streamed=False),
    result("p1"),
    idle(),
]

SCENARIOS: dict[str, tuple[Policy, Script]] = {
    "01_none_foreground": (
        FLAT,
        [
            prompt(),
            "send p1",
            (running(), echo()),
            launch(),
            "S called T1 Agent",
            started(),
            call("R1", "Read", "T1"),
            "S^T1 called R1 Read",
            returned("R1", "T1"),
            "S^T1 returned R1",
            text("Looked.", "T1"),
            'S^T1 "Looked."',
            ended(),
            returned("T1"),
            "S returned T1",
            text("Done."),
            'S "Done."',
            result("p1"),
            "answer p1 end_turn (5)",
            idle(),
        ],
    ),
    "02_transcript_shows_what_did_not_stream": (
        TRANSCRIPT,
        [
            begun(),
            "send p1",
            launch(),
            "S called T1 Agent",
            started(),
            text("Streamed.", "T1"),
            'S^T1 "Streamed."',
            text("Whole.", "T1", streamed=False),
            'S^T1 "Whole."',
        ],
    ),
    "03_none_keeps_whole_text_of_children_back": (
        FLAT,
        [
            begun(),
            "send p1",
            launch(),
            "S called T1 Agent",
            started(),
            text("Whole.", "T1", streamed=False),
            call("R1", "Read", "T1"),
            "S^T1 called R1 Read",
        ],
    ),
    "04_air_without_native_sessions_shows_no_text_of_children": (
        AIR_FLAT,
        [
            begun(),
            "send p1",
            launch(),
            "S called T1 Agent",
            started(),
            text("Streamed.", "T1"),
            text("Whole.", "T1", streamed=False),
            call("R1", "Read", "T1"),
            "S^T1 called R1 Read",
        ],
    ),
    "05_air_foreground": (
        AIR,
        [
            begun(),
            "send p1",
            launch(),
            started(),
            "S spawned a1 'Job T1' 'Do T1'",
            call("R1", "Read", "T1"),
            "a1^T1 called R1 Read",
            returned("R1", "T1"),
            "a1^T1 returned R1",
            text("Looked.", "T1", streamed=False),
            'a1^T1 "Looked."',
            ended(),
            "S ended a1 completed",
            returned("T1"),
            text("Done."),
            'S "Done."',
            result("p1"),
            "answer p1 end_turn (5)",
        ],
    ),
    "07_rfd_foreground": (
        RFD,
        [
            begun(),
            "send p1",
            launch(),
            started(),
            "S child a1 'Job T1' general cancellable running",
            "S sent T1 S>a1",
            "a1 got T1 S>a1",
            call("R1", "Read", "T1"),
            "a1^T1 called R1 Read",
            returned("R1", "T1"),
            "a1^T1 returned R1",
            ended(),
            "S child a1 idle/end_turn",
            returned("T1"),
            "S reply T1:reply a1>S",
            result("p1"),
            "answer p1 end_turn (5)",
        ],
    ),
    "08_rfd_background": (
        RFD,
        [
            begun(),
            "send p1",
            launch(background=True),
            started(background=True),
            "S child a1 'Job T1' general cancellable running",
            "S sent T1 S>a1",
            "a1 got T1 S>a1",
            returned("T1", structured=LAUNCHED),
            result("p1"),
            text("Looked.", "T1", streamed=False),
            'a1^T1 "Looked."',
            ended(),
            "S child a1 idle/end_turn",
        ],
    ),
    "08_rfd_background_by_default": (
        RFD,
        [
            begun(),
            "send p1",
            launch(),
            # the result of a launch that says nothing of its place may come before its child
            returned("T1", structured=LAUNCHED),
            started(background=True),
            "S child a1 'Job T1' general cancellable running",
            "S sent T1 S>a1",
            "a1 got T1 S>a1",
        ],
    ),
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenario(name: str) -> None:
    perform(*SCENARIOS[name])


def air(*capabilities: str, version: Any = 1) -> dict[str, Any]:
    return {"_meta": {"jetbrains": {"air": {"version": version, "capabilities": [*capabilities]}}}}


NATIVE, BACKGROUND = "nativeSubagentSessions", "backgroundSubagents"
OUR_OWN = air(NATIVE, BACKGROUND)
OUR_OWN["_meta"]["canopy"] = {"version": 1, "childCancel": True}

# what a client declares: form, ends turns, spares background children, whole text, deltas
DECLARED: dict[str, tuple[dict[str, Any], tuple[Form, bool, bool, bool, bool]]] = {
    "nothing": ({}, (Form.FLAT, False, False, False, True)),
    "transcript": (
        {"_meta": {"subagent-transcript": True}},
        (Form.FLAT, False, False, True, True),
    ),
    "subagents": ({"subagents": {}}, (Form.RFD, False, True, False, True)),
    "subagents that are no object": (
        {"subagents": []},
        (Form.FLAT, False, False, False, True),
    ),
    "air": (air(), (Form.FLAT, False, False, False, False)),
    "air native": (air(NATIVE), (Form.AIR, False, False, False, False)),
    "06 air with subagents": (
        {**air(), "subagents": {}},
        (Form.AIR, False, False, False, False),
    ),
    "air background": (air(NATIVE, BACKGROUND), (Form.AIR, True, False, False, False)),
    "air background, not native": (air(BACKGROUND), (Form.FLAT, True, False, False, False)),
    "10 air of version 0": (
        air(NATIVE, BACKGROUND, version=0),
        (Form.FLAT, False, False, False, False),
    ),
    "10 air of a version in words": (
        air(NATIVE, version="1"),
        (Form.FLAT, False, False, False, False),
    ),
    "our client": (OUR_OWN, (Form.AIR, True, True, False, False)),
}


@pytest.mark.parametrize("name", DECLARED)
def test_what_a_client_declares_decides_the_form(name: str, tmp_path: Path) -> None:
    declared, expected = DECLARED[name]
    policy = policy_of(client_profile(declared), CallerOptions(), str(tmp_path))
    assert (
        policy.form,
        policy.ends_turns,
        policy.spares_background,
        policy.child_text,
        policy.child_deltas,
    ) == expected


@pytest.mark.parametrize("policy", [AIR, RFD], ids=["air", "rfd"])
def test_everything_of_a_child_session_is_on_it(policy: Policy) -> None:
    play = perform(FLAT, [])
    flat = [told for told in play.feed(*FOREGROUND) if "^T1" in told]
    assert [told.partition("^")[0] for told in flat] == ["S", "S"]
    native = perform(policy, []).feed(*FOREGROUND)
    assert {told.partition("^")[0] for told in native if "^T1" in told} == {"a1"}


LABELS = {
    "name": ({"name": "Builder"}, "'Builder' general"),
    "description": ({}, "'Job T1' general"),
    "role": ({"description": " "}, "'general' -"),
    "nothing": ({"description": "", "subagent_type": ""}, "'general' -"),
}


@pytest.mark.parametrize("label", LABELS)
def test_a_child_is_named_as_its_launch_calls_it_and_never_by_its_prompt(label: str) -> None:
    input_, title = LABELS[label]
    lines = perform(RFD, []).feed(*begun(), launch(**input_), started())
    assert lines[1] == f"S child a1 {title} cancellable running"


def test_an_unnamed_air_child_has_a_name_of_its_own() -> None:
    launched = launch(description="", subagent_type="", prompt=" ")
    lines = perform(AIR, []).feed(*begun(), launched, started("agent-12345678"))
    assert lines[1] == "S spawned agent-12345678 'Agent 12345678'"
