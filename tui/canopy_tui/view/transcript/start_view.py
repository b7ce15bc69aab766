"""What is on screen before the first message: a greeting, what can be typed, and the demo's scenes.

The scenes are given as plain facts; what a scene does is not known here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from canopy_tui.model.sanitize import clipped
from canopy_tui.view.bars.header import ending, home_short
from canopy_tui.view.drawing.clicks import Clickable, clickable
from canopy_tui.view.drawing.strips import fitted
from canopy_tui.view.keyboard.keymap import filled

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from canopy_tui.model.state import AgentLink


@dataclass(frozen=True, slots=True)
class Scene:
    """Something that can be tried: ``prompt`` is sent when it is chosen."""

    title: str
    prompt: str
    hint: str = ""


_TEACHING = (
    ("{send}", "sends what you wrote; {newline} makes a new line"),
    ("/  @", "list the agent's commands, and the files here"),
    ("{tree}", "goes to the agents: each has its transcript"),
    ("{next-request}", "goes to the next question that waits for you"),
    ("{help}", "shows all keys, {palette} all commands"),
)
_KEY_WIDTH = 8
_GOES = "This project is deleted at the end; exports go to "
_LEAST_HINT = 12
"""Characters of a hint below which it is left out."""


class StartView(VerticalScroll):
    """The greeting. ``scenes`` are numbered from 1; ``exports_to`` is where exports last when the
    directory does not.
    """

    @dataclass
    class SceneChosen(Message):
        """The person clicked a scene."""

        scene: Scene

    def __init__(self, scenes: Sequence[Scene], exports_to: str = "") -> None:
        super().__init__(id="start", can_focus=False)
        self.scenes = tuple(scenes)
        self._exports_to = exports_to
        self._link = Content("")

    def compose(self) -> ComposeResult:
        """Greeting and list."""
        yield Static(self._greeting(), id="greeting", markup=False)
        if self.scenes:
            yield SceneList(self.scenes, self._exports_to)
        yield Static("", id="start-link", markup=False)

    def show(self, link: AgentLink) -> None:
        """Say that the agent is still starting."""
        waits = link.status == "starting"
        line = Content.styled(
            "The agent is starting; you can write already." if waits else "", "$text-muted"
        )
        if not line.is_same(self._link):
            self._link = line
            self.query_one("#start-link", Static).update(line)

    def _greeting(self) -> Content:
        rows = [
            Content.styled("Canopy", "bold $primary"),
            Content("Claude and its subagents, each in a pane of its own."),
            Content(""),
        ]
        rows_of_keys = [(filled(key), filled(words)) for key, words in _TEACHING]
        column = max(_KEY_WIDTH, *(cell_len(key) + 2 for key, _ in rows_of_keys))
        rows += [
            Content.assemble((key, "bold"), " " * (column - cell_len(key)), (words, "$text-muted"))
            for key, words in rows_of_keys
        ]
        return Content("\n").join(rows)


def at_a_word(text: str, room: int) -> str:
    """``text`` cut to ``room`` cells at the end of a word; nothing where that would say little."""
    if cell_len(text) <= room:
        return text
    words = fitted(text, room - 1).removesuffix("…")
    if text[len(words) : len(words) + 1].strip():
        words = words.rpartition(" ")[0]
    words = words.rstrip(" ,;:·(")
    return f"{words} …" if len(words) >= _LEAST_HINT else ""


class SceneList(Clickable):
    """The scenes, one line each."""

    def __init__(self, scenes: Sequence[Scene], exports_to: str = "") -> None:
        super().__init__(id="scenes")
        self._scenes = tuple(scenes)
        self._exports_to = exports_to

    def render(self) -> Content:
        """The lines."""
        rows = [
            Content.assemble(
                ("Try one: ", "bold"),
                ("press its number, or say it in your own words", "$text-muted"),
            )
        ]
        width = max(1, self.size.width)
        column = max(cell_len(clipped(scene.title, 60)) for scene in self._scenes) + 5
        for number, scene in enumerate(self._scenes, 1):
            go = clickable("choose", number)
            title = Content.assemble((f"{number}", "bold $primary"), "  ", clipped(scene.title, 60))
            gap = " " * (column - title.cell_length)
            hint = at_a_word(clipped(scene.hint, 120), width - column)
            line = Content.assemble(title, gap, (hint, "$text-muted")).stylize(go)
            rows.append(line.truncate(width, ellipsis=True))
        if self._exports_to:
            place = clipped(home_short(self._exports_to), 4096)
            place = ending(place, max(_LEAST_HINT, width - len(_GOES)))
            rows.append(Content.styled(_GOES + place, "$text-muted"))
        return Content("\n").join(rows)

    def action_choose(self, number: int) -> None:
        """A scene was clicked."""
        self.post_message(StartView.SceneChosen(self._scenes[number - 1]))
