"""The app on a recording: the same screens, marked as a recording, with the keys of playing.

Requests appear as they were and are answered as they were; what a person presses answers nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, cast

from canopy_tui.view.apps.read_only_app import ReadOnlyApp
from canopy_tui.view.bars.replay_bar import Playback, ReplayBar
from canopy_tui.view.keyboard.keys import PLAYBACK

if TYPE_CHECKING:
    from textual.binding import BindingType
    from textual.widget import Widget

    from canopy_tui.view.keyboard.keys import Group
    from canopy_tui.view.surroundings import MakeHost, Surroundings


class ReplayApp(ReadOnlyApp):
    """Its host is a :class:`Playback` too; ``damage`` says what of the recording is missing."""

    TITLE = "canopy replay"
    key_groups: ClassVar[tuple[Group, ...]] = (PLAYBACK, *ReadOnlyApp.key_groups)
    plain_keys = frozenset(key.action.partition("(")[0] for key in PLAYBACK.keys)
    why_not = "This is a recording: everything happens as it did."
    # Before the widget that has the focus, which would take the space bar.
    BINDINGS: ClassVar[list[BindingType]] = PLAYBACK.bindings(first=True)

    def __init__(self, make_host: MakeHost, around: Surroundings, damage: str = "") -> None:
        super().__init__(make_host, around)
        self._damage = damage
        self.wants_more = False

    def on_ready(self) -> None:
        """What is not shown has to be told."""
        if self._damage:
            self.say(f"Of this recording {self._damage}.")

    @property
    def playback(self) -> Playback:
        """What plays."""
        return cast("Playback", self.inner)

    def foot(self) -> Iterable[Widget]:
        """Mark the screen as a recording."""
        return (ReplayBar(self.playback, self.around.glyphs),)

    def action_toggle_playback(self) -> None:
        """Pause, or go on; at the end all over again, which is for who made this app."""
        if self.playback.done:
            self.wants_more = True
            self.exit(0)
            return
        self.playback.toggle()
        self._show_bar()

    def action_change_speed(self, step: int) -> None:
        """Faster or slower."""
        self.playback.change_speed(step)
        self._show_bar()

    def action_step_playback(self) -> None:
        """One change more."""
        self.playback.step()
        self._show_bar()

    def action_end_playback(self) -> None:
        """Everything at once."""
        self.playback.to_end()
        self._show_bar()

    def _show_bar(self) -> None:
        self.main.query_one(ReplayBar).refresh()
