"""A connection to an agent of ACP v2, as the client knows connections: in the words of version 1.

It stands between the agent and the client. The client greets as ever; when the agent takes
version 2, everything is translated both ways, and when it does not, nothing is. The draft:
https://agentclientprotocol.com/protocol/v2/draft.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from canopy_shared import methods as m
from canopy_shared import updates as u
from canopy_shared import work_updates as w
from canopy_shared.codec import decode_update
from canopy_shared.errors import AcpError
from canopy_shared.frames import Frame, Notification, Request, Response
from canopy_shared.replayed import ReplayedUpdate
from canopy_shared.unset import UNSET
from canopy_tui.v2 import shapes
from canopy_tui.v2.hello import VERSION, greeting, hello
from canopy_tui.v2.mirror import Mirror, UserUpdate
from canopy_tui.v2.updates import Translator

if TYPE_CHECKING:
    from canopy_shared.ids import RequestId
    from canopy_shared.transport import Transport
    from canopy_tui.agents.agent_connection import AgentConnection, Ending, Launch

_READ_HERE = ("state_update", "user_message", "user_message_chunk")
SENT, TAKEN, WORKING = "sent", "taken", "working"


@dataclass(slots=True)
class OpenPrompt:
    """A prompt without an end: sent, taken into the conversation, or worked on."""

    id: RequestId | None
    phase: str = SENT


class V2Transport:
    """See :class:`canopy_shared.transport.Transport`; ``inner`` leads to the agent."""

    def __init__(self, inner: Transport) -> None:
        self._inner = inner
        self._hello: Request | None = None
        self._speaks = False
        self._methods: dict[RequestId | None, str] = {}
        self._prompts: dict[str, OpenPrompt] = {}
        self._roots: set[str] = set()
        self._mirrors: dict[str, Mirror] = {}
        self._translator = Translator()

    async def drained(self) -> None:
        """As the transport does it."""
        await self._inner.drained()

    async def aclose(self) -> None:
        """As the transport does it."""
        await self._inner.aclose()

    # --- to the agent -----------------------------------------------------------------------------

    def send(self, frame: Frame) -> None:
        """Send, in the words that the agent takes."""
        if isinstance(frame, Request):
            if frame.method == m.INITIALIZE:
                self._hello = frame
                frame = replace(frame, params=hello(frame.params))
            elif self._speaks:
                frame = self._asked(frame)
        self._inner.send(frame)

    def _asked(self, request: Request) -> Request:
        params = request.params
        self._methods[request.id] = request.method
        match request.method:
            case m.SESSION_PROMPT:
                self._prompts[params["sessionId"]] = OpenPrompt(request.id)
                self._mirror(params["sessionId"]).sent(params.get("prompt"))
            case m.SESSION_LOAD:
                self._roots.add(params["sessionId"])
                self._translator.forget(params["sessionId"])
                self._mirrors.pop(params["sessionId"], None)
                params = {**params, "replayFrom": {"type": "start"}}
                return Request(request.id, m.SESSION_RESUME, params)
            case m.SESSION_SET_MODE:
                option = {"configId": "mode", "type": "id", "value": params["modeId"]}
                changed = {"sessionId": params["sessionId"], **option}
                return Request(request.id, m.SESSION_SET_CONFIG_OPTION, changed)
            case m.AUTHENTICATE:
                return replace(request, method=m.AUTH_LOGIN)
            case m.SESSION_SET_CONFIG_OPTION if not isinstance(params["value"], bool):
                return replace(request, params={**params, "type": "id"})
            case m.ASYNC_TASK_STOP:
                order = self._translator.stop(params["sessionId"], params["asyncTaskId"])
                if order is not None:
                    return Request(request.id, *order)
        return request

    # --- from the agent ---------------------------------------------------------------------------

    async def receive(self) -> list[Frame]:
        """Receive, in the words of version 1."""
        while frames := await self._inner.receive():
            told = [one for frame in frames for one in self._told(frame)]
            if told:
                return told
        return []

    def _told(self, frame: Frame) -> list[Frame]:
        match frame:
            case Response():
                return self._answered(frame)
            case Notification(m.SESSION_UPDATE, params) if self._speaks:
                return self._updated(params)
            case Request(_, m.REQUEST_PERMISSION, params) if self._speaks:
                return [replace(frame, params=_question(params))]
        return [frame]

    def _answered(self, response: Response) -> list[Frame]:
        if self._hello is not None and response.id == self._hello.id:
            return self._greeted(self._hello, response)
        method = self._methods.pop(response.id, None)
        if response.error is not None:
            open_ = [key for key, one in self._prompts.items() if one.id == response.id]
            ended: list[Frame] = []
            for session in open_:
                del self._prompts[session]
                ended += self._shown(session, self._mirror(session).ended())
            return [*ended, response]
        match method:
            case m.SESSION_PROMPT:
                return self._taken(response)
            case m.SESSION_NEW | m.SESSION_LOAD | m.SESSION_FORK | m.SESSION_SET_CONFIG_OPTION:
                return self._opened(response)
            case m.ASYNC_TASK_STOP:
                return [replace(response, result={"stopped": True})]
        return [response]

    def _taken(self, response: Response) -> list[Frame]:
        """A prompt is in the conversation; the end of the work answers it."""
        told: list[Frame] = []
        for session, prompt in self._prompts.items():
            if prompt.id == response.id:
                prompt.phase = TAKEN if prompt.phase == SENT else prompt.phase
                named = shapes.mapping(response.result).get("messageId")
                told += self._shown(session, self._mirror(session).answered(named))
        return told

    def _greeted(self, hello: Request, response: Response) -> list[Frame]:
        """The agent's greeting; one that refuses the version is greeted again in version 1."""
        self._hello = None
        if response.error is not None:
            self._inner.send(hello)
            return []
        told = shapes.mapping(response.result)
        if told.get("protocolVersion") != VERSION:
            return [response]
        self._speaks = True
        return [replace(response, result=greeting(told))]

    def _opened(self, response: Response) -> list[Frame]:
        result = {**shapes.mapping(response.result)}
        result["configOptions"] = shapes.options(result.get("configOptions"))
        told: list[Frame] = [replace(response, result=result)]
        session = result.get("sessionId")
        if isinstance(session, str):
            self._roots.add(session)
            if result.get("availableCommands"):
                commands = decode_update(
                    {
                        w.KIND: "available_commands_update",
                        "availableCommands": result["availableCommands"],
                    }
                )
                told.append(_update(session, commands))
        return told

    # --- updates ----------------------------------------------------------------------------------

    def _updated(self, params: Any) -> list[Frame]:
        update: Any
        if isinstance(params, u.SessionUpdate):
            session, update = params.session_id, params.update
            replayed = isinstance(params, ReplayedUpdate)
        else:
            told = shapes.mapping(params)
            given = told.get("sessionId")
            if not isinstance(given, str):
                return []
            session, update, replayed = given, told.get("update"), False
        if isinstance(update, Mapping) and update.get(w.KIND) in _READ_HERE:
            update = decode_update(update)
        match update:
            case w.StateUpdate():
                return self._state(session, update)
            case w.UserMessage() | u.UserMessageChunk() if not replayed:
                return self._said(session, update)
        news = [_update(session, one) for one in self._translator.told(session, update)]
        held = self._mirrors[session].others() if session in self._mirrors else []
        return [*self._shown(session, held), *news]

    def _said(self, session: str, update: UserUpdate) -> list[Frame]:
        """A message of the user: our prompt, which the client has shown, or somebody else's."""
        ours, shown = self._mirror(session).user(update)
        prompt = self._prompts.get(session)
        if ours and prompt is not None and prompt.phase == SENT:
            prompt.phase = TAKEN
        return self._shown(session, shown)

    def _mirror(self, session: str) -> Mirror:
        return self._mirrors.setdefault(session, Mirror())

    def _shown(self, session: str, updates: list[UserUpdate]) -> list[Frame]:
        news = [one for update in updates for one in self._translator.told(session, update)]
        return [_update(session, one) for one in news]

    def _state(self, session: str, state: w.StateUpdate) -> list[Frame]:
        prompt = self._prompts.get(session)
        ours = prompt is not None and prompt.phase != SENT
        told: list[Frame] = []
        if session in self._roots:
            news = self._translator.state(session, state, ours=ours)
            told += [_update(session, one) for one in news]
        else:
            news = self._translator.background(session, state)
            told += [_update(session, one) for one in (_child_state(session, state), *news)]
        if prompt is None or not ours:
            return told
        if state.state != "idle":
            prompt.phase = WORKING
        elif isinstance(state.stop_reason, str) or prompt.phase == WORKING:
            del self._prompts[session]
            told += self._shown(session, self._mirror(session).ended())
            told.append(_end(prompt.id, state))
        return told


def _update(session: str, update: u.Update) -> Notification:
    return Notification(m.SESSION_UPDATE, u.SessionUpdate(session, update))


def _child_state(session: str, state: w.StateUpdate) -> u.SubagentUpdate:
    """A child's own word on its state, as its parent would say it."""
    told: dict[str, Any] = {"state": state.state}
    if isinstance(state.stop_reason, str):
        told["stopReason"] = state.stop_reason
    if isinstance(state.error, Mapping):
        told["error"] = state.error
    return u.SubagentUpdate(session, state=told)


def _end(id_: RequestId | None, state: w.StateUpdate) -> Response:
    """The end of work as the answer to the prompt that began it."""
    if state.stop_reason == "error":
        return Response(id_, error=AcpError.from_wire(state.error if state.error else {}))
    reason = state.stop_reason if isinstance(state.stop_reason, str) else "end_turn"
    result: dict[str, Any] = {"stopReason": reason}
    if isinstance(state.usage, Mapping):
        result["usage"] = state.usage
    if state.meta is not UNSET:
        result["_meta"] = state.meta
    return Response(id_, result)


def _question(params: Any) -> Any:
    """A permission request whose call shows texts in place of patches."""
    subject = shapes.mapping(shapes.mapping(params).get("subject"))
    call = shapes.mapping(subject.get("toolCall"))
    if not isinstance(call.get("content"), (list, tuple)):
        return params
    shown = {**call, "content": shapes.contents(call["content"])}
    return {**params, "subject": {**subject, "toolCall": shown}}


# --- starting one ---------------------------------------------------------------------------------


class V2Agent:
    """An agent connection that is spoken to in version 2, where the agent can."""

    def __init__(self, inner: AgentConnection) -> None:
        self._inner = inner
        self._transport = V2Transport(inner.transport)

    @property
    def transport(self) -> Transport:
        """The connection to it."""
        return self._transport

    def heard(self) -> str:
        """The last lines of its stderr."""
        return self._inner.heard()

    async def ending(self) -> Ending:
        """Why it ended."""
        return await self._inner.ending()

    async def aclose(self) -> None:
        """Stop it."""
        await self._inner.aclose()


def speaking_v2(launch: Launch) -> Launch:
    """``launch``, with the agents it starts spoken to in version 2."""
    start: Callable[[], Any] = launch

    async def started() -> AgentConnection:
        return V2Agent(await start())

    return started
