"""Lets each key act before the next is taken, however many wait: what is typed behind a key goes
where that key leads.

Textual 8.2.8 hands a key to what has the focus at once, but runs what is bound to it only when it
has come up through a queue per level of widgets; letters behind it would overtake it. What a key
does is not known here.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from textual import events

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from textual.app import App
    from textual.message_pump import MessagePump

PATIENCE = 1.0
"""Seconds after which keys go on in any case: a widget that goes may take its queue along."""

Typed = events.Key | events.Paste


class KeyOrder:
    """One per app. ``hand_on`` does with a key what is done when nothing is under way."""

    def __init__(
        self,
        app: App[int],
        hand_on: Callable[[Typed], Awaitable[None]],
        clock: Callable[[], float],
    ) -> None:
        self._app = app
        self._hand_on = hand_on
        self._clock = clock
        self._held: deque[Typed] = deque()
        self._acting: Typed | None = None
        self._since = 0.0
        self._written: MessagePump | None = None
        """What letters went to that it may not have read yet."""

    @property
    def waits(self) -> bool:
        """Whether keys have come that nobody has seen yet."""
        return bool(self._held)

    async def take(self, event: Typed) -> None:
        """Take a key as it arrives."""
        if self._acting is not None or self._held:
            self._held.append(event)
        else:
            await self._begin(event)

    async def look(self) -> None:
        """Wait no longer for a key that went with its widget. Called now and then."""
        if self._acting is not None and self._clock() - self._since >= PATIENCE:
            await self._go_on(self._acting)

    async def _begin(self, event: Typed) -> None:
        field = self._app.focused
        writes = isinstance(event, events.Paste) or (
            field is not None and field.check_consume_key(event.key, event.character)
        )
        if writes:  # letters keep their order by themselves
            self._written = field
            await self._hand_on(event)
            return
        self._acting, self._since = event, self._clock()
        written, self._written = self._written, None
        if written is None or not written.call_later(self._read, event, written):
            await self._act(event)

    def _read(self, event: Typed, written: MessagePump) -> None:
        """The letters before ``event`` are in their field; what it said of that is under way."""
        self._climb(written, lambda: None, lambda: self._app.call_later(self._act, event))

    async def _act(self, event: Typed) -> None:
        goes_to = self._app.focused or self._app.screen
        await self._hand_on(event)
        if event.is_forwarded:
            self._climb(goes_to, lambda: event._stop_propagation, lambda: self._acted(event))
        else:
            self._acted(event)

    def _climb(
        self, node: MessagePump, ends: Callable[[], object], then: Callable[[], object]
    ) -> None:
        """Go through the queues of ``node`` and all above it, behind a message that does so too,
        unless that ``ends`` on the way.
        """

        def passed() -> None:
            above = node._parent
            stopped = above is not self._app and ends()  # for the app Textual says so too early
            if above is None or node is self._app or stopped:
                then()
            else:
                self._climb(above, ends, then)

        if not node.call_later(passed):
            then()

    def _acted(self, event: Typed) -> None:
        """The screen that is in front now has its focus when its queue comes to this."""
        on = self._app.screen.call_later(self._app.call_later, self._go_on, event)
        if not on:
            self._app.call_later(self._go_on, event)

    async def _go_on(self, event: Typed) -> None:
        if self._acting is not event:
            return
        self._acting = None
        while self._held and self._acting is None:
            await self._begin(self._held.popleft())
