"""What is pictured: recorded runs, played to the moments at which a feature shows, and the keys
that a person presses there.

A scene is given a stage and ``take``; what a picture is made into is not known here.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from canopy_shared.unset import UNSET
from canopy_shared.updates import ToolCallStart
from canopy_tui.desk.file_window import FileWindow, line_of, read_window
from canopy_tui.kept.open_sessions import LeftSession
from canopy_tui.model import events as e
from canopy_tui.model.glyphs import ASCII
from canopy_tui.model.login import LoginNeed
from canopy_tui.model.shelf import Draft
from canopy_tui.model.toolcalls import find
from pictures import more_scenes as more
from pictures.in_lines import printed
from pictures.scene import Scene, asks, asks_form, is_ready, is_team, turns
from pictures.stage import BOTH, DIRECTORY, SAMPLE, SPLIT, inspected, opened, replayed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractAsyncContextManager

    from pictures.scene import Take
    from pictures.stage import Stage

# --- the scenes of the demo -----------------------------------------------------------------------


async def start(stage: Stage, take: Take) -> None:
    """What a newcomer sees, and the lists of everything there is."""
    stage.host.until(is_ready)
    await take("start")
    await stage.press("ctrl+p")
    await take("commands")
    await stage.press("escape", "f1")
    await take("keys")
    await stage.press("escape")
    stage.host.until(turns(1))
    stage.host.until(turns(1, root=1))
    stage.app.go(stage.host.state.roots[1])
    await take("answer")
    await stage.press("f2")
    await take("sessions")


async def agents(stage: Stage, take: Take) -> None:
    """A form, a tree of agents at work, a question after the turn, and what comes back."""
    stage.host.until(turns(1, root=1))
    stage.host.until(asks)
    await stage.opens_request()
    await take("question")
    await stage.press("escape")
    stage.host.until(is_team)
    stage.app.go(stage.host.state.roots[2])
    await take("agents")
    await stage.press("ctrl+t", "down", "down")
    await take("tree")
    await stage.press("enter")
    await stage.pilot.resize_terminal(*SPLIT)
    await stage.press("ctrl+backslash")
    await stage.until(lambda: stage.app.main.split, "two transcripts")
    await take("split", (SPLIT,))
    await stage.pilot.resize_terminal(*BOTH[0])
    await stage.press("ctrl+backslash", "ctrl+t")
    await take("child")
    await stage.press("ctrl+g")
    stage.host.until(asks)
    await stage.opens_request()
    await take("permission")
    await stage.press("escape")
    await take("waiting")
    stage.host.until(lambda state: not state.waiting())
    stage.host.until_the_next_message()
    await take("after-the-turn")
    stage.host.until(asks)
    with patch("canopy_tui.view.requests.permission.line_of", _line_of_the_sample):
        await stage.opens_request()
        await stage.until(lambda: "17 -" in stage.text, "the line in the file")
        await take("change")


def _line_of_the_sample(path: str, _cwd: str, text: str) -> int:
    return line_of(path.replace(DIRECTORY, str(SAMPLE)), str(SAMPLE), text)


async def answers(stage: Stage, take: Take) -> None:
    """Two agents that ask for exactly the same; a question that the agent takes back."""
    stage.host.until(is_team)
    root = stage.host.state.sessions[stage.host.state.roots[2]]
    stage.app.go(root.id)
    stage.host.until(lambda state: any(one.session in root.children for one in state.waiting()))
    first = next(one for one in stage.host.state.waiting() if one.session in root.children)
    other = next(child for child in root.children if child != first.session)
    call = find(stage.host.state.sessions[first.session], first.tool_call_id or "")
    assert call is not None
    told = ToolCallStart(
        call.tool_call_id,
        call.title,
        kind=call.kind,
        content=call.content,
        raw_input=call.raw_input,
        name=call.name or UNSET,
    )
    again = replace(first, key=first.key + 1000, session=other)
    asked = e.RequestArrived(again, first.payload.tool_call)
    stage.host.apply([e.UpdateArrived(other, told, first.at), asked])
    await stage.opens_request()
    await take("together")
    with patch("canopy_tui.view.requests.request_screen.WITHDRAWN_SECONDS", 600.0):
        stage.host.apply([e.RequestWithdrawn(again.key), e.RequestWithdrawn(first.key)])
        await stage.shows("withdrawn")
        await take("withdrawn")


async def looking_back(stage: Stage, take: Take) -> None:
    """Search over all agents, a change on a screen of its own, what the session uses."""
    stage.host.to_end()
    stage.app.go(stage.host.state.roots[2])
    await stage.settle()
    if not stage.app.shows_main:
        await stage.press("escape")
    await stage.press("ctrl+f", *"discount", "ctrl+f")
    await stage.shows("all agents")
    await take("search")
    await stage.press("escape")
    stage.app.main.transcript.focus()
    await stage.press("T", "end", *["up"] * 11, "v")
    await take("times-and-raw")
    await stage.press("v", "T", "end")
    for _ in range(3):
        await stage.press("left_square_bracket")
    await stage.press("down", "down", "down", "down", "enter")
    await take("change-side-by-side")
    await stage.press("escape", "f10")
    await take("options")
    await stage.press("escape", "alt+u")
    await take("usage")


# --- a morning at the stand -----------------------------------------------------------------------


async def forms(stage: Stage, take: Take) -> None:
    """A tool of an MCP server that asks: for permission, for values, for a page to be opened."""
    stage.host.until(asks)
    stage.host.until(asks_form)
    await stage.opens_request()
    await take("form")
    await stage.press("escape")
    stage.host.until(lambda state: not state.waiting())
    stage.host.until(asks_form)
    await stage.opens_request()
    await take("page")


async def work(stage: Stage, take: Take) -> None:
    """A plan, changed files, work in the background, what is written meanwhile."""
    stage.host.until(turns(4))
    await take("plan")
    stage.app.main.transcript.focus()
    await stage.press("left_square_bracket", "up", "up", "enter")
    await take("changed-files")
    await stage.press("escape", "ctrl+g", "alt+m")
    await take("servers")
    await stage.press("escape")
    stage.host.until(turns(5))
    stage.host.until(lambda state: state.sessions[state.roots[0]].in_turn)
    stage.host.seconds(1.0)
    await stage.sends("Then the pears")
    await stage.sends("And write it down")
    await stage.press(*"Only the ripe ones", "ctrl+n")
    await take("queue")
    stage.host.apply([e.QueueChanged(stage.host.state.roots[0], ())])
    await stage.press("ctrl+t", "b")
    await take("background")
    await stage.press("enter")
    await take("background-output")


async def writing(stage: Stage, take: Take) -> None:
    """What helps with a message."""
    stage.host.until(turns(5))
    await stage.press(*"Look at @dis")
    await stage.shows("test_discounts.py")
    await take("files")
    await stage.press("escape", "ctrl+u", "/")
    await take("slash-commands")
    await stage.press("escape", "ctrl+u")
    await stage.pastes("\n".join(f"14:{minute} sold {minute} apples" for minute in range(10, 60)))
    await take("paste")
    await stage.press("ctrl+u", "ctrl+r")
    await take("history")


async def trouble(stage: Stage, take: Take) -> None:
    """A goal, a compaction and a failure; an agent that is gone; what asks before it ends."""
    stage.host.until(turns(9))
    await take("goal-and-failure")
    await stage.press("ctrl+q")
    await take("quit")
    await stage.press("escape")
    stage.host.apply([_GONE])
    await take("agent-gone")


async def trust(stage: Stage, take: Take) -> None:
    """A directory that is new."""
    await take("trust")


async def in_lines(stage: Stage, take: Take) -> None:
    """A talk for pipes and screen readers."""
    await take("plain")


async def left_behind(stage: Stage, take: Take) -> None:
    """The client before this one was killed."""
    await take("left-behind")


async def wrong_settings(stage: Stage, take: Take) -> None:
    """Lines of the settings that are wrong."""
    await take("wrong-settings")


async def elsewhere(stage: Stage, take: Take) -> None:
    """Another client has the session open that was picked."""
    stage.host.until(turns(1, root=1))
    await stage.press("f2", "enter")
    await take("elsewhere")


async def login(stage: Stage, take: Take) -> None:
    """The agent wants a login."""
    stage.host.until(is_ready)
    stage.host.offer_logins()
    stage.host.apply([e.LoginChanged(LoginNeed("Not logged in"))])
    await take("login")


async def inspection(stage: Stage, take: Take) -> None:
    """A past session, read from disk."""
    await take("inspect")
    await stage.press("t")
    await stage.shows("worked")
    await take("timeline")


async def replay(stage: Stage, take: Take) -> None:
    """A recording, paused while agents work."""
    for _ in range(5000):
        if len(stage.app.state.sessions) >= 7:
            break
        await stage.app.run_action("step_playback")
    stage.app.go(stage.app.state.roots[2])
    await take("replay")


async def tools(stage: Stage, take: Take) -> None:
    """The row of every tool, folded and unfolded."""
    stage.host.to_end()
    await stage.settle()
    if not stage.app.shows_main:
        await stage.press("escape")
    transcript = stage.app.main.transcript
    transcript.focus()
    await stage.press("home")
    await take("tools", [(120, 76)], ["dark"])
    transcript.action_unfold_all()
    await stage.press("home")
    await take("tools-unfolded", [(120, 230)], ["dark"])


async def following(stage: Stage, take: Take) -> None:
    """The file at which an agent works, below the transcript."""
    stage.host.until(is_team)
    root = stage.host.state.sessions[stage.host.state.roots[2]]
    stage.app.go(root.children[-1])

    def read(path: str, _cwd: str, *where: Any) -> FileWindow:
        return read_window(path.replace(DIRECTORY, str(SAMPLE)), str(SAMPLE), *where)

    with patch("canopy_tui.view.transcript.follow_panel.read_window", read):
        await stage.press("f11")
        await stage.until(lambda: "Follows  " in stage.text and ":" in stage.text, "a file")
        await take("following")


async def team_at_work(stage: Stage, take: Take, name: str) -> None:
    """Agents at work, one that asks, as a terminal of another kind shows it."""
    stage.host.until(is_team)
    stage.app.go(stage.host.state.roots[2])
    stage.host.until(asks)
    await stage.opens_request()
    await take(f"{name}-question", themes=["dark"])
    await stage.press("escape", "ctrl+t", "down")
    await take(name, themes=["dark"])


class _NoTrust:
    """Trusts nothing yet."""

    def holds(self, directory: str) -> bool:
        return False

    def give(self, directory: str, *, keep: bool) -> None:
        raise AssertionError(directory, keep)

    def found(self, directory: str) -> Sequence[str]:
        return (".mcp.json", ".claude/settings.json", "CLAUDE.md")


_LEFT = LeftSession("6ba22a9e", DIRECTORY, "How the receipt should look")
_DRAFT = Draft("Print the discount on a row of its own, and te")
_FILE = "/home/ada/.config/canopy/config.toml"
_FAULTS = (
    f"{_FILE}, line 2: motion is one of full, none.",
    f"{_FILE}, line 5: there is no action 'sesions'; is it 'sessions'?",
    f"{_FILE}, line 6: terminals send Tab for 'ctrl+i'; take another key. tree stays on Ctrl+T.",
)

_GONE = e.LinkChanged(
    status="lost",
    at=1.0,
    detail="The agent ended with exit status 143.",
    stderr='Traceback (most recent call last):\n  File "agent.py", line 3\nMemoryError',
)


def _on(recording: str, **around: Any) -> Callable[[], AbstractAsyncContextManager[Stage]]:
    return partial(opened, recording, **around)


SCENES = {
    "start": Scene(start, _on("demo")),
    "agents": Scene(agents, _on("demo")),
    "answers": Scene(answers, _on("demo")),
    "looking-back": Scene(looking_back, _on("demo")),
    "forms": Scene(forms, _on("work")),
    "work": Scene(work, _on("work")),
    "writing": Scene(writing, _on("work")),
    "trouble": Scene(trouble, _on("work")),
    "trust": Scene(trust, _on("work", trust=_NoTrust())),
    "plain": Scene(in_lines, printed),
    "left-behind": Scene(left_behind, _on("work", left=_LEFT, draft=_DRAFT)),
    "wrong-settings": Scene(wrong_settings, _on("work", faults=_FAULTS)),
    "elsewhere": Scene(elsewhere, _on("demo", held_elsewhere=lambda _: "(process 4711)")),
    "login": Scene(login, _on("work")),
    "inspection": Scene(inspection, inspected),
    "replay": Scene(replay, replayed),
    "tools": Scene(tools, _on("tools")),
    "following": Scene(following, _on("demo")),
    "agents-by-key": Scene(more.agents_by_key, _on("demo")),
    "by-hand": Scene(more.by_hand, _on("demo", write_new=more.written)),
    "pictures": Scene(more.pictures, _on("work")),
    "steering": Scene(more.steering, _on("work")),
    "smallest": Scene(more.smallest, _on("demo")),
    "no-colour": Scene(partial(team_at_work, name="no-colour"), _on("demo"), {"NO_COLOR": "1"}),
    "ascii": Scene(partial(team_at_work, name="ascii"), _on("demo", glyphs=ASCII)),
}
