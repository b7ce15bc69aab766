"""The way of the person's messages: into the queue, out of it when it is their turn, or at once
into the turn that runs.

It decides order and moment only; how a message travels is the endpoint's business, and what a
person sees of it is told as events.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from canopy_tui.model import events as e
from canopy_tui.model import intents as i
from canopy_tui.model.login import LoginNeed
from canopy_tui.model.queue import last_prompt
from canopy_tui.model.state import Phase, QueuedPrompt

if TYPE_CHECKING:
    from canopy_tui.model.state import ClientState, SessionView
    from canopy_tui.wire.client import AcpClient

PromptIntent = (
    i.SendPrompt
    | i.EditQueued
    | i.RemoveQueued
    | i.SendQueue
    | i.SendAgain
    | i.SteerPrompt
    | i.SteerQueued
)

HOLDS_QUEUE = frozenset({"error", "cancelled", "disconnected"})
"""Ends of a turn after which the next message must not go by itself."""


class PromptFlow:
    """``client`` gives the endpoint while the agent is there, ``apply`` takes what happens."""

    def __init__(
        self,
        state: ClientState,
        client: Callable[[], AcpClient | None],
        apply: Callable[[e.Event], None],
        clock: Callable[[], float],
    ) -> None:
        self._state = state
        self._client = client
        self._apply = apply
        self._clock = clock
        self._ids = itertools.count(1)
        self._sent: dict[str, QueuedPrompt] = {}
        """Root → the message that went last."""

    def act(self, root: SessionView, intent: PromptIntent) -> None:
        """Carry out what the person wants of the messages of ``root``."""
        match intent:
            case i.SendPrompt(_, text, blocks, source):
                if text.strip() or blocks:
                    self._enqueue(root, QueuedPrompt(next(self._ids), text, blocks, source))
            case i.EditQueued(_, number):
                queue = [_edited(prompt, intent) for prompt in root.queue]
                kept = [one for one in queue if one.text.strip() or one.blocks]
                self._set_queue(root, kept, held=root.queue_held)
                self.advance(root)
            case i.RemoveQueued(_, number):
                queue = [prompt for prompt in root.queue if prompt.id != number]
                self._set_queue(root, queue, held=root.queue_held)
                self.advance(root)
            case i.SendQueue():
                self._set_queue(root, root.queue, held=False)
                self.advance(root)
            case i.SendAgain():
                self._repeat(root)
            case i.SteerPrompt(_, text, blocks, source):
                if text.strip() or blocks:
                    self._steer(root, QueuedPrompt(next(self._ids), text, blocks, source))
            case i.SteerQueued(_, number):
                for prompt in [one for one in root.queue if one.id == number]:
                    self._steer(root, prompt)

    def _enqueue(self, root: SessionView, prompt: QueuedPrompt) -> None:
        self._set_queue(root, [*root.queue, prompt], held=False)
        self.advance(root)

    def _repeat(self, root: SessionView) -> None:
        """Send the last message once more, before what waits."""
        said = last_prompt(root)
        if said is not None and not root.in_turn:
            again = QueuedPrompt(next(self._ids), *said)
            self._set_queue(root, [again, *root.queue], held=False)
            self.advance(root)

    def _set_queue(self, root: SessionView, queue: list[QueuedPrompt], *, held: bool) -> None:
        self._apply(e.QueueChanged(root.id, tuple(queue), held=held and bool(queue)))

    def advance(self, root: SessionView) -> None:
        """Send the next message, if it is its turn."""
        client = self._client()
        usable = client is not None and root.phase is not Phase.DISCONNECTED
        if usable and root.loading is not None:
            return  # it goes when the session is there
        if not usable and root.queue:
            self._set_queue(root, root.queue, held=True)
        elif client is not None and root.queue and not root.in_turn and not root.queue_held:
            self._sent[root.id] = root.queue[0]
            client.prompt(root.wire_id, root.queue[0])

    def login_wanted(self, root: SessionView, message: str) -> None:
        """The message that was refused is the first of the queue, which waits for a login."""
        refused = self._sent.get(root.id)
        queue = [refused, *root.queue] if refused is not None else root.queue
        self._set_queue(root, queue, held=True)
        if self._state.login is None:
            self._apply(e.LoginChanged(LoginNeed(message)))

    def turn_ended(self, root: SessionView, stop_reason: str) -> None:
        """What waited may go now, or is held."""
        if not root.queue:
            return
        if stop_reason in HOLDS_QUEUE:
            self._set_queue(root, root.queue, held=True)
        else:
            self.advance(root)

    # --- into the turn that runs ----------------------------------------------------------------

    def _steer(self, root: SessionView, prompt: QueuedPrompt) -> None:
        """Say it now. Without a turn, or an agent that listens, it takes the usual way."""
        client = self._client()
        if client is not None and root.in_turn and self._state.link.can_steer:
            client.steer(root.wire_id, prompt)
        elif all(prompt.id != one.id for one in root.queue):
            self._enqueue(root, prompt)
        elif not root.in_turn:
            self.act(root, i.SendQueue(root.id))

    def steer_ended(self, root: SessionView, event: e.SteerEnded) -> None:
        """The agent took the message in, or it is the first of the queue again."""
        if event.outcome == "disconnected":
            self._set_queue(root, root.queue, held=True)
            return
        if event.outcome == "refused":
            self._apply(
                e.Noticed(
                    session=root.id,
                    severity="warning",
                    title="The running turn did not take the message; it waits in the queue.",
                    detail=event.error,
                    at=self._clock(),
                )
            )
        if event.outcome != "taken":
            self.advance(root)


def _edited(prompt: QueuedPrompt, intent: i.EditQueued) -> QueuedPrompt:
    if prompt.id != intent.prompt:
        return prompt
    blocks = prompt.blocks if intent.blocks is None else intent.blocks
    return replace(prompt, text=intent.text, blocks=blocks, source=intent.source)
