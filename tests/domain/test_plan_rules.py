"""A plan that stops its cycle, row by row: whose cycle it was, and whether it goes on afresh."""

from __future__ import annotations

from typing import Any

import pytest

from canopy_agent.domain import effects as fx
from canopy_agent.domain import events as e
from canopy_agent.domain.facts import PlanApproved, PlanForgotten, ToolReturned, UsageShown
from canopy_agent.domain.session import step
from canopy_agent.domain.state import Form, Policy, SessionState, new_state

DIAGNOSTIC = "[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=tool_use"
AUTONOMOUS = {"kind": "task-notification"}
BLOCKS = ({"type": "text", "text": "Carry it out."},)


class Session:
    """A session core with what it has asked for so far."""

    def __init__(self, *, ends_turns: bool = False) -> None:
        policy = Policy(Form.AIR, ends_turns=ends_turns)
        self.state: SessionState = new_state("S", policy)
        self.effects: list[fx.Effect] = []

    def put(self, *events: e.Event) -> list[fx.Effect]:
        """Apply events; gives the effects of the last one."""
        last: list[fx.Effect] = []
        for event in events:
            last = step(self.state, event)
            self.effects += last
        return last

    def of(self, kind: type[Any]) -> list[Any]:
        return [effect for effect in self.effects if isinstance(effect, kind)]

    def shown(self, kind: type[Any]) -> list[Any]:
        return [one.fact for one in self.of(fx.Show) if isinstance(one.fact, kind)]

    def answers(self) -> dict[str, str]:
        return {
            one.prompt: one.outcome.stop_reason
            if isinstance(one.outcome, fx.Stopped)
            else one.outcome.message
            for one in self.of(fx.Settle)
        }

    def prompted(self, prompt: str = "p") -> Session:
        self.put(
            e.PromptSubmitted(prompt, (), 1),
            e.StateChanged("running"),
            e.PromptEchoed(prompt),
        )
        return self

    def child(self, task: str = "a", call: str = "launch") -> Session:
        self.put(
            e.ToolUsed(None, call, "Agent", {"prompt": "work"}),
            e.TaskStarted(task, "r1", call, "general-purpose", "local_agent", backgrounded=True),
            e.ToolResulted(None, call, "launched"),
        )
        return self

    def plan(self, *, afresh: bool) -> Session:
        """The model asks to leave plan mode, and the person answers."""
        self.put(e.ToolUsed(None, "t", "ExitPlanMode", {"plan": "Do it."}))
        self.put(e.PlanAccepted("t", "Do it.", "auto") if afresh else e.PlanRefused("t"))
        self.put(e.ToolResulted(None, "t", "refused", True, non_execution_kind="user-rejected"))
        return self

    def interruption(self, origin: Any = None, prompts: tuple[str, ...] = ()) -> list[fx.Effect]:
        return self.put(
            e.ResultCame(
                "error_during_execution",
                is_error=True,
                errors=(DIAGNOSTIC,),
                stop_reason="tool_use",
                num_turns=1,
                origin=origin,
                prompts=prompts,
                usage={"input_tokens": 7, "output_tokens": 2},
            )
        )

    def finished(self, prompt: str = "p", tokens: int = 5) -> list[fx.Effect]:
        return self.put(
            e.ResultCame("success", num_turns=1, prompts=(prompt,), usage={"input_tokens": tokens})
        )


# --- the cycle of a prompt ------------------------------------------------------------------------


def test_refused_in_a_turn_is_cancelled() -> None:
    session = Session().prompted().plan(afresh=False)
    session.interruption()
    assert session.answers() == {"p": "cancelled"}
    assert session.of(fx.RestartConversation) == []
    assert session.shown(ToolReturned)[-1].is_error


def test_approved_in_a_turn_starts_a_fresh_conversation_for_the_same_prompt() -> None:
    session = Session().prompted().plan(afresh=True)
    assert session.shown(ToolReturned)[-1] == ToolReturned("t", None)
    session.interruption()
    assert session.of(fx.RestartConversation) == [
        fx.RestartConversation("p", "Do it.", "auto", "t")
    ]
    assert session.answers() == {}
    told = session.put(e.ConversationRestarted("p", BLOCKS, "Do it.", "t"))
    assert told == [
        fx.Show("S", UsageShown(0, 200_000)),
        fx.Show("S", PlanForgotten()),
        fx.Show("S", PlanApproved("t", "Do it.")),
        fx.SendPrompt("p", BLOCKS),
    ]
    session.put(e.StateChanged("running"), e.PromptEchoed("p"))
    session.finished()
    (answer,) = session.of(fx.Settle)
    assert answer.outcome.stop_reason == "end_turn"
    assert answer.outcome.usage["inputTokens"] == 7 + 5


def test_a_refusal_that_the_cli_reports_by_itself_counts_too() -> None:
    session = Session().prompted()
    session.put(
        e.ToolUsed(None, "t", "ExitPlanMode", {}),
        e.ToolResulted(None, "t", "refused", True, non_execution_kind="user-rejected"),
    )
    session.interruption()
    assert session.answers() == {"p": "cancelled"}


def test_queued_prompts_go_on_after_the_plan() -> None:
    session = Session().prompted()
    session.put(e.PromptSubmitted("q", (), 2))
    effects = session.plan(afresh=True).interruption()
    place = {type(effect): at for at, effect in enumerate(effects)}
    assert place[fx.RestartConversation] < place[fx.Requeue]
    assert fx.Requeue("q", lost=False) in effects
    assert session.state.turns.find("q") is None


def test_subagents_of_the_old_conversation_end_before_the_restart() -> None:
    session = Session().prompted().child()
    effects = session.plan(afresh=True).interruption()
    assert "ChildEnded" in str(effects)
    assert session.state.tasks.live() == []


# --- a cycle that no prompt asked for -------------------------------------------------------------


def held() -> Session:
    """A turn whose own result is in, with a subagent that keeps it open, and what it led to."""
    session = Session().prompted().child()
    session.finished(tokens=3)
    assert session.answers() == {}
    session.put(e.TaskNotified("a", "completed", "r1", "launch"))
    session.put(e.MessageBegan(None, "m", "model"))
    assert session.state.turns.autonomous
    return session


def test_refused_while_a_turn_is_held_is_cancelled_with_its_usage() -> None:
    session = held().plan(afresh=False)
    session.interruption(AUTONOMOUS)
    (answer,) = session.of(fx.Settle)
    assert (answer.outcome.stop_reason, answer.outcome.usage["inputTokens"]) == ("cancelled", 3)


def test_refused_while_other_subagents_work_waits_for_them() -> None:
    session = Session().prompted().child().child("b", "other")
    session.finished()
    session.put(e.TaskNotified("a", "completed", "r1", "launch"))
    session.put(e.MessageBegan(None, "m", "model"))
    session.plan(afresh=False).interruption(AUTONOMOUS)
    assert session.answers() == {}
    session.put(e.TaskNotified("b", "completed", "r1", "other"))
    session.put(e.StateChanged("idle"), e.StateChanged("idle"), e.StateChanged("idle"))
    assert session.answers() == {"p": "cancelled"}


def test_approved_while_a_turn_is_held_drops_the_hold() -> None:
    session = held().plan(afresh=True)
    session.interruption(AUTONOMOUS)
    assert [one.prompt for one in session.of(fx.RestartConversation)] == ["p"]
    session.put(e.ConversationRestarted("p", BLOCKS, "Do it.", "t"))
    session.put(e.StateChanged("running"), e.PromptEchoed("p"))
    session.finished()
    assert session.answers() == {"p": "end_turn"}


def test_refused_in_a_cycle_beside_an_active_turn_only_ends_the_cycle() -> None:
    session = Session(ends_turns=True).prompted().plan(afresh=False)
    session.interruption(AUTONOMOUS)
    assert session.answers() == {}
    assert session.state.plan_refusal is None
    session.finished()
    assert session.answers() == {"p": "end_turn"}


def test_approved_in_a_cycle_beside_an_active_turn_restarts_it() -> None:
    session = Session(ends_turns=True).prompted().plan(afresh=True)
    session.interruption(AUTONOMOUS)
    assert [one.prompt for one in session.of(fx.RestartConversation)] == ["p"]


@pytest.mark.parametrize("afresh", [True, False])
def test_out_of_a_turn_nothing_is_answered_or_started(afresh: bool) -> None:
    session = Session(ends_turns=True)
    session.put(e.MessageBegan(None, "m", "model"))
    session.plan(afresh=afresh).interruption(AUTONOMOUS)
    assert session.answers() == {}
    assert session.of(fx.RestartConversation) == []
    assert session.state.plan_refusal is None
    assert len(session.of(fx.Logged)) == afresh
    session.prompted("next")
    session.finished("next")
    assert session.answers() == {"next": "end_turn"}


# --- what makes it be forgotten -------------------------------------------------------------------


def test_another_result_of_the_turn_forgets_it() -> None:
    session = Session().prompted().plan(afresh=True)
    session.finished()
    assert session.answers() == {"p": "end_turn"}
    session.prompted("next")
    session.interruption()
    assert "ede_diagnostic" in session.answers()["next"]


def test_a_cancel_forgets_it() -> None:
    session = Session().prompted().plan(afresh=True)
    session.put(e.CancelRequested(9))
    session.interruption()
    assert session.answers() == {"p": "cancelled"}
    assert session.of(fx.RestartConversation) == []


def test_the_diagnostic_without_the_tool_result_is_an_error() -> None:
    session = Session().prompted()
    session.put(e.ToolUsed(None, "t", "ExitPlanMode", {}), e.PlanRefused("t"))
    session.interruption()
    assert "ede_diagnostic" in session.answers()["p"]


# --- while no CLI runs ----------------------------------------------------------------------------


def restarting() -> Session:
    session = Session().prompted().plan(afresh=True)
    session.interruption()
    return session


def test_a_cancel_during_the_restart_answers_at_once_and_sends_no_plan() -> None:
    session = restarting()
    session.put(e.CancelRequested(9))
    assert session.answers() == {"p": "cancelled"}
    told = session.put(e.ConversationRestarted("p", BLOCKS, "Do it.", "t"))
    assert told == [fx.Show("S", UsageShown(0, 200_000)), fx.Show("S", PlanForgotten())]
    assert session.of(fx.StartTimer) == []


def test_a_restart_that_fails_is_the_prompts_error() -> None:
    session = restarting()
    session.put(e.RestartFailed("p", "no CLI"))
    assert session.answers() == {"p": "no CLI"}


def test_a_close_during_the_restart_answers_the_prompt() -> None:
    session = restarting()
    session.put(e.SessionClosing())
    assert session.answers() == {"p": "cancelled"}
    assert session.put(e.RestartFailed("p", "closed")) == []


def test_costs_add_up_over_the_restart() -> None:
    session = Session().prompted().plan(afresh=True)
    session.put(e.MessageBegan(None, "m", "model", {"input_tokens": 9}))
    session.put(
        e.ResultCame(
            "error_during_execution", is_error=True, errors=(DIAGNOSTIC,), cost=0.5, num_turns=1
        )
    )
    session.put(e.ConversationRestarted("p", BLOCKS, "Do it.", "t"))
    session.put(e.MessageBegan(None, "n", "model", {"input_tokens": 9}))
    session.put(e.ResultCame("success", num_turns=1, prompts=("p",), cost=0.25))
    assert session.shown(UsageShown)[-1].cost == pytest.approx(0.75)
