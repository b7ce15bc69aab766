"""The screen of controls: pages beside each other, of which one shows, each a list of lines.

What the lines are and what they change is the business of the pages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from textual.containers import Vertical, VerticalScroll
from textual.content import Content

from canopy_tui.view.controls.control_list import ControlList
from canopy_tui.view.dialogs.dialog import Dialog
from canopy_tui.view.drawing.clicks import Clickable, clickable
from canopy_tui.view.keyboard.keymap import is_key, name
from canopy_tui.view.keyboard.keys import CONTROLS
from canopy_tui.view.posting import Posted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from canopy_tui.model.intents import Intent
    from canopy_tui.view.controls.control_list import Item
    from canopy_tui.view.keyboard.keys import Key

_FULL_BELOW = (90, 28)
_TICK = 2.0
_GAP = Content("  ")


class Page(Protocol):
    """One page. ``hints`` are keys that it has besides those of all pages."""

    title: str

    @property
    def hints(self) -> tuple[Key, ...]:
        """Its own keys that do something now."""

    @property
    def choice(self) -> str:
        """What Enter does, in a word; "" where it does nothing."""

    def items(self, width: int) -> Sequence[Item]:
        """Its lines, for so many cells."""

    def chosen(self, key: str) -> tuple[Intent | None, str]:
        """A line was taken: what is to be carried out, and where the cursor goes ("": it stays)."""

    def acted(self, action: str, key: str) -> Intent | None:
        """A key of the page was pressed on the line ``key``."""

    def back(self) -> str | None:
        """One step back inside the page: where the cursor goes, None when there is none."""

    def opened(self) -> Intent | None:
        """The page comes into view: what is to be asked for."""

    def tick(self) -> Intent | None:
        """Time goes by while the page is in view: what is to be asked for again."""


class _Line(Clickable):
    """One line of words that may be clicked."""

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self.words = Content("")

    def show(self, words: Content) -> None:
        """Draw other words."""
        self.words = words
        self.refresh()

    def render(self) -> Content:
        """The words, cut where there is no room."""
        return self.words.truncate(max(1, self.size.width), ellipsis=True)


class ControlScreen(Dialog[None]):
    """Shows ``pages``, the one at ``at`` first. ``of`` names the session where that is not the one
    in view.
    """

    BINDINGS: ClassVar[list[BindingType]] = CONTROLS.bindings()

    def __init__(self, pages: Sequence[Page], at: int, of: str = "") -> None:
        super().__init__()
        self._of = of
        self._pages = pages
        self._at = at

    @property
    def page(self) -> Page:
        """The page in view."""
        return self._pages[self._at]

    def compose(self) -> ComposeResult:
        """Names of the pages, the page, its keys."""
        frame = Vertical(id="control-frame")
        frame.border_title = Content(self._of)
        with frame:
            yield _Line("control-tabs")
            with VerticalScroll(id="control-scroll", can_focus=False):
                yield ControlList(lambda width: self.page.items(width))
            yield _Line("control-hints")

    def on_mount(self) -> None:
        """Show the first page."""
        self.turn_to(self._at)
        self.set_interval(_TICK, lambda: self._post(self.page.tick()))

    def on_resize(self) -> None:
        """A small terminal is used up whole."""
        width, height = self.app.size
        self.set_class(width < _FULL_BELOW[0] or height < _FULL_BELOW[1], "-full")
        self.call_after_refresh(self._show_hints)

    def show(self) -> None:
        """What is shown may have changed; a screen that comes or goes has no list."""
        for one in self.query(ControlList):
            one.lay()
        self._show_hints()

    @property
    def _list(self) -> ControlList:
        return self.query_one(ControlList)

    # --- pages --------------------------------------------------------------------------------

    def turn_to(self, at: int) -> None:
        """Bring another page into view; a screen on its way in shows it when it is there."""
        self._at = at
        if not self.query(ControlList):
            return
        names = [
            Content.styled(
                f" {page.title} ", "bold reverse $primary" if n == at else "$text-muted"
            ).stylize(clickable("screen.turn_to", n))
            for n, page in enumerate(self._pages)
        ]
        self.query_one("#control-tabs", _Line).show(Content(" ").join(names))
        self._show_hints()
        self._list.cursor = ""
        self._list.lay()
        self.query_one("#control-scroll").scroll_home(animate=False)
        self._post(self.page.opened())

    def _show_hints(self) -> None:
        for line in self.query("#control-hints").results(_Line):
            line.show(self._hints(line.size.width))

    def _hints(self, room: int) -> Content:
        """The keys that fit, each whole; the one that closes always does."""
        parts: list[Content] = []
        for key in (*self.page.hints, *CONTROLS.keys):
            word = self.page.choice if key.id == "controls-choose" else key.hint
            if not word:
                continue
            part = Content.assemble((name(key.id), "bold $primary"), " ", (word, "$text-muted"))
            go = clickable(f"screen.{key.action.partition('(')[0]}", *_parameters(key))
            part = part.stylize(go)
            parts.append(part)
        while len(parts) > 1 and _GAP.join(parts).cell_length > room > 0:
            del parts[-2]
        return _GAP.join(parts)

    def action_turn_to(self, at: int) -> None:
        """The name of a page was clicked."""
        self.turn_to(at)

    def action_turn(self, step: int) -> None:
        """The page beside, going round."""
        self.turn_to((self._at + step) % len(self._pages))

    async def on_key(self, event: events.Key) -> None:
        """The keys of the page in view alone."""
        for key in self.page.hints:
            if is_key(key.id, event.key):
                event.stop()
                self.action_act(*_parameters(key))

    # --- lines --------------------------------------------------------------------------------

    def action_move(self, step: int) -> None:
        """Another line; where none can be chosen, and beyond the last, the page scrolls."""
        if not self._list.move(step):
            scroll = self.query_one("#control-scroll")
            scroll.scroll_relative(y=step, animate=False)

    def action_page(self, step: int) -> None:
        """A page up or down."""
        scroll = self.query_one("#control-scroll")
        rows = max(1, scroll.size.height - 1)
        if not (self._list.has_choices and self._list.move(step * max(1, rows // 3))):
            scroll.scroll_relative(y=step * rows, animate=False)

    def action_choose(self) -> None:
        """Take the line with the cursor."""
        if self._list.cursor:
            self.action_choose_at(self._list.cursor)

    def action_choose_at(self, key: str) -> None:
        """Take a line."""
        self._list.cursor = key
        intent, goes_to = self.page.chosen(key)
        self._list.move_to(goes_to or key)
        self._post(intent)

    def action_act(self, action: str = "") -> None:
        """A key of the page."""
        self._post(self.page.acted(action, self._list.cursor))
        self.show()

    def action_back(self) -> None:
        """Fold what is unfolded, else close."""
        goes_to = self.page.back()
        if goes_to is None:
            self.dismiss()
        else:
            self._list.move_to(goes_to)

    def _post(self, intent: Intent | None) -> None:
        if intent is not None:
            self.post_message(Posted(intent))


def _parameters(key: Key) -> tuple[Any, ...]:
    """What stands in the brackets of the action of a key: a number or a word."""
    inside = key.action.partition("(")[2].rstrip(")").strip("'\"")
    if not inside:
        return ()
    return (int(inside),) if inside.lstrip("-").isdigit() else (inside,)
