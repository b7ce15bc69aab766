"""The command palette: every action of the client, every mode, model and agent, by name.

It lists what the state offers and runs what was picked; foreign names are plain text.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple, cast

from rich.cells import cell_len
from textual.command import DiscoveryHit, Hit, Provider
from textual.content import Content
from textual.fuzzy import FuzzySearch

from canopy_tui.model import tree
from canopy_tui.model.sanitize import clipped
from canopy_tui.view.drawing.labels import name_of
from canopy_tui.view.drawing.theme import AUTO, DARK, LIGHT
from canopy_tui.view.keyboard import keymap
from canopy_tui.view.keyboard.keys import TRANSCRIPT, TREE, commands, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from textual.command import Hits

    from canopy_tui.model.intents import Intent
    from canopy_tui.model.state import SessionView
    from canopy_tui.view.apps.app import CanopyApp
    from canopy_tui.view.keyboard.keys import Group, Key


_TITLE_WIDTH = 44
_KEYS_WIDTH = 18
"""Cells of a help that is the name of keys."""
_NARROWEST, _WIDEST, _EDGES = 40, 90, 5
"""Cells of the palette, and those for frame, padding and scrollbar."""
_KINDS = {"markdown": "Markdown", "json": "JSON", "html": "HTML", "svg": "SVG"}
_THEMES = {
    AUTO: "follows the terminal",
    DARK: "",
    LIGHT: "",
    "ansi-dark": "in its own colours",
    "ansi-light": "in its own colours",
}
_BESIDE = 1e-6
"""The score of a command that has what is searched for in its description."""
_NEED_AN_AGENT = frozenset({"mode", "restart", "stop-background"})


class Command(NamedTuple):
    """One line of the palette."""

    title: str
    help: str
    run: Callable[[], object]


def all_commands(app: CanopyApp) -> Iterator[Command]:
    """What can be done now."""
    read_only = app.around.read_only
    for group, key in commands(app.key_groups):
        if not (read_only and key.id in _NEED_AN_AGENT):
            yield _of_a_key(app, group, key)
    yield from _of_the_transcript(app)
    for theme, words in _THEMES.items():
        hint = "now" if theme == app.theme_choice else words
        yield Command(f"Theme: {theme}", hint, partial(app.choose_theme, theme))
    if not read_only:
        yield from _of_the_agent(app)
    for view in app.state.sessions.values():
        name = name_of(app.state, view)
        yield Command(f"Agent: {name}", clipped(view.task, 80), partial(app.go, view.id))


def _of_a_key(app: CanopyApp, group: Group, key: Key) -> Command:
    """What a key does, also one that only the transcript or the tree hears."""
    keys = shown(keymap.keys_of(key.id))
    places = {
        TRANSCRIPT.title: (app.main.transcript, "in the transcript"),
        TREE.title: (app.main.agents, "in the tree"),
    }
    owner, where = places.get(group.title, (None, ""))
    if owner is None or key.action.startswith("app."):
        action = f"app.{key.action.removeprefix('app.')}"
        return Command(key.label, keys, partial(app.run_action, action))
    return Command(key.label, f"{keys} {where}", partial(app.run_action, key.action, owner))


def _of_the_transcript(app: CanopyApp) -> Iterator[Command]:
    for kind, name in _KINDS.items():
        title = f"Export the transcript as {name}"
        yield Command(title, "to a new file", partial(app.action_export, kind))
    if app.exported:
        path = clipped(app.exported, 300)
        yield Command("Open the exported file", path, app.action_ask_exported)
        yield Command("Copy the path of the exported file", path, app.action_copy_exported)


def _of_the_agent(app: CanopyApp) -> Iterator[Command]:
    if app.turn_runs:
        yield Command("Stop the turn", keymap.filled("{stop} {stop}"), app.action_stop_turn)
    for view in app.state.sessions.values():
        if view.parent is not None and tree.stops(view):
            title = f"Stop only {name_of(app.state, view)}"
            yield Command(
                title, f"{keymap.name('tree-stop')} in the tree", partial(app.ask_stop, view.id)
            )
    yield Command("New session", "in this directory", app.action_new_session)
    yield Command("Close this session", "it stays stored", app.action_close_session)
    if app.state.link.logins or app.state.login is not None:
        yield Command("Log in", "the ways that the agent offers", app.action_log_in)
    if app.root is not None:
        yield from _of_root(app, app.root)
    for scene in app.around.scenes:
        send = partial(app.main.composer.send, scene.prompt)
        yield Command(f"Demo: {clipped(scene.title, 60)}", clipped(scene.hint, 80), send)


def _of_root(app: CanopyApp, root: SessionView) -> Iterator[Command]:
    from canopy_tui.model.intents import SendQueue, SetMode, SetOption

    def act(intent: Intent) -> Callable[[], object]:
        return partial(app.host.act, intent)

    for mode, name in root.modes:
        now = "now" if mode == root.mode else ""
        yield Command(f"Mode: {clipped(name, 60)}", now, act(SetMode(root.id, mode)))
    for option in root.options:
        value = option.current_value
        if isinstance(value, bool):
            title = f"{clipped(option.name, 40)}: {'off' if value else 'on'}"
            yield Command(title, "", act(SetOption(root.id, option.id, not value)))
        if option.category == "mode" or not isinstance(option.options, tuple):
            continue
        for choice in option.options:
            title = f"{clipped(option.name, 40)}: {clipped(choice.name, 60)}"
            now = "now" if choice.value == option.current_value else ""
            yield Command(title, now, act(SetOption(root.id, option.id, choice.value)))
    if root.goal is not None:
        yield Command("Clear the goal", clipped(root.goal.objective, 80), app.action_clear_goal)
    yield Command("Review changed files", "of the last turn", app.action_review)
    if root.queue_held:
        yield Command("Send the queue", "", act(SendQueue(root.id)))


class Commands(Provider):
    """Search over :func:`all_commands`."""

    @property
    def _app(self) -> CanopyApp:
        return cast("CanopyApp", self.app)

    async def discover(self) -> Hits:
        """Everything, before anything is typed."""
        for command in all_commands(self._app):
            yield DiscoveryHit(_line(command, (), self.app.size.width), command.run, command.title)

    async def search(self, query: str) -> Hits:
        """What fits the query, best first; behind all titles come those that only say it beside."""
        fuzzy = FuzzySearch()
        words = query.casefold().split()
        for command in all_commands(self._app):
            score, offsets = fuzzy.match(query, command.title)
            if score <= 0:
                said = f"{command.title} {command.help}".casefold()
                score = _BESIDE if words and all(word in said for word in words) else 0
            if score > 0:
                yield Hit(
                    score, _line(command, offsets, self.app.size.width), command.run, command.title
                )


def _line(command: Command, found: Sequence[int], width: int) -> Content:
    """Title and help on one line of a palette in a terminal of that width; keys are never cut, of
    other words the end is. Textual would read strings as markup; content it leaves alone.
    """
    room = room_in(width)
    title = Content(command.title)
    for offset in found:
        title = title.stylize("underline", offset, offset + 1)
    kept = min(cell_len(command.help), _KEYS_WIDTH)
    title = title.truncate(max(1, room - kept - 2), ellipsis=True)
    column = min(_TITLE_WIDTH, room // 2)
    gap = max(2, min(column - title.cell_length, room - title.cell_length - kept))
    line = Content.assemble(title, " " * gap, (command.help, "dim"))
    return line.truncate(room, ellipsis=True)


def room_in(width: int) -> int:
    """Cells of a line of the palette in a terminal of that width, as the style sheet has it."""
    return max(_NARROWEST, min(_WIDEST, width * 8 // 10)) - _EDGES
