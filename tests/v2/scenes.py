"""Scenes that a person plays with our client: each is a script of the model and what is done.

They are the same in every version of the protocol; which one is spoken is not known here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from canopy_agent.demo.rules import ApiError, Gate, Rule, Text, Thinking, ToolUse, When, flow
from canopy_tui.model.entries import (
    ChangesEntry,
    ChildEntry,
    CompactionEntry,
    MessageEntry,
    NoticeEntry,
    PlanEntry,
    Role,
    RuleEntry,
    ToolEntry,
)
from canopy_tui.model.intents import (
    AnswerElicitation,
    AnswerPermission,
    CancelTurn,
    CloseSession,
    LoadSession,
    SendPrompt,
    SetOption,
    StopTask,
)
from canopy_tui.model.state import Phase, Replay
from tui_model.client_world import texts, tools
from v2.tale import ECHO, EDIT, READ, SHELL, WRITE, agent

if TYPE_CHECKING:
    from canopy_agent.demo.workspace import DemoEnvironment
    from canopy_tui.model.state import SessionView
    from tui_model.client_world import World

TODOS = [
    {"content": "First", "status": "completed", "activeForm": "Doing first"},
    {"content": "Second", "status": "in_progress", "activeForm": "Doing second"},
]
QUESTION = {
    "question": "Which one?",
    "header": "One",
    "multiSelect": False,
    "options": [{"label": "A", "description": "a"}, {"label": "B", "description": "b"}],
}
REFUSED = ToolUse("Write", {"file_path": "{cwd}/no.txt", "content": "no\n"})
BROKEN = ToolUse("Bash", {"command": "echo oops >&2; exit 3", "description": "Break"})

SCRIPT = [
    Rule(When(says="hello"), [Thinking("Hm."), Text("# Hello\n\nA *list*:\n\n- one\n")]),
    *flow(When(says="tools"), [ECHO, BROKEN], [READ], [EDIT], "Edited."),
    *flow(When(says="refuse"), [REFUSED], "As you like."),
    Rule(When(says="todos", step=0), [ToolUse("ToolSearch", {"query": "select:TodoWrite"})]),
    Rule(When(after_tool="ToolSearch"), [ToolUse("TodoWrite", {"todos": TODOS})]),
    Rule(When(after_tool="TodoWrite"), "Planned."),
    *flow(When(says="ask"), [ToolUse("AskUserQuestion", {"questions": [QUESTION]})], "Thanks."),
    *flow(When(says="tick"), [SHELL], "It runs."),
    Rule(When(says="count"), [Text(("One ", "two ", Gate("NEVER"), "three."))]),
    *flow(When(says="go"), [Text("I delegate."), agent("kid"), agent("other")], "Both run."),
    *flow(When(agent="kid"), [Gate("KID"), WRITE], "Kid wrote it."),
    Rule(When(agent="other"), [Text(("Working ", Gate("NEVER"), "on."))]),
    *flow(
        When(says="wait for it"),
        [agent("near", background=False)],
        "It came back.",
    ),
    *flow(When(agent="near"), [READ], "Near is done."),
    Rule(When(says="fail"), error=ApiError(400, "Refused, scripted")),
    Rule(When(notified=""), "I see."),
]


@dataclass(slots=True)
class Stage:
    """Where a scene is played. ``told`` is what the client's model was at the end of each."""

    seen: World
    place: DemoEnvironment
    told: dict[str, list[Any]] = field(default_factory=dict)

    @property
    def root(self) -> SessionView:
        """The session that is played in."""
        return self.seen.root

    async def say(self, text: str, *, option: str = "allow-once") -> None:
        """One turn, with ``option`` for whatever is asked, and A for a question."""
        done = self.root.turns_done
        self.seen.act(SendPrompt(self.root.id, text))

        def over() -> bool:
            for request in self.seen.state.waiting():
                if request.kind == "permission":
                    self.seen.act(AnswerPermission(request.key, option))
                else:
                    accepted = {"question_0": "A"}
                    self.seen.act(AnswerElicitation(request.key, "accept", accepted))
            return self.root.turns_done > done and not self.root.in_turn

        await self.seen.until(over, f"the end of {text}")

    async def rest(self) -> None:
        """Nothing runs any more."""
        await self.seen.until(
            lambda: self.root.phase in (Phase.IDLE, Phase.FAILED), "a session at rest"
        )


Scene = Callable[[Stage], Awaitable[list[Any]]]


async def text(stage: Stage) -> list[Any]:
    await stage.say("hello")
    return [stage.root.mode, stage.root.title]


async def tools_with_diff_and_terminal(stage: Stage) -> list[Any]:
    (stage.place.cwd / "notes.txt").write_text("alpha\nbeta\n")
    await stage.say("use the tools")
    assert (stage.place.cwd / "notes.txt").read_text() == "alpha\ngamma\n"
    shells = [one for one in tools(stage.root) if one.name == "Bash"]
    assert shells[0].output.splitlines() == ["one", "two"]
    return [(one.output.strip(), one.exited, one.exit_code) for one in shells]


async def permission_refused(stage: Stage) -> list[Any]:
    await stage.say("refuse it", option="reject")
    assert not (stage.place.cwd / "no.txt").exists()
    return [tools(stage.root)[-1].status]


async def plan(stage: Stage) -> list[Any]:
    await stage.say("write todos")
    assert any(isinstance(entry, PlanEntry) for entry in stage.root.entries)
    return []


async def elicitation(stage: Stage) -> list[Any]:
    await stage.say("ask me")
    return ["A" in str(tools(stage.root)[-1].content)]


async def option_change(stage: Stage) -> list[Any]:
    for mode in ("acceptEdits", "default"):
        stage.seen.act(SetOption(stage.root.id, "mode", mode))
        await stage.seen.until(lambda mode=mode: stage.root.mode == mode, mode)
    return [
        (option.id, option.name, option.type, option.current_value) for option in stage.root.options
    ]


async def terminal_in_the_background(stage: Stage) -> list[Any]:
    await stage.say("tick, please")
    await stage.seen.until(lambda: stage.seen.state.tasks, "a task")
    (task,) = stage.seen.state.tasks.values()
    shell = tools(stage.root)[-1]
    before = [task.kind, task.can_stop, task.is_over, shell.in_background]
    stage.seen.act(StopTask(task.key))
    await stage.seen.until(lambda: task.is_over, "the end of the task")
    await stage.rest()
    return before


async def cancel(stage: Stage) -> list[Any]:
    stage.seen.act(SendPrompt(stage.root.id, "count"))
    await stage.seen.until(lambda: "two" in texts(stage.root), "the count")
    stage.seen.act(CancelTurn(stage.root.id))
    await stage.seen.until(lambda: not stage.root.in_turn, "the end of the cancelled turn")
    return []


async def subagents_after_the_turn(stage: Stage) -> list[Any]:
    """Two in the background: one asks, the other is stopped."""
    seen, root = stage.seen, stage.root
    await stage.say("go")
    kids = {one.title: one for one in (seen.state.sessions[key] for key in root.children)}
    kid, other = kids["Work of kid"], kids["Work of other"]
    assert (kid.phase, other.phase) == (Phase.RUNNING, Phase.RUNNING)
    stage.place.model.release("KID")
    (request,) = await seen.asked()
    assert request.session == kid.wire_id
    seen.act(CancelTurn(other.id))
    await seen.until(lambda: other.phase is Phase.CANCELLED, "the end of the other")
    assert kid.phase is Phase.RUNNING
    seen.act(AnswerPermission(request.key, "allow-once"))
    await seen.until(lambda: kid.phase is Phase.DONE, "the end of the kid")
    assert (stage.place.cwd / "kid.txt").read_text() == "by the kid\n"
    await stage.rest()
    return [(one.title, one.task, shown(one)) for one in (kid, other)]


async def subagent_in_the_turn(stage: Stage) -> list[Any]:
    await stage.say("wait for it")
    below = [stage.seen.state.sessions[key] for key in stage.root.children]
    near = next(one for one in below if one.title == "Work of near")
    return [near.phase, near.task, shown(near)]


async def compaction(stage: Stage) -> list[Any]:
    await stage.say("/compact")
    return [stage.root.usage_size]


async def failure(stage: Stage) -> list[Any]:
    await stage.say("fail, please")
    return [stage.root.phase]


async def replay(stage: Stage) -> list[Any]:
    """The session is opened again: its history is all there is."""
    seen, session = stage.seen, stage.root.id
    seen.act(CloseSession(session))
    await seen.until(lambda: not seen.state.roots, "the end of the session")
    seen.act(LoadSession(session, str(stage.place.cwd)))
    await seen.until(lambda: seen.state.roots and stage.root.replay is Replay.NO, "its history")
    below = [stage.seen.state.sessions[key] for key in stage.root.children]
    for edit in tools(stage.root):
        if edit.name == "Edit":
            edit.content = ()  # what version 1 has is a snippet, which version 2 has no word for
    return [(one.title, one.phase, shown(one)) for one in below]


SCENES: dict[str, Scene] = {
    scene.__name__: scene
    for scene in (
        text,
        tools_with_diff_and_terminal,
        permission_refused,
        plan,
        elicitation,
        option_change,
        terminal_in_the_background,
        cancel,
        subagents_after_the_turn,
        subagent_in_the_turn,
        failure,
        replay,
        compaction,
    )
}


def shown(view: SessionView, since: int = 0) -> list[Any]:
    """The transcript of a session without ids and times, and without what only one of the forms
    has: in version 1 an order to stop is acknowledged, in version 2 a child hands its answer over.
    """
    rows: list[Any] = []
    for entry in view.entries[since:]:
        match entry:
            case MessageEntry(role=Role.CHILD) | NoticeEntry(title="Stopped"):
                continue
            case MessageEntry(role=role, text=text):
                rows.append((role.value, text))
            case ToolEntry():
                rows.append((entry.name, entry.title, entry.status, entry.content, entry.exited))
            case RuleEntry(kind=kind, text=text):
                rows.append((kind, text))
            case ChildEntry():
                rows.append("child")
            case PlanEntry():
                rows.append(("plan", entry.steps, entry.document))
            case NoticeEntry():
                rows.append((entry.severity, entry.title, entry.detail, entry.hint))
            case CompactionEntry():
                rows.append((entry.status, entry.trigger, entry.summary[:40]))
            case ChangesEntry(paths=paths):
                rows.append(("changed", [Path(one).name for one in paths]))
    return rows


async def play(stage: Stage) -> dict[str, list[Any]]:
    """Play every scene in one session; gives what the client's model is after each."""
    await stage.seen.ready()
    for name, scene in SCENES.items():
        view, since = stage.root, len(stage.root.entries)
        facts = await scene(stage)
        start = since if stage.root is view else 0
        rows = [*facts, *shown(stage.root, start)]
        # what Claude says by itself afterwards comes when it comes
        unasked = ("I see.", "after_turn")
        kept = [str(row).replace(str(stage.place.cwd), "{cwd}") for row in rows]
        stage.told[name] = [row for row in kept if not any(word in row for word in unasked)]
    return stage.told
