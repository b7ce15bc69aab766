"""The client's encoder alone: who is spoken to in version 2, and what a foreign agent may send."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from canopy_shared.errors import unsupported_version
from canopy_shared.frames import Notification, Request, Response
from canopy_shared.inproc import linked_pair
from canopy_tui.v2.transport import V2Transport
from canopy_tui.wire.answers import initialize_params

Json = dict[str, Any]
INFO = {"name": "foreign", "version": "1"}


class Foreign:
    """An agent at the other end, by hand."""

    def __init__(self) -> None:
        ours, self.end = linked_pair()
        self.client = V2Transport(ours)

    async def greet(self, answer: Json | None) -> Response:
        """Answer the greeting, None with a refusal of version 2; gives what the client reads."""
        self.client.send(Request(1, "initialize", initialize_params()))
        (hello,) = await self.end.receive()
        assert isinstance(hello, Request)
        assert hello.params["protocolVersion"] == 2
        assert hello.params["info"]["name"] == hello.params["clientInfo"]["name"]
        if answer is None:
            self.end.send(Response(1, error=unsupported_version(2, [1])))
            self.end.send(Notification("_other", {}))
            await self.client.receive()
            (again,) = await self.end.receive()
            assert isinstance(again, Request)
            assert again.params == initialize_params()
            answer = {"protocolVersion": 1}
        self.end.send(Response(1, answer))
        (greeting,) = await self.client.receive()
        assert isinstance(greeting, Response)
        return greeting

    async def session(self) -> None:
        """Greet in version 2 and open a session."""
        await self.greet({"protocolVersion": 2, "info": INFO})
        self.client.send(Request(2, "session/new", {"cwd": "/", "mcpServers": []}))
        await self.end.receive()
        options = [{"configId": "a", "name": "A", "type": "boolean", "currentValue": True}]
        self.end.send(Response(2, {"sessionId": "S", "configOptions": options}))
        (opened,) = await self.client.receive()
        assert isinstance(opened, Response)
        assert opened.result["configOptions"][0]["id"] == "a"

    def say(self, kind: str, session: str = "S", **update: Any) -> None:
        """Send an update as JSON."""
        params = {"sessionId": session, "update": {"sessionUpdate": kind, **update}}
        self.end.send(Notification("session/update", params))

    async def heard(self) -> list[Any]:
        """What the client gets of all that was said: updates, and answers."""
        frames = await self.client.receive()
        return [one.params.update if isinstance(one, Notification) else one for one in frames]

    def prompt(self) -> None:
        """The client sends a prompt."""
        blocks = [{"type": "text", "text": "go"}]
        self.client.send(Request(3, "session/prompt", {"sessionId": "S", "prompt": blocks}))


async def test_an_agent_of_version_1_is_spoken_to_as_ever() -> None:
    for answer in ({"protocolVersion": 1, "agentInfo": INFO}, None):
        agent = Foreign()
        greeting = await agent.greet(answer)
        assert greeting.result["protocolVersion"] == 1
        agent.client.send(Request(2, "session/load", {"sessionId": "S"}))
        (load,) = await agent.end.receive()
        assert isinstance(load, Request)
        assert (load.method, load.params) == ("session/load", {"sessionId": "S"})


async def test_a_turn_ends_with_the_idle_that_follows_its_work() -> None:
    agent = Foreign()
    await agent.session()
    agent.prompt()
    agent.say("state_update", state="idle", stopReason="end_turn")  # of what was before
    agent.say("user_message", messageId="u", content=[{"type": "text", "text": "go"}])
    agent.end.send(Response(3, {"messageId": "u"}))
    agent.say("state_update", state="running")
    agent.say("agent_message", messageId="m", content=[{"type": "text", "text": "Hel"}])
    agent.say("agent_message_chunk", messageId="m", content={"type": "text", "text": "lo"})
    agent.say("agent_message", messageId="m", content=[{"type": "text", "text": "Hello!"}])
    agent.say("state_update", state="idle", stopReason="error", error={"code": 1, "message": "no"})
    *said, end = await agent.heard()
    assert "".join(one.content.text for one in said) == "Hello!"
    assert (end.id, end.error.message) == (3, "no")


async def test_calls_terminals_and_work_that_nobody_asked_for() -> None:
    agent = Foreign()
    await agent.session()
    item = {"type": "terminal", "terminalId": "T"}
    agent.say("state_update", state="running", background=[])
    agent.say("terminal_update", terminalId="T", command="ls")
    data = b64encode(b"out").decode()
    agent.say("terminal_output_chunk", terminalId="T", data=data)
    agent.say("tool_call_update", toolCallId="c", title="ls", content=[item])
    agent.say("tool_call_update", toolCallId="c", status="cancelled", title=None)
    agent.say("state_update", state="idle", background=[item])
    begun, call, printed, status, over, task = await agent.heard()
    assert (begun.task_type, over.state) == ("turn", "completed")
    assert (call.title, call.meta["terminal_info"]["terminal_id"]) == ("ls", "T")
    assert printed.meta["terminal_output_delta"]["data"] == "out"
    assert status.status == "failed"
    assert (task.async_task_id, task.name, task.tool_call_id) == ("T", "ls", "c")
    stop = {"sessionId": "S", "asyncTaskId": "T"}
    agent.client.send(Request(9, "_session/async_task/stop", stop))
    (order,) = await agent.end.receive()
    assert isinstance(order, Request)
    assert (order.method, order.params) == (
        "terminal/cancel",
        {"sessionId": "S", "terminalId": "T"},
    )
    agent.end.send(Response(9, {}))
    agent.say("terminal_update", terminalId="T", exitStatus={"exitCode": 3})
    agent.say("state_update", state="idle", background=[])
    answer, exited, gone = await agent.heard()
    assert answer.result == {"stopped": True}
    assert exited.meta["terminal_exit"]["exit_code"] == 3
    assert gone.state == "completed"


async def test_children_and_plans_of_a_foreign_agent() -> None:
    agent = Foreign()
    await agent.session()
    update = {"sessionUpdate": "subagent_update", "sessionId": "K", "state": {"state": "running"}}
    agent.end.send(Notification("session/update", {"sessionId": "S", "update": update}))
    agent.say("state_update", "K", state="running")
    agent.say("state_update", "K", state="idle", stopReason="cancelled")
    entries = [{"content": "x", "status": "pending", "priority": "low"}]
    agent.say("plan_update", plan={"type": "items", "planId": "p", "entries": entries})
    agent.say("plan_removed", planId="p")
    child, running, ended, plan, gone = await agent.heard()
    assert (child.session_id, running.state["state"]) == ("K", "running")
    assert ended.state == {"state": "idle", "stopReason": "cancelled"}
    assert (plan.entries[0].content, gone.entries) == ("x", ())
