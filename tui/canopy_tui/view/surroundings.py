"""What the app is given from outside: where it runs, what it remembers, and who carries things out.

Plain facts and a protocol; made by the composition root and by tests.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from canopy_tui.model.glyphs import UNICODE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from canopy_tui.model.intents import Intent
    from canopy_tui.model.state import ClientState, Touched
    from canopy_tui.view.start_view import Scene

OnTouched = Callable[["Touched"], None]
Schedule = Callable[[float, Callable[[], None]], object]


class Host(Protocol):
    """Who carries out what the person wants. The controller is one."""

    @property
    def state(self) -> ClientState:
        """The state that is drawn."""

    def act(self, intent: Intent) -> None:
        """Carry out ``intent``; returns at once."""

    def start(self) -> None:
        """Start the agent. Called once, after the first frame is painted."""


MakeHost = Callable[[Schedule, OnTouched], Host]
"""Makes the host, given a way to wait and the function to call with what changed."""


def _nothing(_text: str) -> None:
    """Where nothing is remembered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """``directory`` is where the client works. ``history`` is what was sent there before, oldest
    first; ``draft`` is what was left unsent.

    ``on_sent`` is called with every sent message, ``on_draft`` with what is unsent at the end.
    ``bell`` false silences the bell and the window title; ``notify`` is ``off``, ``bell`` or
    ``desktop``. ``clock`` is monotonic, in seconds;
    ``now`` is the time of what is shown, in epoch seconds. ``read_only``: nothing can be sent.
    """

    directory: str
    glyphs: str = UNICODE
    scenes: Sequence[Scene] = ()
    history: Sequence[str] = ()
    draft: str = ""
    on_sent: Callable[[str], None] = _nothing
    on_draft: Callable[[str], None] = _nothing
    bell: bool = True
    notify: str = "bell"
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time
    read_only: bool = False
