"""What a foreign agent of ACP v2 streams, and whose its messages of the user are."""

from __future__ import annotations

from typing import Any

import pytest

from canopy_shared.codec import decode_update
from canopy_shared.frames import Notification, Request, Response
from canopy_shared.updates import SessionUpdate
from canopy_tui.model import events as e
from canopy_tui.model.entries import MessageEntry, Role, ToolEntry
from canopy_tui.model.reduce import reduce
from canopy_tui.model.state import ClientState, SessionView
from fakes.agent import child_update
from v2.test_v2_transport import Foreign

Json = dict[str, Any]


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def item(words: str) -> Json:
    return {"type": "content", "content": text(words)}


def texts_of(updates: list[Any]) -> list[str]:
    return [one.content.text for one in updates if not isinstance(one, Response)]


async def model_of(agent: Foreign) -> ClientState:
    """The client's state after all that the agent said."""
    state = ClientState()
    reduce(state, e.SessionOpened(session="S", at=1.0))
    for frame in await agent.client.receive():
        assert isinstance(frame, Notification)
        update = frame.params
        reduce(state, e.UpdateArrived(update.session_id, update.update, 2.0))
    return state


def messages(view: SessionView, role: Role) -> list[str]:
    return [one.text for one in view.entries if isinstance(one, MessageEntry) and one.role is role]


async def test_contents_of_a_call_grow_item_by_item() -> None:
    agent = Foreign()
    await agent.session()
    agent.say("tool_call_content_chunk", toolCallId="c", content=item("one "))
    agent.say("tool_call_update", toolCallId="c", title="Count", status="in_progress")
    agent.say("tool_call_content_chunk", toolCallId="c", content=item("two"))
    agent.say("tool_call_content_chunk", toolCallId="c", content={"type": "new", "x": 1})
    agent.say("tool_call_content_chunk", toolCallId="c", content=item("three"))
    agent.say("tool_call_content_chunk", toolCallId="c", content=7)
    agent.say("tool_call_content_chunk", content=item("of no call"))
    agent.say("tool_call_update", toolCallId="d", content=[item("kept")])
    agent.say("tool_call_update", toolCallId="d", content=None)
    agent.say("tool_call_content_chunk", toolCallId="d", content=item("new"))
    state = await model_of(agent)
    first, second = (one for one in state.sessions["S"].entries if isinstance(one, ToolEntry))
    assert first.title == "Count"
    shown: list[Any] = list(first.content)
    assert [shown[0].content.text, shown[2].content.text] == ["one two", "three"]
    [left] = second.content
    assert left.content.text == "new"  # type: ignore[union-attr]


async def test_messages_between_sessions_grow_and_are_shown_once() -> None:
    agent = Foreign()
    await agent.session()
    child = child_update("K", title="K", state={"state": "running"})
    agent.end.send(Notification("session/update", {"sessionId": "S", "update": child}))
    agent.say("session_message_chunk", messageId="m1", content=text("I found "))
    agent.say("session_message", messageId="m1", senderSessionId="K", recipientSessionId="S")
    agent.say("session_message_chunk", messageId="m1", content=text("two."))
    agent.say("agent_message_chunk", messageId="a", content=text("And I go on."))
    agent.say("session_message_chunk", messageId="m1", content=text(" No, three."))
    agent.say("session_message", messageId="m2", senderSessionId="K", content=[text("Bye")])
    agent.say("session_message", messageId="m2", senderSessionId="K", content=[text("Bye!")])
    agent.say("session_message_chunk", messageId=7, content=text("nobody's"))
    agent.say("session_message_chunk", messageId="m3", content="odd")
    view = (await model_of(agent)).sessions["S"]
    assert messages(view, Role.CHILD) == ["I found two. No, three.", "Bye!"]
    assert messages(view, Role.AGENT) == ["And I go on."]


OURS = {"messageId": "u1", "content": [{"type": "text", "text": "go"}]}
OTHER = {"messageId": "x", "content": [{"type": "text", "text": "said elsewhere"}]}


def taken(message: str) -> Response:
    return Response(3, {"messageId": message})


async def begun() -> Foreign:
    agent = Foreign()
    await agent.session()
    agent.prompt()
    await agent.end.receive()
    return agent


@pytest.mark.parametrize("first", ["message", "response"])
async def test_our_own_prompt_is_not_shown_twice_and_that_of_others_is(first: str) -> None:
    agent = await begun()
    agent.say("user_message", **OTHER)  # whose it is shows what follows
    if first == "message":
        agent.say("user_message", **OURS)
        agent.end.send(taken("u1"))
    else:
        agent.end.send(taken("u1"))
        agent.say("user_message", **OURS)
    agent.say("user_message_chunk", messageId="u1", content=text("go"))
    agent.say("user_message", **{**OTHER, "messageId": "y"})
    agent.say("user_message", **{**OURS, "messageId": "z"})  # the same words, by somebody else
    agent.say("state_update", state="running")
    agent.say("state_update", state="idle", stopReason="end_turn")
    *said, end = await agent.heard()
    assert texts_of(said) == ["said elsewhere", "said elsewhere", "go"]
    assert end.result["stopReason"] == "end_turn"


async def test_a_prompt_that_the_agent_words_anew_is_known_by_its_id() -> None:
    agent = await begun()
    agent.say("user_message", messageId="u1", content=[text("Please, go at once.")])
    agent.end.send(taken("u1"))
    agent.say("agent_message_chunk", messageId="a", content=text("I went."))
    assert texts_of(await agent.heard()) == ["I went."]


async def test_a_prompt_comes_back_in_chunks_or_not_at_all() -> None:
    agent = await begun()
    agent.say("user_message_chunk", messageId="u1", content=text("g"))
    agent.say("user_message_chunk", messageId="u1", content=text("o"))
    agent.say("state_update", state="running")
    agent.say("state_update", state="idle", stopReason="end_turn")
    (end,) = await agent.heard()
    assert end.result["stopReason"] == "end_turn"
    agent.client.send(Request(4, "session/prompt", {"sessionId": "S", "prompt": [text("more")]}))
    await agent.end.receive()
    agent.say("user_message", **OTHER)
    agent.end.send(Response(4, error=None, result={}))
    agent.say("agent_message_chunk", messageId="b", content=text("Well."))
    assert texts_of(await agent.heard()) == ["said elsewhere", "Well."]


async def test_history_is_shown_whoever_said_it() -> None:
    agent = await begun()
    agent.say("user_message", **OURS)
    agent.end.send(taken("u1"))
    agent.client.send(Request(5, "session/load", {"sessionId": "S", "cwd": "/"}))
    await agent.end.receive()
    agent.say("user_message", **OURS)
    update = decode_update({"sessionUpdate": "user_message", **OTHER})
    agent.end.send(Notification("session/update", SessionUpdate("S", update)))
    assert texts_of(await agent.heard()) == ["go", "said elsewhere"]
