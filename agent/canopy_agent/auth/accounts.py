"""The account side of one connection: logins, logout, providers, and what the client is told.

It keeps what the CLI of every session is to be told of the provider; sessions themselves, and how
they are started again, are behind ``renew``.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from canopy_agent.auth import guard, identity
from canopy_agent.auth.claude_auth import auth_logout, auth_status
from canopy_agent.auth.listing import ListingFailed, list_models
from canopy_agent.auth.methods import gateway_login
from canopy_agent.auth.provider import (
    PROVIDER_ID,
    Provider,
    environment_provider,
    listed,
    provider_of,
)
from canopy_agent.auth.watch import IdentityWatch
from canopy_agent.claude.errors import ClaudeError
from canopy_shared import methods as m
from canopy_shared.errors import AcpError, internal_error
from canopy_shared.params import Params

if TYPE_CHECKING:
    from canopy_agent.settings import AdapterSettings
    from canopy_shared.outbound import Outbound
    from canopy_shared.requests import AuthenticateParams


Json = Mapping[str, Any]

FIRST_READ: Final = 0.5
"""Seconds after ``initialize`` in which the account of a first session may come instead."""


class Accounts:
    """See the module. ``renew`` starts the CLI of every open session again, once its turns are
    over; ``forget`` drops what is known of models under the account that is left.
    """

    def __init__(
        self,
        peer: Outbound,
        settings: AdapterSettings,
        *,
        hide_subscription: bool = False,
    ) -> None:
        self._settings = settings
        self._hides = hide_subscription
        self._gateway: Provider | None = None
        self._chosen: Provider | None = None
        self._changing = asyncio.Lock()
        self._first: asyncio.TimerHandle | None = None
        self._starting = 0
        self.renew: Callable[[], Awaitable[None]] = _nothing
        self.forget: Callable[[], None] = lambda: None
        self.version = 0
        """Counts the changes of the provider."""
        self.models: frozenset[str] | None = None
        """The ids that the chosen provider lists; None without a list."""
        self.watch = IdentityWatch(
            self._read_report,
            lambda status: peer.notify(m.AUTH_STATUS_UPDATE, {"authStatus": status}),
            lambda: self._settings.process,
            time.monotonic,
        )

    # --- what a CLI is told -----------------------------------------------------------------------

    @property
    def provider(self) -> Provider | None:
        """The provider that the client chose, else its gateway, else None: Claude Code decides."""
        return self._chosen or self._gateway

    def environment(self) -> dict[str, str]:
        """Variables for a CLI, over those of the session."""
        provider = self.provider
        return {} if provider is None else provider.environment()

    def refusal(self, account: Json) -> AcpError | None:
        """Why a session may not run on ``account``; None when it may."""
        if not self._hides or self.provider is not None:
            return None
        return guard.refusal(account)

    @property
    def backend(self) -> str:
        """What serves the models: the key of what is known about them."""
        provider = self.provider
        current = environment_provider(self._settings.process) if provider is None else None
        shown = current if current is not None else provider.current if provider else {}
        return f"{shown.get('apiType')} {shown.get('baseUrl')}"

    @property
    def guards(self) -> bool:
        """Whether a Claude subscription must not pay."""
        return self._hides

    # --- the life of the connection ---------------------------------------------------------------

    def begin(self) -> None:
        """The client is there: find out who pays, unless a session says it first."""
        self._first = asyncio.get_running_loop().call_later(FIRST_READ, self._read_first)

    def _read_first(self) -> None:
        """Nobody said who pays; a CLI that is being started is about to."""
        self._first = None
        if self.watch.identity is None and not self._starting:
            self.watch.refresh()

    @contextmanager
    def starting(self) -> Iterator[None]:
        """While a CLI is being started for a session."""
        self._starting += 1
        try:
            yield
        finally:
            self._starting -= 1
            if self._first is None:
                self._read_first()

    def opened(self, account: object) -> None:
        """The CLI of a session started under ``account``."""
        if self.provider is None and isinstance(account, Mapping):
            self.watch.account(account)

    def prompted(self, settings: str | None) -> None:
        """A prompt begins under the ``settings`` of its session (JSON text)."""
        self.watch.refresh_if_old(settings)

    async def aclose(self) -> None:
        """The connection is over."""
        self._starting += 1  # nobody asks any more
        if self._first is not None:
            self._first.cancel()
        await self.watch.aclose()

    async def _read_report(self, settings: str | None) -> Json | None:
        if self.provider is not None:
            return None  # the CLI knows nothing of the gateway behind it
        return await auth_status(self._settings.process, settings=settings)

    # --- requests of the client -------------------------------------------------------------------

    def authenticate(self, params: AuthenticateParams) -> dict[str, Any]:
        """``authenticate``: a gateway for the sessions to come. Raises invalid params."""
        login = gateway_login(params)
        if login is not None:
            self._gateway = login
            self._switched()
        return {}

    def list_providers(self) -> dict[str, Any]:
        """``providers/list``."""
        provider = self.provider
        current = environment_provider(self._settings.process)
        return listed(current if provider is None else provider.current)

    async def set_provider(self, params: object) -> dict[str, Any]:
        """``providers/set``: every session goes on with the provider before this returns.

        Raises invalid params, or an internal error when the provider cannot be asked for its
        models; then nothing changed.
        """
        provider = provider_of(params)
        async with self._changing:
            try:
                listing = await list_models(provider)
            except ListingFailed as error:
                raise internal_error(
                    f"the models of the provider could not be listed: {error}",
                    {"providerId": PROVIDER_ID, **provider.current},
                ) from None
            self._chosen = replace(provider, region_prefix=listing.region_prefix)
            self.models = listing.ids
            self._switched()
            await self.renew()
        return {}

    async def disable_provider(self, params: object) -> dict[str, Any]:
        """``providers/disable``; an unknown provider is disabled already."""
        if Params(params).text("providerId") != PROVIDER_ID:
            return {}
        async with self._changing:
            if self._chosen is not None:
                self._chosen, self.models = None, None
                self._switched()
                await self.renew()
        return {}

    async def logout(self) -> dict[str, Any]:
        """``logout``. Raises an internal error when Claude Code could not log out."""
        async with self._changing:
            overridden = self.provider is not None
            self._gateway = self._chosen = self.models = None
            self.version += 1
            self.forget()
            self.watch.changed()
            try:
                ran = await auth_logout(self._settings.process)
            except ClaudeError as error:
                raise internal_error(str(error)) from error
            if overridden:
                await self.renew()
            if ran.code != 0:
                raise internal_error(
                    "Claude Code could not log out", {"stderr": ran.stderr.strip()}
                )
            await asyncio.shield(self.watch.refresh())
            if self.watch.identity is None or not self.watch.is_fresh:
                self.watch.logged_out()
        return {}

    async def settled(self) -> int:
        """Wait for a change that is under way; gives the :attr:`version` that is in force then."""
        while self._changing.locked():
            async with self._changing:
                pass
        return self.version

    def _switched(self) -> None:
        """Another provider is in force: say so, or find out who pays without one."""
        self.version += 1
        self.watch.changed()
        provider = self.provider
        if provider is None:
            self.watch.refresh()
        else:
            self.watch.learned(identity.gateway(provider.base_url))


async def _nothing() -> None:
    """Nobody has a session yet."""
