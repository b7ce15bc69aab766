"""The part of the app that serves the composer: what it needs from outside the main screen.

What is written, and what becomes of it, is the composer's business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_tui.view.stop_app import StopApp

if TYPE_CHECKING:
    from canopy_tui.view.composer import Composer


class WriteApp(StopApp):
    """Actions of the keys of the composer."""

    def on_composer_told(self, event: Composer.Told) -> None:
        """What became of what was written."""
        event.stop()
        self.say(event.text, event.seconds)

    def action_say_now(self) -> None:
        """Say what is written, or what waits, into the turn that runs."""
        self.main.composer.say_now()
