"""The prompts of one session that are not answered yet, and how an outcome becomes an answer.

Each is answered once: at its end, or, for a client that follows work by its state, when it is taken
in. When either is so, and with what, is decided by the core.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from canopy_agent.domain import effects as fx
from canopy_agent.render.work import error_of
from canopy_agent.session.steering import Followed
from canopy_shared.errors import request_cancelled
from canopy_shared.work_updates import UserMessage

if TYPE_CHECKING:
    from canopy_agent.domain.events import PromptSubmitted
    from canopy_agent.session.steering import Answerable
    from canopy_shared.errors import AcpError

LOST_TWICE = "Claude Code ended twice before it began this prompt"


class OpenPrompts:
    """Prompts by id. One of our own has no request, and nobody is answered.

    ``receipts``: a prompt is answered when it is taken in.
    """

    def __init__(self, *, receipts: bool) -> None:
        self._receipts = receipts
        self._requests: dict[str, Answerable] = {}
        self._followed: dict[str, Followed] = {}
        self._events: dict[str, PromptSubmitted] = {}
        self._sent_again: set[str] = set()

    def opened(self, event: PromptSubmitted, request: Answerable | None) -> None:
        """A prompt is on its way."""
        self._events[event.prompt] = event
        if request is not None:
            self._requests[event.prompt] = request

    def taken_in(self, prompt: str) -> UserMessage | None:
        """A prompt is part of the conversation now: its message, which goes out before
        :meth:`receipt`; None for one of our own.
        """
        event = self._events.get(prompt)
        if event is None or prompt not in self._requests:
            return None
        return UserMessage(prompt, event.shown)

    def receipt(self, prompt: str) -> None:
        """Answer a prompt that was taken in."""
        request = self._requests.pop(prompt, None)
        if request is None:
            return
        request.respond({"messageId": prompt})
        answered: object = request
        if isinstance(answered, Followed):
            self._followed[prompt] = answered

    def settle(self, prompt: str, outcome: fx.Outcome) -> None:
        """Answer a prompt, unless it has its receipt."""
        request = self._taken(prompt)
        if (followed := self._followed.pop(prompt, None)) is not None:
            stopped = isinstance(outcome, fx.Stopped) and outcome.stop_reason == "cancelled"
            followed.settled(cancelled=stopped)
        if request is None:
            return
        match outcome:
            case fx.Stopped() if self._receipts:
                request.fail(request_cancelled("the prompt was not taken in"))
            case fx.Stopped(stop_reason, usage, meta):
                result: dict[str, Any] = {"stopReason": stop_reason}
                if usage is not None:
                    result["usage"] = usage
                if meta:
                    result["_meta"] = meta
                request.respond(result)
            case fx.Failed():
                request.fail(error_of(outcome))

    def refuse(self, prompt: str, error: AcpError) -> None:
        """Answer a prompt that no CLI will hear of."""
        request = self._taken(prompt)
        if request is not None:
            request.fail(error)

    def once_more(self, prompt: str, *, lost: bool) -> PromptSubmitted | None:
        """The event of a prompt that has to be submitted again; None when it may not be.

        One that the CLI took with it is submitted again once, as it may be what ended the CLI.
        """
        event = self._events.get(prompt)
        if event is None or (lost and prompt in self._sent_again):
            return None
        if lost:
            self._sent_again.add(prompt)
        return event

    def is_detached(self, prompt: str) -> bool:
        """Whether the answer of an open prompt does not say how its turn ended."""
        event = self._events.get(prompt)
        return event is not None and event.detached

    def _taken(self, prompt: str) -> Answerable | None:
        self._events.pop(prompt, None)
        self._sent_again.discard(prompt)
        return self._requests.pop(prompt, None)
