"""How a session is opened: checked, put together, its CLI started and brought to what it shows.

It keeps no session; which are open, and what a client asked for, is the directory's.
"""

from __future__ import annotations

import logging
import os
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from canopy_agent.brokers.durable import Place
from canopy_agent.capabilities import ChildForm, ClientProfile
from canopy_agent.claude.errors import ClaudeError
from canopy_agent.domain.state import Form, Policy, new_state
from canopy_agent.history.goal import goal_of
from canopy_agent.history.store import Store
from canopy_agent.history.tail import LastOptions
from canopy_agent.render.renderer import Renderer
from canopy_agent.session.caller_options import CallerOptions, caller_options
from canopy_agent.session.cli_life import Watch
from canopy_agent.session.config import SessionConfig
from canopy_agent.session.conversation import Conversation, Greeting
from canopy_agent.session.file_report import ReportedPrompt
from canopy_agent.session.fingerprint import fingerprint
from canopy_agent.session.launching import Launcher, ProcessFactory, base_options
from canopy_agent.session.modes import InitialMode, availability, initial_mode
from canopy_agent.session.observer import Observer
from canopy_agent.session.opening import Opening, open_options, session_response
from canopy_agent.session.prompts import ClaudePrompt, claude_prompt
from canopy_agent.session.runtime import SessionRuntime
from canopy_agent.session.settings_files import ClaudeSettings, claude_settings, read_tiers
from canopy_agent.session.startup_failure import told
from canopy_agent.session.successions import record
from canopy_agent.session.surroundings import Connection, Surroundings, Wishes, wishes_of
from canopy_agent.session.titles import TitleKeeper
from canopy_agent.session.validation import SessionPlace, session_place
from canopy_agent.settings import model_config
from canopy_shared.ext import air
from canopy_shared.ordinary import read_ordinary

if TYPE_CHECKING:
    from canopy_shared.peer import IncomingRequest
    from canopy_shared.requests import PromptParams, SessionSetup

log = logging.getLogger(__name__)

_LARGEST_CHANGED = 8 * 1024 * 1024
"""Bytes of a file whose change is shown before it is made; it is read between two messages."""

_FORMS = {ChildForm.NONE: Form.FLAT, ChildForm.AIR: Form.AIR, ChildForm.RFD: Form.RFD}


def policy_of(profile: ClientProfile, caller: CallerOptions, cwd: str) -> Policy:
    """What the client's profile means for the rules of the core."""
    text = profile.flat_transcript or caller.forward_subagent_text
    asked = caller.per_task_stop
    spares = profile.spares_background if asked is None else asked
    return Policy(
        form=_FORMS[profile.child_form],
        ends_turns=profile.ends_turns_with_live_subagents,
        spares_background=spares,
        child_cancel=profile.child_cancel,
        child_text=text,
        child_deltas=not profile.air,
        stops_workflows=not (profile.reports_work or profile.air_has(air.ASYNC_TASKS)),
        questions=profile.elicitation_form,
        follows_output=profile.terminal_replaces,
        keeps_terminals=profile.keeps_terminals,
        async_tasks=profile.follows_tasks,
        failures=profile.air_has(air.SESSION_FAILURE),
        advisories=not profile.notices,
        goals=profile.follows_goals,
        reports_work=profile.reports_work,
        lists_background=profile.reports_work and spares,
        cwd=os.path.realpath(cwd),
    )


def read_changed(path: str) -> bytes | None:
    """What is in a file that a tool changes, None when there is none. Raises ``OSError`` for one
    that cannot be read, and ``ValueError`` for what can be no path.
    """
    try:
        return read_ordinary(path, _LARGEST_CHANGED)
    except (FileNotFoundError, NotADirectoryError):
        return None


@dataclass(slots=True)
class Session:
    """One open session and the parts that the server talks to."""

    runtime: SessionRuntime
    config: SessionConfig
    titles: TitleKeeper
    observer: Observer
    around: Surroundings
    wanted: Wanted
    renderer: Renderer
    follows_work: bool
    """The client follows work by its state, and hears what there is before the response."""
    response: dict[str, Any] = field(default_factory=dict)
    followers: list[Callable[[], None]] = field(default_factory=list)
    """What else follows the response that opened the session."""
    leaders: list[Callable[[], None]] = field(default_factory=list)
    """What precedes it."""
    returns: bool = False
    """The client knows the session's id already."""

    def prompt(self, request: IncomingRequest, params: PromptParams) -> None:
        """``session/prompt``. Raises invalid params before anything is queued."""
        prompt: ClaudePrompt = claude_prompt(params, strict=self.follows_work)
        self.around.prompting()
        files = self.around.files
        answered = request if files is None else files.watched(request, params.meta)
        id_ = self.runtime.prompt(answered, prompt)
        if isinstance(answered, ReportedPrompt):
            answered.prompt = id_
        self.around.prompted(id_, prompt)

    def introduce(self) -> None:
        """What precedes the response that opened the session."""
        leaders, self.leaders = self.leaders, []
        for leader in leaders:
            leader()
        if self.follows_work:
            self.response["availableCommands"] = self.around.commands()
            if self.returns:
                self.runtime.tell_work()

    def announce(self) -> None:
        """What follows the response that opened the session."""
        self.runtime.outlet.release()
        self.around.announced()
        followers, self.followers = self.followers, []
        for follower in followers:
            follower()


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a client asks of a session, checked."""

    place: SessionPlace
    caller: CallerOptions
    launcher: Launcher
    wishes: Wishes
    fingerprint: bytes


@dataclass(frozen=True, slots=True)
class Start:
    """How a session begins: with the conversation ``conversation``, new or resumed.

    ``mode`` is the mode of a session that is started again, ``last`` what its transcript says.
    """

    conversation: str
    resume: bool = False
    mode: str | None = None
    last: LastOptions = field(default_factory=LastOptions)


class SessionOpener:
    """Opens sessions for one client. ``opening`` are those whose CLI is being started."""

    def __init__(self, connection: Connection, process: ProcessFactory) -> None:
        self._connection = connection
        self._peer = connection.peer
        self._profile = connection.profile
        self._settings = connection.settings
        self._accounts = connection.accounts
        self._process = process
        self.opening: set[SessionRuntime] = set()

    def check(self, setup: SessionSetup) -> Wanted:
        """Raises invalid params for what no session can be opened with."""
        place = session_place(setup)
        caller = caller_options(setup.meta, self._profile)
        options = base_options(setup, place, caller, self._settings, self._profile)
        accounts = self._accounts
        launcher = Launcher(
            options, self._settings.process, self._process, lambda: accounts.provider
        )
        wishes = wishes_of(setup, caller, place)
        return Wanted(place, caller, launcher, wishes, fingerprint(setup, place))

    def prepare(self, session_id: str, wanted: Wanted, start: Start) -> Opened:
        """Put a session together; nothing runs yet."""
        place, caller = wanted.place, wanted.caller
        settings = self._claude_settings(place, caller)
        offered = availability(self._settings, settings, caller_allows_bypass=caller.allow_bypass)
        mode = initial_mode(
            offered,
            explicit=start.mode,
            resumed=start.last.mode,
            configured=settings.default_mode,
        )
        if mode.note:
            log.warning("%s", mode.note)
        session = self._assemble(session_id, wanted, start, mode, bypass=offered.bypass)

        def options_for(greeting: Mapping[str, Any]) -> Opening:
            return open_options(
                greeting,
                adapter=self._settings,
                settings=settings,
                config=model_config(self._settings),
                caller=caller,
                offered=offered,
                mode=mode,
                profile=self._profile,
                resumed_model=start.last.model,
                served=self._accounts.models,
            )

        return Opened(session, start, options_for)

    async def start(self, opened: Opened) -> Session:
        """Start the CLI of a session that was put together. Raises an ACP error; nothing is left
        running then.
        """
        session = opened.session
        runtime = session.runtime
        self.opening.add(runtime)
        try:
            version = await self._accounts.settled()
            with self._accounts.starting():
                greeting = await runtime.open(resume=opened.start.resume)
            opening = opened.options_for(greeting)
            await self._begin(session, opening, resumed=opened.start.resume)
            if version != self._accounts.version:
                await session.around.renew()  # another provider was chosen meanwhile
        except ClaudeError as error:
            await runtime.close(grace=1.0)
            resumed = runtime.id if opened.start.resume else None
            raise told(error, resumed, self._settings.process) from error
        except BaseException:
            await runtime.close(grace=1.0)
            raise
        finally:
            self.opening.discard(runtime)
        return session

    def _claude_settings(self, place: SessionPlace, caller: CallerOptions) -> ClaudeSettings:
        given = caller.settings if isinstance(caller.settings, Mapping) else None
        tiers, notes = read_tiers(place.cwd, self._settings.config_directory, given)
        for note in notes:
            log.warning("%s", note)
        return claude_settings(tiers)

    def _assemble(
        self, session_id: str, wanted: Wanted, start: Start, mode: InitialMode, *, bypass: bool
    ) -> Session:
        place = wanted.place
        config = SessionConfig(self._profile, Place(place.cwd, self._settings.home))
        renderer = Renderer(
            self._profile, place.cwd, read_file=read_changed, child_options=config.child_options
        )
        store = Store(self._settings.config_directory)

        def prepare(conversation: str, resume: bool, mode_wanted: str | None) -> Greeting:
            now = config.options.mode if config.options is not None else mode.mode
            return wanted.launcher.prepare(
                conversation, mode_wanted or now, resume=resume, bypass=bypass
            )

        policy = policy_of(self._profile, wanted.caller, place.cwd)
        runtime = SessionRuntime(
            new_state(session_id, policy, resumed=start.resume, epoch=str(uuid.uuid4())),
            config,
            Conversation(
                start.conversation,
                prepare,
                is_stored=lambda conversation: store.find(conversation) is not None,
                keep=partial(record, self._settings.config_directory, session_id),
            ),
            peer=self._peer,
            profile=self._profile,
            renderer=renderer,
            watch=Watch(
                lambda greeting: around.greeted(greeting),
                lambda frame: around.frame(frame),
                lambda frame: around.rewrite(frame),
            ),
        )

        async def ask_title(description: str) -> dict[str, Any]:
            asked = {"subtype": "generate_session_title", "persist": True}
            return await runtime.control_request({**asked, "description": description})

        titles = TitleKeeper(ask_title, runtime.spawn, runtime.show)
        observer = Observer(self._profile, titles, runtime.show)
        around = Surroundings(self._connection, wanted.wishes, runtime, config, titles, observer)
        runtime.on_turn = around.turned
        runtime.extensions.stored_goal = lambda: goal_of(store.find(runtime.conversation_id))
        config.show = runtime.show
        config.note = runtime.note
        config.request = runtime.control_request
        follows = self._profile.reports_work
        return Session(runtime, config, titles, observer, around, wanted, renderer, follows)

    async def _begin(self, session: Session, opening: Opening, *, resumed: bool) -> None:
        """Bring the CLI to the state that the response will show."""
        session.config.options = opening.state
        if opening.model_request is not None:
            try:
                await session.runtime.control_request(opening.model_request)
            except ClaudeError:
                if opening.model_must_switch and not resumed:
                    raise
                log.warning("the session's model could not be set")
        for request in opening.requests:
            await session.runtime.control_request(request)
        session.response = session_response(session.runtime.id, opening.state, self._profile)
        session.around.opened(opening.warning)


@dataclass(frozen=True, slots=True)
class Opened:
    """A session that was put together, and how its options follow from the CLI's greeting."""

    session: Session
    start: Start
    options_for: Callable[[Mapping[str, Any]], Opening]
