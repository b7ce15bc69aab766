"""The client's end of an ACP connection: sends requests, and turns what arrives into events.

Follows ACP v1 (https://agentclientprotocol.com/protocol/overview). It keeps no view of the
conversation: what an event means is decided in ``model``, and what to send next by the controller.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from canopy_shared import elicitation, methods, permission
from canopy_shared.codec import decode_config_options, decode_session_update, encode
from canopy_shared.errors import METHOD_NOT_FOUND, AcpError, method_not_found, request_cancelled
from canopy_shared.ext import air, canopy_controls, file_report, goal
from canopy_shared.ext.canopy import at_of
from canopy_shared.extension_requests import PROMPT_REQUIRED
from canopy_shared.peer import IncomingRequest, Peer
from canopy_shared.updates import ConfigOptionUpdate, CurrentModeUpdate
from canopy_tui.model import events as e
from canopy_tui.wire import answers as wire_answers
from canopy_tui.wire.catalogue import StoredSessions
from canopy_tui.wire.faults import bad_answer
from canopy_tui.wire.requests import READERS

if TYPE_CHECKING:
    from canopy_shared.ext.canopy_controls import McpServer, UsageReport
    from canopy_shared.frames import Malformed, Response
    from canopy_shared.ids import RequestId
    from canopy_shared.transport import Transport
    from canopy_tui.model.state import QueuedPrompt

log = logging.getLogger(__name__)

_T = TypeVar("_T")


@dataclass(slots=True)
class _OpenRequest:
    incoming: IncomingRequest
    session: str
    kind: str


class AcpClient:
    """One connection. Events go to ``on_event`` in the order of the wire, during :meth:`run`."""

    def __init__(
        self,
        transport: Transport,
        on_event: Callable[[e.Event], None],
        *,
        clock: Callable[[], float] = time.time,
        request_keys: itertools.count[int] | None = None,
        on_lost_line: Callable[[Malformed], None] | None = None,
    ) -> None:
        self._emit = on_event
        self._clock = clock
        self._keys = request_keys or itertools.count(1)
        self._open: dict[int, _OpenRequest] = {}
        self._reports_files = False
        self._take_up = methods.SESSION_LOAD
        self._loads: dict[str, tuple[RequestId, asyncio.Future[str]]] = {}
        self._unwanted: set[str] = set()
        """Sessions whose load was stopped: what still comes of them is nothing."""
        self._peer = Peer(
            transport,
            on_request=self._on_request,
            on_notification=self._on_notification,
            on_malformed=on_lost_line,
        )
        self.stored = StoredSessions(self._peer)

    async def run(self) -> None:
        """Receive until the connection ends. Open prompts then end as ``disconnected``."""
        await self._peer.run()

    async def aclose(self) -> None:
        """Answer what the agent asked with ``cancelled``, and close."""
        self.answer_all_cancelled()
        await self._peer.aclose()

    # --- sessions ---------------------------------------------------------------------------------

    async def initialize(self) -> wire_answers.AgentFacts:
        """Say hello. Raises ``UnusableAgentError``, and ``AcpError`` as the agent sent it."""
        params = wire_answers.initialize_params()
        try:
            facts = await self._call(methods.INITIALIZE, params, wire_answers.read_initialize)
        except AcpError as error:
            if error.code != METHOD_NOT_FOUND:
                raise
            raise wire_answers.UnusableAgentError(wire_answers.NO_AGENT) from None
        self._reports_files = air.AGENT_FILE_CHANGE_REPORT in facts.air
        if facts.takes_up_sessions and not facts.loads_sessions:
            self._take_up = methods.SESSION_RESUME
        return facts

    async def new_session(self, cwd: str) -> str:
        """Open a session and return its id. Raises ``AcpError``, ``UnusableAgentError``."""
        params = {"cwd": cwd, "mcpServers": []}
        return await self._call(methods.SESSION_NEW, params, lambda r: self._opened(r, None, cwd))

    async def load_session(self, session: str, cwd: str, title: str = "") -> None:
        """Take up an old session; its history arrives before this returns, where the agent sends
        it. Raises ``AcpError``, ``request_cancelled`` when :meth:`stop_loading` was called
        meanwhile.
        """
        self._emit(e.ReplayStarted(session=session, at=self._clock(), cwd=cwd, title=title))
        self._unwanted.discard(session)
        params = {"sessionId": session, "cwd": cwd, "mcpServers": []}
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        id_ = self._send(self._take_up, params, lambda r: self._opened(r, session, cwd), answer)
        self._loads[session] = id_, answer
        try:
            await answer
        except Exception:
            self._emit(e.ReplayFailed(session=session))
            raise
        finally:
            self._loads.pop(session, None)

    def stop_loading(self, session: str) -> None:
        """Give up a load: the agent is told, and what it still sends of the session is dropped."""
        id_, answer = self._loads.pop(session, (None, None))
        if id_ is not None and answer is not None and not answer.done():
            self._unwanted.add(session)
            self._peer.cancel(id_)
            answer.set_exception(request_cancelled())

    async def fork_session(self, session: str, cwd: str) -> str:
        """Copy a stored session and return the id of the copy. Raises ``AcpError``,
        ``UnusableAgentError``.
        """
        params = {"sessionId": session, "cwd": cwd, "mcpServers": []}
        result = await self._peer.request(methods.SESSION_FORK, params)
        at, method = self._clock(), methods.SESSION_FORK
        return wire_answers.read_session(result, None, cwd, at, method).session

    async def authenticate(self, method: str) -> None:
        """Have the agent log in. Raises ``AcpError``."""
        await self._peer.request(methods.AUTHENTICATE, {"methodId": method})

    def _opened(self, result: object, session: str | None, cwd: str) -> str:
        opened = wire_answers.read_session(result, session, cwd, self._clock())
        self._emit(opened)
        return opened.session

    def _call(self, method: str, params: Any, take: Callable[[Any], _T]) -> asyncio.Future[_T]:
        """Send a request; ``take`` reads its result before anything that came after it."""
        answer: asyncio.Future[_T] = asyncio.get_running_loop().create_future()
        self._send(method, params, take, answer)
        return answer

    def _send(
        self, method: str, params: Any, take: Callable[[Any], _T], answer: asyncio.Future[_T]
    ) -> RequestId:
        def arrived(response: Response) -> None:
            if answer.done():
                return
            try:
                if response.error is not None:
                    raise response.error
                answer.set_result(take(response.result))
            except Exception as error:  # whoever waits decides
                answer.set_exception(error)

        return self._peer.call(method, params, arrived)

    async def close_session(self, session: str) -> None:
        """Close a session at the agent. Raises ``AcpError``."""
        await self._peer.request(methods.SESSION_CLOSE, {"sessionId": session})

    def close_quietly(self, session: str) -> None:
        """Close a session that nobody looks at any more; an answer does not matter."""
        self._peer.call(methods.SESSION_CLOSE, {"sessionId": session}, lambda _answer: None)

    async def set_mode(self, session: str, mode: str) -> None:
        """Change the mode, and say so when the agent agreed. Raises ``AcpError``."""
        await self._peer.request(methods.SESSION_SET_MODE, {"sessionId": session, "modeId": mode})
        self._emit(e.UpdateArrived(session, CurrentModeUpdate(mode), self._clock()))

    async def set_model(self, session: str, model: str) -> None:
        """Change the model, and say so when the agent agreed. Raises ``AcpError``."""
        params = {"sessionId": session, "modelId": model}
        await self._peer.request(methods.SESSION_SET_MODEL, params)
        self._emit(e.ModelChanged(session, model))

    async def set_option(self, session: str, option: str, value: str | bool) -> None:
        """Change a config option; the agent answers with all of them. Raises ``AcpError``."""
        params: dict[str, Any] = {"sessionId": session, "configId": option, "value": value}
        if isinstance(value, bool):
            params["type"] = "boolean"
        method = methods.SESSION_SET_CONFIG_OPTION
        result = await self._peer.request(method, params)
        options = decode_config_options(wire_answers.mapping(result).get("configOptions"))
        if not options:
            raise bad_answer(method, "configOptions", result)
        self._emit(e.UpdateArrived(session, ConfigOptionUpdate(options), self._clock()))

    # --- turns ------------------------------------------------------------------------------------

    def prompt(self, session: str, prompt: QueuedPrompt) -> None:
        """Send a prompt: a ``PromptSent`` now, a ``TurnEnded`` when its answer comes."""
        self._emit(
            e.PromptSent(
                session=session,
                text=prompt.text,
                blocks=prompt.blocks,
                id=prompt.id,
                at=self._clock(),
            )
        )
        params: dict[str, Any] = {"sessionId": session, "prompt": _blocks(prompt)}
        if self._reports_files:
            params["_meta"] = file_report.request(uuid.uuid4().hex)
        self._peer.call(
            methods.SESSION_PROMPT,
            params,
            lambda answer: self._emit(wire_answers.read_turn(answer, session, self._clock())),
        )

    def steer(self, session: str, prompt: QueuedPrompt) -> None:
        """Say a message into the running turn: a ``SteerSent`` now, then a ``SteerEnded``.

        The agent begins no turn of its own for it, so that every turn is one of a prompt.
        """
        self._emit(e.SteerSent(session, prompt))
        self._peer.call(
            methods.STEERING,
            {
                "sessionId": session,
                "prompt": _blocks(prompt),
                "_meta": {"steering": {"idleBehavior": PROMPT_REQUIRED}},
            },
            lambda answer: self._emit(
                wire_answers.read_steer(answer, session, prompt.id, self._clock())
            ),
        )

    def cancel(self, session: str) -> None:
        """Stop what ``session`` does, a root or a child, and answer what it asked ``cancelled``.

        Children that go on keep their questions: the agent withdraws those that have no use.
        """
        self._peer.notify(methods.SESSION_CANCEL, {"sessionId": session})
        for key, request in list(self._open.items()):
            if request.session == session:
                self._answer_cancelled(key)

    async def stop_task(self, session: str, task: str) -> bool:
        """Stop a background task; whether the agent did. Raises ``AcpError``."""
        params = {"sessionId": session, "asyncTaskId": task}
        result = await self._peer.request(methods.ASYNC_TASK_STOP, params)
        return wire_answers.mapping(result).get("stopped") is True

    async def clear_goal(self, session: str) -> None:
        """Give up the goal. Raises ``AcpError``."""
        await self._peer.request(methods.GOAL, {"sessionId": session, "action": goal.CLEAR})

    async def usage(self, session: str, agent: str = "") -> UsageReport:
        """What a session uses, of our own agent, or only one ``agent`` of it. Raises
        ``AcpError``.
        """
        params = {"sessionId": session, **({"agent": agent} if agent else {})}
        return canopy_controls.read_usage(await self._peer.request(methods.CANOPY_USAGE, params))

    async def mcp_servers(
        self, session: str, action: str, server: str
    ) -> tuple[tuple[McpServer, ...], str]:
        """The MCP servers of a session of our own agent after ``action``, and why that was not
        done. Raises ``AcpError``.
        """
        params = {"sessionId": session}
        params |= {"action": action, "server": server} if action else {}
        result = await self._peer.request(methods.CANOPY_MCP_SERVERS, params)
        return canopy_controls.read_servers(result)

    # --- what the agent asks ----------------------------------------------------------------------

    def answer_permission(self, key: int, option: str | None, reason: str = "") -> None:
        """Answer with one of the options, None for ``cancelled``. A second answer does nothing."""
        self._answer(key, permission.PermissionOutcome(option, reason).to_result(), option)

    def answer_elicitation(self, key: int, action: str, content: Mapping[str, Any] | None) -> None:
        """Answer ``accept`` with content, ``decline`` or ``cancel``. A second does nothing."""
        self._answer(key, elicitation.ElicitationAnswer(action, content or {}).to_result())

    def answer_all_cancelled(self) -> None:
        """Nobody is here to answer any more."""
        for key in list(self._open):
            self._answer_cancelled(key)

    def give_up(self, key: int) -> None:
        """Nobody waits for this answer any more: say ``cancelled``, and that it was withdrawn."""
        if (request := self._open.pop(key, None)) is not None:
            kind = permission if request.kind == "permission" else elicitation
            request.incoming.respond(kind.CANCELLED.to_result())
            self._emit(e.RequestWithdrawn(key))

    def _answer_cancelled(self, key: int) -> None:
        if self._open[key].kind == "permission":
            self._answer(key, permission.CANCELLED.to_result())
        else:
            self._answer(key, elicitation.CANCELLED.to_result())

    def _answer(self, key: int, result: dict[str, Any], option: str | None = None) -> None:
        request = self._open.pop(key, None)
        if request is None:
            return
        request.incoming.respond(result)
        self._emit(e.RequestAnswered(key, option, self._clock()))

    def _withdrawn(self, key: int) -> None:
        request = self._open.pop(key, None)
        if request is None:
            return
        request.incoming.fail(request_cancelled())
        self._emit(e.RequestWithdrawn(key))

    def _on_request(self, incoming: IncomingRequest) -> None:
        read = READERS.get(incoming.method)
        if read is None:
            raise method_not_found(incoming.method)
        asked = read(incoming.params, next(self._keys), self._clock())
        key, pending = asked.request.key, asked.request
        self._open[key] = _OpenRequest(incoming, pending.session, pending.kind)
        self._emit(asked)
        incoming.on_cancel(lambda: self._withdrawn(key))

    def _on_notification(self, method: str, params: Any) -> None:
        if method != methods.SESSION_UPDATE:
            log.debug("nothing to do for the notification %s", method)
            return
        update = decode_session_update(params)
        if update is None:
            log.warning("dropped an update without a session")
            return
        if update.session_id not in self._unwanted:
            at = at_of(update.meta) or self._clock()
            self._emit(e.UpdateArrived(update.session_id, update.update, at))


def _blocks(prompt: QueuedPrompt) -> list[Any]:
    """A message as the content of a prompt: its text, then what goes with it."""
    text: list[Any] = [{"type": "text", "text": prompt.text}] if prompt.text else []
    return text + list(encode(prompt.blocks))
