"""The line at the bottom: the keys that matter now, what was just said, how full the context is.

It draws what it is told, and watches which part of the screen has the focus; which keys there are
is read from ``keys``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textual.content import Content

from canopy_tui.model import tree
from canopy_tui.model.glyphs import ASCII, UNICODE
from canopy_tui.model.sanitize import clipped, visible
from canopy_tui.model.words import money
from canopy_tui.view.drawing.clicks import Clickable, clickable
from canopy_tui.view.keyboard.keymap import NAMELESS, brief, filled, keys_of, name
from canopy_tui.view.keyboard.keys import BACKGROUND, FOLLOWED, TRANSCRIPT, TREE, TREE_NAME, shown

if TYPE_CHECKING:
    from textual.screen import Screen
    from textual.widget import Widget

    from canopy_tui.model.state import ClientState, SessionView

QUESTION = "-question"
"""The class of the screen on which an agent asks."""
_BAR = 8
_TINY = 60
"""Cells below which the keys need the line: use and cost are on their page."""
_FILLING = 0.7
"""The part of the context from which on it matters how full it is."""
_WIDE = 98
"""Cells of the line from which on the first line is there too: 100 without the padding."""


@dataclass(frozen=True, slots=True)
class Hint:
    """A key and what it does, a click away too."""

    key: str
    word: str
    action: str
    parameters: tuple[object, ...] = ()
    urgent: bool = False
    in_place: bool = False
    """The action is one of the widget that has the focus."""


_CHANGES = frozenset(
    {"app.restart_agent", "app.stop_turn", "app.cycle_mode", "app.say_now", "stop"}
)
"""Actions that need an agent."""
_KEYS_OF = {
    "tree": TREE,
    "tasks": BACKGROUND,
    "transcript": TRANSCRIPT,
    "followed-file": FOLLOWED,
    "name-input": TREE_NAME,
}
"""By the id of the widget that has the focus: the keys that work only there."""


def hints(
    state: ClientState,
    view: SessionView | None,
    *,
    read_only: bool = False,
    place: str | None = None,
    stops: bool = True,
) -> list[Hint]:
    """The keys that help in this moment, the most useful first; ``place`` has the focus, and
    ``stops`` says whether what is marked there can be stopped.
    """
    found = _all_hints(state, view)
    urgent = sum(hint.urgent for hint in found)
    here = [hint for hint in _of_place(place) if stops or hint.action != "stop"]
    taken = {hint.key for hint in here}
    rest = [hint for hint in found[urgent:] if hint.key.partition(" ")[0] not in taken]
    found[urgent:] = [*here, *rest]
    return [
        hint
        for hint in found
        if (hint.urgent or NAMELESS not in hint.key) and not (read_only and hint.action in _CHANGES)
    ]


def _of_place(place: str | None) -> list[Hint]:
    group = _KEYS_OF.get(place or "")
    if group is None:
        return []
    listed = [
        Hint(name(key.id), key.hint, key.action, in_place=True) for key in group.keys if key.hint
    ]
    back = [] if group in (TRANSCRIPT, TREE_NAME) else [Hint(name("stop"), "back", "app.step_back")]
    return [*listed, *back, Hint(brief("help"), "more", "app.show_keys")]


def _siblings() -> str:
    """The second keys of both where they are as usual: they work in every terminal."""
    both = [keys_of(id).rpartition(",")[2] for id in ("previous-sibling", "next-sibling")]
    return "/".join(shown(key) for key in both)


def _all_hints(state: ClientState, view: SessionView | None) -> list[Hint]:
    found: list[Hint] = []
    waiting = len(state.waiting())
    if state.link.status in ("lost", "failed"):
        found.append(
            Hint(brief("restart"), "start the agent again", "app.restart_agent", urgent=True)
        )
    if waiting:
        found.append(
            Hint(brief("next-request"), f"{waiting} waiting", "app.next_request", (1,), urgent=True)
        )
    if view is not None and view.parent is not None:
        found += [
            Hint(brief("parent"), "up", "app.open_parent"),
            Hint(_siblings(), "sibling", "app.open_sibling", (1,)),
            Hint(brief("root"), "main", "app.open_root"),
        ]
    elif view is not None and view.in_turn:
        found.append(Hint(filled("{stop} {stop}"), "stop", "app.stop_turn"))
        if state.link.can_steer:
            found.append(Hint(brief("steer"), "say now", "app.say_now"))
    if tree.totals(state).new:
        found.append(Hint(brief("catch-up"), "next new", "app.catch_up"))
    if len(state.sessions) > 1:
        found.append(Hint(brief("tree"), "agents", "app.toggle_tree"))
    if view is not None and view.modes:
        found.append(Hint(brief("mode"), "mode", "app.cycle_mode"))
    found += [
        Hint(brief("help"), "keys", "app.show_keys"),
        Hint(brief("palette"), "commands", "app.command_palette"),
        Hint(brief("quit"), "quit", "app.ask_quit"),
    ]
    return found


def _below(above: Screen[Any], state: ClientState) -> list[Hint]:
    """The keys that work while another screen lies above: of a question its own ones. Whatever
    else may lie there names its keys itself.
    """
    waiting, key = len(state.waiting()), brief("next-request")
    if not above.has_class(QUESTION):
        words = f"{waiting} waiting"
        return [Hint(key, words, "app.next_request", (1,), urgent=True)] if waiting else []
    return [
        Hint(brief("permission-later"), "later", "screen.later"),
        *([Hint(key, "next question", "app.next_request", (1,))] if waiting > 1 else []),
        Hint(brief("help"), "keys", "app.show_keys"),
        Hint(brief("quit"), "quit", "app.ask_quit"),
    ]


_LAST = ("app.ask_quit", "app.command_palette")
"""What goes first where room is short, from the end: the page of all keys tells them too."""


def fitting(listed: list[tuple[Hint, int]], room: int) -> list[Hint]:
    """Those of ``listed``, each with its cells, that fit with two cells between them. The page of
    all keys comes before anything that is not urgent, since it leads to what is left out.
    """

    def rank(one: tuple[Hint, int]) -> int:
        hint = one[0]
        if hint.urgent or hint.action == "app.show_keys":
            return 0 if hint.urgent else 1
        return 3 + _LAST.index(hint.action) if hint.action in _LAST else 2

    chosen: list[Hint] = []
    for hint, cells in sorted(listed, key=rank):
        if cells > room:
            break
        chosen.append(hint)
        room -= cells + 2
    return chosen


class FooterLine(Clickable):
    """One line. ``say`` puts a sentence in place of the keys for a while."""

    def __init__(
        self,
        state: ClientState,
        glyphs: str = UNICODE,
        *,
        read_only: bool = False,
    ) -> None:
        super().__init__(id="footer")
        self._place: str | None = None
        self._read_only = read_only
        self._state = state
        self._glyphs = glyphs
        self._session: str | None = None
        self._said = ""
        self._leads_to: tuple[str, tuple[object, ...]] | None = None

    def on_mount(self) -> None:
        """Follow the focus."""
        self.watch(self.screen, "focused", self._focus_moved)
        self.app.screen_change_signal.subscribe(self, lambda _screen: self.refresh())

    def _focus_moved(self, focused: Widget | None) -> None:
        self._place = focused.id if focused is not None else None
        self.refresh()

    async def action_in_place(self, action: str) -> None:
        """A key of the part that has the focus was clicked."""
        focused = self.screen.focused
        around = focused.ancestors_with_self if focused is not None else ()
        owner = (one for one in around if hasattr(one, f"action_{action.partition('(')[0]}"))
        await self.app.run_action(action, default_namespace=next(owner, focused))

    def show(self, session: str | None) -> None:
        """Follow the pane in view."""
        self._session = session
        self.refresh()

    def say(self, text: str, leads_to: tuple[str, tuple[object, ...]] | None = None) -> None:
        """Show ``text`` instead of the keys; empty brings the keys back. ``leads_to`` is an action
        with its parameters, for a click.
        """
        self._said, self._leads_to = visible(text, multiline=False), leads_to
        self.refresh()

    @property
    def room(self) -> int:
        """Cells for what is said."""
        return self._room(self._gauge(self._state.sessions.get(self._session or "")))

    def _room(self, gauge: Content) -> int:
        return self.size.width - gauge.cell_length - 2

    def render(self) -> Content:
        """The line."""
        width = self.size.width
        view = self._state.sessions.get(self._session or "")
        gauge = self._gauge(view)
        room = self._room(gauge)
        left = Content.styled(self._said, "bold $warning") if self._said else self._keys(view, room)
        if self._said and self._leads_to is not None:
            left = left.stylize(clickable(self._leads_to[0], *self._leads_to[1]))
        left = left.truncate(max(1, room), ellipsis=True)
        gap = width - left.cell_length - gauge.cell_length
        return Content.assemble(left, " " * max(1, gap), gauge)

    def _keys(self, view: SessionView | None, room: int) -> Content:
        if self.app.screen is self.screen:
            listed = hints(
                self._state,
                view,
                read_only=self._read_only,
                place=self._place,
                stops=getattr(self.screen.focused, "marked_stops", True),
            )
        else:
            listed = _below(self.app.screen, self._state)
        parts = [(hint, self._part(hint, view)) for hint in listed]
        chosen = fitting([(hint, part.cell_length) for hint, part in parts], room)
        return Content("  ").join(part for hint, part in parts if hint in chosen)

    def _part(self, hint: Hint, view: SessionView | None) -> Content:
        go = clickable(hint.action, *hint.parameters)
        if hint.in_place:
            go = clickable("in_place", hint.action)
        style = "bold $warning" if hint.urgent else "bold $primary"
        faint = "bold $warning" if hint.urgent else "$text-muted"
        word = self._mode(view) if hint.action == "app.cycle_mode" else hint.word
        return Content.assemble((hint.key, style), " ", (word, faint)).stylize(go)

    def _mode(self, view: SessionView | None) -> str:
        """The mode by its name where the first line, which tells it too, has no room."""
        root = self._state.root_of(view) if view is not None else None
        if root is None or not root.mode or self.size.width >= _WIDE:
            return "mode"
        return clipped(dict(root.modes).get(root.mode, root.mode), 20)

    def _gauge(self, view: SessionView | None) -> Content:
        cost = self._cost(view)
        if view is None or not view.usage_size:
            return cost
        part = max(0.0, min(1.0, view.usage_used / view.usage_size))
        if self.size.width < _TINY and part < _FILLING:
            return Content("")
        style = "$text-muted" if part < _FILLING else "$warning" if part < 0.9 else "bold $error"
        words = Content.styled(f"{part:.0%} context", style)
        if self.size.width < _WIDE:
            return _joined(cost, words)
        full = round(part * _BAR)
        on, off = ("#", "-") if self._glyphs == ASCII else ("━", "─")
        bar = Content.assemble((on * full, style), (off * (_BAR - full), "$line"), " ", words)
        return _joined(cost, bar)

    def _cost(self, view: SessionView | None) -> Content:
        if view is None or not view.cost or self.size.width < _TINY:
            return Content("")
        words = money(view.cost, clipped(view.currency, 8), short=True)
        return Content.styled(words, "$text-muted")


def _joined(cost: Content, context: Content) -> Content:
    gap = "  " if cost and context else ""
    return Content.assemble(cost, gap, context).stylize(clickable("app.show_usage"))
