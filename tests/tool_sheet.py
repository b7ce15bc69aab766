"""The row of every tool of the CLI in the client, from one real run, for ``make screenshots``.

The real Claude Code CLI makes the calls that a scripted model asks for; nothing here knows how a
row is drawn.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import subprocess
import sys
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from textual.css.query import NoMatches

from canopy_agent.demo.rules import Rule, When
from canopy_agent.demo.workspace import demo_environment
from canopy_agent.server import AgentServer
from canopy_tui.controller import Controller
from canopy_tui.in_process_agent import InProcessAgent
from canopy_tui.model.intents import AnswerElicitation, AnswerPermission, SendPrompt
from canopy_tui.view.app import CanopyApp
from canopy_tui.view.surroundings import Surroundings
from tools_e2e import desk_server
from tools_e2e.scripted import call, sequence
from tools_e2e.test_every_tool import ENV, NOTEBOOK, every_call
from waiting import eventually

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from textual.pilot import Pilot

    from canopy_agent.demo.workspace import DemoEnvironment
    from canopy_tui.model.state import Touched
    from canopy_tui.view.surroundings import OnTouched, Schedule

FOLDED, UNFOLDED = (120, 72), (120, 230)
_MORE = (
    call(
        "Bash", command="seq 1 400; printf '\\033[31mred\\033[0m\\n'; exit 3", description="Count"
    ),
    call("Read", file_path="{cwd}/dot.png"),
    call("mcp__desk__mixed"),
    call("mcp__desk__hostile"),
    call("mcp__desk__fail"),
)


def _furnish(place: DemoEnvironment) -> None:
    cwd = place.cwd
    (cwd / "n.ipynb").write_text(json.dumps(NOTEBOOK), encoding="utf-8")
    (cwd / "dot.png").write_bytes(base64.b64decode(desk_server.PNG))
    skill = cwd / ".claude" / "skills" / "greet"
    skill.mkdir(parents=True)
    words = "---\nname: greet\ndescription: greets\n---\nSay hello.\n"
    (skill / "SKILL.md").write_text(words, encoding="utf-8")
    desk = {"command": sys.executable, "args": [desk_server.__file__]}
    (cwd / ".mcp.json").write_text(json.dumps({"mcpServers": {"desk": desk}}), encoding="utf-8")
    path = place.config / "settings.json"
    told = json.loads(path.read_text(encoding="utf-8"))
    told["enableAllProjectMcpServers"] = True
    path.write_text(json.dumps(told), encoding="utf-8")
    commit = ("-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-qm", "x")
    for git in (("init", "-q"), ("add", "-A"), commit):
        subprocess.run(["git", *git], cwd=cwd, check=True)

    return base64.b64decode(desk_server.PNG)


@asynccontextmanager
async def every_tool() -> AsyncIterator[CanopyApp]:
    """The client on the real agent and a model that calls every tool."""
    calls = every_call()
    rules = [Rule(When(agent="kid"), "Kid done."), sequence(*calls[:3], *_MORE, *calls[3:])]
    async with demo_environment(rules, pace=0.0, env=ENV) as place:
        _furnish(place)
        os.environ["HOME"] = str(place.cwd.parent)
        made: list[Controller] = []

        async def launch() -> InProcessAgent:
            return InProcessAgent(lambda transport: AgentServer(transport, environ=place.env))

        def make(schedule: Schedule, on_touched: OnTouched) -> Controller:
            made.append(
                Controller(
                    launch,
                    place.cwd,
                    schedule=schedule,
                    on_touched=partial(painted, on_touched),
                    environment=place.env,
                )
            )
            return made[0]

        try:
            yield CanopyApp(make, Surroundings(directory=str(place.cwd)))
        finally:
            for controller in made:
                await controller.aclose()


def painted(on_touched: OnTouched, touched: Touched) -> None:
    """Draw, unless the app is on its way out and has taken its widgets down."""
    with contextlib.suppress(NoMatches):
        on_touched(touched)


def _answer(app: CanopyApp) -> None:
    """Say yes to whatever waits."""
    for request in app.state.waiting():
        if request.kind == "permission":
            options = request.payload.options
            yes = next((one for one in options if one.kind == "allow_once"), options[0])
            app.host.act(AnswerPermission(request.key, yes.option_id))
        else:
            app.host.act(AnswerElicitation(request.key, "accept", {"question_0": "A"}))


async def take_sheet(
    app: CanopyApp, pilot: Pilot[int], take: Callable[[str, tuple[int, int]], Awaitable[None]]
) -> None:
    """Play the run, then ``take`` pictures by name and size."""
    await eventually(lambda: app.root is not None and app.root.modes, "the agent", bound=90)
    root = app.root
    assert root is not None
    app.host.act(SendPrompt(root.id, "Use every tool once."))

    def over() -> bool:
        _answer(app)
        now = app.state.sessions[app.state.roots[-1]]
        return bool(now.turns_done) and not now.in_turn

    await eventually(over, "the end of all calls", bound=240)
    await pilot.pause()
    while not app.shows_main:
        app.pop_screen()
    transcript = app.main.transcript
    transcript.focus()
    await take("tools", FOLDED)
    transcript.action_unfold_all()
    await take("tools-unfolded", UNFOLDED)
    transcript.action_fold_all()
