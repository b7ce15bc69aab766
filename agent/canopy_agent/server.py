"""The agent as an ACP server over any transport: who may call what, and how long it lives.

``initialize`` is answered before anything heavy is imported; sessions and the CLI are behind the
directory.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from canopy_agent.auth.methods import Relaunch
from canopy_agent.extension_handlers import extension_handlers
from canopy_agent.policy import with_policy
from canopy_agent.settings import AdapterSettings, read_settings
from canopy_agent.wire import dialects
from canopy_shared import methods as m
from canopy_shared import requests as r
from canopy_shared.errors import (
    AcpError,
    internal_error,
    invalid_request,
    method_not_found,
    request_cancelled,
)
from canopy_shared.peer import IncomingRequest, Peer

if TYPE_CHECKING:
    from canopy_agent.auth.accounts import Accounts
    from canopy_agent.capabilities import ClientProfile
    from canopy_agent.session.directory import SessionDirectory
    from canopy_agent.session.launching import ProcessFactory
    from canopy_agent.session.opener import Session
    from canopy_shared.transport import Transport

log = logging.getLogger(__name__)

Handler = Callable[[IncomingRequest], None]


def _stop(task: asyncio.Task[None]) -> None:
    task.cancel()


class AgentServer:
    """One connection to one client.

    ``environ`` is the environment that the CLI is started in (our own by default); ``process``
    makes the CLI process from a launch spec.
    """

    def __init__(
        self,
        transport: Transport,
        *,
        environ: Mapping[str, str] | None = None,
        process: ProcessFactory | None = None,
        hide_subscription: bool = False,
    ) -> None:
        own = os.environ if environ is None else environ
        self._settings: AdapterSettings = read_settings(with_policy(own))
        self._process = process
        self._hide_subscription = hide_subscription
        self._peer = Peer(transport, on_request=self._request, on_notification=self._notification)
        self._profile: ClientProfile | None = None
        self._version: int | None = None
        self._wire: dialects.Wire | None = None
        self._connect: Callable[[], dialects.Wire] | None = None
        self._accounts: Accounts | None = None
        self._directory: SessionDirectory | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._disposing: asyncio.Task[None] | None = None
        self._handlers: dict[str, Handler] = {
            m.AUTHENTICATE: self._authenticate,
            m.LOGOUT: self._logout,
            m.PROVIDERS_LIST: self._list_providers,
            m.PROVIDERS_SET: self._set_provider,
            m.PROVIDERS_DISABLE: self._disable_provider,
            m.SESSION_NEW: self._new_session,
            m.SESSION_LOAD: self._load_session,
            m.SESSION_RESUME: self._resume_session,
            m.SESSION_FORK: self._fork_session,
            m.SESSION_LIST: self._list_sessions,
            m.SESSION_DELETE: self._delete_session,
            m.SESSION_PROMPT: self._prompt,
            m.SESSION_CLOSE: self._close_session,
            m.SESSION_SET_MODE: self._set_mode,
            m.SESSION_SET_CONFIG_OPTION: self._set_option,
            **extension_handlers(self._open_directory, self._run),
        }

    async def serve(self) -> None:
        """Serve until the connection ends; every session has ended too when this returns."""
        try:
            await self._peer.run()
        finally:
            await self._dispose()

    async def stop(self) -> None:
        """End the connection from our side, after every open request got its answer;
        :meth:`serve` returns soon after.
        """
        await self._dispose()

    async def _dispose(self) -> None:
        """End everything; whoever comes second waits for the first."""
        if self._disposing is None:
            self._disposing = asyncio.create_task(self._end(), name="end-of-connection")
        await asyncio.shield(self._disposing)

    async def _end(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        if self._accounts is not None:
            await self._accounts.aclose()
        if self._directory is not None:
            await self._directory.close_all()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=5.0)
        await self._peer.aclose()

    # --- dispatch ---------------------------------------------------------------------------------

    def _request(self, request: IncomingRequest) -> None:
        if request.method == m.INITIALIZE:
            self._initialize(request)
            return
        if self._profile is None:
            raise invalid_request("initialize comes first")
        if self._disposing is not None:
            raise invalid_request("the agent is shutting down")
        request = self._open_wire().translated(request)
        handler = self._handlers.get(request.method)
        if handler is None:
            raise method_not_found(request.method)
        handler(request)

    def _notification(self, method: str, params: Any) -> None:
        if method == m.SESSION_CANCEL and self._directory is not None:
            self._directory.cancel(r.CancelParams.parse(params).session_id)

    def _run(self, request: IncomingRequest, *work: Coroutine[Any, Any, Any]) -> None:
        """Answer ``request`` with what the first of ``work`` gives, which awaits the others."""
        task = asyncio.create_task(self._answer(request, work[0]), name=request.method)
        self._tasks.add(task)

        def over(task: asyncio.Task[None]) -> None:
            self._tasks.discard(task)
            for one in work:  # nothing of it ran when it was cancelled before its first step
                one.close()
            if task.cancelled() and not request.answered:
                request.fail(request_cancelled())

        task.add_done_callback(over)
        request.on_cancel(lambda: _stop(task))

    @staticmethod
    async def _answer(request: IncomingRequest, work: Coroutine[Any, Any, Any]) -> None:
        try:
            result = await work
        except AcpError as error:
            request.fail(error)
        except asyncio.CancelledError:
            request.fail(request_cancelled())
            raise
        except Exception:
            log.exception("%s failed", request.method)
            request.fail(internal_error())
        else:
            if callable(result):  # it answers by itself, because something has to follow the answer
                result()
            else:
                request.respond(result)

    # --- the connection ---------------------------------------------------------------------------

    def _initialize(self, request: IncomingRequest) -> None:
        dialect = dialects.negotiated(request.params, self._settings)
        if self._version not in (None, dialect.version):
            raise invalid_request(f"the connection speaks version {self._version} already")
        params = dialect.read_hello(request.params)
        profile, response = dialects.hello(
            dialect,
            params,
            self._settings,
            Relaunch(sys.executable, ("-m", "canopy_tui")),
            hide_subscription=self._hide_subscription,
        )
        request.respond(response)
        if self._profile is not None:
            return  # what was agreed on first stands
        self._profile, self._version = profile, dialect.version
        self._connect = partial(dialect.connect, self._peer, profile)
        # the answer is on its way before the rest of the agent is imported
        asyncio.get_running_loop().call_soon(self._open_directory)

    def _open_wire(self) -> dialects.Wire:
        if self._wire is None:
            assert self._connect is not None
            self._wire = self._connect()
        return self._wire

    def _open_directory(self) -> SessionDirectory:
        if self._directory is None:
            from canopy_agent.session.directory import SessionDirectory
            from canopy_agent.session.launching import cli_process

            assert self._profile is not None
            self._directory = SessionDirectory(
                self._open_wire().outbound,
                self._profile,
                self._settings,
                self._open_accounts(),
                process=self._process or cli_process,
            )
        return self._directory

    # --- accounts ---------------------------------------------------------------------------------

    def _open_accounts(self) -> Accounts:
        if self._accounts is None:
            from canopy_agent.auth.accounts import Accounts

            self._accounts = Accounts(
                self._open_wire().outbound,
                self._settings,
                hide_subscription=self._hide_subscription,
            )
            self._accounts.begin()
        return self._accounts

    def _authenticate(self, request: IncomingRequest) -> None:
        params = r.AuthenticateParams.parse(request.params)
        request.respond(self._open_accounts().authenticate(params))

    def _logout(self, request: IncomingRequest) -> None:
        self._run(request, self._open_accounts().logout())

    def _list_providers(self, request: IncomingRequest) -> None:
        request.respond(self._open_accounts().list_providers())

    def _set_provider(self, request: IncomingRequest) -> None:
        self._run(request, self._open_accounts().set_provider(request.params))

    def _disable_provider(self, request: IncomingRequest) -> None:
        self._run(request, self._open_accounts().disable_provider(request.params))

    # --- sessions ---------------------------------------------------------------------------------

    def _new_session(self, request: IncomingRequest) -> None:
        params = r.NewSessionParams.parse(request.params)
        self._opened(request, self._open_directory().new(params.setup))

    def _load_session(self, request: IncomingRequest) -> None:
        params = r.LoadSessionParams.parse(request.params)
        self._opened(request, self._open_directory().load(params.session_id, params.setup))

    def _resume_session(self, request: IncomingRequest) -> None:
        params = r.ResumeSessionParams.parse(request.params)
        self._opened(request, self._open_directory().resume(params.session_id, params.setup))

    def _fork_session(self, request: IncomingRequest) -> None:
        params = r.ForkSessionParams.parse(request.params)
        self._opened(request, self._open_directory().fork(params.session_id, params.setup))

    def _opened(self, request: IncomingRequest, opening: Coroutine[Any, Any, Session]) -> None:
        """Answer a request that opens a session, and send what follows the answer."""

        async def opened() -> Callable[[], None]:
            session = await opening

            def answer() -> None:
                session.introduce()
                request.respond(session.response)
                session.announce()

            return answer

        self._run(request, opened(), opening)

    def _list_sessions(self, request: IncomingRequest) -> None:
        params = r.ListSessionsParams.parse(request.params)
        self._run(request, self._open_directory().page(params))

    def _delete_session(self, request: IncomingRequest) -> None:
        params = r.DeleteSessionParams.parse(request.params)

        async def delete() -> dict[str, Any]:
            await self._open_directory().delete(params.session_id)
            return {}

        self._run(request, delete())

    def _prompt(self, request: IncomingRequest) -> None:
        params = r.PromptParams.parse(request.params)
        self._open_directory().get(params.session_id).prompt(request, params)

    def _close_session(self, request: IncomingRequest) -> None:
        params = r.CloseSessionParams.parse(request.params)

        async def close() -> dict[str, Any]:
            await self._open_directory().close(params.session_id)
            return {}

        self._run(request, close())

    def _set_mode(self, request: IncomingRequest) -> None:
        params = r.SetModeParams.parse(request.params)
        config = self._open_directory().get(params.session_id).config

        async def change() -> dict[str, Any]:
            await config.set_mode(params.mode_id)
            return {}

        self._run(request, change())

    def _set_option(self, request: IncomingRequest) -> None:
        params = r.SetConfigOptionParams.parse(request.params)
        config = self._open_directory().get(params.session_id).config

        async def change() -> dict[str, Any]:
            options = await config.set_option(params.config_id, params.value)
            return {"configOptions": options}

        self._run(request, change())
