"""What a client that follows work is told of it: when a prompt was taken in, what the foreground
does, and what goes on in the background.

The rules before this one know nothing of it: it reads the state that they left, and puts its own
effects where they belong among theirs. Source: the ACP v2 draft, "Prompt lifecycle".
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from canopy_agent.domain import events as e
from canopy_agent.domain import extension_events as x
from canopy_agent.domain import work as w
from canopy_agent.domain.async_tasks import (
    COMPLETED,
    ENDS,
    FAILED,
    PAUSED,
    RUNNING,
    SHELL,
    STOPPED,
)
from canopy_agent.domain.bounded import Recent
from canopy_agent.domain.effects import (
    AskDialog,
    AskElicitation,
    AskPermission,
    AskQuestion,
    Effect,
    Failed,
    Reply,
    ReplyError,
    Settle,
    Show,
    StopBackground,
    Take,
    TurnBegan,
)
from canopy_agent.domain.facts import ChildReported
from canopy_agent.domain.rfd_children import Stage
from canopy_agent.domain.session_facts import TaskAnnounced, TaskTold
from canopy_agent.domain.subagents import Subagents
from canopy_agent.domain.work_facts import StopOffered, ToolMoved, WorkShown

if TYPE_CHECKING:
    from canopy_agent.domain.async_tasks import AsyncTask
    from canopy_agent.domain.effects import Outcome
    from canopy_agent.domain.rfd_children import Child
    from canopy_agent.domain.state import SessionState

_ASKS = (AskPermission, AskQuestion, AskElicitation, AskDialog)
_SMALL = frozenset(
    {e.TextCame, e.ToolInputGrew, e.MessageUsage, e.MessageBegan, e.MessageSaid, e.CompactionGrew}
)
"""Events that come often and begin or end nothing in the background."""

_OFFERS = 512

_STATUS = {
    RUNNING: "in_progress",
    PAUSED: PAUSED,
    COMPLETED: COMPLETED,
    FAILED: FAILED,
    STOPPED: "cancelled",
}


def after(state: SessionState, event: e.Event, effects: list[Effect]) -> list[Effect]:
    """``effects`` of ``event`` with what the client is told of work."""
    work = state.work
    if work is None:
        return effects
    effects = _moved(work, _taken(state, work, event, effects))
    news: list[Effect] = []
    before = work.list_of(state.root)
    if work.lists is not None and type(event) not in _SMALL:
        lists = current_lists(state)
        effects = [_with_list(effect, lists) for effect in effects]
        news = _listed(state, work, lists, effects)
    relisted = before != work.list_of(state.root)
    return _with_state(state, work, effects, news, relisted=relisted)


# --- prompts --------------------------------------------------------------------------------------


def _taken(
    state: SessionState, work: w.Work, event: e.Event, effects: list[Effect]
) -> list[Effect]:
    """The client hears that a prompt is part of the conversation before anything comes of it."""
    told: list[Effect] = []
    match event:
        case e.PromptMoved(prompt=begun, state="started") if state.turns.find(begun) is not None:
            told += _take(work, begun)
    for effect in effects:
        match effect:
            case TurnBegan(str(prompt)):
                told += _take(work, prompt)
            case Settle(prompt, outcome) if _ran(outcome):
                told += _take(work, prompt)
        told.append(effect)
    return told


def _ran(outcome: Outcome) -> bool:
    """Whether a prompt with this outcome was part of the conversation, although nobody said so."""
    return not isinstance(outcome, Failed) and outcome.stop_reason != "cancelled"


def _take(work: w.Work, prompt: str) -> list[Effect]:
    if prompt in work.taken:
        return []
    work.taken[prompt] = True
    return [Take(prompt)]


# --- the foreground -------------------------------------------------------------------------------


def _with_state(
    state: SessionState,
    work: w.Work,
    effects: list[Effect],
    news: list[Effect],
    *,
    relisted: bool,
) -> list[Effect]:
    """The state of the main conversation at the place where it changed; ``news`` come before one
    that only lists something else.
    """
    before, now = work.state, _foreground(state, work)
    cycle, work.cycle = work.cycle, None
    ended = _last_settled(work, effects)
    work.state = now
    items = work.list_of(state.root)
    if now == w.IDLE and ended is not None:
        begun = before == w.IDLE
        return _ended(state, effects, ended, items, begun=begun) + news
    if now == before:
        again: list[Effect] = [Show(state.root, WorkShown(now, items))] if relisted else []
        return [*effects, *news, *again]
    if now == w.IDLE:
        return [*effects, *news, Show(state.root, WorkShown(now, items, cycle))]
    place = _place_of_start(effects) if now == w.RUNNING else _place_of_question(effects)
    shown = Show(state.root, WorkShown(now, items))
    return [*effects[:place], shown, *effects[place:], *news]


def _foreground(state: SessionState, work: w.Work) -> str:
    turns = state.turns
    begun = any(turn.started for turn in turns.queued())
    if not (turns.foreground or begun):
        return w.IDLE
    if any(state.tasks.blocks_foreground(one.agent) for one in state.requests.values()):
        return w.ASKING
    if work.state == w.ASKING and any(turn.cancelled for turn in turns.unsettled()):
        return w.ASKING  # the questions went with the work: its end is what comes next
    return w.RUNNING


def _last_settled(work: w.Work, effects: list[Effect]) -> int | None:
    places = [
        place
        for place, effect in enumerate(effects)
        if isinstance(effect, Settle) and effect.prompt in work.taken
    ]
    return places[-1] if places else None


def _ended(
    state: SessionState, effects: list[Effect], ended: int, items: w.Items | None, *, begun: bool
) -> list[Effect]:
    settle = effects[ended]
    assert isinstance(settle, Settle)
    idle = Show(state.root, WorkShown(w.IDLE, items, settle.outcome))
    head, tail = effects[: ended + 1], effects[ended + 1 :]
    if begun:  # it began and ended at once
        place = _place_of_start(head)
        head.insert(place, Show(state.root, WorkShown(w.RUNNING, items)))
    return [*head, idle, *tail]


def _place_of_start(effects: list[Effect]) -> int:
    """Behind the prompt that was taken in, else before everything."""
    taken = [place for place, effect in enumerate(effects) if isinstance(effect, Take)]
    return taken[-1] + 1 if taken else 0


def _place_of_question(effects: list[Effect]) -> int:
    asks = (place for place, effect in enumerate(effects) if isinstance(effect, _ASKS))
    return next(asks, len(effects))


# --- the background -------------------------------------------------------------------------------


def current_lists(state: SessionState) -> dict[str, w.Items]:
    """What goes on in the background of each session, children before their parents."""
    lists: dict[str, list[w.Json]] = {}
    for task in state.async_tasks.announced() if state.async_tasks is not None else ():
        live = state.tasks.get(task.id)
        goes_on = not task.is_over or task.id in state.shells.running  # its exit is still to come
        if goes_on and (live is None or not live.ambient):
            lists.setdefault(task.session, []).append(_item(state, task))
    children = state.children.known() if isinstance(state.children, Subagents) else []
    tasks = {session: len(items) for session, items in lists.items()}
    for child in reversed(children):  # a child is known after its parent
        if child.exposed and _is_listed(state, child, lists):
            parent, item = child.parent_session, w.subagent_item(child.id)
            lists.setdefault(parent, []).insert(tasks.get(parent, 0), item)
    return {session: tuple(items) for session, items in lists.items()}


def _is_listed(state: SessionState, child: Child, lists: dict[str, list[w.Json]]) -> bool:
    if not child.working:
        return bool(lists.get(child.id))
    task = state.tasks.get(child.id)
    return task is not None and task.backgrounded and not task.ended_per_level


def _item(state: SessionState, task: AsyncTask) -> w.Json:
    if task.call is None:
        return w.other_item(task.id, task.description or task.name or task.id)
    return w.terminal_item(task.call) if task.kind == SHELL else w.call_item(task.call)


def _with_list(effect: Effect, lists: dict[str, w.Items]) -> Effect:
    """A child's state says what goes on in its background too."""
    match effect:
        case Show(_, ChildReported(child=child, state=dict(told)) as report):
            with_list = {**told, "background": list(lists.get(child, ()))}
            return replace(effect, fact=replace(report, state=with_list))
    return effect


def _listed(
    state: SessionState, work: w.Work, lists: dict[str, w.Items], effects: list[Effect]
) -> list[Effect]:
    """What is new in the lists: controls first, then children; the root's comes with its state."""
    changed = [s for s in (*lists, *(work.lists or ())) if lists.get(s, ()) != work.list_of(s)]
    told = {
        effect.fact.child
        for effect in effects
        if isinstance(effect, Show)
        and isinstance(effect.fact, ChildReported)
        and effect.fact.state is not None
    }
    work.lists = dict(lists)
    news: list[Effect] = []
    for session in dict.fromkeys(changed):
        news += _offers(work, session, lists.get(session, ()))
    for session in dict.fromkeys(changed):
        if session != state.root and session not in told:
            news += _mirrored(state, session, lists.get(session, ()))
    return news


def _offers(work: w.Work, session: str, items: w.Items) -> list[Effect]:
    offers: list[Effect] = []
    for item in items:
        terminal = item["type"] == w.TERMINAL
        call = item.get("terminalId") or item.get("toolCallId")
        if call is not None and call not in work.offered:
            work.offered[call] = True
            offers.append(Show(session, StopOffered(call, terminal)))
    return offers


def _mirrored(state: SessionState, session: str, items: w.Items) -> list[Effect]:
    known = state.children.known() if isinstance(state.children, Subagents) else []
    child = next((one for one in known if one.id == session and one.exposed), None)
    if child is None or child.stage is Stage.PENDING:
        return []
    told = {"state": child.stage.value, "background": list(items)}
    return [Show(child.parent_session, ChildReported(child.id, state=told))]


def _moved(work: w.Work, effects: list[Effect]) -> list[Effect]:
    """A call that stands for a task follows it: its result was only the beginning."""
    told: list[Effect] = []
    for effect in effects:
        told.append(effect)
        match effect:
            case Show(session, TaskAnnounced(id=id_, kind=kind, call=str(call))) if kind != SHELL:
                work.lasting[id_] = session, call
            case Show(_, TaskTold(id=id_, state=str(moved))) if id_ in work.lasting:
                session, call = work.lasting[id_]
                told.append(Show(session, ToolMoved(call, _STATUS[moved])))
                if moved in ENDS:
                    del work.lasting[id_]
    return told


def standing(state: SessionState, children: list[Effect]) -> list[Effect]:
    """All that is known of work, as if nothing had been told: ``children`` announced, what can be
    stopped, and the state of the main conversation.
    """
    work = state.work
    if work is None:
        return []
    if work.lists is None:
        return [*children, Show(state.root, WorkShown(work.state, None))]
    lists = work.lists = current_lists(state)
    work.offered = Recent(_OFFERS)
    effects = [_with_list(effect, lists) for effect in children]
    for session, items in lists.items():
        effects += _offers(work, session, items)
    return [*effects, Show(state.root, WorkShown(work.state, lists.get(state.root, ())))]


# --- stopping it ----------------------------------------------------------------------------------


def on_stop_asked(state: SessionState, event: x.WorkStopAsked) -> list[Effect]:
    """The client wants something stopped that it has in a list."""
    work, tasks = state.work, state.async_tasks
    item = w.terminal_item(event.call) if event.in_terminal else w.call_item(event.call)
    listed = work is not None and item in (work.list_of(event.session) or ())
    running = tasks.of_call(event.call) if tasks is not None and listed else []
    task = next((one for one in running if not one.is_over), None)
    if work is None or task is None:
        return [ReplyError(event.key, "it is not in the session's background", invalid=True)]
    work.stops[event.key] = task.id
    return [StopBackground(event.key, task.id)]


def on_stop_done(state: SessionState, event: x.TaskStopDone) -> list[Effect] | None:
    """The answer to such a request; None when ``event`` is about another one."""
    if state.work is None or state.work.stops.pop(event.key, None) is None:
        return None
    if event.problem is not None:
        return [ReplyError(event.key, event.problem)]
    return [Reply(event.key, {})]
