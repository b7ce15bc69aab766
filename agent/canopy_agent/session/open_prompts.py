"""The prompts of one session that are not answered yet, and how an outcome becomes an answer.

Each is answered once. When one is answered, and with what, is decided by the core.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from canopy_agent.domain import effects as fx
from canopy_shared.errors import AcpError, auth_required, internal_error, request_cancelled

if TYPE_CHECKING:
    from canopy_agent.domain.events import PromptSubmitted
    from canopy_agent.session.steering import Answerable

LOST_TWICE = "Claude Code ended twice before it began this prompt"


def error_of(failed: fx.Failed) -> AcpError:
    """The JSON-RPC error of a failed prompt."""
    if failed.kind == "auth":
        return auth_required(failed.message, failed.data)
    if failed.kind == "cancelled":
        return request_cancelled(failed.message)
    return internal_error(failed.message, failed.data)


class OpenPrompts:
    """Prompts by id. One of our own has no request, and nobody is answered."""

    def __init__(self) -> None:
        self._requests: dict[str, Answerable] = {}
        self._events: dict[str, PromptSubmitted] = {}
        self._sent_again: set[str] = set()

    def opened(self, event: PromptSubmitted, request: Answerable | None) -> None:
        """A prompt is on its way."""
        self._events[event.prompt] = event
        if request is not None:
            self._requests[event.prompt] = request

    def settle(self, prompt: str, outcome: fx.Outcome) -> None:
        """Answer a prompt."""
        request = self._taken(prompt)
        if request is None:
            return
        match outcome:
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
