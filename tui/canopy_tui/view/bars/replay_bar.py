"""The line that says that this is a recording: where in it, how fast, and the keys of playing.

It draws what plays and moves nothing itself.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from textual.content import Content

from canopy_tui.model.glyphs import ASCII, UNICODE, mark
from canopy_tui.view.drawing.clicks import Clickable, clickable
from canopy_tui.view.keyboard import keymap
from canopy_tui.view.keyboard.keys import PLAYBACK

if TYPE_CHECKING:
    from canopy_tui.view.keyboard.keys import Key

REFRESH = 0.25
"""Seconds between two looks at where the playing is."""
_GAUGE = 16
_WORDS = {
    "playback-pause": "pause",
    "playback-step": "step",
    "playback-faster": "faster",
    "playback-slower": "slower",
    "playback-end": "end",
}


class Playback(Protocol):
    """What plays. Times are in seconds of the recording; ``now`` in epoch seconds."""

    @property
    def paused(self) -> bool: ...
    @property
    def done(self) -> bool: ...
    @property
    def speed(self) -> float: ...
    @property
    def position(self) -> float: ...
    @property
    def duration(self) -> float: ...
    def now(self) -> float: ...
    def toggle(self) -> None: ...
    def change_speed(self, step: int) -> None: ...
    def step(self) -> None: ...
    def to_end(self) -> None: ...


class ReplayBar(Clickable):
    """One line."""

    DEFAULT_CSS = """
    ReplayBar { height: 1; padding: 0 1; background: $primary 25%; }
    """

    def __init__(self, playback: Playback, glyphs: str = UNICODE) -> None:
        super().__init__(id="replay-bar")
        self._playback = playback
        self._glyphs = glyphs

    def on_mount(self) -> None:
        """Follow the playing."""
        self.set_interval(REFRESH, self.refresh)

    def render(self) -> Content:
        """What is played, and the keys that fit."""
        width = self.size.width
        line = self._where(width)
        for key in PLAYBACK.keys:
            part = self._key(key)
            longer = Content.assemble(line, "  ", part)
            if longer.cell_length > width:
                break
            line = longer
        return line.truncate(max(1, width))

    def _where(self, width: int) -> Content:
        playing = self._playback
        made = datetime.fromtimestamp(playing.now()).strftime("%Y-%m-%d %H:%M:%S")
        part = playing.position / playing.duration if playing.duration else 1.0
        full = round(part * _GAUGE)
        on, off = ("#", "-") if self._glyphs == ASCII else ("━", "─")
        gauge = Content.assemble((on * full, "$primary"), (off * (_GAUGE - full), "$line"), "  ")
        return Content.assemble(
            (" RECORDING ", "bold reverse $primary"),
            " ",
            (made, "$text-muted") if width >= _ROOMY else "",
            "  " if width >= _ROOMY else "",
            f"{_time(playing.position)} / {_time(playing.duration)}  ",
            gauge if width >= _ROOMY else "",
            (self._state(), "bold"),
        )

    def _state(self) -> str:
        playing = self._playback
        if playing.done:
            return f"{mark('done', self._glyphs).glyph} over"
        speed = f"{'x' if self._glyphs == ASCII else '×'}{playing.speed:g}"
        if playing.paused:
            paused = f"{'=' if self._glyphs == ASCII else '‖'} paused"
            return paused if playing.speed == 1 else f"{paused} {speed}"
        return f"{mark('running', self._glyphs).glyph} {speed}"

    def _key(self, key: Key) -> Content:
        word = _WORDS[key.id]
        if key.id == "playback-pause" and (self._playback.paused or self._playback.done):
            word = "again" if self._playback.done else "go on"
        name, _, parameter = key.action.partition("(")
        parameters = (int(parameter[:-1]),) if parameter else ()
        go = clickable(f"app.{name}", *parameters)
        text = Content.assemble((keymap.name(key.id), "bold $primary"), " ", (word, "$text-muted"))
        return text.stylize(go)


_ROOMY = 100


def _time(seconds: float) -> str:
    minutes, rest = divmod(max(0.0, seconds), 60)
    return f"{int(minutes)}:{rest:04.1f}"
