"""Puts the client together: which agent, which surroundings, and the app on top.

With ``cli`` the only module that knows both the user interface and the agent. The first frame is
painted before anything of the agent is imported; only the demo, which lists its scenes on that
frame, reads them before.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
import shlex
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from canopy_tui import first_frame
from canopy_tui.agents.agent_connection import StartFailedError
from canopy_tui.app_run import leaving_on_signals, logging_to
from canopy_tui.host.courtesy import Courtesy, courteous
from canopy_tui.host.first_session import Beginning, FirstSession
from canopy_tui.host.late_host import LateHost
from canopy_tui.kept.background_note import note
from canopy_tui.kept.remembered import Remembered
from canopy_tui.kept.storage import Drafts, Pictures, PromptHistory
from canopy_tui.kept.trust import TrustedDirectories
from canopy_tui.kept.unkept import Unkept
from canopy_tui.model.glyphs import glyph_set
from canopy_tui.paths import locations

if TYPE_CHECKING:
    from canopy_agent.session.lookup import FoundSession
    from canopy_shared.record import Recorder
    from canopy_shared.transport import Transport
    from canopy_tui.agents.agent_connection import AgentConnection, Launch
    from canopy_tui.agents.in_process_agent import Server
    from canopy_tui.host.controller import Controller
    from canopy_tui.host.frame_pump import Schedule
    from canopy_tui.model.state import ClientState, Touched
    from canopy_tui.view.surroundings import Surroundings

_AGENT_MODULES = ("canopy_agent.server", "canopy_agent.session.directory")


@dataclass(frozen=True, slots=True)
class Stage:
    """What the client is opened on. ``scenes`` are rows of title, prompt and hint.

    ``resumable`` says that Claude Code keeps the conversation where a person finds it again;
    ``exports_to`` is where exports last when ``directory`` does not.
    """

    launch: Launch
    directory: Path
    environment: Mapping[str, str]
    scenes: tuple[tuple[str, str, str], ...] = ()
    remembers: bool = True
    resumable: bool = False
    agent_command: tuple[str, ...] = ()
    peek: Callable[[str, str], Awaitable[str]] | None = None
    exports_to: Path | None = None


_DEMO_ENDS = (
    "The demo's project and sessions are gone. What you exported is where you started it; "
    "canopy --demo --record FILE keeps a whole session to look at again."
)


def run_client(
    directory: Path,
    agent_command: tuple[str, ...] | None,
    demo: bool,
    *,
    recorder: Recorder | None = None,
    first: FirstSession | None = None,
    newest: bool = False,
    trusted: bool = False,
) -> int:
    """Open the client and stay until the person leaves; gives the exit code.

    ``agent_command`` starts another ACP agent in place of our own; ``demo`` runs our own on the
    scripted model, in a throw-away directory. ``recorder`` records what is said with the agent,
    ``first`` says which session to begin with; ``newest``: in the draft of ACP v2, with an agent
    that can. ``trusted``: the directory is trusted for this run.
    """
    # Textual takes NO_COLOR out of the environment; the agent should still see it.
    environment = dict(os.environ)
    staged = open_stage(directory, agent_command, demo, environment, recorder, newest=newest)
    with logging_to(locations(environment).state):
        code, words = asyncio.run(_run(staged, first or FirstSession(), trusted=trusted))
    for line in words:
        print(line)
    return code


def run_plain(
    directory: Path,
    agent_command: tuple[str, ...] | None,
    demo: bool,
    prompt: str | None,
    *,
    recorder: Recorder | None = None,
    newest: bool = False,
) -> int:
    """Talk in lines of text; gives the exit code. The rest is as for :func:`run_client`."""
    environment = dict(os.environ)
    staged = open_stage(directory, agent_command, demo, environment, recorder, newest=newest)
    with logging_to(locations(environment).state):
        return asyncio.run(_run_plain(staged, prompt))


def run_inspect(found: FoundSession | None, claude_folder: str, *, plain: bool) -> int:
    """Show a stored session (None: what there is to pick from), or print it; gives the exit code.
    Raises ``OSError``.
    """
    from canopy_agent.session.past import PastSessions
    from canopy_tui.inspect.opening import print_inspection, run_inspection
    from canopy_tui.wire.answers import initialize_params

    capabilities = initialize_params()["clientCapabilities"]
    past = PastSessions(claude_folder, capabilities)
    source = past.at(found) if found is not None else None
    if plain and source is not None:
        return print_inspection(source)
    return run_inspection(source, past, str(Path.cwd()), _peek(os.environ))


async def _run_plain(
    staged: contextlib.AbstractAsyncContextManager[Stage], prompt: str | None
) -> int:
    from canopy_tui.plain.run import converse

    async with staged as stage:
        return await converse(
            stage.launch,
            stage.directory,
            stage.environment,
            prompt,
            exports_to=stage.exports_to,
        )


@asynccontextmanager
async def open_stage(
    directory: Path,
    agent_command: tuple[str, ...] | None,
    demo: bool,
    environment: Mapping[str, str],
    recorder: Recorder | None = None,
    *,
    newest: bool = False,
) -> AsyncIterator[Stage]:
    """What the client works on, made ready and cleared away. ``newest``: the draft of ACP v2 is
    spoken with an agent that can.
    """
    if demo:
        staged = _demo_stage(directory, environment)
    elif agent_command is not None:
        staged = _foreign_stage(agent_command, directory, environment)
    else:
        staged = _own_stage(directory, environment)
    async with staged as stage:
        if newest:
            from canopy_tui.v2.transport import speaking_v2

            stage = replace(stage, launch=speaking_v2(stage.launch))
        if recorder is None:
            yield stage
            return
        from canopy_tui.recording import recorded

        try:
            yield replace(stage, launch=recorded(stage.launch, recorder))
        finally:
            recorder.close()


async def _run(
    staged: contextlib.AbstractAsyncContextManager[Stage], first: FirstSession, *, trusted: bool
) -> tuple[int, list[str]]:
    async with staged as stage:
        from canopy_tui.view.apps.app import CanopyApp

        made: list[LateHost] = []
        folder = locations(stage.environment).state
        kept, courtesy = None, Courtesy()
        beginning = Beginning(first)
        if stage.remembers:
            kept = Remembered(folder, stage.agent_command, stage.directory, trusted=trusted)
            beginning = Beginning(first, kept.trust.holds, held_elsewhere=kept.opened.holder)

        def make_host(schedule: Schedule, on_touched: Callable[[Touched], None]) -> LateHost:
            def paint(touched: Touched) -> None:
                if app.return_code is None:  # an app that leaves takes its widgets down
                    on_touched(touched)

            def control(state: ClientState) -> Controller:
                from canopy_tui.host.controller import Controller

                return Controller(
                    courteous(first_frame.importing_meanwhile(stage.launch), courtesy),
                    stage.directory,
                    schedule=schedule,
                    on_touched=paint,
                    environment=stage.environment,
                    beginning=beginning,
                    observe=kept.observe if kept is not None else None,
                    recent=kept.recent if kept is not None else None,
                    state=state,
                )

            made.append(LateHost(control, paint))
            return made[0]

        seen = first_frame.is_painted
        unkept = kept.unkept if kept is not None else Unkept()
        around = _surroundings(stage, beginning, unkept)
        around = replace(around, on_painted=seen, on_key=courtesy.key, hear_unkept=unkept.listen)
        if kept is not None:
            plain = first == FirstSession()
            around = replace(
                around,
                trust=kept.trust,
                held_elsewhere=kept.opened.holder,
                left=kept.opened.left_behind(str(stage.directory)) if plain else None,
            )
        app = CanopyApp(make_host, around)
        try:
            with leaving_on_signals(app):
                await app.run_async(mouse=app.around.mouse)
        finally:
            for host in made:
                await host.aclose()
            if kept is not None:
                kept.opened.release_all()
        words = _farewell(app.state, stage)
        return app.return_code or 0, words


def _surroundings(stage: Stage, beginning: Beginning, unkept: Unkept) -> Surroundings:
    from canopy_tui.desk.file_index import FileIndex
    from canopy_tui.own_settings import desktop_of, own_settings
    from canopy_tui.view.apps.announcer import notify_setting
    from canopy_tui.view.surroundings import Surroundings
    from canopy_tui.view.transcript.start_view import Scene

    scenes = [Scene(*row) for row in stage.scenes]
    settings, own = own_settings(stage.environment)
    glyphs = settings.glyphs or glyph_set(stage.environment, sys.stdout.encoding)
    bell = stage.environment.get("TERM") != "dumb"
    notify = settings.notify or notify_setting(stage.environment)
    where, files = str(stage.directory), FileIndex(stage.directory)
    outer = {**desktop_of(stage.environment), **own}
    if not stage.remembers:
        return Surroundings(
            directory=where,
            glyphs=glyphs,
            scenes=scenes,
            bell=bell,
            notify=notify,
            files=files,
            environment=stage.environment,
            exports_to=str(stage.exports_to or ""),
            peek=stage.peek,
            **outer,
        )
    folder = locations(stage.environment).state
    history, drafts = PromptHistory(folder, unkept), Drafts(folder, unkept)
    return Surroundings(
        directory=where,
        glyphs=glyphs,
        scenes=scenes,
        bell=bell,
        **outer,
        notify=notify,
        history=history.of(stage.directory),
        older=history.everywhere,
        sent_at=history.times,
        draft=drafts.left(where, beginning.held_elsewhere, goes_on=beginning.wish.goes_on),
        on_sent=lambda text: history.add(stage.directory, text),
        on_draft=lambda session, draft: drafts.keep(where, session, draft),
        draft_of=drafts.get,
        files=files,
        environment=stage.environment,
        keep_picture=Pictures(folder, unkept).keep,
        agent_command=stage.agent_command,
        peek=stage.peek,
        on_background=partial(note, locations(stage.environment).cache),
    )


def _farewell(state: ClientState, stage: Stage) -> list[str]:
    """How to go on with what was talked about, or that it is gone."""
    talked = [state.sessions[root] for root in state.roots if state.sessions[root].turns_done]
    if talked and stage.exports_to is not None:
        return [_DEMO_ENDS]
    if not talked or not stage.resumable:
        return []
    directory = stage.directory
    try:
        away = "" if Path.cwd() == directory else f"cd {shlex.quote(str(directory))} && "
    except OSError:  # it was removed meanwhile
        return []
    lines = [f"  {away}canopy --resume {shlex.quote(view.id)}" for view in talked]
    return ["To go on with the conversation:", *lines]


def _peek(environment: Mapping[str, str]) -> Callable[[str, str], Awaitable[str]]:
    """The last words of a stored session of our own agent, read from its transcript."""

    async def peek(session: str, cwd: str) -> str:
        from canopy_agent.history.glimpse import last_words

        return await asyncio.to_thread(last_words, environment, session, cwd)

    return peek


# --- which agent ----------------------------------------------------------------------------------


def _own_launch(environment: Mapping[str, str]) -> Launch:
    """Our agent in this process, imported on a thread so that typing stays fluid meanwhile."""

    async def launch() -> AgentConnection:
        for name in _AGENT_MODULES:
            await asyncio.to_thread(importlib.import_module, name)
        from canopy_agent.server import AgentServer
        from canopy_agent.settings import SettingsError
        from canopy_tui.agents.in_process_agent import InProcessAgent

        def make_server(transport: Transport) -> Server:
            return AgentServer(transport, environ=environment)

        try:
            return InProcessAgent(make_server)
        except SettingsError as error:
            raise StartFailedError(str(error)) from None

    return launch


@asynccontextmanager
async def _own_stage(directory: Path, environment: Mapping[str, str]) -> AsyncIterator[Stage]:
    yield Stage(
        _own_launch(environment), directory, environment, resumable=True, peek=_peek(environment)
    )


@asynccontextmanager
async def _foreign_stage(
    command: tuple[str, ...], directory: Path, environment: Mapping[str, str]
) -> AsyncIterator[Stage]:
    """Start the process before the user interface, which is composed while it boots; in a
    directory that is not trusted yet only when the person agrees.
    """
    from canopy_tui.agents.foreign_agent import launch_foreign

    ready: list[AgentConnection] = []

    async def launch() -> AgentConnection:
        return ready.pop() if ready else await launch_foreign(command, directory, environment)

    trusted = TrustedDirectories(locations(environment).state).holds(str(directory))
    with contextlib.suppress(StartFailedError):  # told by the launch that follows
        if trusted:
            ready.append(await launch_foreign(command, directory, environment))
    try:
        yield Stage(launch, directory, environment, agent_command=command)
    finally:
        for connection in ready:
            await connection.aclose()


@asynccontextmanager
async def _demo_stage(directory: Path, environment: Mapping[str, str]) -> AsyncIterator[Stage]:
    """On a copy of the sample project; ``directory`` is where the person is."""
    from canopy_agent.demo.scenes import scene_list
    from canopy_agent.demo.workspace import demo_environment

    async with demo_environment() as place:
        yield Stage(
            _own_launch(place.env),
            place.cwd,
            environment,
            tuple((scene.title, scene.example, scene.description) for scene in scene_list()),
            remembers=False,
            exports_to=directory,
            peek=_peek(place.env),
        )
