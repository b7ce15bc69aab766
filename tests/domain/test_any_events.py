"""Any sequence of events at all, possible or not: no step raises, no prompt is answered twice or
never.
"""

from __future__ import annotations

import types
import typing
from dataclasses import fields, replace
from itertools import chain
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from canopy_agent.domain import (
    client_events,
    extension_events,
    report_events,
    request_events,
    stream_events,
    task_events,
)
from canopy_agent.domain import effects as fx
from canopy_agent.domain import events as e
from canopy_agent.domain.facts import Noted
from canopy_agent.domain.lineage import Launch
from canopy_agent.domain.past import PastAgent
from canopy_agent.domain.session import RULES
from canopy_shared.ext.goal import Goal
from domain.notation import EVERY_FORM, TRANSCRIPT, Play

EVENTS: tuple[type, ...] = typing.get_args(e.Event)
MODULES = (
    client_events,
    extension_events,
    report_events,
    request_events,
    stream_events,
    task_events,
)
NAMES = {name: value for module in MODULES for name, value in vars(module).items()}
NAMES |= {"Noted": Noted, "PastAgent": PastAgent, "Goal": Goal, "Launch": Launch}
WORDS = st.sampled_from(
    [
        *("a1", "a2", "T1", "T2", "M1", "B1", "p1", "p2", "p3", "k1", "S", ""),
        *("idle", "running", "pending", "completed", "failed", "stopped", "killed", "started"),
        *("refused", "cancelled", "Agent", "SendMessage", "Bash", "SubagentHandback"),
        *("ExitPlanMode", "AskUserQuestion", "local_agent", "local_bash", "local_workflow"),
        *("drain", "force-cancel", "human", "user-rejected", "worker_restart", "success"),
        "[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=null",
    ]
)
OBJECTS = st.sampled_from(
    [
        {},
        {"kind": "task-notification"},
        {"kind": "human"},
        {"to": "a1", "message": "go on"},
        {"prompt": "do", "description": "job", "run_in_background": True},
        {"agent_id": "a1", "tool_name": "EnterPlanMode", "task_id": "1", "task_subject": "x"},
        {"input_tokens": 3, "output_tokens": 1},
        {"model": {"inputTokens": 3, "contextWindow": 9, "costUSD": 0.1}},
        {"isAsync": True, "resumedAgentId": "a1", "success": True, "backgroundTaskId": "a2"},
    ]
)
LEAVES: dict[Any, st.SearchStrategy[Any]] = {
    str: WORDS,
    bool: st.booleans(),
    int: st.integers(0, 5),
    float: st.floats(0, 5),
    type(None): st.none(),
    Any: st.one_of(st.none(), WORDS, OBJECTS, st.just([{"type": "text", "text": "x"}])),
}


def strategy(kind: Any) -> st.SearchStrategy[Any]:
    """Values of an annotation."""
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if kind in LEAVES:
        return LEAVES[kind]
    if origin in (typing.Union, types.UnionType):
        return st.one_of(*map(strategy, args))
    if origin is tuple:
        return st.lists(strategy(args[0]), max_size=2).map(tuple)
    if origin is frozenset:
        return st.frozensets(strategy(args[0]), max_size=2)
    if origin is not None and issubclass(origin, typing.Mapping):
        return OBJECTS
    hints = typing.get_type_hints(kind, NAMES)
    return st.builds(kind, **{one.name: strategy(hints[one.name]) for one in fields(kind)})


def event_of(kind: type) -> st.SearchStrategy[Any]:
    hints = typing.get_type_hints(kind, NAMES)
    return st.builds(kind, **{one.name: strategy(hints[one.name]) for one in fields(kind)})


ANY = st.one_of(*(event_of(kind) for kind in EVENTS if kind is not e.SessionClosing))
EVENT_LISTS = st.tuples(*[st.lists(ANY, max_size=15)] * 4).map(lambda lists: [*chain(*lists)])
FORMS = {**EVERY_FORM, "transcript": TRANSCRIPT}


def test_every_event_has_a_rule() -> None:
    assert set(RULES) == set(EVENTS)


@pytest.mark.parametrize("form", FORMS)
@given(events=EVENT_LISTS)
@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_nothing_raises_and_every_prompt_is_answered_once(form: str, events: list[e.Event]) -> None:
    play = Play(FORMS[form])
    submitted: set[str] = set()
    waiting = [e.PromptSubmitted("p0", (), 0), *events]
    count = 0
    while waiting:
        event = waiting.pop(0)
        if isinstance(event, (e.PromptSubmitted, e.SteerSubmitted)):
            count += 1
            event = replace(event, prompt=f"p{count}", received=0 if count % 2 else count)
        elif isinstance(event, e.PromptLost):  # told of prompts that never were a turn
            event = replace(event, prompt=f"lost-{len(waiting)}")
        for effect in play.apply(event):
            play.effects.append(effect)
            if isinstance(effect, fx.Submit) and isinstance(effect.event, e.PromptSubmitted):
                waiting.insert(0, effect.event)
        if isinstance(event, e.PromptSubmitted):
            submitted.add(event.prompt)
    play.effects += play.apply(e.SessionClosing())
    answered = [one.prompt for one in play.effects if isinstance(one, fx.Settle)]
    requeued = {one.prompt for one in play.effects if isinstance(one, fx.Requeue)}
    for prompt in submitted:
        assert answered.count(prompt) == 1 or (prompt in requeued and prompt not in answered)
