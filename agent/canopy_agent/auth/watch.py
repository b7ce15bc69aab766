"""Keeps the client told who pays: one notification for each change, from whatever says it first.

It reads when asked and remembers; who asks, and where reports come from, is not known here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from canopy_agent.auth.identity import LOGGED_OUT, Identity, enriched, of_account, of_report

Json = Mapping[str, Any]
Read = Callable[[str | None], Awaitable[Json | None]]
"""Asks the CLI for its report, under the settings of a session (JSON text) when given."""

FRESH: Final = 30.0
"""Seconds in which a prompt relies on the last report. A login in a terminal takes longer."""


class IdentityWatch:
    """The identity of the connection.

    ``read`` gives the CLI's report, ``tell`` sends an ``authStatus``, ``now`` is a clock in
    seconds. Reads run one at a time in the background.
    """

    def __init__(
        self,
        read: Read,
        tell: Callable[[dict[str, Any]], None],
        environ: Callable[[], Mapping[str, str]],
        now: Callable[[], float],
    ) -> None:
        self._read = read
        self._tell = tell
        self._environ = environ
        self._now = now
        self._generation = 0
        self._reading: asyncio.Task[None] | None = None
        self._again: str | None = None
        self._wanted = False
        self._known_at: float | None = None
        self.identity: Identity | None = None

    # --- asking -----------------------------------------------------------------------------------

    def refresh(self, settings: str | None = None) -> asyncio.Task[None]:
        """Read again in the background; one that runs is followed by another."""
        self._wanted, self._again = True, settings
        if self._reading is None or self._reading.done():
            self._reading = asyncio.create_task(self._read_all(), name="auth-status")
        return self._reading

    @property
    def is_fresh(self) -> bool:
        """Whether the last word can be relied on for a while."""
        return self._known_at is not None and self._now() - self._known_at <= FRESH

    def refresh_if_old(self, settings: str | None = None) -> None:
        """Read again unless the last word is fresh."""
        if not self.is_fresh:
            self.refresh(settings)

    def doubt(self) -> None:
        """The identity was refused somewhere: the next prompt has to read again."""
        self._known_at = None

    async def _read_all(self) -> None:
        while self._wanted:
            self._wanted, generation = False, self._generation
            report = await self._read(self._again)
            if report is not None and generation == self._generation:
                self.learned(of_report(report, self._environ()))

    async def aclose(self) -> None:
        """Nothing is read any more."""
        self._wanted = False
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait({self._reading})

    # --- learning ---------------------------------------------------------------------------------

    def account(self, account: Json) -> None:
        """What the CLI of a session said of its account when it started."""
        self.learned(of_account(account, self._environ()))

    def learned(self, identity: Identity | None) -> None:
        """Take a reading over and tell it if it is news; None says nothing."""
        if identity is None:
            return
        self._known_at = self._now()
        identity = enriched(identity, self.identity)
        if identity != self.identity:
            self.identity = identity
            self._tell(identity.to_status())

    def changed(self) -> None:
        """A login, a logout or another provider: readings that are under way count no more."""
        self._generation += 1
        self._known_at = None

    def logged_out(self) -> None:
        """Nobody is logged in."""
        self.learned(LOGGED_OUT)
