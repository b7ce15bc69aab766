"""Plays a recording into a state of the client: in its own time, faster, or step by step.

It stands where the controller stands when there is an agent, and sends nothing to anybody; how a
state is drawn is not known here.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from canopy_tui.host.frame_pump import FramePump
from canopy_tui.model import events as e
from canopy_tui.model import intents as i
from canopy_tui.model.reduce import reduce
from canopy_tui.model.state import ClientState, Touched
from canopy_tui.replay.observed import ObservedConnection

if TYPE_CHECKING:
    from canopy_shared.record import Recording
    from canopy_tui.host.frame_pump import Schedule

SPEEDS = (0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 50.0)
LONGEST_WAIT = 3600.0
_NO_WAIT = 1e-6
"""Seconds that are not waited for: what is left of a sum of times may be nothing but rounding."""


class Player:
    """The host of an app that shows a recording.

    ``position`` and ``duration`` are seconds of the recording. With ``longest_gap`` no wait between
    two messages takes longer than so many seconds.
    """

    def __init__(
        self,
        recording: Recording,
        *,
        schedule: Schedule,
        on_touched: Callable[[Touched], None],
        speed: float = 1.0,
        paused: bool = False,
        longest_gap: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.state = ClientState()
        self.speed = speed
        self.paused = paused
        self.duration = recording.duration
        self._started_at = recording.started_at
        self._steps = recording.steps
        self._next = 0
        self._observed = ObservedConnection()
        self._schedule = schedule
        self._pump = FramePump(on_touched, schedule, clock=clock)
        self._longest_gap = longest_gap
        self._clock = clock
        self._at = 0.0
        self._since = clock()
        self._appointment = 0

    # --- what the app asks of a host ------------------------------------------------------------

    def start(self) -> None:
        """Begin to play."""
        self._since = self._clock()
        self._go_on()

    def act(self, intent: i.Intent) -> None:
        """Only what is in view changes anything: the rest was decided when this was recorded."""
        if isinstance(intent, i.Watch) and intent.sessions != self.state.watched:
            self._pump.add(reduce(self.state, e.Watched(intent.sessions)))

    # --- time -----------------------------------------------------------------------------------

    @property
    def done(self) -> bool:
        """Whether everything was played."""
        return self._next >= len(self._steps)

    @property
    def position(self) -> float:
        """Where in the recording the playing is; it stands still while paused and at the end."""
        if self.paused or self.done:
            return self._at
        reached = self._at + (self._clock() - self._since) * self.speed
        return min(reached, self._steps[self._next].at)

    def now(self) -> float:
        """The time of the recording, in epoch seconds."""
        return self._started_at + self.position

    def toggle(self) -> None:
        """Pause, or go on."""
        self._settle()
        self.paused = not self.paused
        self._go_on()

    def change_speed(self, step: int) -> None:
        """To the next faster speed (1) or slower one (-1) of ``SPEEDS``."""
        self._settle()
        if step > 0:
            self.speed = next((one for one in SPEEDS if one > self.speed), self.speed)
        else:
            self.speed = next((one for one in SPEEDS[::-1] if one < self.speed), self.speed)
        self._go_on()

    def step(self) -> None:
        """Pause, and play up to the next message that changes something."""
        self._settle()
        self.paused = True
        changed = False
        while not self.done and not changed:
            changed = bool(self._play_one())
        self._pump.flush()

    def to_end(self) -> None:
        """Play all the rest now."""
        self._settle()
        while not self.done:
            self._play_one()
        self._pump.flush()

    # --- playing --------------------------------------------------------------------------------

    def _settle(self) -> None:
        """Fix the position, before the way it moves changes; a callback still due is void."""
        self._at = self.position
        self._since = self._clock()
        self._appointment += 1

    def _go_on(self) -> None:
        """Play what is due, and come back when the next message is."""
        self._appointment += 1
        mine = self._appointment
        while not (self.paused or self.done):
            wait = (self._steps[self._next].at - self.position) / self.speed
            if self._longest_gap is not None:
                wait = min(wait, self._longest_gap - (self._clock() - self._since))
            if wait > _NO_WAIT:
                self._schedule(min(wait, LONGEST_WAIT), lambda: self._keep(mine))
                return
            self._play_one()

    def _keep(self, appointment: int) -> None:
        if appointment == self._appointment:
            self._go_on()

    def _play_one(self) -> Touched:
        step = self._steps[self._next]
        self._next += 1
        # Counted from when it was due and not from now, so that being late does not add up.
        due = self._since + (step.at - self._at) / self.speed
        self._at, self._since = step.at, min(due, self._clock())
        touched = Touched()
        for event in self._observed.take(step, self._started_at + step.at):
            touched.merge(reduce(self.state, event))
        self._pump.add(touched)
        return touched
