"""The client in ACP v2 with our own agent on the real CLI: the same scenes give the same model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from canopy_agent.demo.rules import Gate, Rule, Text, Thinking, When, flow
from canopy_agent.demo.workspace import demo_environment
from canopy_agent.server import AgentServer
from canopy_tui.in_process_agent import InProcessAgent
from canopy_tui.model.entries import ChildEntry, MessageEntry, RuleEntry, ToolEntry
from canopy_tui.model.intents import AnswerPermission, CancelTurn, SendPrompt, StopTask
from canopy_tui.model.state import Phase
from canopy_tui.v2.transport import speaking_v2
from tui_model.client_world import World, texts, tools, world
from v2.test_v2_on_the_real_cli import ECHO, EDIT, READ, SHELL, WRITE, agent

if TYPE_CHECKING:
    from canopy_tui.model.state import SessionView

SCRIPT = [
    Rule(When(says="hello"), [Thinking("Hm."), Text("Hello.")]),
    *flow(When(says="say"), [ECHO], "Said."),
    *flow(When(says="edit"), [READ], [EDIT], "Edited."),
    *flow(When(says="tick"), [SHELL], "It runs."),
    *flow(When(says="go"), [Text("I delegate."), agent("kid"), agent("other")], "Both run."),
    *flow(When(agent="kid"), [Gate("KID"), WRITE], "Kid wrote it."),
    Rule(When(agent="other"), [Text(("Working ", Gate("NEVER"), "on."))]),
    Rule(When(says="count"), [Text(("One ", "two ", Gate("NEVER"), "three."))]),
    Rule(When(notified=""), "I see."),
]


def shown(view: SessionView) -> list[Any]:
    """The transcript of a session without ids and times."""
    rows: list[Any] = []
    for entry in view.entries:
        match entry:
            case MessageEntry(role=role, text=text):
                rows.append((role.value, text))
            case ToolEntry():
                # as an AIR client it is spared what it reads, and told an exit code at once
                content = () if entry.name == "Read" else entry.content
                rows.append((entry.name, entry.title, entry.status, content, entry.exited))
            case RuleEntry(kind=kind, text=text):
                rows.append((kind, text))
            case ChildEntry():
                rows.append("child")
    return rows


async def say(seen: World, text: str) -> None:
    """One turn, with everything allowed that is asked for."""
    done = seen.root.turns_done
    seen.act(SendPrompt(seen.root.id, text))

    def over() -> bool:
        for request in seen.state.waiting():
            seen.act(AnswerPermission(request.key, "allow-once"))
        return seen.root.turns_done > done

    await seen.until(over, f"the end of {text}")


async def scenes(*, newest: bool) -> dict[str, list[Any]]:
    """Play everything; gives the transcripts at the end."""
    async with demo_environment(SCRIPT, pace=0.0) as place:
        (place.cwd / "notes.txt").write_text("alpha\nbeta\n")

        async def launch() -> InProcessAgent:
            return InProcessAgent(lambda transport: AgentServer(transport, environ=place.env))

        started = speaking_v2(launch) if newest else launch
        async with world(started, place.cwd) as seen:
            root = await seen.ready()
            await say(seen, "hello")
            await say(seen, "say it")
            await say(seen, "edit it")
            assert (place.cwd / "notes.txt").read_text() == "alpha\ngamma\n"

            # a terminal in the background: it prints, is listed, is stopped
            await say(seen, "tick, please")
            await seen.until(lambda: seen.state.tasks, "a task")
            (task,) = seen.state.tasks.values()
            assert (task.kind, task.can_stop, task.is_over) == ("shell", True, False)
            shell = tools(root)[-1]
            assert shell.in_background
            seen.act(StopTask(task.key))
            await seen.until(lambda: task.is_over, "the end of the task")
            await seen.until(lambda: root.phase is Phase.IDLE, "rest")

            # a cancel
            seen.act(SendPrompt(root.id, "count"))
            await seen.until(lambda: "two" in texts(root), "the count")
            seen.act(CancelTurn(root.id))
            await seen.until(lambda: not root.in_turn, "the end of the cancelled turn")

            # two subagents in the background: one asks, the other is stopped
            await say(seen, "go")
            below = [seen.state.sessions[one] for one in root.children]
            kids = {one.title: one for one in below}
            kid, other = kids["Work of kid"], kids["Work of other"]
            assert (kid.phase, other.phase) == (Phase.RUNNING, Phase.RUNNING)
            place.model.release("KID")
            (request,) = await seen.asked()
            assert request.session == kid.wire_id
            seen.act(CancelTurn(other.id))
            await seen.until(lambda: other.phase is Phase.CANCELLED, "the end of the other")
            assert kid.phase is Phase.RUNNING
            seen.act(AnswerPermission(request.key, "allow-once"))
            await seen.until(lambda: kid.phase is Phase.DONE, "the end of the kid")
            assert (place.cwd / "kid.txt").read_text() == "by the kid\n"
            await seen.until(lambda: root.phase is Phase.IDLE, "rest")
            told = {"kid": shown(kid), "other": shown(other), "root": shown(root)}
        folder = str(place.cwd)
    return {
        name: [str(row).replace(folder, "{cwd}") for row in rows] for name, rows in told.items()
    }


async def test_the_same_scenes_give_the_same_model() -> None:
    first, second = await scenes(newest=False), await scenes(newest=True)
    for one in (first, second):
        # what Claude says by itself afterwards comes when it comes
        unasked = ("I see.", "after_turn")
        one["root"] = [row for row in one["root"] if not any(word in row for word in unasked)]
    assert second == first
