"""Numbered scenarios and a matrix: a cancel at any moment, of the root or of one child; the end."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from canopy_agent.domain import effects as fx
from canopy_agent.domain import events as e
from canopy_agent.domain.state import Policy
from domain.notation import (
    AIR,
    AIR_BG,
    EVERY_FORM,
    FLAT,
    LIFECYCLE,
    OURS,
    RFD,
    Play,
    Script,
    aborted,
    answered,
    asked,
    begun,
    call,
    cancel,
    cancel_child,
    capable,
    child_at_work,
    command,
    cycle,
    echo,
    ended,
    ended_stream,
    idle,
    launch,
    moved,
    patched,
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
    withdrawn,
)

SPAWNED = "S spawned a1 'Job T1' 'Do T1'"
WHOLE = [
    "S child a1 'Job T1' general cancellable running",
    "S sent T1 S>a1",
    "a1 got T1 S>a1",
]

SCENARIOS: dict[str, tuple[Policy, Script]] = {
    "59_air_children_end_at_once": (
        AIR,
        [
            begun(),
            "send p1",
            (launch(), started(), call("B1", "Bash", "T1")),
            SPAWNED,
            "a1^T1 called B1 Bash",
            cancel(),
            # nothing can be shown of the child after its end, so its call ends before it
            "a1^T1 closed B1 cancelled",
            "S ended a1 cancelled",
            "timer force-cancel",
            "interrupt",
            text("Late.", "T1"),
            (patched("a1", "killed"), ended(status="stopped"), returned("T1", failed=True)),
            aborted("p1"),
            "answer p1 cancelled (5)",
        ],
    ),
    "60_rfd_foreground_dies_background_goes_on": (
        RFD,
        [
            begun(),
            "send p1",
            (launch(), started()),
            *WHOLE,
            child_at_work("a2", "T2"),
            "S child a2 'Job T2' general cancellable running",
            "S sent T2 S>a2",
            "a2 got T2 S>a2",
            (call("B1", "Bash", "T1"), call("B2", "Bash", "T2"), asked("k2", "B2", "a2")),
            "a1^T1 called B1 Bash",
            "a2^T2 called B2 Bash",
            "a2^T2 called B2 Bash",
            "ask k2 on a2^T2 aside",
            "S child a2 requires_action",
            cancel(),
            "timer force-cancel",
            "interrupt",
            (patched("a1", "killed"), ended(status="stopped"), returned("T1", failed=True)),
            "S child a1 idle/cancelled",
            text("Still here.", "T2"),
            'a2^T2 "Still here."',
            aborted("p1"),
            "a1^T1 closed B1 cancelled",
            "answer p1 cancelled (5)",
            text("And still.", "T2"),
            'a2^T2 "And still."',
            text("Main is over."),
            (answered("k2"), returned("B2", "T2")),
            "S child a2 running",
            "a2^T2 returned B2",
        ],
    ),
    "61_rfd_one_child": (
        RFD,
        [
            begun(),
            "send p1",
            child_at_work(),
            *WHOLE,
            cancel_child("a1"),
            "stop a1",
            cancel_child("stranger"),
            patched("a1", "killed"),
            "S child a1 idle/cancelled",
            cancel_child("a1"),
            result("p1"),
            "answer p1 end_turn (5)",
        ],
    ),
    "61_air_grants_no_cancel": (
        AIR_BG,
        [begun(), "send p1", child_at_work(), SPAWNED, cancel_child("a1")],
    ),
    "61_ours_one_child_of_an_old_generation_is_nobody": (
        OURS,
        [
            begun(),
            "send p1",
            child_at_work(),
            SPAWNED,
            ended(),
            "S ended a1 completed",
            started(tool="M1", background=True),
            "S spawned a1:generation:2 'Job T1'",
            cancel_child("a1"),
            cancel_child("a1:generation:2"),
            "stop a1",
        ],
    ),
    "62_rfd_request_withdrawn_by_a_cancel": (
        RFD,
        [
            begun(),
            "send p1",
            (launch(), started(), asked("k1", "B1", "a1")),
            *WHOLE,
            "a1^T1 called B1 Bash",
            "ask k1 on a1^T1",
            "S child a1 requires_action",
            cancel(),
            "timer force-cancel",
            "interrupt",
            withdrawn("k1"),
            "withdraw k1",
            patched("a1", "killed"),
            "S child a1 idle/cancelled",
        ],
    ),
    "62_rfd_request_that_the_client_answers_as_it_cancels": (
        RFD,
        [
            begun(),
            "send p1",
            (launch(), started(), asked("k1", "B1", "a1")),
            *WHOLE,
            "a1^T1 called B1 Bash",
            "ask k1 on a1^T1",
            "S child a1 requires_action",
            cancel(),
            "timer force-cancel",
            "interrupt",
            answered("k1"),
            patched("a1", "killed"),
            "S child a1 idle/cancelled",
        ],
    ),
    "62_rfd_request_withdrawn_by_a_hook": (
        RFD,
        [
            begun(),
            "send p1",
            (launch(), started(), asked("k1", "B1", "a1")),
            *WHOLE,
            "a1^T1 called B1 Bash",
            "ask k1 on a1^T1",
            "S child a1 requires_action",
            withdrawn("k1"),
            "withdraw k1",
            "S child a1 running",
        ],
    ),
    "62_rfd_request_of_a_grandchild_of_the_cancelled_child": (
        RFD,
        [
            begun(),
            "send p1",
            child_at_work(),
            *WHOLE,
            (launch("T2", "T1"), started("a2", "T2", parent="a1"), asked("k2", "B2", "a2")),
            "a1 child a2 'Job T2' general cancellable running",
            "a1 sent T2 a1>a2",
            "a2 got T2 a1>a2",
            "a2^T2 called B2 Bash",
            "ask k2 on a2^T2 aside",
            "a1 child a2 requires_action",
            cancel_child("a1"),
            "stop a1",
            withdrawn("k2"),
            "withdraw k2",
            (patched("a2", "killed"), patched("a1", "killed")),
            "a1 child a2 idle/cancelled",
            "S child a1 idle/cancelled",
        ],
    ),
    "63_rfd_client_answers_cancelled_for_a_background_child": (
        RFD,
        [
            begun(),
            "send p1",
            child_at_work(),
            *WHOLE,
            asked("k1", "B1", "a1"),
            "a1^T1 called B1 Bash",
            "ask k1 on a1^T1 aside",
            "S child a1 requires_action",
            cancel(),
            "timer force-cancel",
            "interrupt",
            answered("k1"),
            "S child a1 running",
        ],
    ),
    "64_rfd_call_of_a_background_child_that_is_stopped_later": (
        RFD,
        [
            begun(),
            "send p1",
            (child_at_work(), call("B1", "Bash", "T1")),
            *WHOLE,
            "a1^T1 called B1 Bash",
            cancel(),
            "timer force-cancel",
            "interrupt",
            aborted("p1"),
            "answer p1 cancelled (5)",
            idle(),
            patched("a1", "killed"),
            "S child a1 idle/cancelled",
            "a1^T1 closed B1 stopped",
        ],
    ),
    "64_rfd_call_of_a_child_that_is_stopped_while_the_turn_works": (
        RFD,
        [
            begun(),
            "send p1",
            (child_at_work(), call("B1", "Bash", "T1")),
            *WHOLE,
            "a1^T1 called B1 Bash",
            (cancel_child("a1"), patched("a1", "killed")),
            "stop a1",
            "S child a1 idle/cancelled",
            result("p1"),
            "a1^T1 closed B1 stopped",
            "answer p1 end_turn (5)",
        ],
    ),
    "65_rfd_cancel_in_a_hold": (
        RFD,
        [
            begun(),
            "send p1",
            child_at_work(),
            *WHOLE,
            result("p1", tokens=7),
            cancel(),
            "answer p1 cancelled (7)",
            "interrupt",
            text("Still here.", "T1"),
            'a1^T1 "Still here."',
            ended(),
            "S child a1 idle/end_turn",
        ],
    ),
    "65_rfd_cancel_in_the_follow_up_of_a_hold": (
        RFD,
        [
            capable(),
            begun(),
            "send p1",
            child_at_work(),
            *WHOLE,
            result("p1", tokens=7),
            ended(),
            "S child a1 idle/end_turn",
            "timer drain",
            (requesting(), text("It is")),
            'S "It is"',
            cancel(),
            "timer force-cancel",
            "interrupt",
            text(" done"),
            'S " done"',
            cycle(failed=True),
            "answer p1 cancelled (7)",
            text("late"),
        ],
    ),
    "65_air_bg_cancel_in_a_follow_up": (
        AIR_BG,
        [
            capable(),
            begun(),
            "send p1",
            child_at_work(),
            SPAWNED,
            result("p1"),
            "answer p1 end_turn (5)",
            ended(),
            "S ended a1 completed",
            (requesting(), text("It is")),
            'S "It is"',
            cancel(),
            "interrupt",
            cycle(failed=True),
            idle(),
            begun("p2"),
            "send p2",
            text("Pong."),
            'S "Pong."',
            result("p2"),
            "answer p2 end_turn (5)",
        ],
    ),
    "66_queued_prompts": (
        FLAT,
        [
            begun(),
            "send p1",
            (prompt("p2"), prompt("p3")),
            "send p2",
            "send p3",
            cancel(),
            "answer p2 cancelled",
            "answer p3 cancelled",
            "timer force-cancel",
            "drop p2",
            "drop p3",
            "interrupt",
            prompt("p4"),
            "send p4",
            e.InterruptReceipt(),
            aborted("p1"),
            "answer p1 cancelled (5)",
            (moved("p4", "started"), echo("p4"), text("Fourth.")),
            'S "Fourth."',
            result("p4"),
            "answer p4 end_turn (5)",
        ],
    ),
    "67_rfd_workflow_is_stopped": (
        RFD,
        [
            begun(),
            "send p1",
            (call("W1", "Workflow"), command("w1", "W1", "local_workflow"), command("b1", "B1")),
            "S called W1 Workflow",
            cancel(),
            "timer force-cancel",
            "interrupt",
            "stop w1",
        ],
    ),
    "67_client_that_can_stop_a_workflow_keeps_it": (
        OURS,
        [
            begun(),
            "send p1",
            (call("W1", "Workflow"), command("w1", "W1", "local_workflow")),
            "S called W1 Workflow",
            cancel(),
            "timer force-cancel",
            "interrupt",
        ],
    ),
    "68_rfd_stream_end": (
        RFD,
        [
            begun(),
            "send p1",
            (child_at_work(), call("B1", "Bash", "T1"), asked("k1", "B1", "a1")),
            *WHOLE,
            "a1^T1 called B1 Bash",
            "a1^T1 called B1 Bash",
            "ask k1 on a1^T1 aside",
            "S child a1 requires_action",
            prompt("p2"),
            "send p2",
            ended_stream(),
            "withdraw k1",
            "a1^T1 closed B1 process_ended",
            "S child a1 idle",
            "answer p1 error internal",
            "requeue p2",
        ],
    ),
    "68_air_stream_end": (
        AIR,
        [
            begun(),
            "send p1",
            (child_at_work(), launch("T2", "T1"), started("a2", "T2", parent="a1")),
            SPAWNED,
            "a1 spawned a2 'Job T2' 'Do T2'",
            ended_stream(),
            "a1 ended a2 failed",
            "S ended a1 failed",
            "answer p1 error internal",
        ],
    ),
    "68_stream_end_in_a_hold": (
        AIR,
        [
            begun(),
            "send p1",
            child_at_work(),
            SPAWNED,
            result("p1", tokens=7),
            ended_stream(),
            "S ended a1 failed",
            "answer p1 end_turn (7)",
        ],
    ),
    "68_stream_end_of_a_prompt_that_had_begun": (
        FLAT,
        [
            prompt(),
            "send p1",
            moved("p1", "started"),
            ended_stream(),
            "answer p1 error internal",
        ],
    ),
    "68_wedged_cli": (
        RFD,
        [
            begun(),
            "send p1",
            (launch(), started(), call("B1", "Bash", "T1")),
            *WHOLE,
            "a1^T1 called B1 Bash",
            cancel(),
            "timer force-cancel",
            "interrupt",
            prompt("p2"),
            "send p2",
            ran_out("force-cancel"),
            "a1^T1 closed B1 cancelled",
            "answer p1 cancelled",
            "S child a1 idle",
            # what waits must not be handed to the process that is given up
            "replace",
            "requeue p2",
        ],
    ),
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenario(name: str) -> None:
    perform(*SCENARIOS[name])


# --- the matrix -----------------------------------------------------------------------------------

Moment = Callable[[Play], None]


def before_the_echo(play: Play) -> None:
    play.feed(prompt(), running(), moved("p1", "started"))


def before_anything(play: Play) -> None:
    play.feed(prompt())


def in_the_stream(play: Play) -> None:
    play.feed(*begun(), text("One"))


def in_a_tool(play: Play) -> None:
    play.feed(*begun(), streamed_call("B1"), call("B1"))


def in_a_call_that_streams(play: Play) -> None:
    play.feed(*begun(), streamed_call("B1"))


def with_a_question(play: Play) -> None:
    play.feed(*begun(), call("B1"), asked("k1", "B1"))


def with_a_foreground_child(play: Play) -> None:
    play.feed(*begun(), launch(), started(), call("B1", "Bash", "T1"))


def with_a_background_child(play: Play) -> None:
    play.feed(*begun(), *child_at_work(), call("B1", "Bash", "T1"))


def with_nested_children(play: Play) -> None:
    play.feed(*begun(), launch(), started(), launch("T2", "T1"), started("a2", "T2", parent="a1"))
    play.feed(call("B2", "Bash", "T2"))


def held(play: Play) -> None:
    play.feed(*begun(), *child_at_work(), result("p1"))


def held_in_the_follow_up(play: Play) -> None:
    play.feed(*begun(), *child_at_work(), result("p1"), ended(), requesting(), text("It"))


def with_queued_prompts(play: Play) -> None:
    play.feed(*begun(), prompt("q1"), prompt("q2"))


MOMENTS: dict[str, Moment] = {
    moment.__name__: moment
    for moment in (
        before_anything,
        before_the_echo,
        in_the_stream,
        in_a_tool,
        in_a_call_that_streams,
        with_a_question,
        with_a_foreground_child,
        with_a_background_child,
        with_nested_children,
        held,
        held_in_the_follow_up,
        with_queued_prompts,
    )
}
TAILS: dict[str, tuple[e.Event, ...]] = {
    "result": (aborted("p1"), idle()),
    "unnamed_result": (aborted(), idle()),
    "result_of_a_cycle": (cycle(failed=True), idle()),
    "only_idle": (idle(),),
    "late_echo": (echo("p1"), text("late"), aborted("p1"), idle()),
    "nothing_until_forced": (ran_out("force-cancel"),),
    "dead": (ended_stream(),),
}


def answers(play: Play) -> dict[str, str]:
    told = [line.split()[1:3] for line in play.lines() if line.startswith("answer ")]
    assert len({id_ for id_, _ in told}) == len(told), told
    return dict(told)


@pytest.mark.parametrize("form", EVERY_FORM)
@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize("times", [1, 2])
def test_every_cancelled_prompt_is_answered_once(
    form: str, moment: str, tail: str, times: int
) -> None:
    play = Play(EVERY_FORM[form])
    play.feed(e.CliInit(LIFECYCLE))
    MOMENTS[moment](play)
    before = set(answers(play))
    for _ in range(times):
        play.feed(cancel())
    play.feed(*TAILS[tail])
    told = answers(play)
    due = {"p1", "q1", "q2"} if moment == "with_queued_prompts" else {"p1"}
    assert set(told) == due
    assert {told[id_] for id_ in due - before} <= {"cancelled"}
    # an open call is that of a child that goes on
    for left in play.state.ledger.open_calls():
        assert not play.state.tasks.blocks_foreground(play.state.maker_of(left))
    # the session works: the next prompt gets its own text and its own answer
    play.feed(*begun("next"))
    assert play.feed(text("Pong.")) == ['S "Pong."']
    assert "answer next end_turn (9)" in play.feed(
        ended("a1", status="stopped"), result("next", tokens=9)
    )


@pytest.mark.parametrize("form", EVERY_FORM)
@pytest.mark.parametrize("moment", MOMENTS)
def test_after_a_cancel_was_answered_nothing_of_the_turn_is_shown(form: str, moment: str) -> None:
    play = Play(EVERY_FORM[form])
    play.feed(e.CliInit(LIFECYCLE))
    MOMENTS[moment](play)
    if form in ("air-bg", "ours") and moment == "held":
        return  # the turn is over, and nothing of the main conversation runs
    play.feed(cancel(), cycle(failed=True) if "follow_up" in moment else aborted("p1"), idle())
    late = play.feed(text("late"), call("L1"), returned("L1"), asked("k9", "L1"))
    assert late == ["refuse k9"]
    (refused,) = [one for one in play.effects if isinstance(one, fx.Refuse)]
    assert refused == fx.Refuse("k9", "The user cancelled this work.")


def test_a_cancel_after_the_end_does_nothing() -> None:
    play = Play(FLAT)
    play.feed(*begun(), result("p1"), idle())
    assert play.feed(cancel()) == []
    assert play.feed(*begun("p2"), text("Pong."), result("p2"))[-2:] == [
        'S "Pong."',
        "answer p2 end_turn (5)",
    ]


@pytest.mark.parametrize("policy", [RFD, OURS], ids=["rfd", "ours"])
def test_b22_background_children_alone_are_not_interrupted(policy: Policy) -> None:
    play = Play(policy)
    play.feed(*begun(), *child_at_work(), result("p1"), idle())
    if policy is RFD:
        play.feed(prompt("p2"), echo("p2"), result("p2"), idle())
    # a question of such a child is not the foreground's either
    play.feed(asked("k1", "B1", "a1"), e.StateChanged("requires_action"))
    assert play.feed(cancel()) == []


def test_b22_a_client_that_cannot_spare_them_sees_them_end() -> None:
    play = Play(AIR_BG)
    play.feed(*begun(), *child_at_work(), result("p1"), idle())
    assert play.feed(cancel()) == ["S ended a1 cancelled", "interrupt"]


def test_b22_a_follow_up_prompt_stops_nobody() -> None:
    play = Play(RFD)
    play.feed(*begun(), *child_at_work(), result("p1"))
    lines = play.feed(prompt("p2"), echo("p2"))
    assert lines == ["send p2", "answer p1 end_turn (5)"]


def test_who_cancels_again_and_again_does_not_wait_longer() -> None:
    play = Play(FLAT)
    play.feed(*begun())
    assert play.feed(cancel()) == ["timer force-cancel", "interrupt"]
    assert play.feed(cancel()) == ["interrupt"]


def test_prompts_after_the_cancel_are_not_cancelled() -> None:
    play = Play(FLAT)
    play.feed(*begun(), cancel(), prompt("p2"))
    assert play.feed(aborted("p1")) == ["answer p1 cancelled (5)"]
    assert play.feed(echo("p2"), result("p2")) == ["answer p2 end_turn (5)"]


@pytest.mark.parametrize("receipt", [True, False])
@pytest.mark.parametrize("named", [("p1",), ()])
def test_b05_the_result_of_an_abandoned_prompt_answers_no_other(
    receipt: bool, named: tuple[str, ...]
) -> None:
    """The CLI had begun the prompt, so its receipt does not list it, and its end is reported."""
    play = Play(FLAT)
    play.feed(prompt(), running(), moved("p1", "started"))
    assert play.feed(cancel()) == ["answer p1 cancelled", "drop p1", "interrupt"]
    if receipt:
        play.feed(e.InterruptReceipt())
    play.feed(prompt("p2"))
    assert play.feed(requesting("p1"), echo("p1"), text("late"), aborted(*named)) == []
    play.feed(moved("p1", "cancelled"), moved("p2", "started"), echo("p2"))
    assert play.feed(text("Pong."), result("p2")) == ['S "Pong."', "answer p2 end_turn (5)"]


def test_the_note_of_an_interrupt_between_two_prompts_is_nobodys_answer() -> None:
    play = Play(FLAT)
    play.feed(prompt(), cancel(), e.InterruptReceipt(), prompt("p2"), running(), echo("p2"))
    assert play.feed(aborted()) == []
    assert play.feed(result("p2")) == ["answer p2 end_turn (5)"]


def test_the_note_of_an_interrupt_answers_the_prompt_that_it_stopped() -> None:
    play = Play(FLAT)
    play.feed(*begun(), cancel())
    assert play.feed(aborted()) == ["answer p1 cancelled (5)"]
    play.feed(idle(), *begun("p2"))
    assert play.feed(result()) == ["answer p2 end_turn (5)"]


def test_b18_the_late_result_of_a_cancelled_turn_answers_nobody() -> None:
    play = Play(FLAT)
    play.feed(*begun(), cancel(), idle(), prompt("p2"))
    assert play.feed(aborted("p1")) == []
    assert play.feed(echo("p2"), result("p2")) == ["answer p2 end_turn (5)"]


@pytest.mark.parametrize("late", [aborted("p1"), result("p1")], ids=["stopped", "finished"])
def test_b18_a_late_result_answers_no_turn_that_already_works(late: e.ResultCame) -> None:
    play = Play(FLAT)
    play.feed(*begun(), cancel(), idle(), *begun("p2"))
    assert play.feed(late) == []
    assert play.feed(text("Pong."), result("p2")) == ['S "Pong."', "answer p2 end_turn (5)"]


def test_b05_an_abandoned_prompt_that_finished_all_the_same_answers_no_other() -> None:
    """An older CLI does not say whose result it is."""
    play = Play(FLAT)
    play.feed(prompt(), running(), moved("p1", "started"), cancel(), prompt("p2"))
    assert play.feed(result()) == []
    play.feed(moved("p2", "started"), echo("p2"))
    assert play.feed(text("Pong."), result()) == ['S "Pong."', "answer p2 end_turn (5)"]


def test_a_follow_up_after_a_cancel_is_new_work() -> None:
    play = Play(RFD)
    play.feed(capable(), *begun(), *child_at_work(), cancel(), aborted("p1"), idle(), ended())
    assert play.feed(text("late")) == []
    assert play.feed(requesting(), text("It is done.")) == ['S "It is done."']


def test_output_of_a_killed_child_stays_away_after_the_window() -> None:
    play = Play(FLAT)
    play.feed(*begun(), *child_at_work(), cancel(), patched("a1", "killed"), aborted("p1"))
    play.feed(*begun("p2"))
    assert play.feed(text("late", "T1"), call("L1", "Read", "T1")) == []


@pytest.mark.parametrize(
    ("before", "after"), itertools.product([True, False], [True, False]), ids=str
)
def test_a_close_answers_everything(before: bool, after: bool) -> None:
    play = Play(AIR)
    play.feed(*begun(), *child_at_work(), *([result("p1")] if before else []))
    play.feed(*([prompt("p2")] if after else []))
    lines = play.feed(e.SessionClosing())
    assert lines[0] == "S ended a1 cancelled"
    assert [told.split()[:3] for told in lines[1:]] == [
        ["answer", id_, "cancelled"] for id_ in (["p1", "p2"] if after else ["p1"])
    ]


def test_a_cleared_conversation_ends_its_children_and_no_turn() -> None:
    play = Play(RFD)
    play.feed(capable(), *begun(), *child_at_work(), result("p1"), prompt("p2"))
    assert play.feed(e.ConversationReset()) == ["S child a1 idle", "timer drain", "S PlanForgotten"]
    assert play.feed(echo("p2")) == ["answer p1 end_turn (5)"]
    assert play.feed(result("p2")) == ["answer p2 end_turn (5)"]
    # the agents of the old conversation cannot be woken
    assert play.feed(patched("a1", "running")) == []
    assert play.state.tasks.live() == []


def test_agents_of_a_dead_process_may_be_woken_in_the_next() -> None:
    play = Play(RFD)
    play.feed(*begun(), *child_at_work(), ended_stream(), *begun("p2"))
    lines = play.feed(started(tool="M1", background=True))
    assert lines == ["S child a1 running"]
