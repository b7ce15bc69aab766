"""Lets a letter answer a question only when it stands alone, on every screen that letters answer.

Which letters answer is known to the screens, and when one stands alone to ``key_guard``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual import events
from textual.containers import Vertical
from textual.content import Content

from canopy_tui.view.keyboard.key_guard import IDLE, SETTLE, KeyGuard, Verdict
from canopy_tui.view.keyboard.keymap import filled, is_key
from canopy_tui.view.once import once

if TYPE_CHECKING:
    from collections.abc import Callable

    from canopy_tui.view.apps.app import CanopyApp

ALONE = (
    "You typed several keys, so nothing was answered: press one alone.",
    "No answer yet: press one key alone.",
)
SPILLED = (
    "What you type goes into the message; one key alone answers.",
    "This goes into the message.",
)
CAME = (
    "This came just now: what you pressed before it did nothing here.",
    "This came just now: press again.",
)
STAYS = (
    "{permission-later} puts this off; then you can go elsewhere.",
    "{permission-later} first.",
)
"""What is said on the frame: in full, and where that does not fit."""
_MOVES = frozenset(
    {
        *("root", "parent", "first-child", "previous-sibling", "next-sibling", "catch-up"),
        *(f"slot-{number}" for number in range(10)),
    }
)
"""The keys that go from one transcript to another."""
_CORNERS = 6
_FRAMES = "#request-frame, #confirm-frame, .small-frame"


class AnsweredByKeys:
    """What a screen is that letters answer, or on which they do what cannot be undone.

    ``spill`` takes what is typed and is no answer, where the question came by itself at the start.
    """

    guard: KeyGuard
    """Another one for each question."""
    spill: Callable[[str], object] | None = None
    is_typed_into = False
    """Whether keys write text here."""

    def answers_to(self, key: str) -> bool:
        """Whether ``key`` answers now."""
        raise NotImplementedError

    def is_harmless(self, _key: str) -> bool:
        """Whether the key, however early it comes, cannot answer."""
        return False

    def give_way(self) -> None:
        """Step back for a person who is typing."""


class LoneKeys:
    """One per app: it sees keys before any widget does."""

    def __init__(self, app: CanopyApp) -> None:
        self._app = app
        self._held: list[events.Key] = []
        self._held_at = 0.0
        self._guard: KeyGuard | None = None

    @property
    def holds(self) -> bool:
        """Whether a letter waits for whether more is typed."""
        return bool(self._held)

    async def takes(self, event: events.Key | events.Paste) -> bool:
        """Judge a key; True when it must go no further."""
        now = self._app.around.clock()
        screen = self._app.screen
        moves = isinstance(event, events.Key) and any(is_key(id, event.key) for id in _MOVES)
        if not isinstance(screen, AnsweredByKeys):
            (self._app.desk.gives_back if moves else self._app.desk.key_came)(now)
            return False
        requests: object = self._app.desk.screen
        if screen.is_typed_into or screen is not requests:
            self._app.desk.key_came(now)
        if self._guard is not screen.guard:
            self._guard, self._held = screen.guard, []
        if moves and screen is requests and not screen.is_typed_into:
            return self._moved(screen, now)
        match self._judge(screen, event, now):
            case Verdict.PASS:
                return False
            case Verdict.HOLD if isinstance(event, events.Key):
                self._hold(event, now)
            case Verdict.TEXT | Verdict.GIVE_BACK:
                return await self._typed(screen, event, now)
            case _ if _text_of(event) and screen.guard.by_person:
                self._say(ALONE)
            case _ if not screen.guard.by_person:
                self._say(CAME)
        return True

    def _moved(self, screen: AnsweredByKeys, now: float) -> bool:
        """A person who goes through the transcripts did not mean a question that came meanwhile."""
        guard = screen.guard
        if guard.by_person or now - guard.appeared > IDLE:
            self._say(STAYS)
            return True
        self._app.desk.gives_back(now)
        screen.give_way()
        return False

    def _judge(
        self, screen: AnsweredByKeys, event: events.Key | events.Paste, now: float
    ) -> Verdict:
        key = event.key if isinstance(event, events.Key) else ""
        screen.guard.collects = screen.spill is not None
        if key in _TAKE_BACK:
            screen.guard.held, self._held = "", []
        answers = bool(key) and not screen.is_typed_into and screen.answers_to(key)
        harmless = bool(key) and screen.is_harmless(key)
        verdict = screen.guard.verdict(
            now, text=_text_of(event), answers=answers, harmless=harmless
        )
        return Verdict.PASS if verdict is Verdict.TEXT and screen.is_typed_into else verdict

    # --- a letter that may answer -------------------------------------------------------------

    def _hold(self, event: events.Key, now: float) -> None:
        self._held.append(event)
        if len(self._held) == 1:
            self._held_at = now
            once(self._app, SETTLE, self._look_soon)

    def _look_soon(self) -> None:
        self._app.call_later(self.look)  # after the keys that are on their way here already

    async def look(self) -> None:
        """Time went by: a letter that stood alone for long enough answers."""
        screen = self._app.screen
        if not self._held or not isinstance(screen, AnsweredByKeys):
            return
        if screen.guard is not self._guard or not screen.guard.held:
            self._held = []
            return
        if self._app.key_order.waits:  # it may not stand alone
            self._look_soon()
            return
        left = SETTLE - (self._app.around.clock() - self._held_at)
        if left > 0:
            once(self._app, left, self._look_soon)
            return
        first, self._held = self._held[0], []
        screen.guard.take_back()
        await self._app.hand_on(first)

    # --- a word -------------------------------------------------------------------------------

    async def _typed(
        self, screen: AnsweredByKeys, event: events.Key | events.Paste, now: float
    ) -> bool:
        held, self._held = self._held, []
        if screen.spill is not None:
            screen.spill("".join(_text_of(one) for one in (*held, event)))
            self._say(SPILLED)
        elif screen.guard.by_person:
            self._say(ALONE)
        else:
            self._app.desk.gives_back(now)
            screen.give_way()
            for one in held:
                await self._app.hand_on(one)
            return False  # to what has the focus below
        return True

    def _say(self, words: tuple[str, str]) -> None:
        for frame in self._app.screen.query(_FRAMES).results(Vertical):
            full, short = map(filled, words)
            fits = cell_len(full) <= frame.size.width - _CORNERS
            frame.border_subtitle = Content(full if fits else short)


_TAKE_BACK = frozenset({"backspace", "escape"})


def _text_of(event: events.Key | events.Paste) -> str:
    if isinstance(event, events.Paste):
        return event.text
    return event.character or "" if event.is_printable else ""
