"""Messages that go into a running turn, and goals, which are commands on the same way.

It checks and converts what a client sends; whether a turn runs is the core's to say.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from canopy_agent.domain.goals import COMMAND
from canopy_agent.session.prompts import claude_prompt
from canopy_shared.requests import PromptParams

if TYPE_CHECKING:
    from canopy_agent.session.opener import Session
    from canopy_shared.errors import AcpError
    from canopy_shared.extension_requests import GoalParams, SteeringParams


class Answerable(Protocol):
    """A request of the client, or what stands for one."""

    def respond(self, result: Any) -> None: ...
    def fail(self, error: AcpError) -> None: ...
    def on_cancel(self, callback: Callable[[], None]) -> None: ...


@runtime_checkable
class Followed(Protocol):
    """A request that was answered before its turn ended, and hears of the end too."""

    def settled(self, *, cancelled: bool) -> None: ...


class Acknowledged:
    """A request that is answered with an empty object, whatever comes of it."""

    def __init__(self, request: Answerable) -> None:
        self._request = request

    def respond(self, result: Any) -> None:
        """It went well."""
        self._request.respond({})

    def fail(self, error: AcpError) -> None:
        """It did not."""
        self._request.fail(error)

    def on_cancel(self, callback: Callable[[], None]) -> None:
        """Call ``callback`` when the client takes the request back."""
        self._request.on_cancel(callback)


def steer(session: Session, request: Answerable, params: SteeringParams) -> None:
    """``_session/steering``. Raises invalid params before anything is sent."""
    prompt, only_running = claude_prompt(params.message), params.only_running
    goes_out = session.runtime.has_turn or not only_running
    if goes_out:
        session.around.prompting()
    id_ = session.runtime.steer(request, prompt.content, prompt.text, only_running=only_running)
    if goes_out:
        session.around.prompted(id_, prompt)


def set_goal(session: Session, request: Answerable, params: GoalParams) -> None:
    """``_session/goal``: the command goes into the turn that runs, else its end is awaited."""
    text = f"{COMMAND} {params.objective or 'clear'}"
    prompt = PromptParams(params.session_id, ({"type": "text", "text": text},))
    acknowledged = Acknowledged(request)
    content = claude_prompt(prompt)
    session.around.prompting()
    if session.runtime.has_turn:
        id_ = session.runtime.steer(acknowledged, content.content, text, only_running=True)
    else:
        id_ = session.runtime.prompt(acknowledged, content, detached=True)
    session.around.prompted(id_, content)
