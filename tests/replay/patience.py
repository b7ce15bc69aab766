"""A play for apps that read files or a clock of their own: it waits long, since machines are slow.

It must not know what is tested.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tui_app.playing import Play
from waiting import eventually

if TYPE_CHECKING:
    from collections.abc import Callable

PATIENCE = 60.0


class PatientPlay(Play):
    """Waits for up to a minute."""

    async def shows(self, text: str) -> None:
        """Wait until the screen holds ``text``."""
        what = f"{text!r} on screen:\n{self.text}"
        await eventually(lambda: text in self.text, what, bound=PATIENCE)

    async def until(self, condition: Callable[[], Any], what: str) -> None:
        """Wait for a condition."""
        await eventually(condition, what, bound=PATIENCE)
