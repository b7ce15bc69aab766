"""Whatever changes is named, so that it is painted: in whatever order things happen."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from canopy_shared.codec import decode_update
from canopy_shared.ext.canopy_controls import McpServer, UsageReport
from canopy_tui.model import events as e
from canopy_tui.model import tree
from canopy_tui.model.controls import Tokens, TurnUse
from canopy_tui.model.login import LoginNeed
from canopy_tui.model.state import PendingRequest, Problem, QueuedPrompt, SessionView
from fakes.agent import child_ended, child_update
from tui_model.reducing import Story
from tui_model.test_properties_of_the_client import SESSIONS, Asks, happenings

if TYPE_CHECKING:
    from canopy_tui.model.state import ClientState, Touched

NOT_DRAWN = """entries tools open_tools child_cards next_key unseen_keys wire_id native flat_owners
flat_launches detached unattached failures troubled compactions open_message plan_entry burst cycle
tells_cycles reports_results ruled_turn replay unknown_kinds last_update_at loading turns_open
turns_done run children successor"""
DRAWN = [one.name for one in fields(SessionView) if one.name not in NOT_DRAWN.split()]
QUEUE = (QueuedPrompt(1, "one"), QueuedPrompt(2, "two"))
TOLD: tuple[dict[str, Any], ...] = (
    {"sessionUpdate": "async_task_spawned", "name": "n", "taskType": "shell"},
    {"sessionUpdate": "async_task_progress", "summary": "half"},
    *({"sessionUpdate": "async_task_state_update", "state": s} for s in ("completed", "failed")),
    {"sessionUpdate": "session_info_update", "title": "another"},
    {"sessionUpdate": "current_mode_update", "currentModeId": "plan"},
    {"sessionUpdate": "notice", "severity": "warning", "title": "hm"},
    {"sessionUpdate": "available_commands_update", "availableCommands": []},
)
CHILDREN = (
    child_ended("a", "failed"),
    child_update("d", state={"state": "running"}),
    child_update("d", title="another name"),
    child_update("d", state={"state": "requires_action"}),
    child_update("d", state={"state": "idle", "stopReason": "refusal"}),
)
AROUND = (
    e.LoginChanged(LoginNeed("log in")),
    e.LoginChanged(None),
    e.ProblemMet(Problem("p")),
    e.SessionReplaced(session="S", by="T"),
    e.TaskOutput("S/b1", "text"),
    e.TaskStopping("S/b1"),
)


class Form(Asks):
    """A request that is about no call."""


def arrived(session: str, update: dict[str, Any], task: str) -> e.Event:
    """An update, of a task where it speaks of one."""
    return e.UpdateArrived(session, decode_update({**update, "asyncTaskId": task}), 3.0)


def more_events() -> st.SearchStrategy[e.Event]:
    """What else happens to sessions and around them."""
    session, task = st.sampled_from(SESSIONS), st.sampled_from(("b1", "b2"))
    outcome = st.sampled_from(("taken", "no_turn", "refused", "disconnected"))
    use, server = TurnUse(Tokens(1, 2)), McpServer("m", "connected")
    problem = st.sampled_from(("", "no"))
    return st.one_of(
        st.builds(arrived, session, st.sampled_from(TOLD), task),
        st.sampled_from(AROUND),
        st.builds(lambda s, n: e.QueueChanged(s, QUEUE[:n], n == 2), session, st.integers(0, 2)),
        st.builds(lambda s: e.SteerSent(s, QUEUE[0]), session),
        st.builds(
            lambda s, o: e.SteerEnded(session=s, prompt=1, outcome=o, at=3.0), session, outcome
        ),
        st.builds(lambda s: e.TurnEnded(session=s, stop_reason="odd", at=3.0, use=use), session),
        st.builds(lambda s: e.OptionAsked(s, "model", "opus"), session),
        st.builds(lambda s, why: e.OptionSettled(s, "model", why), session, problem),
        st.builds(lambda s: e.ModelChanged(s, "opus"), session),
        st.builds(e.UsageAsked, session),
        st.builds(lambda s, why: e.UsageTold(s, UsageReport(), why), session, problem),
        st.builds(lambda s, what: e.ServersAsked(s, what, "m"), session, problem),
        st.builds(lambda s: e.ServersTold(s, (server,)), session),
        st.builds(lambda s: e.Noticed(session=s, severity="info", title="t", at=3.0), session),
    )  # fmt: skip


def steps() -> st.SearchStrategy[list[Any]]:
    """With children of the other form, and requests that are about no call."""
    child = st.builds(arrived, st.just("S"), st.sampled_from(CHILDREN), st.just(""))
    asks = st.builds(lambda session: Form(session, ""), st.sampled_from(("S", "a", "c")))
    return happenings(child, asks, more_events())


def looks(state: ClientState) -> dict[str, Any]:
    """Everything that is drawn, in parts that can be named."""
    told: dict[str, Any] = {
        "tree": [(level, view.id) for level, view in tree.rows(state)],
        "requests": [(one.key, one.state) for one in state.requests],
        "link": repr((state.link, state.login, state.problem)),
        "tasks": repr(state.tasks),
        "catalogue": repr(state.catalogue),
    }
    for view in state.sessions.values():
        more = (tree.waiting_at(state, view.id), tree.elapsed(view, 9.0), view.in_turn)
        told[f"session {view.id}"] = repr([more, *(getattr(view, name) for name in DRAWN)])
        for entry in view.entries:
            told[f"entry {view.id} {entry.key}"] = repr(entry)
    return told


def named(state: ClientState, touched: Touched) -> set[str]:
    """The parts that are painted anew."""
    flags = ("tree", "requests", "link", "tasks", "catalogue")
    found = {flag for flag in flags if getattr(touched, flag)}
    found |= {f"session {one}" for one in touched.sessions}
    return found | {f"entry {session} {key}" for session, key in touched.entries}


@settings(max_examples=200)
@given(steps())
def test_what_changed_is_named(happened: list[Any]) -> None:
    story = Story()
    story.prompt()
    for step in happened:
        before = looks(story.state)
        if isinstance(step, Form):
            facts = {"kind": "elicitation", "payload": None, "summary": "?", "at": 1.0}
            request = PendingRequest(key=next(story.keys), session=step.session, **facts)
            story.happens(e.RequestArrived(request))
        elif isinstance(step, Asks):
            story.asks(step.session, step.call)
        else:
            story.happens(step)
        after = looks(story.state)
        changed = {part for part in after if after[part] != before.get(part)}
        assert changed <= named(story.state, story.touched), step
