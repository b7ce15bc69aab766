"""The CLI of one session over its life: started, lost, started again, replaced.

What the client sends while none runs waits here and goes on in order; what it means is not known.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from canopy_agent.claude.errors import ClaudeStartFailed
from canopy_agent.session.link import CliLink
from canopy_agent.session.startup_failure import told
from canopy_agent.session.valve import Rewrite
from canopy_shared.errors import AcpError, request_cancelled

if TYPE_CHECKING:
    from canopy_agent.claude.process import ProcessExit
    from canopy_agent.domain.events import Event
    from canopy_agent.session.conversation import Conversation


RENEWAL_GRACE = 1.0
"""Seconds that a CLI gets to end when another conversation takes its place."""


@dataclass(frozen=True, slots=True)
class Watch:
    """Who hears of a CLI besides the core.

    ``greeted`` gets the answer to ``initialize`` and may refuse it with an ACP error; ``frame``
    gets each raw frame before the core; ``rewrite`` may take the place of one.
    """

    greeted: Callable[[Mapping[str, Any]], None]
    frame: Callable[[Mapping[str, Any]], None]
    rewrite: Rewrite


class CliLife:
    """At most one CLI at a time; ``link`` is None while none runs.

    ``on_event`` gets what the running CLI says, and ``on_lost`` the end of one that was not asked
    to end. ``hand_on`` gets what waited once a
    CLI runs, ``refuse`` what waited for one that did not start. ``restore`` is awaited on a CLI
    that took another's place; ``relieve`` between batches of frames.
    """

    def __init__(
        self,
        conversation: Conversation,
        *,
        on_event: Callable[[CliLink, Event], None],
        watch: Watch,
        on_lost: Callable[[CliLink, ProcessExit | None], None],
        hand_on: Callable[[Event], None],
        refuse: Callable[[Event, AcpError], None],
        restore: Callable[[], Awaitable[None]],
        relieve: Callable[[], Awaitable[None]],
    ) -> None:
        self.conversation = conversation
        self.link: CliLink | None = None
        self._on_event = on_event
        self._watch = watch
        self._on_lost = on_lost
        self._hand_on = hand_on
        self._refuse = refuse
        self._restore = restore
        self._relieve = relieve
        self._held = False
        self._starting: asyncio.Task[None] | None = None
        self._waiting: list[Event] = []

    # --- starting ---------------------------------------------------------------------------------

    async def open(self, *, resume: bool = False, mode: str | None = None) -> dict[str, Any]:
        """Start a CLI; gives its ``initialize`` response. Raises :class:`ClaudeError`."""
        process, greeting = self.conversation.greeting(resume=resume, mode=mode)
        link = CliLink(
            process,
            on_event=lambda event: self._heard(link, event),
            on_frame=lambda frame: self._saw(link, frame),
            on_end=self._ended,
            relieve=self._relieve,
            rewrite=self._watch.rewrite,
        )
        self.link = link
        try:
            response = await link.start(greeting)
        except BaseException:
            if self.link is link:
                self.link = None
            raise
        if link.exit is not None or self.link is not link:
            raise ClaudeStartFailed("Claude Code ended while it started.")
        try:
            self._watch.greeted(response)
        except AcpError:
            self.link = None
            await link.aclose(grace=RENEWAL_GRACE)
            raise
        return response

    def submit(self, event: Event) -> None:
        """Hand ``event`` on, after a CLI was started if none runs."""
        if self._is_ready and self.link is not None:
            self._hand_on(event)
            return
        self._waiting.append(event)
        if self._is_ready:
            self._begin()

    @property
    def _is_ready(self) -> bool:
        """Whether nothing keeps a CLI from being used or started."""
        return self._starting is None and not self._held

    def hurry(self) -> None:
        """What waits for better words passes as it is."""
        if self.link is not None:
            self.link.hurry()

    def drop_waiting(self) -> list[Event]:
        """What no CLI has heard of; it will not be handed on any more."""
        waiting, self._waiting = self._waiting, []
        return waiting

    def _begin(self) -> None:
        self._starting = asyncio.create_task(self._restart(), name="claude-restart")

    async def _restart(self) -> None:
        """Start a CLI for what waits. It resumes the conversation if there is one."""
        try:
            await self.open(resume=self.conversation.can_resume)
            await self._restore()
        except Exception as error:
            self.fail_waiting(told(error))
            return
        finally:
            self._starting = None
        self._release()

    def _release(self) -> None:
        if self._held:
            return
        for event in self.drop_waiting():
            self._hand_on(event)

    def fail_waiting(self, error: AcpError) -> None:
        """Nothing will run what waits."""
        for event in self.drop_waiting():
            self._refuse(event, error)

    # --- another CLI, the same conversation -------------------------------------------------------

    def hold(self) -> None:
        """What is submitted from now on waits for :meth:`let_flow`."""
        self._held = True

    def let_flow(self) -> None:
        """Hand on what waited meanwhile."""
        self._held = False
        if self._starting is not None or not self._waiting:
            return
        if self.link is not None:
            self._release()
        else:
            self._begin()

    async def started(self) -> None:
        """Wait for a CLI that is just being started."""
        while self._starting is not None:
            await asyncio.wait({self._starting})

    async def exchange(self) -> None:
        """Start another CLI, whether or not one runs. Raises ClaudeError or ACP errors."""
        link = self.let_go()
        if link is not None:
            await link.aclose(grace=RENEWAL_GRACE)
        await self.open(resume=self.conversation.can_resume)
        await self._restore()

    # --- another conversation ---------------------------------------------------------------------

    def renew(self, mode: str, done: Callable[[str | None], None]) -> None:
        """Replace the CLI by one with an empty conversation in ``mode``.

        ``done`` gets None, or what went wrong; then the old conversation is the session's again.
        What is submitted meanwhile waits until after ``done``.
        """
        link, self.link = self.link, None
        self._starting = asyncio.create_task(self._renew(link, mode, done), name="claude-renewal")

    async def _renew(
        self, link: CliLink | None, mode: str, done: Callable[[str | None], None]
    ) -> None:
        before, problem = self.conversation, None
        try:
            if link is not None:
                await link.aclose(grace=RENEWAL_GRACE)
            self.conversation = before.begun_anew()
            await self.open(mode=mode)
            await self._restore()
            self.conversation.keep(self.conversation.id)
        except Exception as error:
            self.conversation, problem = before, str(told(error))
        finally:
            self._starting = None
        done(problem)
        if self.link is not None:
            self._release()
        elif self._waiting:
            self._begin()

    # --- hearing and ending -----------------------------------------------------------------------

    def _heard(self, link: CliLink, event: Event) -> None:
        if link is self.link:
            self._on_event(link, event)

    def _saw(self, link: CliLink, frame: Mapping[str, Any]) -> None:
        if link is not self.link:
            return
        if frame.get("subtype") == "init":
            self._move(self.conversation.named_by(frame))
        self._watch.frame(frame)

    def _move(self, conversation: Conversation) -> None:
        if conversation is not self.conversation:
            self.conversation = conversation
            conversation.keep(conversation.id)

    def _ended(self, link: CliLink, ended: ProcessExit | None) -> None:
        if link is self.link and link.greeted:
            self.link = None
            self._on_lost(link, ended)

    def let_go(self) -> CliLink | None:
        """Give up the CLI, which the caller has to close."""
        link, self.link = self.link, None
        return link

    async def aclose(self, *, grace: float) -> None:
        """End the CLI, also one that is just being started."""
        starting, link = self._starting, self.let_go()
        if starting is not None:
            starting.cancel()
        self.fail_waiting(request_cancelled())
        if link is not None:
            await link.aclose(grace=grace)
        if starting is not None:
            await asyncio.wait({starting}, timeout=5.0)
