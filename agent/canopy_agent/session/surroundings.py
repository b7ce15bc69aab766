"""What goes on around a session's conversation: accounts, options, servers, limits, copies.

It hands frames, prompts and the opening on to those who care, in one place; the conversation itself
goes through the core.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from canopy_agent.claude.errors import ClaudeError
from canopy_agent.domain import events as e
from canopy_agent.domain.effects import ReadGoal
from canopy_agent.session.activity import Activity
from canopy_agent.session.config_reports import ConfigReports
from canopy_agent.session.context_window import ContextWindow, KnownWindows
from canopy_agent.session.file_report import FileReports, Roots
from canopy_agent.session.idle_compaction import IdleCompaction
from canopy_agent.session.local_commands import LocalCommands
from canopy_agent.session.mcp_notices import McpNotices
from canopy_agent.session.mcp_patience import McpPatience
from canopy_agent.session.mcp_servers import REMOTE, claude_servers
from canopy_agent.session.mcp_sign_in import McpSignIn
from canopy_agent.session.notices import Notices
from canopy_agent.session.option_changes import options_update
from canopy_agent.session.option_reports import SettingsContext, settings_reported
from canopy_agent.session.raw_mirror import MessageFilter, RawMirror, filters_of
from canopy_agent.session.settings_files import ClaudeSettings, claude_settings, read_tiers
from canopy_agent.session.settings_watch import watch, watched_paths
from canopy_agent.session.skills import SkillFinder
from canopy_agent.session.storage_watch import StorageWatch
from canopy_agent.settings import model_config
from canopy_shared import jsonio
from canopy_shared import methods as m
from canopy_shared.errors import AcpError
from canopy_shared.ext import air

if TYPE_CHECKING:
    from canopy_agent.auth.accounts import Accounts
    from canopy_agent.capabilities import ClientProfile
    from canopy_agent.domain.facts import Noted
    from canopy_agent.session.caller_options import CallerOptions
    from canopy_agent.session.config import SessionConfig
    from canopy_agent.session.observer import Observer
    from canopy_agent.session.prompts import ClaudePrompt
    from canopy_agent.session.runtime import SessionRuntime
    from canopy_agent.session.titles import TitleKeeper
    from canopy_agent.session.validation import SessionPlace
    from canopy_agent.settings import AdapterSettings
    from canopy_shared.outbound import Outbound
    from canopy_shared.requests import SessionSetup
    from canopy_shared.updates import Command

log = logging.getLogger(__name__)

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Connection:
    """What all sessions of one client share."""

    peer: Outbound
    profile: ClientProfile
    settings: AdapterSettings
    accounts: Accounts
    windows: KnownWindows = field(default_factory=KnownWindows)
    on_activity: Callable[[], None] = lambda: None
    """Called when a session does something else than before."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a client wants to hear of a session, and what it gave it.

    ``servers`` are its MCP servers, ``remote`` those of them that may ask for a sign-in.
    """

    cwd: str
    roots: tuple[str, ...]
    caller: CallerOptions
    servers: frozenset[str] = frozenset()
    remote: frozenset[str] = frozenset()
    copies: tuple[MessageFilter, ...] = ()


def wishes_of(setup: SessionSetup, caller: CallerOptions, place: SessionPlace) -> Wishes:
    """Read from a request that opens a session. Raises invalid params for a malformed server."""
    servers = claude_servers(setup.mcp_servers)
    remote = frozenset(name for name, row in servers.items() if row["type"] in REMOTE)
    roots = (place.cwd, *place.additional_directories)
    return Wishes(place.cwd, roots, caller, frozenset(servers), remote, filters_of(setup.meta))


class Surroundings:
    """The surroundings of one session."""

    def __init__(
        self,
        connection: Connection,
        wishes: Wishes,
        runtime: SessionRuntime,
        config: SessionConfig,
        titles: TitleKeeper,
        observer: Observer,
    ) -> None:
        self._connection = connection
        self._wishes = wishes
        self._runtime = runtime
        self._config = config
        self._titles = titles
        self._observer = observer
        self._greeting: Json = {}
        self._identity: object = None
        self._warning: Noted | None = None
        ask, spawn, note = runtime.control_request, runtime.spawn, runtime.note
        profile, peer = connection.profile, connection.peer
        self._commands = LocalCommands(ask, lambda names: self._sign_in.begin(names))
        self._window = ContextWindow(
            connection.windows,
            ask,
            spawn,
            lambda size: runtime.handle(e.WindowKnown(size)),
            lambda: connection.accounts.backend,
        )
        self._reports = ConfigReports(config, profile, ask, spawn)
        names = wishes.remote if profile.elicitation_url else frozenset()
        self._sign_in = McpSignIn(runtime.id, peer, names, ask, spawn)
        self._idle = IdleCompaction(
            connection.settings.idle_compaction,
            lambda: runtime.is_at_rest,
            runtime.compact,
            lambda: self.claude_settings().compacts_when_idle,
        )
        self.files = self._file_reports()
        self._skills: SkillFinder | None = None
        if profile.air:
            places = (wishes.cwd, connection.settings.home)
            self._skills = SkillFinder(places, ask, spawn, observer.skills_known)
        self._storage = StorageWatch(connection.settings.config_directory, observer, runtime)
        self.activity = Activity(connection.on_activity)
        self._patience = McpPatience(ask, spawn, note)
        self._watchers = (
            self.activity,
            *((self.files,) if self.files is not None else ()),
            *((self._skills,) if self._skills is not None else ()),
            observer,
            RawMirror(runtime.id, wishes.copies, peer.notify),
            self._reports,
            self._window,
            self._idle,
            self._patience,
            McpNotices(wishes.servers, note, signs_in=profile.elicitation_url, every=profile.own),
            Notices(profile, note),
        )

    def _file_reports(self) -> FileReports | None:
        profile, runtime = self._connection.profile, self._runtime
        if not profile.air_has(air.AGENT_FILE_CHANGE_REPORT):
            return None
        return FileReports(
            Roots(self._wishes.roots),
            ask=runtime.control_request,
            spawn=runtime.spawn,
            show=runtime.show,
            follows=profile.reports_work,
        )

    # --- the CLI ----------------------------------------------------------------------------------

    def greeted(self, greeting: Json) -> None:
        """A CLI started. Raises auth required when it must not run under its account."""
        accounts, account = self._connection.accounts, greeting.get("account")
        refusal = accounts.refusal(account if isinstance(account, Mapping) else {})
        if refusal is not None:
            raise refusal
        self._greeting = greeting
        self._patience.started()
        accounts.opened(account)
        self._identity = accounts.watch.identity
        if accounts.provider is not None:
            self._runtime.spawn(self._tell_provider(accounts.provider.secret_settings()))

    async def _tell_provider(self, settings: Json) -> None:
        """What may stand on no command line goes to the CLI once it runs."""
        try:
            await self._runtime.control_request(
                {"subtype": "apply_flag_settings", "settings": settings}
            )
        except ClaudeError as error:
            log.warning("the headers of the provider may be overruled by settings: %s", error)

    def frame(self, frame: Json) -> None:
        """One frame of the CLI, before the core hears of it."""
        if frame.get("type") == "stream_event" and not self._wishes.copies:
            return  # by far the most frames, and nothing of them goes on around a conversation
        for watcher in self._watchers:
            try:
                watcher.frame(frame)
            except Exception:
                # what goes on around a conversation must not stop it
                log.exception("a frame of type %s was not understood", frame.get("type"))
        match frame:
            case {"type": "assistant", "error": "authentication_failed" | "oauth_org_not_allowed"}:
                # somebody may log in before the next prompt
                self._connection.accounts.watch.doubt()
                self._identity = None
            case {"subtype": "elicitation_complete", "elicitation_id": str(page)}:
                if self._connection.profile.elicitation_url:
                    self._connection.peer.notify(m.ELICITATION_COMPLETE, {"elicitationId": page})

    def rewrite(self, frame: Json) -> Awaitable[Json] | None:
        """What gives a better frame in place of this one; None for nearly all."""
        reworded = self._commands.rewrite(frame)
        if reworded is None and self.files is not None:
            return self.files.rewrite(frame)
        return reworded

    # --- the session's life -----------------------------------------------------------------------

    def opened(self, warning: Noted | None) -> None:
        """The session is open. ``warning`` belongs before the first prompt."""
        self._warning = warning
        self._config.on_model = self._window.model_is
        self._window.model_is(self._config.state)
        self._reports.opened()
        paths = watched_paths(self._wishes.cwd, self._connection.settings.config_directory)
        self._runtime.spawn(watch(paths, self._settings_changed))

    def announced(self) -> None:
        """The response that opened the session is out."""
        if not self._connection.profile.reports_work:  # such a client has the commands already
            self._observer.greeted(self._greeting)
        if self._skills is not None:
            self._skills.look()
        if self._connection.profile.air:
            self._runtime.extensions.run(ReadGoal())  # a session that goes on keeps its goal
        self._sign_in.begin()

    async def sign_in(self, server: str) -> str:
        """Begin the sign-in to an MCP server; why that did not work, "" when it did."""
        return await self._sign_in.ask_page(server)

    def commands(self) -> tuple[Command, ...]:
        """The slash commands; from now on their changes are told."""
        return self._observer.introduced(self._greeting)

    def prompting(self) -> None:
        """A prompt is about to be queued."""
        self._observer.prompted()
        self._idle.stop()
        warning, self._warning = self._warning, None
        if warning is not None:
            self._runtime.note(warning)
        accounts, settings = self._connection.accounts, self._wishes.caller.settings
        accounts.prompted(
            jsonio.dumps(settings).decode() if isinstance(settings, Mapping) else None
        )
        if accounts.guards and accounts.watch.identity != self._identity:
            self._runtime.spawn(self.renew())

    def prompted(self, id_: str, prompt: ClaudePrompt) -> None:
        """A prompt was queued under ``id_``."""
        self._commands.sent(id_, prompt.sole_text)
        self._titles.prompted(prompt.text)
        self._patience.prompted()

    def turned(self, prompt: str | None) -> None:
        """A turn began, or all have ended."""
        if self.files is not None:
            self.files.turned(prompt)
        if prompt is None:
            self._patience.rested()
            self._titles.idle()
            self._storage.turned()

    def renew(self) -> Any:
        """Give the session another CLI that is told of the provider and the account in force.

        The session waits from this call on. Awaiting the result never raises: a session without a
        CLI gets one with its next prompt.
        """
        return self._renewed(self._runtime.exchange())

    async def _renewed(self, exchange: Awaitable[None]) -> None:
        try:
            await exchange
        except (ClaudeError, AcpError) as error:
            log.warning("session %s got no other CLI: %s", self._runtime.id, error)
            return
        await self._settings_changed()
        if self._config.options is not None:
            profile = self._connection.profile
            self._runtime.show(options_update(self._config.options, profile))
            self._window.model_is(self._config.options)

    # --- settings ---------------------------------------------------------------------------------

    def claude_settings(self) -> ClaudeSettings:
        """Claude Code's settings as they are on disk now."""
        given = self._wishes.caller.settings
        tiers, notes = read_tiers(
            self._wishes.cwd,
            self._connection.settings.config_directory,
            given if isinstance(given, Mapping) else None,
        )
        for line in notes:
            log.warning("%s", line)
        return claude_settings(tiers)

    async def _settings_changed(self) -> None:
        settings, profile = self.claude_settings(), self._connection.profile
        context = SettingsContext(
            self._greeting,
            self._connection.settings,
            model_config(self._connection.settings),
            self._wishes.caller.allow_bypass,
            self._connection.accounts.models,
        )
        await self._config.report(
            lambda state: settings_reported(state, settings, context, profile)
        )
