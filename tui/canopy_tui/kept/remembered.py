"""What the client remembers of directories and sessions from run to run, under one roof.

It joins the notes of one state folder; what each holds is their own business.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from canopy_tui.kept.open_sessions import OpenSessions
from canopy_tui.kept.recent_sessions import RecentSessions
from canopy_tui.kept.trust import TrustedDirectories
from canopy_tui.kept.unkept import Unkept

if TYPE_CHECKING:
    from canopy_tui.model.events import Event


class Remembered:
    """``command`` starts the agent; ``trusted``: this directory is trusted for this run."""

    def __init__(
        self, folder: Path, command: Sequence[str], directory: Path, *, trusted: bool
    ) -> None:
        self.unkept = Unkept()
        self.trust = TrustedDirectories(folder, self.unkept)
        self.opened = OpenSessions(folder, self.unkept)
        self.recent = RecentSessions(folder, command, self.unkept)
        if trusted:
            self.trust.give(str(directory), keep=False)

    def observe(self, event: Event) -> None:
        """Follow what happens in the client."""
        self.opened.observe(event)
        self.recent.observe(event)
