"""The demo in the app, in ACP v2: its scenes, questions, a terminal, and agents that go on."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from canopy_agent.demo.scenes import scene_list
from canopy_agent.demo.workspace import demo_environment
from canopy_agent.server import AgentServer
from canopy_tui.agents.in_process_agent import InProcessAgent
from canopy_tui.host.controller import Controller
from canopy_tui.model.entries import NoticeEntry
from canopy_tui.model.state import Phase
from canopy_tui.model.tree import totals
from canopy_tui.v2.transport import speaking_v2
from canopy_tui.view.apps.app import CanopyApp
from canopy_tui.view.requests.request_screen import RequestScreen
from canopy_tui.view.surroundings import Surroundings
from tui_app.playing import SMALLEST_WIDE, Clock, Play
from tui_app.stage import Stage
from tui_model.client_world import texts, tools

if TYPE_CHECKING:
    from canopy_tui.model.state import PendingRequest, SessionView, Touched
    from canopy_tui.view.surroundings import OnTouched, Schedule


class Person:
    """Who plays the demo by keys."""

    def __init__(self, play: Play, host: Controller) -> None:
        self._play = play
        self._host = host

    @property
    def root(self) -> SessionView:
        """The session."""
        return self._host.state.sessions[self._host.state.roots[-1]]

    async def answers(self, key: str) -> PendingRequest:
        """Wait for a question, and press ``key`` once keys count for it."""
        play = self._play
        (request, *_) = await self._waiting()
        if not isinstance(play.screen, RequestScreen):
            await play.press("f4")
        await play.until(lambda: isinstance(play.screen, RequestScreen), "the question on screen")
        play.clock.pass_by(10)
        await play.press(key)
        await play.until(lambda: request not in self._host.state.waiting(), "its answer")
        return request

    async def _waiting(self) -> list[PendingRequest]:
        await self._play.until(self._host.state.waiting, "a question")
        return self._host.state.waiting()

    async def plays(self, scene: str, key: str = "") -> None:
        """One scene, with ``key`` for each of its questions."""
        done = self.root.turns_done
        example = next(one.example for one in scene_list() if one.name == scene)
        self._play.app.main.composer.area.begin_with(example)
        await self._play.press("enter")

        def over() -> bool:
            return self.root.turns_done > done

        def more() -> bool:
            return over() or bool(key and self._host.state.waiting())

        while not over():
            await self._play.until(more, f"more of {scene}")
            if not over():
                await self.answers(key)


async def test_the_whole_demo() -> None:
    async with demo_environment(pace=0.0) as place:
        hosts: list[Controller] = []

        async def launch() -> InProcessAgent:
            return InProcessAgent(lambda transport: AgentServer(transport, environ=place.env))

        def make(schedule: Schedule, on_touched: OnTouched) -> Controller:
            def paint(touched: Touched) -> None:
                if not over.is_set():  # an app that leaves takes its widgets down
                    on_touched(touched)

            hosts.append(
                Controller(
                    speaking_v2(launch),
                    place.cwd,
                    schedule=schedule,
                    on_touched=paint,
                    environment=place.env,
                )
            )
            return hosts[0]

        clock, over = Clock(), asyncio.Event()
        app = CanopyApp(make, Surroundings(directory=str(place.cwd), clock=clock))
        async with app.run_test(size=SMALLEST_WIDE) as pilot:
            play = Play(app, pilot, Stage(clock), clock)
            try:
                await play.until(lambda: app.root is not None and app.root.options, "the agent")
                await _demo(play, Person(play, hosts[0]))
            finally:
                over.set()
                await hosts[0].aclose()


async def _demo(play: Play, person: Person) -> None:
    await person.plays("answer")
    await person.plays("read")
    root = person.root
    assert "A purchase passes through" in texts(root)

    # a terminal: asked for, with its real output and exit code
    await person.plays("command", "y")
    shell = [one for one in tools(root) if one.name == "Bash"][-1]
    assert (shell.has_terminal, shell.exited, shell.exit_code) == (True, True, 1)
    assert "FAILED" in shell.output
    await person.plays("edit", "y")
    assert any(one.name == "Edit" and one.status == "completed" for one in tools(root))
    await person.plays("question", "d")

    # a team: a child in the background asks after the turn, and is stopped by itself
    await person.plays("tree")
    await play.until(play.app.state.waiting, "its question")
    await play.until(lambda: isinstance(play.screen, RequestScreen), "the question on screen")
    (request,) = play.app.state.waiting()
    child = play.app.state.find(request.session)
    assert child is not None
    assert (child.phase, root.in_turn) == (Phase.RUNNING, False)
    await play.press("escape")
    play.app.ask_stop(child.id)
    await play.shows(f"Stop {child.title} only?")
    await play.press("y")
    await play.until(lambda: child.phase is Phase.CANCELLED, "the end of that child")
    await _at_rest(play, root)
    others = [one for one in _below(play, root) if one is not child]
    assert {one.phase for one in others} == {Phase.DONE}
    assert not play.app.state.waiting()
    notices = [one for one in root.entries if isinstance(one, NoticeEntry)]
    assert [one.title for one in notices if one.severity == "error"] == []


def _below(play: Play, root: SessionView) -> list[SessionView]:
    return [play.app.state.sessions[one] for one in root.children]


async def _at_rest(play: Play, root: SessionView) -> None:
    """Nobody works any more."""
    await play.until(
        lambda: root.phase is Phase.IDLE and not totals(play.app.state).at_work, "rest"
    )
