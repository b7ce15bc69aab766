"""Numbered scenarios: when a prompt is answered, and what belongs to no prompt."""

from __future__ import annotations

import pytest

from canopy_agent.domain import events as e
from canopy_agent.domain.state import Policy
from domain.notation import (
    AIR,
    AIR_BG,
    FLAT,
    FLAT_BG,
    LAUNCHED,
    RFD,
    Play,
    Script,
    answered,
    asked,
    begun,
    call,
    capable,
    child_at_work,
    command,
    cycle,
    echo,
    ended,
    idle,
    launch,
    level,
    moved,
    perform,
    prompt,
    ran_out,
    requesting,
    result,
    returned,
    running,
    started,
    streamed_call,
    text,
)

QUESTIONS = Policy(AIR.form, ends_turns=True, questions=True)
SPAWNED = "S spawned a1 'Job T1' 'Do T1'"
WHOLE = [
    "S child a1 'Job T1' general cancellable running",
    "S sent T1 S>a1",
    "a1 got T1 S>a1",
]


def at_work(policy: Policy) -> Script:
    """A turn that launched a background subagent."""
    told = {AIR.form: [SPAWNED], RFD.form: WHOLE}.get(
        policy.form, ["S called T1 Agent", "S returned T1"]
    )
    return [capable(), begun(), "send p1", child_at_work(), *told]


FOLLOW_UP = (requesting(), text("It is done."))

SCENARIOS: dict[str, tuple[Policy, Script]] = {
    "35_air_bg_fresh_child": (
        AIR_BG,
        [
            *at_work(AIR_BG),
            result("p1"),
            "answer p1 end_turn (5)",
            text("Working.", "T1"),
            'a1^T1 "Working."',
            ended(),
            "S ended a1 completed",
            level(),
            FOLLOW_UP,
            'S "It is done."',
            cycle(),
            idle(),
        ],
    ),
    "37_air_bg_permission_after_the_answer": (
        AIR_BG,
        [
            *at_work(AIR_BG),
            result("p1"),
            "answer p1 end_turn (5)",
            asked("k1", "B1", "a1"),
            "a1^T1 called B1 Bash",
            "ask k1 on a1^T1 aside",
            answered("k1"),
            returned("B1", "T1"),
            "a1^T1 returned B1",
        ],
    ),
    "37_flat_bg_permission_after_the_answer": (
        FLAT_BG,
        [
            *at_work(FLAT_BG),
            result("p1"),
            "answer p1 end_turn (5)",
            asked("k1", "B1", "a1"),
            "S^T1 called B1 Bash",
            "ask k1 on S^T1 aside",
            answered("k1"),
        ],
    ),
    "38_air_bg_question_after_the_answer": (
        QUESTIONS,
        [
            *at_work(QUESTIONS),
            result("p1"),
            "answer p1 end_turn (5)",
            asked("k1", "Q1", "a1", "AskUserQuestion"),
            "a1^T1 called Q1 AskUserQuestion",
            "question k1 on a1^T1 aside",
        ],
    ),
    "39_air_bg_follow_up_and_a_queued_prompt": (
        AIR_BG,
        [
            *at_work(AIR_BG),
            result("p1"),
            "answer p1 end_turn (5)",
            ended(),
            "S ended a1 completed",
            FOLLOW_UP,
            'S "It is done."',
            prompt("p2"),
            "send p2",
            moved("p2", "queued"),
            text("More."),
            'S "More."',
            cycle(),
            (moved("p2", "started"), echo("p2"), text("Pong.")),
            'S "Pong."',
            result("p2", tokens=9),
            "answer p2 end_turn (9)",
        ],
    ),
    "40_prompt_folded_into_the_follow_up": (
        AIR_BG,
        [
            *at_work(AIR_BG),
            result("p1"),
            "answer p1 end_turn (5)",
            ended(),
            "S ended a1 completed",
            (FOLLOW_UP),
            'S "It is done."',
            prompt("p2"),
            "send p2",
            cycle("p2", tokens=8),
            "answer p2 end_turn (8)",
        ],
    ),
    "41_held_until_the_follow_up_is_over": (
        AIR,
        [
            *at_work(AIR),
            result("p1", tokens=5),
            ended(),
            "S ended a1 completed",
            "timer drain",
            FOLLOW_UP,
            'S "It is done."',
            cycle(tokens=500),
            "answer p1 end_turn (5)",
        ],
    ),
    "42_rfd_is_held": (
        RFD,
        [
            *at_work(RFD),
            result("p1"),
            ended(),
            "S child a1 idle/end_turn",
            "timer drain",
            cycle(),
            "answer p1 end_turn (5)",
        ],
    ),
    "43_placeholder_results_do_not_end_the_hold": (
        AIR,
        [
            *at_work(AIR),
            result("p1"),
            ended(),
            "S ended a1 completed",
            "timer drain",
            cycle(turns=0),
            FOLLOW_UP,
            'S "It is done."',
            cycle(),
            "answer p1 end_turn (5)",
        ],
    ),
    "44_held_and_idle_without_a_follow_up": (
        AIR,
        [
            *at_work(AIR),
            result("p1"),
            idle(),
            running(),
            ended(),
            "S ended a1 completed",
            "timer drain",
            idle(),
            "answer p1 end_turn (5)",
        ],
    ),
    "45_next_prompt_answers_the_held_one_first": (
        AIR,
        [
            *at_work(AIR),
            result("p1"),
            prompt("p2"),
            "send p2",
            echo("p2"),
            "answer p1 end_turn (5)",
            result("p2", tokens=9),
            "answer p2 end_turn (9)",
        ],
    ),
    "45_next_command_without_echo_does_too": (
        AIR,
        [
            *at_work(AIR),
            result("p1"),
            prompt("p2"),
            "send p2",
            result(tokens=0),
            "answer p1 end_turn (5)",
            "answer p2 end_turn (0)",
        ],
    ),
    "46_two_children": (
        AIR,
        [
            *at_work(AIR),
            child_at_work("a2", "T2"),
            "S spawned a2 'Job T2' 'Do T2'",
            result("p1"),
            ended(),
            "S ended a1 completed",
            cycle(),
            ended("a2", "T2"),
            "S ended a2 completed",
            "timer drain",
            cycle(),
            "answer p1 end_turn (5)",
        ],
    ),
    "46_child_launched_by_the_follow_up": (
        AIR,
        [
            *at_work(AIR),
            result("p1"),
            ended(),
            "S ended a1 completed",
            "timer drain",
            child_at_work("a2", "T2"),
            "S spawned a2 'Job T2' 'Do T2'",
            cycle(),
            ended("a2", "T2"),
            "S ended a2 completed",
            "timer drain",
            cycle(),
            "answer p1 end_turn (5)",
        ],
    ),
    "47_next_turn_does_not_wait_for_it": (
        AIR,
        [
            *at_work(AIR),
            result("p1"),
            prompt("p2"),
            "send p2",
            echo("p2"),
            "answer p1 end_turn (5)",
            # nor for what that subagent launches
            (
                launch("T2", "T1", background=True),
                started("a2", "T2", background=True, parent="a1"),
            ),
            "a1 spawned a2 'Job T2' 'Do T2'",
            result("p2"),
            "answer p2 end_turn (5)",
        ],
    ),
    "49_level_without_the_child": (
        AIR,
        [*at_work(AIR), result("p1"), level(), "timer drain", idle(), "answer p1 end_turn (5)"],
    ),
    "49_level_with_the_child_again": (
        AIR,
        [
            *at_work(AIR),
            result("p1"),
            level(),
            "timer drain",
            level("a1"),
            idle(),
            ran_out("drain"),
            ended(),
            "S ended a1 completed",
            "timer drain",
            idle(),
            "answer p1 end_turn (5)",
        ],
    ),
    "50_running_child_is_no_incomplete_call": (
        AIR_BG,
        [
            begun(),
            "send p1",
            (launch(background=True), started(background=True)),
            SPAWNED,
            result("p1"),
            "answer p1 end_turn (5)",
        ],
    ),
    "50_flat_running_child_is_no_incomplete_call": (
        FLAT_BG,
        [
            begun(),
            "send p1",
            (launch(background=True), started(background=True)),
            "S called T1 Agent",
            result("p1"),
            "answer p1 end_turn (5)",
            returned("T1", structured=LAUNCHED),
            "S returned T1",
        ],
    ),
    "50_incomplete_call": (
        FLAT,
        [
            begun(),
            "send p1",
            call("B1"),
            "S called B1 Bash",
            result("p1"),
            "S closed B1 turn_ended",
            "answer p1 error incomplete_tool_call",
        ],
    ),
    "51_call_that_was_never_complete": (
        FLAT,
        [
            begun(),
            "send p1",
            streamed_call("B1"),
            "S opened B1 Bash",
            result("p1"),
            "S closed B1 never_ran",
            "answer p1 end_turn (5)",
        ],
    ),
    "57_usage_of_a_follow_up_belongs_to_nobody": (
        AIR_BG,
        [
            *at_work(AIR_BG),
            result("p1", tokens=5),
            "answer p1 end_turn (5)",
            cycle(tokens=500),
            begun("p2"),
            "send p2",
            result("p2", tokens=9),
            "answer p2 end_turn (9)",
        ],
    ),
    "58_idle_without_result": (
        FLAT,
        [begun(), "send p1", idle(), "answer p1 error no_result"],
    ),
    "58_idle_that_the_follow_up_owes": (
        AIR_BG,
        [
            capable("none"),
            begun(),
            "send p1",
            (result("p1"), idle()),
            "answer p1 end_turn (5)",
            (text("By itself."), cycle()),
            'S "By itself."',
            (prompt("p2"), echo("p2")),
            "send p2",
            idle(),
            result("p2"),
            "answer p2 end_turn (5)",
        ],
    ),
}

PLAN = (call("X1", "ExitPlanMode", plan="Do it."), e.PlanRefused("X1"))
PLAN_REFUSED = e.ToolResulted(None, "X1", "no", True, non_execution_kind="user-rejected")
DIAGNOSTIC = ("[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=tool_use",)
ERROR = "error_during_execution"


def stopped_cycle() -> e.Event:
    """The end of a cycle of nobody's that a plan stopped."""
    origin = {"kind": "task-notification"}
    return e.ResultCame(ERROR, True, errors=DIAGNOSTIC, num_turns=1, origin=origin)


SCENARIOS |= {
    "52_air_bg_plan_refused_out_of_a_turn": (
        AIR_BG,
        [
            *at_work(AIR_BG),
            result("p1"),
            "answer p1 end_turn (5)",
            ended(),
            "S ended a1 completed",
            (requesting(), PLAN),
            "S called X1 ExitPlanMode",
            PLAN_REFUSED,
            "S failed X1",
            stopped_cycle(),
            idle(),
            # a real error of the next prompt is one, and its success is one
            begun("p2"),
            "send p2",
            result("p2", subtype=ERROR, failed=True, errors=DIAGNOSTIC),
            "answer p2 error unknown",
            begun("p3"),
            "send p3",
            result("p3"),
            "answer p3 end_turn (5)",
        ],
    ),
    "53_air_bg_plan_approved_by_a_turn_that_is_over": (
        AIR_BG,
        [
            *at_work(AIR_BG),
            result("p1"),
            "answer p1 end_turn (5)",
            (requesting(), call("X1", "ExitPlanMode"), e.PlanAccepted("X1", "Do it.", "auto")),
            "S called X1 ExitPlanMode",
            PLAN_REFUSED,
            "S returned X1",
            stopped_cycle(),
            "log",
        ],
    ),
    "54_plan_refused_in_the_follow_up_of_a_hold": (
        AIR,
        [
            *at_work(AIR),
            result("p1"),
            ended(),
            "S ended a1 completed",
            "timer drain",
            (requesting(), PLAN),
            "S called X1 ExitPlanMode",
            PLAN_REFUSED,
            "S failed X1",
            stopped_cycle(),
            "answer p1 cancelled (5)",
        ],
    ),
    "55_mark_of_a_plan_and_another_result": (
        FLAT,
        [
            begun(),
            "send p1",
            (PLAN, PLAN_REFUSED),
            "S called X1 ExitPlanMode",
            "S failed X1",
            result("p1"),
            "answer p1 end_turn (5)",
            begun("p2"),
            "send p2",
            result("p2", subtype=ERROR, failed=True, errors=DIAGNOSTIC),
            "answer p2 error unknown",
        ],
    ),
    "55_refused_plan_leaves_no_call_open": (
        FLAT,
        [
            begun(),
            "send p1",
            (call("B1"), PLAN, PLAN_REFUSED),
            "S called B1 Bash",
            "S called X1 ExitPlanMode",
            "S failed X1",
            result("p1", subtype=ERROR, failed=True, errors=DIAGNOSTIC),
            "S closed B1 cancelled",
            "answer p1 cancelled (5)",
        ],
    ),
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenario(name: str) -> None:
    perform(*SCENARIOS[name])


@pytest.mark.parametrize("policy", [FLAT, AIR, RFD], ids=["flat", "air", "rfd"])
@pytest.mark.parametrize("kind", ["local_bash", "local_workflow", "local_monitor"])
def test_scenario_48_only_subagents_hold(policy: Policy, kind: str) -> None:
    play = Play(policy)
    play.feed(*begun(), call("B1"), command("b1", "B1", kind), level("b1"))
    play.feed(returned("B1", structured={"backgroundTaskId": "b1"}))
    assert play.feed(result("p1")) == ["answer p1 end_turn (5)"]


# --- queues ---------------------------------------------------------------------------------------


def test_prompts_are_answered_in_order_each_with_its_own() -> None:
    play = Play(FLAT)
    assert play.feed(prompt("p1"), prompt("p2"), prompt("p3")) == ["send p1", "send p2", "send p3"]
    play.feed(running())
    for name, tokens in (("p1", 1), ("p2", 2), ("p3", 3)):
        play.feed(moved(name, "started"), echo(name))
        assert play.feed(result(name, tokens=tokens)) == [f"answer {name} end_turn ({tokens})"]
    assert play.feed(idle()) == []


def test_prompts_that_the_cli_merges_after_their_echoes() -> None:
    """What Claude Code 2.1.332 does with prompts that come while a tool runs."""
    play = Play(FLAT)
    play.feed(*begun(), prompt("p2"), prompt("p3"), call("B1"), returned("B1"))
    assert play.feed(echo("p2")) == ["answer p1 end_turn"]
    assert play.feed(echo("p3")) == ["answer p2 end_turn"]
    play.feed(moved("p2", "started"), moved("p3", "started"), requesting("p1", "p2", "p3"))
    assert play.feed(moved("p2", "completed"), moved("p3", "completed")) == []
    assert play.feed(result("p1", "p2", "p3")) == ["answer p3 end_turn (5)"]


@pytest.mark.parametrize("named", ["p1", "p2"])
def test_a_result_that_names_only_a_merged_prompt_answers_the_one_that_carries_it(
    named: str,
) -> None:
    play = Play(FLAT)
    play.feed(*begun(), prompt("p2"), echo("p2"), prompt("p3"), echo("p3"))
    assert play.feed(result(named)) == ["answer p3 end_turn (5)"]
    assert play.feed(idle()) == []


def test_prompts_that_the_cli_merges_without_echoes() -> None:
    play = Play(FLAT)
    play.feed(prompt("p1"), prompt("p2"), running())
    assert play.feed(result("p1", "p2")) == ["answer p1 end_turn", "answer p2 end_turn (5)"]
    assert play.feed(idle()) == []


def test_a_late_echo_of_an_answered_prompt_is_not_shown_as_somebody_elses() -> None:
    play = Play(FLAT)
    play.feed(prompt("p1"), prompt("p2"), running(), result("p1", "p2"))
    assert play.feed(echo("p1")) == []
    assert play.feed(echo("elsewhere")) == ["S user"]


@pytest.mark.parametrize("state", ["refused", "discarded"])
def test_a_prompt_that_the_cli_will_not_run_fails(state: str) -> None:
    play = Play(FLAT)
    play.feed(prompt())
    assert play.feed(moved("p1", state)) == ["answer p1 error internal"]


@pytest.mark.parametrize(
    ("state", "answer"), [("completed", "end_turn"), ("cancelled", "cancelled")]
)
def test_a_prompt_that_the_cli_dropped_silently_is_answered_when_it_is_idle(
    state: str, answer: str
) -> None:
    play = Play(FLAT)
    play.feed(prompt(), running(), moved("p1", "started"))
    assert play.feed(moved("p1", state)) == []
    assert play.feed(idle()) == [f"answer p1 {answer}"]


def test_an_idle_answers_no_prompt_that_waits() -> None:
    play = Play(FLAT)
    play.feed(prompt())
    assert play.feed(idle(), idle()) == []


def test_a_second_prompt_without_result_is_not_left_open() -> None:
    """No idle comes between two queued prompts, so the one at the end is owed by nothing."""
    play = Play(FLAT)
    play.feed(*begun(), prompt("p2"), result("p1"), moved("p2", "started"), echo("p2"))
    assert play.feed(idle()) == ["answer p2 error no_result"]


def test_a_result_without_echo_belongs_to_the_oldest_prompt() -> None:
    play = Play(FLAT)
    play.feed(prompt("p1"), prompt("p2"), running())
    assert play.feed(result()) == ["answer p1 end_turn (5)"]
    assert play.feed(result()) == ["answer p2 end_turn (5)"]


# --- the drain ------------------------------------------------------------------------------------


def held(policy: Policy = AIR) -> Play:
    play = Play(policy)
    play.feed(capable(), *begun(), *child_at_work(), result("p1"))
    return play


def test_a_hold_ends_although_the_child_does_not_wake_the_model() -> None:
    """Neither a follow-up nor an idle comes: the CLI is still ``running``."""
    play = held()
    assert "timer drain" in play.feed(ended())
    assert play.feed(ran_out("drain")) == ["answer p1 end_turn (5)"]


@pytest.mark.parametrize("sign", [requesting(), text("It is done.")])
def test_the_drain_leaves_a_follow_up_its_time(sign: e.Event) -> None:
    play = held()
    play.feed(ended(), sign)
    assert play.feed(ran_out("drain")) == []
    assert play.feed(cycle()) == ["answer p1 end_turn (5)"]


def test_without_request_marks_only_an_idle_cli_is_quiet() -> None:
    play = Play(AIR)
    play.feed(*begun(), *child_at_work(), result("p1"), ended())
    assert play.feed(ran_out("drain")) == []
    assert play.feed(idle()) == ["answer p1 end_turn (5)"]


def test_a_drain_that_another_child_prevents() -> None:
    play = held()
    play.feed(ended(), *child_at_work("a2", "T2"))
    assert play.feed(ran_out("drain")) == []


def test_a_foreground_child_whose_end_was_lost_does_not_hold() -> None:
    """The result of its launch says that it is over."""
    play = Play(AIR)
    play.feed(*begun(), launch(), started(), returned("T1"))
    assert play.feed(result("p1")) == ["answer p1 end_turn (5)"]


# --- what a result's text is for ------------------------------------------------------------------


def test_text_of_the_result_of_a_command() -> None:
    play = Play(FLAT)
    play.feed(prompt(), running())
    silent = e.ResultCame("success", text="Context: 5 %", num_turns=0, prompts=("p1",))
    assert play.feed(silent) == ['S "Context: 5 %"', "answer p1 end_turn (0)"]


def test_a_typed_mark_of_local_output_is_not_output() -> None:
    play = Play(FLAT)
    play.feed(*begun())
    assert play.feed(e.LocalOutput("typed", "p1")) == []
    assert play.feed(e.LocalOutput("printed", "other")) == ['S "printed"']


def test_an_explanation_of_a_refusal_is_said_once() -> None:
    play = Play(FLAT)
    play.feed(*begun())
    refused = e.ResultCame(
        "success",
        stop_reason="refusal",
        num_turns=1,
        prompts=("p1",),
        stop_details={"explanation": "It is not allowed."},
    )
    assert play.feed(refused) == ['S "It is not allowed."', "answer p1 refusal (0)"]


def refusal(prompt: str, **details: object) -> e.Event:
    return e.ResultCame(
        "success",
        stop_reason="refusal",
        num_turns=1,
        prompts=(prompt,),
        stop_details=details or None,
    )


def test_the_words_before_a_refusal_explain_it_and_no_later_one() -> None:
    play = Play(FLAT)
    play.feed(*begun("p1"), e.RefusalExplained("Not this."))
    assert play.feed(refusal("p1")) == ['S "Not this."', "answer p1 refusal (0)"]
    play.feed(idle(), *begun("p2"))
    assert play.feed(refusal("p2")) == ["answer p2 refusal (0)"]


def test_a_refusal_explains_itself_rather_than_the_words_before_it() -> None:
    play = Play(FLAT)
    play.feed(*begun("p1"), e.RefusalExplained("Not this."))
    told = play.feed(refusal("p1", explanation="It is not allowed."))
    assert told == ['S "It is not allowed."', "answer p1 refusal (0)"]


@pytest.mark.parametrize("explanation", ["", "  ", 7, None])
def test_a_refusal_without_usable_words_says_nothing(explanation: object) -> None:
    play = Play(FLAT)
    play.feed(*begun("p1"))
    assert play.feed(refusal("p1", explanation=explanation)) == ["answer p1 refusal (0)"]


def test_what_the_model_said_of_a_refusal_is_not_said_again() -> None:
    play = Play(FLAT)
    play.feed(*begun("p1"), e.RefusalExplained("Not this."), text("I will not."))
    assert play.feed(refusal("p1")) == ["answer p1 refusal (0)"]


# --- requests -------------------------------------------------------------------------------------


def test_a_request_before_its_child_is_known_stays_on_the_root() -> None:
    play = Play(RFD)
    play.feed(*begun(), launch(background=True))
    assert play.feed(asked("k1", "B1", "a1")) == ["S called B1 Bash", "ask k1 on S aside"]
    play.feed(answered("k1"), started(background=True), call("B1", "Bash", "T1"))
    # the call is the child's all the same: the turn does not miss its result
    assert play.feed(result("p1"), ended(), cycle())[-1] == "answer p1 end_turn (5)"
    assert "S closed B1 stopped" in play.lines()


def test_a_call_that_a_request_surfaced_keeps_its_place() -> None:
    play = Play(RFD)
    play.feed(*begun(), launch(), started())
    assert play.feed(asked("k1", "B1", "a1")) == [
        "a1^T1 called B1 Bash",
        "ask k1 on a1^T1",
        "S child a1 requires_action",
    ]
    assert play.feed(answered("k1")) == ["S child a1 running"]
    assert play.feed(call("B1", "Bash", "T1"), returned("B1", "T1")) == [
        "a1^T1 called B1 Bash",
        "a1^T1 returned B1",
    ]


def test_an_agent_call_that_a_request_surfaced_is_shown_to_its_end() -> None:
    play = Play(AIR)
    play.feed(*begun(), launch())
    assert play.feed(asked("k1", "T1", None, "Agent")) == ["S called T1 Agent", "ask k1 on S"]
    assert play.feed(answered("k1"), started()) == [SPAWNED]
    assert play.feed(ended(), returned("T1")) == ["S ended a1 completed", "S returned T1"]


def test_two_requests_of_one_child_are_one_state() -> None:
    play = Play(RFD)
    play.feed(*begun(), launch(), started())
    assert play.feed(asked("k1", "B1", "a1"))[-1] == "S child a1 requires_action"
    assert "S child a1 requires_action" not in play.feed(asked("k2", "B2", "a1"))
    assert play.feed(answered("k1")) == []
    assert play.feed(answered("k2"), answered("k2")) == ["S child a1 running"]


def test_a_request_before_the_start_is_a_state_at_the_announcement() -> None:
    play = Play(RFD)
    play.feed(*begun(), streamed_call("T1", "Agent"), started(), asked("k1", "B1", "a1"))
    lines = play.feed(launch())
    assert lines[0] == "S child a1 'Job T1' general cancellable requires_action"
