"""The open sessions of one connection: opened, found by id, closed.

It puts the parts of a session together; what a session does afterwards is its runtime's.
"""

from __future__ import annotations

import asyncio
import logging
import os
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from canopy_agent.brokers.durable import Place
from canopy_agent.capabilities import ChildForm, ClientProfile
from canopy_agent.claude.errors import ClaudeError
from canopy_agent.domain.state import Form, Policy, new_state
from canopy_agent.render.renderer import Renderer
from canopy_agent.session.caller_options import CallerOptions, caller_options
from canopy_agent.session.config import SessionConfig
from canopy_agent.session.conversation import Conversation, Greeting
from canopy_agent.session.launching import Launcher, ProcessFactory, base_options, cli_process
from canopy_agent.session.modes import InitialMode, availability, initial_mode
from canopy_agent.session.observer import Observer
from canopy_agent.session.opening import Opening, open_options, session_response
from canopy_agent.session.prompts import ClaudePrompt, claude_prompt
from canopy_agent.session.runtime import SessionRuntime
from canopy_agent.session.settings_files import ClaudeSettings, claude_settings, read_tiers
from canopy_agent.session.successions import record
from canopy_agent.session.titles import TitleKeeper
from canopy_agent.session.validation import SessionPlace, session_place
from canopy_agent.settings import AdapterSettings, model_config
from canopy_shared.errors import internal_error, resource_not_found
from canopy_shared.ext import air

if TYPE_CHECKING:
    from canopy_shared.peer import IncomingRequest, Peer
    from canopy_shared.requests import PromptParams, SessionSetup

log = logging.getLogger(__name__)

_FORMS = {ChildForm.NONE: Form.FLAT, ChildForm.AIR: Form.AIR, ChildForm.RFD: Form.RFD}


def policy_of(profile: ClientProfile, caller: CallerOptions, cwd: str) -> Policy:
    """What the client's profile means for the rules of the core."""
    text = profile.flat_transcript or caller.forward_subagent_text
    return Policy(
        form=_FORMS[profile.child_form],
        ends_turns=profile.ends_turns_with_live_subagents,
        spares_background=profile.spares_background,
        child_cancel=profile.child_cancel,
        child_text=text,
        child_deltas=not profile.air,
        stops_workflows=not profile.air_has(air.ASYNC_TASKS),
        questions=profile.elicitation_form,
        follows_output=profile.terminal_replaces,
        keeps_terminals=not profile.air,
        cwd=os.path.realpath(cwd),
    )


def read_bytes(path: str) -> bytes | None:
    """A file's content, None when it cannot be read."""
    try:
        return Path(path).read_bytes()
    except OSError:
        return None


def has_transcript(config_directory: str, session_id: str) -> bool:
    """Whether the CLI has stored a conversation under this id, in whatever project folder."""
    return any(Path(config_directory).glob(f"projects/*/{session_id}.jsonl"))


@dataclass(slots=True)
class Session:
    """One open session and the parts that the server talks to."""

    runtime: SessionRuntime
    config: SessionConfig
    titles: TitleKeeper
    observer: Observer
    response: dict[str, Any] = field(default_factory=dict)
    greeting: Mapping[str, Any] = field(default_factory=dict)
    """The CLI's answer to ``initialize``."""

    def prompt(self, request: IncomingRequest, params: PromptParams) -> None:
        """``session/prompt``. Raises invalid params before anything is queued."""
        prompt: ClaudePrompt = claude_prompt(params)
        self.observer.prompted()
        self.runtime.prompt(request, prompt.content, prompt.text)
        self.titles.prompted(prompt.text)

    def announce(self) -> None:
        """What follows the response that opened the session."""
        self.observer.greeted(self.greeting)


class SessionDirectory:
    """Sessions by id."""

    def __init__(
        self,
        peer: Peer,
        profile: ClientProfile,
        settings: AdapterSettings,
        *,
        process: ProcessFactory = cli_process,
    ) -> None:
        self._peer = peer
        self._profile = profile
        self._settings = settings
        self._process = process
        self._sessions: dict[str, Session] = {}
        self._opening: set[SessionRuntime] = set()

    def get(self, session_id: str) -> Session:
        """An open session. Raises resource not found."""
        session = self._sessions.get(session_id)
        if session is None:
            raise resource_not_found(session_id)
        return session

    def cancel(self, session_id: str) -> None:
        """``session/cancel`` of a root or of a child; an unknown id is ignored."""
        session = self._sessions.get(session_id)
        if session is not None:
            session.runtime.cancel()
            return
        for root in self._sessions.values():
            if root.runtime.cancel_child(session_id):
                return

    # --- opening ----------------------------------------------------------------------------------

    async def new(self, setup: SessionSetup) -> Session:
        """``session/new``. Raises an ACP error; nothing is left running then."""
        place = session_place(setup)
        caller = caller_options(setup.meta, self._profile)
        options = base_options(setup, place, caller, self._settings, self._profile)
        launcher = Launcher(options, self._settings.process, self._process)
        return await self._open(str(uuid.uuid4()), place, caller, launcher)

    async def _open(
        self, session_id: str, place: SessionPlace, caller: CallerOptions, launcher: Launcher
    ) -> Session:
        settings = self._claude_settings(place, caller)
        offered = availability(self._settings, settings, caller_allows_bypass=caller.allow_bypass)
        mode = initial_mode(offered, configured=settings.default_mode)
        if mode.note:
            log.warning("%s", mode.note)
        session = self._assemble(session_id, place, caller, launcher, mode, bypass=offered.bypass)
        runtime = session.runtime
        self._opening.add(runtime)
        try:
            greeting = await runtime.open()
            session.greeting = greeting
            opening = open_options(
                greeting,
                adapter=self._settings,
                settings=settings,
                config=model_config(self._settings),
                caller=caller,
                offered=offered,
                mode=mode,
                profile=self._profile,
            )
            await self._begin(session, opening)
        except ClaudeError as error:
            await runtime.close(grace=1.0)
            raise internal_error(str(error)) from error
        except BaseException:
            await runtime.close(grace=1.0)
            raise
        finally:
            self._opening.discard(runtime)
        self._sessions[session_id] = session
        return session

    def _claude_settings(self, place: SessionPlace, caller: CallerOptions) -> ClaudeSettings:
        given = caller.settings if isinstance(caller.settings, Mapping) else None
        tiers, notes = read_tiers(place.cwd, self._settings.config_directory, given)
        for note in notes:
            log.warning("%s", note)
        return claude_settings(tiers)

    def _assemble(
        self,
        session_id: str,
        place: SessionPlace,
        caller: CallerOptions,
        launcher: Launcher,
        mode: InitialMode,
        *,
        bypass: bool,
    ) -> Session:
        config = SessionConfig(self._profile, Place(place.cwd, self._settings.home))
        renderer = Renderer(
            self._profile, place.cwd, read_file=read_bytes, child_options=config.child_options
        )

        def prepare(conversation: str, resume: bool, wanted: str | None) -> Greeting:
            now = config.options.mode if config.options is not None else mode.mode
            return launcher.prepare(conversation, wanted or now, resume=resume, bypass=bypass)

        runtime = SessionRuntime(
            new_state(session_id, policy_of(self._profile, caller, place.cwd)),
            config,
            Conversation(
                session_id,
                prepare,
                is_stored=partial(has_transcript, self._settings.config_directory),
                keep=partial(record, self._settings.config_directory, session_id),
            ),
            peer=self._peer,
            profile=self._profile,
            renderer=renderer,
            observe=lambda frame: observer.frame(frame),
        )

        async def ask_title(description: str) -> dict[str, Any]:
            asked = {"subtype": "generate_session_title", "persist": True}
            return await runtime.control_request({**asked, "description": description})

        titles = TitleKeeper(ask_title, runtime.spawn, runtime.show)
        observer = Observer(self._profile, titles, runtime.show)
        runtime.on_turn = lambda prompt: titles.idle() if prompt is None else None
        config.show = runtime.show
        config.note = runtime.note
        config.request = runtime.control_request
        return Session(runtime, config, titles, observer)

    async def _begin(self, session: Session, opening: Opening) -> None:
        """Bring the CLI to the state that the response will show."""
        session.config.options = opening.state
        if opening.model_request is not None:
            try:
                await session.runtime.control_request(opening.model_request)
            except ClaudeError:
                if opening.model_must_switch:
                    raise
                log.warning("the session's model could not be set")
        for request in opening.requests:
            await session.runtime.control_request(request)
        session.response = session_response(session.runtime.id, opening.state, self._profile)
        if opening.warning is not None:
            session.runtime.note(opening.warning)

    # --- closing ----------------------------------------------------------------------------------

    async def close(self, session_id: str) -> None:
        """``session/close``; one that is not open is closed already."""
        session = self._sessions.pop(session_id, None)
        if session is not None:
            await session.runtime.close()

    async def close_all(self, *, grace: float = 1.0) -> None:
        """The connection is over: end every session, side by side."""
        runtimes = [session.runtime for session in self._sessions.values()]
        runtimes += list(self._opening)
        self._sessions.clear()
        await asyncio.gather(
            *(runtime.close(grace=grace) for runtime in runtimes), return_exceptions=True
        )
