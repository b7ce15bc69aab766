"""The host of a picture: a recorded run that is played up to a point, then stands still.

What the person does beside the connection (queueing, listing) is answered from the recording; how a
state is drawn is not known here.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING

from canopy_shared import methods
from canopy_shared.ext import canopy_controls
from canopy_shared.frames import Request, Response
from canopy_shared.record import CLIENT, Recording, read_recording
from canopy_tui.model import events as e
from canopy_tui.model import intents as i
from canopy_tui.model.reduce import reduce
from canopy_tui.model.state import ClientState, QueuedPrompt, Touched
from canopy_tui.replay.observed import ObservedConnection
from canopy_tui.wire.answers import read_initialize
from canopy_tui.wire.catalogue import read_page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from canopy_tui.view.surroundings import OnTouched, Schedule

FOLDER = Path(__file__).with_name("recorded")
NOON = 1_796_212_800.0
"""2 December 2026, 12:00 UTC: when every recording is said to have begun."""


class RecordedHost:
    """``now`` stands wherever the playing stopped, ``later`` seconds on."""

    def __init__(self, name: str) -> None:
        self.recording: Recording = read_recording(FOLDER / f"{name}.jsonl")
        self.state = ClientState()
        self.later = 0.0
        self._observed = ObservedConnection()
        self._next = 0
        self._queued = itertools.count(1)
        self._paint: OnTouched = lambda _touched: None

    def make(self, _schedule: Schedule, paint: OnTouched) -> RecordedHost:
        """What the app calls to get its host."""
        self._paint = paint
        return self

    def start(self) -> None:
        """Nothing begins by itself."""

    def now(self) -> float:
        """The time of the last step, in epoch seconds."""
        steps = self.recording.steps
        return NOON + (steps[self._next - 1].at if self._next else 0.0) + self.later

    def until(self, condition: Callable[[ClientState], object]) -> None:
        """Play until the state is so. Raises AssertionError when it never is."""
        while not condition(self.state):
            assert self._next < len(self.recording.steps), "the recording has ended"
            self._play_one()

    def seconds(self, seconds: float) -> None:
        """Play on for so long."""
        end = self.now() + seconds
        while self._next < len(self.recording.steps) and (
            NOON + self.recording.steps[self._next].at <= end
        ):
            self._play_one()

    def until_the_next_message(self) -> None:
        """Play as far as the person who was recorded said something more."""
        steps = self.recording.steps
        while self._next < len(steps):
            frame = steps[self._next].frame
            if isinstance(frame, Request) and frame.method == methods.SESSION_PROMPT:
                return
            self._play_one()

    def to_end(self) -> None:
        """Play all the rest."""
        while self._next < len(self.recording.steps):
            self._play_one()

    def offer_logins(self) -> None:
        """Offer the ways to log in that the agent told of when it was recorded."""
        greeting = self._answer_to(methods.INITIALIZE)
        self.state.link.logins = read_initialize(greeting).logins

    def _play_one(self) -> None:
        step = self.recording.steps[self._next]
        self._next += 1
        at = NOON + step.at
        if step.event == "output":
            self.apply([e.TaskOutput(str(step.facts["task"]), str(step.facts["text"]))])
        elif step.event != "closed":
            self.apply(self._observed.take(step, at))

    def apply(self, events: Iterable[e.Event]) -> None:
        """Something happened."""
        touched = Touched()
        for event in events:
            touched.merge(reduce(self.state, event))
        if touched:
            self._paint(touched)

    # --- what the person wants ----------------------------------------------------------------

    def act(self, intent: i.Intent) -> None:
        """Only what needs no agent, and the list of sessions as it was."""
        match intent:
            case i.Watch(sessions) if sessions != self.state.watched:
                self.apply([e.Watched(sessions)])
            case i.SendPrompt(session, text, blocks, source):
                root = self.state.sessions[session]
                prompt = QueuedPrompt(next(self._queued), text, blocks, source)
                self.apply([e.QueueChanged(session, (*root.queue, prompt))])
            case i.SteerPrompt(session, text, blocks, source):
                prompt = QueuedPrompt(next(self._queued), text, blocks, source)
                self.apply([e.SteerSent(session, prompt)])
            case i.ListSessions(query):
                page = read_page(self._answer_to(methods.SESSION_LIST))
                self.apply([e.SessionsAsked(query), e.SessionsListed(query, *page)])
            case i.AskUsage(session):
                report = canopy_controls.read_usage(self._answer_to(methods.CANOPY_USAGE))
                self.apply([e.UsageAsked(session), e.UsageTold(session, report)])
            case i.AskServers(session):
                told = self._answer_to(methods.CANOPY_MCP_SERVERS)
                servers, _ = canopy_controls.read_servers(told)
                self.apply([e.ServersAsked(session), e.ServersTold(session, servers)])

    def _answer_to(self, method: str) -> object:
        """What the agent answered when the run was recorded."""
        asked = [
            step.frame.id
            for step in self.recording.steps
            if step.sender == CLIENT
            and isinstance(step.frame, Request)
            and step.frame.method == method
        ]
        for step in self.recording.steps:
            if (
                step.sender != CLIENT
                and isinstance(step.frame, Response)
                and step.frame.id in asked
            ):
                return step.frame.result
        return None
