"""Messages that go into a running turn: whether the agent listens, and where they stand meanwhile.

Source: ``_session/steering`` of ``@agentclientprotocol/claude-agent-acp`` 0.101.0, which an agent
offers in ``_meta.steering`` of its answer to ``initialize``. How one is sent is not known here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_tui.model import transcript
from canopy_tui.model.entries import MessageEntry, Role

if TYPE_CHECKING:
    from canopy_tui.model.events import SteerEnded, SteerSent
    from canopy_tui.model.state import ClientState, SessionView, Touched


def sent(view: SessionView, event: SteerSent, touched: Touched) -> None:
    """A message is on its way into the turn; it leaves the queue when it was there."""
    view.queue = [prompt for prompt in view.queue if prompt.id != event.prompt.id]
    view.queue_held = view.queue_held and bool(view.queue)
    view.steering.append(event.prompt)
    touched.sessions.add(view.id)


def ended(state: ClientState, view: SessionView, event: SteerEnded, touched: Touched) -> None:
    """It is part of the conversation now, or the first of the queue again."""
    found = [prompt for prompt in view.steering if prompt.id == event.prompt]
    view.steering = [prompt for prompt in view.steering if prompt.id != event.prompt]
    touched.sessions.add(view.id)
    for prompt in found:
        if event.outcome != "taken":
            view.queue.insert(0, prompt)
            continue
        transcript.close_message(state, view, touched)
        entry = MessageEntry(
            at=event.at,
            role=Role.USER,
            chunks=[prompt.text] if prompt.text else [],
            extras=list(prompt.blocks),
            settled=True,
            into_turn=True,
        )
        transcript.append(state, view, entry, touched, work=False)
