"""The one screen on which requests of the agent are shown, one after another.

It aims at one request at a time, moves on when that is over, and never answers by itself; what a
request looks like is the business of its pane.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from rich.cells import cell_len
from textual.containers import Vertical
from textual.content import Content
from textual.errors import NoWidget
from textual.message import Message
from textual.widgets import Input, Static, TextArea

from canopy_shared.elicitation import FormElicitation, UrlElicitation
from canopy_tui.model import tree
from canopy_tui.model.queue import following, get, identical, place_of
from canopy_tui.model.state import RequestState
from canopy_tui.model.toolcalls import find
from canopy_tui.view.bars.footer import QUESTION
from canopy_tui.view.dialogs.bounded import height_of
from canopy_tui.view.dialogs.dialog import Dialog
from canopy_tui.view.drawing.labels import name_of, whole
from canopy_tui.view.drawing.short_path import in_the_middle
from canopy_tui.view.keyboard.key_guard import KeyGuard
from canopy_tui.view.keyboard.keymap import everywhere, filled, first, name
from canopy_tui.view.keyboard.lone_keys import AnsweredByKeys
from canopy_tui.view.once import once
from canopy_tui.view.requests.elicitation import FormPane, LinkPane
from canopy_tui.view.requests.permission import PermissionPane

if TYPE_CHECKING:
    import asyncio

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from canopy_tui.model.entries import ToolEntry
    from canopy_tui.model.state import ClientState, PendingRequest
    from canopy_tui.view.drawing.strips import Marks

WITHDRAWN_SECONDS = 2.0
FULL = (90, 26)
"""Below this size a request takes the whole screen."""
SMALL = 66
"""Columns from which on all keys are named, and a preview has room beside a form."""
_WIDTHS = [(0, "-slim"), (SMALL, "-full"), (FULL[0], "-framed")]
_HEIGHTS = [(0, "-cramped"), (18, "-whole"), (FULL[1], "-part")]
_TITLES = {"permission": "Permission", "elicitation": "Question"}

Kept = dict[int, dict[str, Any]]
"""What was filled into forms that were put off: request key → field key → value."""
_WENT_ON = frozenset({"in_progress", "completed"})
"""States of a call that somebody allowed."""
_BEFORE_WAY, _LEAST_WAY = 3, 12
"""Cells before the way to who asks, and how many are worth showing of it."""
_OVER = "This call is over already; an answer may come too late.\n"


class RequestScreen(AnsweredByKeys, Dialog[bool]):
    """Shows the request with ``key`` and after it the others that wait; those in ``put_off`` only
    when the person goes there.

    Dismisses with True when the person put what waits off.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *everywhere("quit", "help"),
    ]

    AUTO_FOCUS = "PermissionPane *, LinkPane *"
    """A form takes the focus itself: Textual would scroll to it before all is laid out."""
    HORIZONTAL_BREAKPOINTS = _WIDTHS
    VERTICAL_BREAKPOINTS = _HEIGHTS

    @dataclass
    class OpenAsker(Message):
        """The person wants to see the transcript of who asks."""

        session: str

    def __init__(
        self,
        state: ClientState,
        key: int,
        *,
        guard: KeyGuard,
        kept: Kept,
        marks: Marks,
        clock: Callable[[], float],
        put_off: Collection[int] = (),
    ) -> None:
        super().__init__(classes=QUESTION)
        self._put_off = put_off
        self._state = state
        self._key = key
        self._kept = kept
        self._marks = marks
        self._clock = clock
        self._leaving: asyncio.TimerHandle | None = None
        self.guard = guard
        self.gave_way = False
        """It stepped back for a person who was typing."""

    def compose(self) -> ComposeResult:
        """A frame that the panes are put into."""
        with Vertical(id="request-frame"):
            yield Static("", id="request-who", markup=False)
            yield Vertical(id="request-body")
            yield Static("", id="request-keys", markup=False)

    async def on_mount(self) -> None:
        """Show the first request."""
        await self._show()

    @property
    def key(self) -> int:
        """The request in view."""
        return self._key

    @property
    def pane(self) -> PermissionPane | FormPane | LinkPane | None:
        """The body of the request in view; None while it is put together or taken away, as when
        the size changes just then.
        """
        for pane in self.query("PermissionPane, FormPane, LinkPane").results():
            if isinstance(pane, (PermissionPane, FormPane, LinkPane)):
                return pane if pane.is_mounted and pane.children else None
        return None

    @property
    def is_typed_into(self) -> bool:  # type: ignore[override]  # it changes
        """Whether keys write text here."""
        return isinstance(self.focused, Input | TextArea)

    def answers_to(self, key: str) -> bool:
        """Whether ``key`` answers the request in view."""
        pane = self.pane
        return pane is not None and pane.answers_to(key)

    def is_harmless(self, key: str) -> bool:
        """Whether ``key``, however early it comes, cannot answer: it puts the request off, or is
        for the program as a whole. A character never counts as that, since it could be one of a
        message.
        """
        return len(key) > 1 and any(first(id) == key for id in (*_LATER, *_WHOLE_PROGRAM))

    async def refresh_request(self) -> None:
        """Follow the state: move on when the request in view no longer waits."""
        if not self._is_drawn:
            return  # on its way in, when it will show the state of then; or out
        request = get(self._state, self._key)
        if request is not None and request.state is RequestState.WAITING:
            self._head(request)
            if isinstance(self.pane, PermissionPane):
                self.pane.offer()
        elif request is not None and request.state is RequestState.WITHDRAWN:
            self._say_withdrawn(request)
        else:
            await self._move_on()

    async def aim(self, key: int, *, by_person: bool) -> None:
        """Show another request; its keys count only after the usual quiet."""
        if self._leaving is not None:
            self._leaving.cancel()
            self._leaving = None
        self._keep()
        self._key = key
        self.guard = KeyGuard(self._clock(), by_person)
        await self._show()

    async def _move_on(self) -> None:
        after = following(self._state, self._key, without=self._put_off)
        if after is None:
            self.dismiss(False)
        else:
            # It follows an answer, but nobody asked for it: a second press must not answer it.
            await self.aim(after.key, by_person=True)

    @property
    def _is_drawn(self) -> bool:
        return bool(self.query("#request-who"))

    async def _show(self) -> None:
        request = get(self._state, self._key)
        if request is None:
            self.dismiss(False)
        if request is None or not self._is_drawn:
            return  # a person who types can send it away before it is drawn
        self._head(request)
        self.query_one("#request-frame").border_subtitle = ""
        body = self.query_one("#request-body")
        await body.remove_children()
        await body.mount(self._pane_of(request))
        self.call_after_refresh(self._laid_out)
        if request.state is RequestState.WITHDRAWN:
            self._say_withdrawn(request)

    def _pane_of(self, request: PendingRequest) -> PermissionPane | FormPane | LinkPane:
        if request.kind == "permission":
            view = self._state.sessions.get(request.session)
            cwd = (view.cwd or self._state.root_of(view).cwd) if view is not None else ""
            entry = self._entry_of(request)
            key = request.key
            alike = partial(identical, self._state, key)
            return PermissionPane(request, entry, cwd, self._marks, alike)
        if isinstance(request.payload, FormElicitation):
            return FormPane(request, self._kept.get(request.key, {}), self._marks)
        return LinkPane(request)

    def _entry_of(self, request: PendingRequest) -> ToolEntry | None:
        view = self._state.sessions.get(request.session)
        call = request.tool_call_id
        return find(view, call) if view is not None and call is not None else None

    def _head(self, request: PendingRequest) -> None:
        number, total = place_of(self._state, request.key)
        title = _TITLES.get(request.kind, "Request")
        frame = self.query_one("#request-frame")
        of = f" {number} of {total}" if total > 1 and number else ""
        path = tree.path(self._state, request.session)
        names = [name_of(self._state, view) for view in path]
        frame.border_title = Content(f"{title}{of}{self._asker_in_title(names, len(title + of))}")
        who = Content.assemble((names[-1], "bold $warning"), " asks") if names else Content("")
        room = frame.size.width - who.cell_length - _BEFORE_WAY
        has_room = len(names) > 1 and room >= _LEAST_WAY
        way = in_the_middle(" › ".join(names), room) if has_room else ""
        words = Content.styled(f"{' ' * _BEFORE_WAY}{way}" if way else "", "$text-muted")
        self.query_one("#request-who", Static).update(Content.assemble(who, words))
        self._show_keys(request, total)

    def _asker_in_title(self, names: list[str], taken: int) -> str:
        """Who asks, where rows are few."""
        room = self.size.width - taken - len("╭─  ·  asks ─╮")
        if not names or not self.has_class("-cramped"):
            return ""
        way = " › ".join(names)
        return f" · {way if cell_len(way) <= room else names[-1]} asks"

    def _show_keys(self, request: PendingRequest, total: int) -> None:
        entry = self._entry_of(request)
        over = (_OVER, "bold $warning") if entry is not None and entry.ended else ""
        parts = self._keys_for(request, several=total > 1)
        room = self.query_one("#request-frame").content_size.width
        few = self.has_class("-cramped") and room > 0
        words = whole(parts, room) if few else " · ".join(parts)
        self.query_one("#request-keys", Static).update(
            Content.assemble(over, (words, "$text-muted"))
        )

    def on_permission_pane_turned(self, event: PermissionPane.Turned) -> None:
        """Other keys matter now, and other parts need room."""
        event.stop()
        self._laid_out()

    def _head_anew(self) -> None:
        request = get(self._state, self._key)
        if self._is_drawn and request is not None and request.state is RequestState.WAITING:
            self._head(request)

    def _keys_for(self, request: PendingRequest, *, several: bool) -> list[str]:
        pane = self.pane
        if isinstance(pane, PermissionPane) and pane.is_writing:
            return filled(_WRITING).split(_DOT)
        kind = "page" if isinstance(request.payload, UrlElicitation) else request.kind
        small = self.app.size.width < SMALL
        next_one = "permission-next" if request.kind == "permission" else "next-request"
        more = [f"{name(next_one)} next"] if several else []
        own = pane.hints if isinstance(pane, PermissionPane) else []
        listed = filled((_HELP_IN_SHORT if small else _HELP)[kind]).split(_DOT)
        # Where not all fit, the last ones go.
        return [listed[0], *more, *own, *listed[1:]] if small else [*more, *own, *listed]

    def _say_withdrawn(self, request: PendingRequest) -> None:
        if self._leaving is not None:
            return
        frame = self.query_one("#request-frame")
        entry = self._entry_of(request)
        elsewhere = entry is not None and entry.status in _WENT_ON
        word = "answered elsewhere" if elsewhere else "withdrawn"
        frame.border_title = Content(f"{_TITLES.get(request.kind, 'Request')} · {word}")
        frame.add_class("-withdrawn")
        self.query_one("#request-keys", Static).update(
            Content.styled("The agent no longer waits for an answer.", "bold $warning")
        )
        self._leaving = once(self, WITHDRAWN_SECONDS, self._leave_withdrawn)

    async def _leave_withdrawn(self) -> None:
        self._leaving = None
        self.query_one("#request-frame").remove_class("-withdrawn")
        if self.is_typed_into:
            # The next request must not come between the words of a person who writes.
            pane = self.pane
            if isinstance(pane, PermissionPane):
                pane.hand_on_reason()
            self.give_way()
        else:
            await self._move_on()

    def on_resize(self) -> None:
        """Another size, another bound, and other words for the keys."""
        self._head_anew()
        self.call_after_refresh(self._laid_out)

    def _laid_out(self) -> None:
        """Widths are known: which keys matter, and then how much room all takes."""
        self._head_anew()
        self.fit()
        self.call_after_refresh(self.fit)  # what is said of the keys may take other rows now

    def fit(self) -> None:
        """Bound what may be long, so that the answers are always in view."""
        pane = self.pane
        if pane is None:
            return
        width, height = self.size
        room = height if width < FULL[0] or height < FULL[1] else height * 9 // 10
        frame = self.query_one("#request-frame")
        others = [child for child in frame.children if child.id != "request-body"]
        pane.fit(room - frame.gutter.height - height_of(others))
        self.call_after_refresh(self._keep_focus_in_sight)

    def _keep_focus_in_sight(self) -> None:
        focused = self.focused
        with contextlib.suppress(NoWidget):  # it goes with its pane
            if focused is not None and not self.find_widget(focused).visible_region:
                focused.scroll_visible(animate=False)

    def _keep(self) -> None:
        pane = self.pane
        if isinstance(pane, FormPane):
            self._kept[self._key] = pane.values()

    def action_later(self) -> None:
        """Put the request off; it keeps waiting. Writing a reason is left first."""
        pane = self.pane
        if isinstance(pane, PermissionPane) and pane.leave_writing():
            return
        self._keep()
        self.dismiss(True)

    def give_way(self) -> None:
        """Step back for a person who is typing; nothing is put off."""
        self.gave_way = True
        self._keep()
        self.dismiss(False)

    async def action_turn_to(self, step: int) -> None:
        """The next or previous request that waits."""
        other = following(self._state, self._key, step)
        if other is not None and other.key != self._key:
            await self.aim(other.key, by_person=True)

    def action_open_asker(self) -> None:
        """Put the request off and show the transcript of who asks."""
        request = get(self._state, self._key)
        self.action_later()
        if request is not None:
            self.app.post_message(self.OpenAsker(request.session))


_LATER = ("permission-later", "form-later", "link-later")
_WHOLE_PROGRAM = ("suspend", "quit", "help")
_DOT = " · "
_WRITING = "{permission-send-reason} rejects · {permission-later} goes back"
_HELP = {
    "permission": "{permission-open} transcript · {permission-copy} copy · {permission-raw} raw · "
    "{permission-later} later",
    "elicitation": "{form-pick} picks · {form-go-on} goes on · {form-send} sends · "
    "{form-later} later · Decline says no · Cancel gives no answer",
    "page": "{link-next-button} moves · {form-press} presses the button · {link-later} later",
}
_HELP_IN_SHORT = {
    "permission": "{permission-later} later · {permission-open} transcript · {permission-raw} raw",
    "elicitation": "{form-later} later · {form-send} sends · Decline says no · Cancel gives "
    "no answer",
    "page": "{link-later} later",
}
