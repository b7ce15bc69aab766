"""What holds of the client's state whatever an agent sends, in whatever order, however often."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from canopy_shared.codec import decode_update
from canopy_tui.model import events as e
from canopy_tui.model import tree
from canopy_tui.model.queue import following, head, identical, place_of
from canopy_tui.model.reduce import reduce
from canopy_tui.model.state import RequestState
from canopy_tui.wire.client import AcpClient
from fakes.agent import child_ended, child_update, permission, said, spawned, tool, tool_update
from tui_model.reducing import Story

if TYPE_CHECKING:
    from canopy_tui.model.state import ClientState

SESSIONS = ("S", "T", "a", "b", "c", "a:generation:2", "nobody")
CALLS = ("t1", "t2", "t3")


def updates() -> st.SearchStrategy[dict[str, Any]]:
    """An update, right or odd, that may speak of any session."""
    session, call = st.sampled_from(SESSIONS), st.sampled_from(CALLS)
    states = st.sampled_from(("running", "idle", "requires_action", "gone"))
    meta = st.builds(lambda one: {"_meta": {"claudeCode": {"parentToolUseId": one}}}, call)
    tags = st.one_of(st.just({}), meta)
    return st.one_of(
        st.builds(lambda one: said("x", one), st.sampled_from(("m1", "m2", None))),
        st.builds(lambda one, tag: tool(one, name="Agent", **tag), call, tags),
        st.builds(lambda one, tag: tool(one, **tag), call, tags),
        st.builds(lambda one: tool_update(one, status="completed"), call),
        st.builds(lambda one, tag: tool_update(one, content=None, **tag), call, tags),
        st.builds(spawned, session),
        st.builds(child_ended, session, st.sampled_from(("completed", "failed", "odd"))),
        st.builds(lambda one, word: child_update(one, state={"state": word}), session, states),
        st.sampled_from(
            (
                {"sessionUpdate": "plan", "entries": None},
                {"sessionUpdate": "plan", "entries": [{"content": "step"}]},
                {"sessionUpdate": "brand_new"},
                {"sessionUpdate": "usage_update", "used": 1, "size": 2},
                {"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "y"}},
                {},
            )
        ),
    )


def events() -> st.SearchStrategy[e.Event]:
    """Anything that can happen, on any session."""
    session, roots = st.sampled_from(SESSIONS), st.sampled_from(("S", "T"))
    key = st.integers(1, 8)
    arrived = st.builds(lambda s, u: e.UpdateArrived(s, decode_update(u), 2.0), session, updates())
    ends = st.sampled_from(("end_turn", "cancelled", "error", "disconnected"))
    return st.one_of(
        arrived,
        arrived,
        arrived,
        arrived,
        st.builds(lambda s: e.PromptSent(session=s, text="go", at=2.0), roots),
        st.builds(lambda s, r: e.TurnEnded(session=s, stop_reason=r, at=2.0), roots, ends),
        st.builds(lambda s: e.SessionOpened(session=s, at=2.0), roots),
        st.builds(lambda s: e.ReplayStarted(session=s, at=2.0), roots),
        st.builds(lambda s: e.ReplayFailed(session=s), roots),
        st.builds(lambda s: e.SessionClosed(session=s), session),
        st.builds(e.Seen, session),
        st.builds(lambda s: e.Watched(frozenset(s)), st.lists(session, max_size=2)),
        st.builds(e.RequestAnswered, key),
        st.builds(e.RequestWithdrawn, key),
        st.builds(lambda s, c: Asks(s, c), session, st.sampled_from(CALLS)),  # type: ignore[arg-type]
        st.sampled_from(("lost", "ready")).map(lambda how: e.LinkChanged(status=how, at=2.0)),
    )


@dataclass(frozen=True)
class Asks:
    """Stands for the arrival of a request, whose key is the next one."""

    session: str
    call: str


def as_one(anything: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """One branch among others, however many it is made of."""
    return st.tuples(anything).map(lambda one: one[0])


def happenings(*more: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    """Mostly children that come, speak, ask and end; now and then anything else.

    Drawn evenly from all there is, hardly any run would have a child that asks.
    """

    def told(session: str, update: dict[str, Any]) -> e.Event:
        return e.UpdateArrived(session, decode_update(update), 2.0)

    spawn = st.sampled_from(
        [told("S", spawned("a")), told("a", spawned("b")), told("S", spawned("c"))]
    )
    session, key = st.sampled_from(("S", "a", "b", "c")), st.integers(1, 5)
    says = st.builds(told, session, st.sampled_from((said("x"), tool("t1"), tool("t2"))))
    asks = st.builds(Asks, session, st.sampled_from(CALLS))
    answers = st.builds(
        lambda key, how: how(key), key, st.sampled_from((e.RequestAnswered, e.RequestWithdrawn))
    )
    ends = st.sampled_from(
        [told("a", child_ended("b")), told("S", child_ended("a")), told("S", child_ended("c"))]
    )
    looks = st.builds(
        lambda sessions: e.Watched(frozenset(sessions)), st.lists(session, max_size=2)
    )
    rest = [as_one(one) for one in (events(), *more)]
    return st.lists(
        st.one_of(spawn, says, asks, answers, ends, looks, *rest), min_size=4, max_size=30
    )


def check_tree(state: ClientState) -> None:
    """Everybody is in the tree once, below the parent that it names."""
    assert sorted(view.id for _, view in tree.rows(state)) == sorted(state.sessions)
    assert len(set(state.roots)) == len(state.roots)
    for root in state.roots:
        assert state.sessions[root].parent is None
    for view in state.sessions.values():
        assert all(state.sessions[child].parent == view.id for child in view.children)
        assert state.find(view.id) is not None


def test_nobody_lies_below_itself_whoever_says_so() -> None:
    for form in (spawned, lambda one: child_update(one, state={"state": "running"})):
        for announcer in ("x", "y"):
            story = Story()
            story.prompt()
            story.update("x", said("not announced", "k1"))
            story.turn_ends()
            story.update("x", spawned("y"))
            story.update(announcer, form("x"))
            check_tree(story.state)
            assert story.view("x").parent == "S"


def check_marks(state: ClientState) -> None:
    """Nothing is unseen that is not there or is looked at; keys tell entries apart."""
    for view in state.sessions.values():
        keys = [entry.key for entry in view.entries]
        assert len(set(keys)) == len(keys)
        assert 0 <= view.unseen == len(view.unseen_keys)
        assert view.unseen_keys <= set(keys)
        assert not (view.id in state.watched and view.unseen)
        assert all(view.entries[at].tool_call_id == call for call, at in view.tools.items())  # type: ignore[union-attr]
    assert tree.totals(state).new == sum(view.unseen for view in state.sessions.values())


def check_waiting(state: ClientState) -> None:
    """Every request that waits is counted at its session, above it, and nowhere else."""
    waiting = state.waiting()
    for view in state.sessions.values():
        below = {one.id for one in tree.below(state, view.id)}
        assert tree.waiting_at(state, view.id) == sum(r.session == view.id for r in waiting)
        assert tree.waiting_below(state, view.id) == sum(r.session in below for r in waiting)
    known = sum(
        tree.waiting_at(state, root) + tree.waiting_below(state, root) for root in state.roots
    )
    strangers = sum(request.session not in state.sessions for request in waiting)
    assert known + strangers == len(waiting) == tree.totals(state).waiting
    for view in state.sessions.values():
        about = {r.tool_call_id for r in waiting if r.session == view.id}
        waits = {call for call, at in view.tools.items() if view.entries[at].waits}  # type: ignore[union-attr]
        assert waits <= about


def may_end(state: ClientState, step: Any) -> set[int]:
    """The waiting requests that end with ``step``; all others must wait on."""
    waiting = state.waiting()
    match step:
        case e.RequestAnswered(key=key) | e.RequestWithdrawn(key=key):
            return {key}
        case e.LinkChanged(status="lost"):
            return {request.key for request in waiting}
        case e.SessionClosed(session=session) if session in state.roots:
            gone = {session, *(view.id for view in tree.below(state, session))}
            return {request.key for request in waiting if request.session in gone}
        case _:
            return set()


@settings(max_examples=250)
@given(happenings())
def test_the_state_stays_whole_whatever_happens(steps: list[Any]) -> None:
    story = Story()
    for step in steps:
        before, ends = (
            {request.key for request in story.state.waiting()},
            may_end(story.state, step),
        )
        asked: set[int] = set()
        if isinstance(step, Asks):
            asked = {story.asks(step.session, step.call).key}
        else:
            reduce(story.state, step)
        waits = {request.key for request in story.state.waiting()}
        assert (before | asked) - ends <= waits <= before | asked
        if isinstance(step, (e.RequestAnswered, e.RequestWithdrawn, e.SessionClosed)):
            assert not waits & ends
        check_tree(story.state)
        check_marks(story.state)
        check_waiting(story.state)
        if isinstance(step, e.Seen) and step.session in story.state.sessions:
            assert story.view(step.session).unseen == 0
    for session in list(story.state.sessions):
        reduce(story.state, e.Seen(session))
    assert tree.totals(story.state).new == 0


@settings(max_examples=80)
@given(data=st.data())
def test_what_comes_twice_and_late_is_there_once(data: st.DataObject) -> None:
    """Announcements, calls and ends that are repeated, also after the end, change nothing."""
    once: list[tuple[str, dict[str, Any]]] = [
        ("S", spawned("a")),
        ("a", tool("t1")),
        ("a", spawned("b")),
        ("b", tool("t2")),
        ("b", tool_update("t2", status="completed")),
        ("a", child_ended("b")),
        ("a", tool_update("t1", status="completed")),
        ("S", child_ended("a")),
    ]
    plain = Story()
    plain.prompt()
    for session, update in once:
        plain.update(session, update)
    story = Story()
    story.prompt()
    for number, (session, update) in enumerate(once):
        story.update(session, update)
        for late in data.draw(st.lists(st.integers(0, number), max_size=3)):
            again = once[late]
            if again[1]["sessionUpdate"] != "tool_call":  # a call that begins anew is news
                story.update(*again)
    told, expected = story.state.sessions, plain.state.sessions
    facts = {one: (v.parent, v.phase, v.run, list(v.tools)) for one, v in told.items()}
    assert facts == {one: (v.parent, v.phase, v.run, list(v.tools)) for one, v in expected.items()}
    assert [len(v.entries) for v in told.values()] == [len(v.entries) for v in expected.values()]


# --- the queue ------------------------------------------------------------------------------------


@settings(max_examples=150)
@given(
    st.lists(st.tuples(st.sampled_from(("ask", "next", "before", "end")), st.integers(0, 5))),
)
def test_walking_the_queue_meets_everything_and_answers_nothing(
    steps: list[tuple[str, int]],
) -> None:
    story = Story()
    story.prompt()
    here: int | None = None
    for step, number in steps:
        waiting = story.state.waiting()
        match step:
            case "ask":
                story.asks(("S", "nobody")[number % 2], f"t{number}", "ls")
            case "end" if waiting:
                story.happens(e.RequestWithdrawn(waiting[number % len(waiting)].key))
            case "next" | "before":
                found = following(story.state, here, 1 if step == "next" else -1)
                assert (found is None) == (not waiting)
                here = found.key if found else here
    waiting = story.state.waiting()
    met = set()
    for _ in waiting:
        found = following(story.state, here)
        assert found is not None
        here = found.key
        met.add(here)
        assert place_of(story.state, here)[0] > 0
    assert met == {request.key for request in waiting}
    assert all(one.state is not RequestState.ANSWERED for one in story.state.requests)
    first = head(story.state, "S")
    assert first is (next((one for one in waiting if one.session == "S"), None) or head_of(waiting))
    for request in waiting:
        same = identical(story.state, request.key)
        assert request in same
        assert {one.payload.tool_call.raw_input["command"] for one in same} == {"ls"}


def head_of(waiting: list[Any]) -> Any:
    """The oldest."""
    return waiting[0] if waiting else None


@dataclass
class Asked:
    """A request of the agent on the wire, which counts its answers."""

    method: str
    params: Any
    answers: list[str] = field(default_factory=list)
    cancel: Any = None

    def respond(self, result: dict[str, Any]) -> None:
        """It is answered."""
        self.answers.append(result.get("action") or result["outcome"]["outcome"])

    def fail(self, error: Exception) -> None:
        """It is answered with an error."""
        self.answers.append(str(error))

    def on_cancel(self, callback: Any) -> None:
        """Whom to tell of ``$/cancel_request``."""
        self.cancel = callback


class Silent:
    """A transport on which nothing travels."""

    def send(self, frame: object) -> None:
        """Nobody hears it."""

    def __getattr__(self, name: str) -> Any:
        return lambda *_arguments: None


FORM = {"mode": "form", "sessionId": "S", "message": "?", "requestedSchema": {"type": "object"}}
DEEDS = ("ask", "form", "yes", "no", "accept", "withdraw", "stop", "leave")


@settings(max_examples=150)
@given(st.lists(st.tuples(st.sampled_from(DEEDS), st.integers(0, 7)), max_size=30))
def test_every_request_is_answered_exactly_once(steps: list[tuple[str, int]]) -> None:
    story, asked = Story(), []
    client = AcpClient(Silent(), story.happens, clock=lambda: 1.0)  # type: ignore[arg-type]
    for deed, number in steps:
        match deed:
            case "ask" | "form":
                form = deed == "form"
                method = "elicitation/create" if form else "session/request_permission"
                params = FORM if form else permission("ST"[number % 2], f"t{number}")
                asked.append(Asked(method, params))
                client._on_request(asked[-1])  # type: ignore[arg-type]
            case "yes" | "no":
                client.answer_permission(number + 1, deed)
            case "accept":
                client.answer_elicitation(number + 1, deed, {})
            case "withdraw" if number < len(asked):
                asked[number].cancel()
            case "stop":
                client.cancel("ST"[number % 2])
            case "leave":
                client.answer_all_cancelled()
        open_now = {one.key for one in story.state.waiting()}
        for key, request in enumerate(asked, 1):
            assert len(request.answers) == (key not in open_now)
    client.answer_all_cancelled()
    assert all(len(request.answers) == 1 for request in asked)
