"""A small notation for the session core: events by short names, effects as one line of text each.

A script is a list of events and lines; each line is the next effect of the events before it, and
nothing may be left over when the next event comes. Timers that stop, gauges and turn changes are
left out unless a test asks for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from canopy_agent.domain import effects as fx
from canopy_agent.domain import events as e
from canopy_agent.domain import facts as f
from canopy_agent.domain.effects import Effect
from canopy_agent.domain.session import step
from canopy_agent.domain.state import Form, Policy, SessionState, new_state

ROOT = "S"
LIFECYCLE = frozenset({"msg_lifecycle_v1", "request_marker_lists_v1"})

# --- policies -------------------------------------------------------------------------------------

FLAT = Policy()
TRANSCRIPT = Policy(child_text=True)
AIR_FLAT = Policy(child_deltas=False)
AIR = Policy(Form.AIR)
AIR_BG = Policy(Form.AIR, ends_turns=True)
FLAT_BG = Policy(child_deltas=False, ends_turns=True)
OURS = Policy(Form.AIR, ends_turns=True, spares_background=True, child_cancel=True)
RFD = Policy(
    Form.RFD, spares_background=True, child_cancel=True, stops_workflows=True, cwd="/project"
)
EVERY_FORM = {"flat": FLAT, "air": AIR, "air-bg": AIR_BG, "rfd": RFD, "ours": OURS}


# --- what the client does -------------------------------------------------------------------------


def prompt(id_: str = "p1") -> e.Event:
    return e.PromptSubmitted(id_, (), 0)


def cancel() -> e.Event:
    return e.CancelRequested(0)


def cancel_child(session: str) -> e.Event:
    return e.ChildCancelRequested(session)


def answered(key: str = "k1") -> e.Event:
    return e.RequestClosed(key)


def ran_out(name: str) -> e.Event:
    return e.TimerFired(name)


# --- what the CLI says of the conversation --------------------------------------------------------


def capable(*names: str) -> e.Event:
    return e.CliInit(frozenset(names) or LIFECYCLE)


def running() -> e.Event:
    return e.StateChanged("running")


def idle() -> e.Event:
    return e.StateChanged("idle")


def requesting(*prompts: str) -> e.Event:
    return e.ModelRequested(prompts or None)


def moved(id_: str, state: str) -> e.Event:
    return e.PromptMoved(id_, state)


def echo(id_: str = "p1") -> e.Event:
    return e.PromptEchoed(id_, ({"type": "text", "text": id_},), "human")


def begun(id_: str = "p1") -> tuple[e.Event, ...]:
    """A prompt that the CLI works on."""
    return (prompt(id_), running(), echo(id_))


def text(words: str, parent: str | None = None, *, streamed: bool = True) -> e.Event:
    return e.TextCame(parent, words, "m", streamed=streamed)


def streamed_call(id_: str, name: str = "Bash", parent: str | None = None) -> e.Event:
    return e.ToolBegan(parent, id_, name)


def call(id_: str, name: str = "Bash", parent: str | None = None, **input_: Any) -> e.Event:
    return e.ToolUsed(parent, id_, name, input_)


def returned(
    id_: str, parent: str | None = None, *, failed: bool = False, structured: Any = None
) -> e.Event:
    words = "failed" if failed else "done"
    return e.ToolResulted(parent, id_, words, failed, structured)


def result(
    *prompts: str,
    tokens: int = 5,
    reason: str = "end_turn",
    subtype: str = "success",
    failed: bool = False,
    words: str = "",
    errors: tuple[str, ...] = (),
) -> e.Event:
    """The result of a prompt; without names the CLI does not say of which."""
    return e.ResultCame(
        subtype,
        failed,
        words,
        errors,
        reason,
        num_turns=1,
        origin={"kind": "human"},
        prompts=prompts,
        usage={"input_tokens": tokens, "output_tokens": 1},
    )


def cycle(*prompts: str, turns: int = 1, tokens: int = 500, failed: bool = False) -> e.Event:
    """The result of a cycle that Claude Code began by itself."""
    return e.ResultCame(
        "error_during_execution" if failed else "success",
        failed,
        num_turns=turns,
        origin={"kind": "task-notification"},
        prompts=prompts,
        usage={"input_tokens": tokens, "output_tokens": 1},
    )


def aborted(*prompts: str, tokens: int = 5) -> e.Event:
    """The result of a turn that was interrupted."""
    note = "[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=null"
    return replace(
        result(*prompts, tokens=tokens, subtype="error_during_execution", failed=True),  # type: ignore[type-var]
        errors=(note,),
        stop_reason=None,
        terminal_reason="aborted_streaming",
    )


def ended_stream(status: str = "exit status 1") -> e.Event:
    return e.StreamEnded(status)


# --- what the CLI says of its subagents -----------------------------------------------------------


def launch(
    id_: str = "T1", parent: str | None = None, *, background: bool = False, **input_: Any
) -> e.Event:
    """An Agent call; its subagent works for it."""
    given = {"description": f"Job {id_}", "prompt": f"Do {id_}", "subagent_type": "general"}
    more = {"run_in_background": True} if background else {}
    return e.ToolUsed(parent, id_, "Agent", {**given, **more, **input_})


def message(
    id_: str = "M1", to: str = "a1", words: str = "Go on", parent: str | None = None
) -> e.Event:
    return e.ToolUsed(parent, id_, "SendMessage", {"to": to, "message": words})


def started(
    agent: str = "a1",
    tool: str | None = "T1",
    *,
    background: bool = False,
    run: str | None = None,
    parent: str | None = None,
    **more: Any,
) -> e.Event:
    kind = {"subagent_type": "general", "task_type": "local_agent", **more}
    return e.TaskStarted(agent, run, tool, backgrounded=background, parent_task=parent, **kind)


def command(task: str, tool: str, kind: str = "local_bash") -> e.Event:
    return e.TaskStarted(task, None, tool, task_type=kind, backgrounded=True)


def ended(
    agent: str = "a1",
    tool: str | None = "T1",
    status: str = "completed",
    *,
    run: str | None = None,
    summary: str | None = None,
    reason: str | None = None,
) -> e.Event:
    return e.TaskNotified(agent, status, run, tool, reason, summary)


def patched(agent: str = "a1", status: str | None = None, **more: Any) -> e.Event:
    return e.TaskPatched(agent, status=status, **more)


def level(*agents: str) -> e.Event:
    return e.BackgroundLevel(agents)


def woken(agent: str = "a1", *calls: str) -> e.Event:
    return e.AgentWoken(agent, calls or ("M1",))


LAUNCHED = {"isAsync": True, "status": "async_launched"}


def child_at_work(
    agent: str = "a1", tool: str = "T1", parent: str | None = None
) -> tuple[e.Event, ...]:
    """A background subagent that runs, in the order in which the CLI tells of it."""
    return (
        launch(tool, parent, background=True),
        level(agent),
        started(agent, tool, background=True),
        returned(tool, parent, structured=LAUNCHED),
    )


# --- what the CLI asks ----------------------------------------------------------------------------


def asked(
    key: str = "k1", id_: str = "B1", agent: str | None = None, tool: str = "Bash"
) -> e.Event:
    return e.PermissionAsked(key, id_, tool, {"command": "ls"}, agent, {})


def withdrawn(key: str = "k1") -> e.Event:
    return e.ControlWithdrawn(key)


def hooked(agent: str, cwd: str, key: str = "h") -> e.Event:
    return e.HookFired(key, "PreToolUse", {"agent_id": agent}, None, cwd)


# --- effects as lines -----------------------------------------------------------------------------

QUIET = (fx.TurnBegan, fx.StopTimer, fx.AnswerHook)
QUIET_FACTS = (f.UsageShown, f.ChildOptionsShown, f.ToolInputGrew, f.ToolBeat)


def line(effect: Effect) -> str:
    """One effect, short."""
    match effect:
        case fx.Show(session, fact, parent):
            return f"{session}{f'^{parent}' if parent else ''} {fact_line(fact)}"
        case fx.Settle(id_, fx.Stopped(reason, usage, _)):
            used = "" if usage is None else f" ({usage['inputTokens']})"
            return f"answer {id_} {reason}{used}"
        case fx.Settle(id_, fx.Failed(_, kind, more)):
            return f"answer {id_} error {(more or {}).get('errorKind') or kind}"
        case fx.SendPrompt(id_):
            return f"send {id_}"
        case fx.Requeue(id_):
            return f"requeue {id_}"
        case fx.DropQueued(id_):
            return f"drop {id_}"
        case fx.StopTask(task):
            return f"stop {task}"
        case fx.AskPermission(key, session, parent) | fx.AskQuestion(key, session, parent):
            word = "ask" if isinstance(effect, fx.AskPermission) else "question"
            aside = " aside" if effect.background else ""
            return f"{word} {key} on {session}{f'^{parent}' if parent else ''}{aside}"
        case fx.Refuse(key):
            return f"refuse {key}"
        case fx.Withdraw(key):
            return f"withdraw {key}"
        case fx.StartTimer(name):
            return f"timer {name}"
        case fx.Logged():
            return "log"
        case fx.Interrupt():
            return "interrupt"
        case fx.ReplaceProcess():
            return "replace"
    return type(effect).__name__


def fact_line(fact: f.Fact) -> str:
    """One fact, short."""
    match fact:
        case f.Said(words):
            return f'"{words}"'
        case f.Thought(words):
            return f"({words})"
        case f.UserSaid():
            return "user"
        case f.ToolOpened(id_, name):
            return f"opened {id_} {name}"
        case f.ToolInputComplete(id_, name):
            return f"called {id_} {name}"
        case f.ToolReturned(id_, _, failed):
            return f"{'failed' if failed else 'returned'} {id_}"
        case f.ToolShownWhole(whole, back):
            return f"whole {whole.id} {'failed' if back.is_error else 'returned'}"
        case f.ToolClosed(id_, why):
            return f"closed {id_} {why}"
        case f.ToolDenied(id_):
            return f"denied {id_}"
        case f.ChildAnnounced(child, name, _, given):
            return f"spawned {child} '{name}'" + ("" if given is None else f" {given!r}")
        case f.ChildEnded(child, state):
            return f"ended {child} {state}"
        case f.ChildReported():
            return _report_line(fact)
        case f.Delivered(id_, sender, recipient, _, mine, theirs):
            link = "sent" if theirs else "got" if mine else "told"
            return f"{link} {id_} {sender}>{recipient}"
        case f.Replied(id_, sender, recipient):
            return f"reply {id_} {sender}>{recipient}"
        case f.UsageShown(used, size, cost):
            return f"used {used}/{size}" + ("" if cost is None else f" ${cost:g}")
        case f.ChildOptionsShown(values):
            return "options " + " ".join(f"{key}={value}" for key, value in values.items())
    return type(fact).__name__


def _report_line(report: f.ChildReported) -> str:
    words = [f"child {report.child}"]
    if report.title is not None or report.description is not None:
        words.append(f"'{report.title}' {report.description or '-'}")
    if report.cancellable:
        words.append("cancellable")
    if report.state is not None:
        words.append("/".join(_state_words(report.state)))
    if report.cwd is not None:
        words.append(f"in {report.cwd}")
    if report.clear_cwd:
        words.append("back")
    return " ".join(words)


def _state_words(state: Mapping[str, Any]) -> Iterable[str]:
    yield str(state["state"])
    if "stopReason" in state:
        yield str(state["stopReason"])
    if "error" in state:
        yield str(state["error"]["message"])


# --- playing --------------------------------------------------------------------------------------


class Play:
    """A session that events are fed to. ``whole`` tells the quiet effects too."""

    def __init__(self, policy: Policy, *, whole: bool = False) -> None:
        self.state: SessionState = new_state(ROOT, policy)
        self.effects: list[Effect] = []
        self._whole = whole
        self._received = 0

    def feed(self, *events: e.Event) -> list[str]:
        """Apply events; gives the lines of what they led to."""
        effects = self.apply(*events)
        self.effects += effects
        return [line(effect) for effect in effects if self._tells(effect)]

    def apply(self, *events: e.Event) -> list[Effect]:
        """Apply events; what they led to is given and not kept."""
        effects: list[Effect] = []
        for event in events:
            if isinstance(event, (e.PromptSubmitted, e.CancelRequested)) and not event.received:
                self._received += 1
                event = replace(event, received=self._received)
            effects += step(self.state, event)
        return effects

    def _tells(self, effect: Effect) -> bool:
        if self._whole:
            return True
        quiet = isinstance(effect, fx.Show) and isinstance(effect.fact, QUIET_FACTS)
        return not quiet and not isinstance(effect, QUIET)

    def lines(self) -> list[str]:
        """Everything that was led to so far."""
        return [line(effect) for effect in self.effects if self._tells(effect)]


Script = list[Any]
"""Events, tuples of events, and the lines that they lead to."""


def _flat(item: Any) -> list[e.Event]:
    return [event for part in item for event in _flat(part)] if isinstance(item, tuple) else [item]


def perform(policy: Policy, script: Script, *, whole: bool = False) -> Play:
    """Play ``script``; fails at the first effect that is not the next line of it."""
    play = Play(policy, whole=whole)
    pending: list[str] = []
    last: object = "the beginning"
    for item in script:
        if isinstance(item, str):
            told = pending.pop(0) if pending else None
            assert told == item, f"after {last}:\n  expected {item}\n  came     {told}, {pending}"
            continue
        assert not pending, f"after {last}: {pending}"
        pending, last = play.feed(*_flat(item)), item
    assert not pending, f"after {last}: {pending}"
    return play
