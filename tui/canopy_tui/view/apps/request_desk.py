"""Decides when a request of the agent comes on screen.

A request that the person put off stays put off; everything else opens by itself, but never into
the middle of typing. How a request looks is the business of its screen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_tui.model.queue import following, head
from canopy_tui.view.bars.waiting_line import WaitingLine
from canopy_tui.view.keyboard.key_guard import IDLE, KeyGuard, may_open
from canopy_tui.view.once import once

if TYPE_CHECKING:
    from canopy_tui.model.state import ClientState
    from canopy_tui.view.apps.app import CanopyApp
    from canopy_tui.view.drawing.strips import Marks
    from canopy_tui.view.requests.request_screen import Kept, RequestScreen

RETRY = 0.2
"""Seconds between two looks at whether a request may open by itself now."""


class RequestDesk:
    """One per app."""

    def __init__(self, app: CanopyApp, state: ClientState, marks: Marks) -> None:
        self._app = app
        self._state = state
        self._marks = marks
        self._clock = app.around.clock
        self._last_key = self._clock() - IDLE
        self._put_off: set[int] = set()
        self._kept: Kept = {}
        self._retrying = False
        self._interrupted = False
        """A request stepped back for a person who typed: the next one waits for a pause."""
        self._pushed: RequestScreen | None = None

    @property
    def screen(self) -> RequestScreen | None:
        """The screen of requests, also while the help or a question lies over it."""
        return self._pushed if self._pushed in self._app.screen_stack else None

    # --- keys -------------------------------------------------------------------------------

    def key_came(self, now: float) -> None:
        """Somebody types, and not at a request."""
        self._last_key = now

    def gives_back(self, now: float) -> None:
        """A request steps back for a person who types: the next one waits for a pause."""
        self._last_key, self._interrupted = now, True

    # --- opening ----------------------------------------------------------------------------

    async def requests_changed(self) -> None:
        """Requests came or went."""
        waiting = {request.key for request in self._state.waiting()}
        self._put_off &= waiting
        for key in self._kept.keys() - waiting:
            del self._kept[key]
        screen = self.screen
        if screen is not None:
            await screen.refresh_request()
        self.mark_screen()
        self.look()

    def look(self) -> None:
        """Open a request by itself if there is one that may be."""
        self._retrying = False
        fresh = [one for one in self._state.waiting() if one.key not in self._put_off]
        if not fresh or not self._app.shows_main or not self._app.around.opens_requests:
            return
        half_written = not self._app.nothing_half_written
        now = self._clock()
        if may_open(now, self._last_key, typing=half_written or self._interrupted):
            own = [one for one in fresh if one.session == self._app.open_session]
            key = (own or fresh)[0].key
            self._push(key, KeyGuard(now, by_person=False, over_draft=half_written))
        elif not self._retrying:
            self._retrying = True
            once(self._app, RETRY, self.look)

    def open_next(self, step: int) -> None:
        """The person asks for the next or previous request, from any screen."""
        screen = self.screen
        if screen is not None:
            if screen.is_active:
                self._app.call_later(screen.action_turn_to, step)
            else:
                screen.pop_until_active()  # such as from the help
            return
        request = head(self._state, self._app.open_session)
        if step < 0 and request is not None:
            request = following(self._state, None, step)
        if request is None:
            self._app.say("Nothing waits for you.", holds=lambda: not self._state.waiting())
        else:
            self._push(request.key, KeyGuard(self._clock(), by_person=True))

    def _push(self, key: int, guard: KeyGuard) -> None:
        from canopy_tui.view.requests.request_screen import RequestScreen

        self._pushed = screen = RequestScreen(
            self._state,
            key,
            guard=guard,
            kept=self._kept,
            marks=self._marks,
            clock=self._clock,
            # Who asks for one goes through all; one that came by itself brings no old ones along.
            put_off=() if guard.by_person else frozenset(self._put_off),
        )
        self._interrupted = False
        self._app.push_screen(screen, lambda put_off: self._closed(screen, put_off))

    def mark_screen(self) -> None:
        """Say how many wait on a screen that hides the footer."""
        screen = self._app.screen_stack[-1] if self._app.screen_stack else None
        if screen is not None and screen is not self._app.main and screen is not self.screen:
            screen.call_after_refresh(WaitingLine.keep_on, screen, self._state)

    def _closed(self, screen: RequestScreen, put_off: bool | None) -> None:
        self._interrupted = screen.gave_way
        if put_off:
            self._put_off |= {request.key for request in self._state.waiting()}
        self._app.call_later(self.look)
