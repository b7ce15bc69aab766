"""Records the runs that the pictures are drawn from: the real Claude Code CLI on a scripted model.

``python -m pictures.record_runs`` in ``tests`` records them anew, which is needed when what an
agent sends has changed; names of this machine are replaced. Nothing is drawn here.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import sys
import tempfile
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from canopy_agent.demo.scenes import scene_list
from canopy_agent.demo.workspace import demo_environment
from canopy_agent.server import AgentServer
from canopy_shared.record import Recorder
from canopy_tui.agents.in_process_agent import InProcessAgent
from canopy_tui.host.controller import Controller
from canopy_tui.model import events as e
from canopy_tui.model import intents as i
from canopy_tui.model import tree
from canopy_tui.model.catalogue import ALL, Query
from canopy_tui.recording import recorded
from pictures import tool_sheet, workshop
from waiting import eventually

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence

    from canopy_agent.demo.rules import Rule
    from canopy_agent.demo.server import ScriptedModel
    from canopy_agent.demo.workspace import DemoEnvironment
    from canopy_tui.model.state import ClientState, PendingRequest, SessionView

FOLDER = Path(__file__).with_name("recorded")
HOME = "/home/ada"
BOUND = 240.0


@dataclass
class Run:
    """A client without a screen, that wants things and waits for what follows."""

    controller: Controller
    model: ScriptedModel

    @property
    def root(self) -> SessionView:
        """The session that was opened last."""
        return self.controller.state.sessions[self.controller.state.roots[-1]]

    async def sees(self, condition: Callable[[], object], what: str) -> None:
        """Wait until the state is so."""
        await eventually(condition, what, bound=BOUND)

    def says(self, text: str) -> None:
        """Send a message."""
        self.controller.act(i.SendPrompt(self.root.id, text))

    async def is_asked(self) -> PendingRequest:
        """Wait for a request."""
        await self.sees(self.controller.state.waiting, "a request")
        return self.controller.state.waiting()[0]

    async def allows(self) -> None:
        """Wait for a permission request and allow it once."""
        request = await self.is_asked()
        yes = next(one for one in request.payload.options if one.kind == "allow_once")
        self.controller.act(i.AnswerPermission(request.key, yes.option_id))

    async def done(self, *, all_of_it: bool = False) -> None:
        """Wait for the end of the turn, or ``all_of_it``: of all agents, for some time."""
        root, before = self.root, self.root.turns_done
        await self.sees(lambda: root.turns_done > before and not root.in_turn, "the end")
        if all_of_it:
            state = self.controller.state
            await self.sees(lambda: not _agents(state), "the end of all agents")
            await asyncio.sleep(2)
            await self.sees(lambda: not _agents(state), "the end of all agents")

    async def turn(self, text: str, *answers: Callable[[], Awaitable[None]]) -> None:
        """A whole turn."""
        before = self.root.turns_done
        self.says(text)
        for answer in answers:
            await answer()
        root = self.root
        await self.sees(lambda: root.turns_done > before and not root.in_turn, f"the end of {text}")

    async def opens_another(self) -> None:
        """Open a session."""
        count = len(self.controller.state.roots)
        self.controller.act(i.OpenSession())
        await self.sees(lambda: len(self.controller.state.roots) > count, "another session")
        await self.sees(lambda: self.root.modes, "its modes")

    async def asks(self, intent: i.Intent, told: Callable[[Any], object]) -> None:
        """Ask for what is known beside the conversation."""
        self.controller.act(intent)
        await self.sees(lambda: told(self.root.controls), f"what {intent} asks")

    async def lists(self) -> None:
        """List what is stored."""
        query = Query(None, ALL)
        self.controller.act(i.ListSessions(query))
        catalogue = self.controller.state.catalogue
        await self.sees(lambda: catalogue.rows and not catalogue.loading, "the list")


@asynccontextmanager
async def recording(
    name: str,
    rules: Sequence[Rule] | None = None,
    *,
    pace: float = 1.0,
    env: Mapping[str, str] | None = None,
    furnish: Callable[[Any], object] = lambda _place: None,
) -> AsyncIterator[Run]:
    """Record what is said in the block, with the demo's script or ``rules``."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.jsonl"
        async with demo_environment(rules, pace=pace, env=env) as place:
            furnish(place)
            recorder = Recorder(file)

            async def launch() -> InProcessAgent:
                return InProcessAgent(lambda transport: AgentServer(transport, environ=place.env))

            controller = Controller(
                recorded(launch, recorder),
                place.cwd,
                schedule=asyncio.get_running_loop().call_later,
                on_touched=lambda _touched: None,
                environment=place.env,
                observe=partial(_also, recorder),
            )
            controller.start()
            run = Run(controller, place.model)
            try:
                await run.sees(lambda: controller.state.roots and run.root.modes, "the agent")
                yield run
            finally:
                place.model.release("COUNT")
                await controller.aclose()
                recorder.close()
            keep_stored(name, place)
            text = neutral(file.read_text(encoding="utf-8"), place.cwd.parent)
        (FOLDER / f"{name}.jsonl").write_text(text, encoding="utf-8")
        print(name, f"{len(text) // 1000} kB", flush=True)


_NOT_TOLD = '{"type":"api-request'


def keep_stored(name: str, place: DemoEnvironment) -> None:
    """Keep what Claude Code stored of the demo's last session: it is what is inspected."""
    if name != "demo":
        return
    home, target = place.cwd.parent, FOLDER / "claude" / "projects"
    shutil.rmtree(target, ignore_errors=True)
    stored = place.config / "projects"
    (talked,) = (file.parent.parent.name for file in stored.glob("*/*/subagents"))
    for file in sorted(stored.rglob("*")):
        if file.suffix in (".json", ".jsonl") and talked in str(file):
            path = target / neutral(str(file.relative_to(stored)), home)
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
            told = "".join(line for line in lines if not line.startswith(_NOT_TOLD))
            path.write_text(neutral(told, home), encoding="utf-8")


def _also(recorder: Recorder, event: e.Event) -> None:
    """What a client learns beside the connection: the output of background commands."""
    if isinstance(event, e.TaskOutput):
        recorder.happened("output", task=event.task, text=event.text)


_PORT = re.compile(r"127\.0\.0\.1:\d+")
_VENV = re.compile(r'"[^"\s]*/bin/python[\d.]*"')
_CLAUDE_TMP = re.compile(r"/home/ada/tmp/[^\"\s]*?/tasks/")


def _agents(state: ClientState) -> int:
    """How many are not done."""
    sums = tree.totals(state)
    return sums.running + sums.held


def neutral(text: str, home: Path) -> str:
    """``text`` without names of this machine and this run."""
    text = text.replace(str(home), HOME).replace(
        re.sub(r"[^a-zA-Z0-9]", "-", str(home)), "-home-ada"
    )
    text = _PORT.sub("127.0.0.1:8080", _CLAUDE_TMP.sub("/tmp/claude/tasks/", text))
    text = _VENV.sub('"/usr/bin/python3"', text)
    return text.replace(str(Path.home()), HOME)


def scene(title: str) -> str:
    """What starts the scene of the demo with that title."""
    return next(one.example for one in scene_list() if title in one.title)


async def record_demo() -> None:
    """The scenes of the demo, in three sessions."""
    async with recording("demo") as run:
        await run.turn(scene("discounts"))
        await run.opens_another()
        await run.turn(scene("checkout"))
        await run.opens_another()
        await run.turn(scene("receipt"), lambda: _choose(run))
        await run.turn(scene("team"))
        await run.allows()
        await run.sees(lambda: not _agents(run.controller.state), "no agent")
        await asyncio.sleep(3)
        await run.sees(lambda: not _agents(run.controller.state), "no agent")
        await run.turn("Fix the discount bug", run.allows)
        await run.turn("Run the tests", run.allows)
        await run.turn(scene("overloaded"))
        await run.lists()
        await run.asks(i.AskUsage(run.root.id), lambda controls: controls.report)


async def record_tools() -> None:
    """Every tool of the CLI, once."""
    rules = tool_sheet.every_call_and_more()
    async with recording(
        "tools", rules, pace=0.0, env=tool_sheet.ENV, furnish=tool_sheet.furnish
    ) as run:
        root = run.root
        run.says("Use every tool once.")

        def over() -> bool:
            tool_sheet.answer(run.controller)
            return bool(root.turns_done) and not root.in_turn

        await run.sees(over, "the end of all calls")


async def _choose(run: Run) -> None:
    request = await run.is_asked()
    layout, extras, *_ = (one for one in request.payload.fields if "custom" not in one.key)
    content = {layout.key: "Wide page", extras.key: ["Date and time", "A thank you"]}
    run.controller.act(i.AnswerElicitation(request.key, "accept", content))


async def record_work() -> None:
    """What goes on beside the conversation: background work, a goal, forms, a failure."""
    env = {"CLAUDE_CODE_MAX_RETRIES": "1", "CLAUDE_CODE_ENABLE_TODO_TOOLS": "1"}
    env["PYTHONPATH"] = str(Path(__file__).parent.parent)
    rules = workshop.rules()
    async with recording("work", rules, pace=0.3, env=env, furnish=workshop.furnish) as run:
        await run.turn("Place an order with the supplier", run.allows, partial(_answer, run))
        await run.turn("Now sign in there", run.allows, partial(_answer, run))
        await run.turn("Write notes and stock down", run.allows, run.allows)
        await run.turn("Which steps are left?")
        await run.turn("Watch the till", run.allows)
        await run.sees(lambda: any("sold" in task.tail for task in outputs(run)), "output")
        before = run.root.turns_done
        run.says("Count the crates")
        await asyncio.sleep(2)
        run.controller.act(i.SteerPrompt(run.root.id, "Count only the ripe ones."))
        await asyncio.sleep(1)
        run.model.release("COUNT")
        await run.sees(lambda: run.root.turns_done > before and not run.root.in_turn, "the end")
        await run.asks(i.AskServers(run.root.id), lambda controls: controls.servers)
        await run.turn("/compact Keep what the crates hold.")
        await run.turn("/goal all tests pass")
        await run.turn("Are the invoices overdue?")


def outputs(run: Run) -> list[Any]:
    """The background tasks."""
    return list(run.controller.state.tasks.values())


async def _answer(run: Run) -> None:
    request = await run.is_asked()
    run.controller.act(i.AnswerElicitation(request.key, "accept", {"supplier": "Orchard & Sons"}))


async def main() -> None:
    """Record all."""
    wanted = sys.argv[1:]
    for name, record in {"demo": record_demo, "work": record_work, "tools": record_tools}.items():
        if not wanted or name in wanted:
            await record()


if __name__ == "__main__":
    asyncio.run(main())
