"""The client endpoint and controller against FAKE-AGENT, over real pipes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from canopy_tui.model.entries import MessageEntry, Role, ToolEntry
from canopy_tui.model.intents import (
    AnswerElicitation,
    AnswerPermission,
    CancelTurn,
    CloseSession,
    EditQueued,
    LogIn,
    LoginDone,
    OpenSession,
    RemoveQueued,
    SendPrompt,
    SendQueue,
    SetMode,
    SetModel,
    SetOption,
)
from canopy_tui.model.state import Phase, RequestState
from fakes.agent import (
    FakeAgentScript,
    ask_permission,
    child_ended,
    child_update,
    said,
    spawned,
    tool,
    tool_update,
)
from tui_model.client_world import World, foreign_world, notices, texts, tools

END = {"stopReason": "end_turn"}


def scripted(folder: Path, *prompts: list[Any], **more: Any) -> FakeAgentScript:
    return FakeAgentScript(folder, **{"session/prompt": list(prompts), **more})


async def turn(world: World, text: str = "go") -> None:
    """Send a prompt and wait for its end."""
    root = await world.ready()
    done = root.turns_done
    world.act(SendPrompt(root.id, text))
    await world.until(lambda: root.turns_done > done, "the end of the turn")


async def test_the_client_says_what_it_can(tmp_path: Path) -> None:
    script = scripted(tmp_path)
    async with foreign_world(script) as world:
        await world.ready()
    [hello] = script.received("initialize")
    params = hello["params"]
    assert params["protocolVersion"] == 1
    assert params["clientInfo"]["name"] == "acp-canopy"
    declared = params["clientCapabilities"]
    assert declared["elicitation"] == {"form": {}, "url": {}}
    assert declared["fs"] == {"readTextFile": False, "writeTextFile": False}
    air = declared["_meta"]["jetbrains"]["air"]
    assert air["capabilities"] == [
        "nativeSubagentSessions",
        "backgroundSubagents",
        "asyncTasks",
        "sessionFailure",
        "agentFileChangeReport",
        "recommendedValue",
        "sessionIndex",
    ]
    assert declared["session"] == {
        "notices": {},
        "compaction": {},
        "configOptions": {"boolean": {}},
    }
    assert declared["auth"] == {"terminal": True}
    assert declared["_meta"]["canopy"] == {"version": 1, "childCancel": True}
    assert script.received("session/new")[0]["params"] == {
        "cwd": str(tmp_path),
        "mcpServers": [],
    }


async def test_a_turn_with_text_and_a_tool(tmp_path: Path) -> None:
    script = scripted(
        tmp_path,
        [
            {"updates": [said("I "), said("look. "), tool("t1", "Read a.txt")]},
            {"update": tool_update("t1", status="completed")},
            {"update": said("Done.", "m2")},
        ],
    )
    async with foreign_world(script) as world:
        await turn(world, "look")
        assert texts(world.root, Role.USER) == "look"
        assert texts(world.root) == "I look. Done."
        assert [(entry.title, entry.status) for entry in tools(world.root)] == [
            ("Read a.txt", "completed")
        ]
        assert world.state.link.name == "Fake"
    [prompt] = script.received("session/prompt")
    assert prompt["params"]["prompt"] == [{"type": "text", "text": "look"}]


async def test_another_version_of_the_protocol_is_refused(tmp_path: Path) -> None:
    script = scripted(tmp_path, initialize={"protocolVersion": 3})
    async with foreign_world(script) as world:
        await world.until(lambda: world.state.link.status == "failed", "a refusal")
        assert "version 3" in world.state.link.detail
    assert script.methods() == ["initialize"]


WANTS_LOGIN = {"error": {"code": -32000, "message": "Authentication required"}}
LOGINS = [{"id": "x", "name": "Claude login", "description": "run claude /login"}]


async def test_b84_a_login_is_asked_for_when_the_agent_wants_one_and_can_be_tried_again(
    tmp_path: Path,
) -> None:
    no = {"error": {"code": -32603, "message": "wrong code"}}
    script = scripted(
        tmp_path,
        initialize={"authMethods": LOGINS},
        **{"session/new": [[WANTS_LOGIN], [WANTS_LOGIN], []], "authenticate": [[no], [], []]},
    )
    async with foreign_world(script) as world:
        need = await world.until(lambda: world.state.login, "a login")
        assert need.message == "Authentication required"
        assert world.state.link.status == "ready"
        assert [(one.id, one.name) for one in world.state.link.logins] == [("x", "Claude login")]
        world.act(LogIn("x"))
        await world.until(lambda: world.state.login.tried == "wrong code", "a failed login")
        world.act(LogIn("x"))
        await world.until(lambda: "still" in world.state.login.tried, "a login without use")
        world.act(LogIn("x"))
        await world.ready()
        await world.until(lambda: world.state.login is None, "the end of the login")


async def test_a_message_that_needs_a_login_goes_after_it(tmp_path: Path) -> None:
    answer = [{"update": said("Hello.")}]
    script = scripted(
        tmp_path,
        initialize={"authMethods": LOGINS},
        **{"session/prompt": [[WANTS_LOGIN], answer]},
    )
    async with foreign_world(script) as world:
        root = await world.ready()
        world.act(SendPrompt(root.id, "hi"))
        await world.until(lambda: world.state.login, "a login")
        assert [prompt.text for prompt in root.queue] == ["hi"]
        assert root.queue_held
        world.act(LoginDone("The login was stopped."))
        await world.until(lambda: world.state.login.tried, "a failed login")
        assert root.queue_held
        world.act(LoginDone())
        await world.until(lambda: texts(root) == "Hello.", "an answer")
        assert world.state.login is None
        assert script.received("authenticate") == []


@pytest.mark.parametrize("methods", [[], [{"id": "x", "name": "Login"}], [{"kind": "?"}], None])
async def test_b84_login_methods_alone_are_no_reason_to_ask(tmp_path: Path, methods: Any) -> None:
    script = scripted(tmp_path, initialize={"authMethods": methods})
    async with foreign_world(script) as world:
        await world.ready()


async def test_b25_files_and_terminals_are_the_agents_own(tmp_path: Path) -> None:
    read = {"sessionId": "S1", "path": "/etc/passwd"}
    script = scripted(
        tmp_path,
        [
            {"ask": "fs/read_text_file", "params": read, "as": "f"},
            {"ask": "terminal/create", "params": {"command": "id"}, "as": "t"},
            {"answered": "f"},
            {"answered": "t"},
        ],
    )
    async with foreign_world(script) as world:
        await turn(world)
    assert [answer["error"]["code"] for answer in script.answers()] == [-32601, -32601]


async def test_malformed_requests_get_an_error(tmp_path: Path) -> None:
    script = scripted(
        tmp_path,
        [
            {"ask": "session/request_permission", "params": {"sessionId": "S1"}, "as": "p"},
            {"ask": "elicitation/create", "params": {"mode": "telepathy"}, "as": "e"},
            {"answered": "p"},
            {"answered": "e"},
        ],
    )
    async with foreign_world(script) as world:
        await turn(world)
        assert world.state.requests == []
    assert [answer["error"]["code"] for answer in script.answers()] == [-32602, -32602]


# --- permission and elicitation -------------------------------------------------------------------


async def test_b07_each_answer_reaches_its_asker_in_any_order(tmp_path: Path) -> None:
    script = scripted(
        tmp_path,
        [
            {"update": spawned("a1", name="builder")},
            {"update": tool("t1", "rm"), "session": "a1"},
            {"update": tool("t2", "ls")},
            ask_permission("child", "a1", "t1", "rm x"),
            ask_permission("main", "$SESSION", "t2", "ls"),
            {"answered": "main"},
            {"answered": "child"},
            {"respond": END},
            ask_permission("later", "a1", "t3", "touch y"),
            {"answered": "later"},
            {"update": child_ended("a1")},
        ],
    )
    async with foreign_world(script) as world:
        root = await world.ready()
        world.act(SendPrompt(root.id, "go"))
        child, main = await world.asked(2)
        assert (child.session, main.session) == ("a1", root.id)
        assert world.state.sessions["a1"].title == "builder"
        assert world.state.sessions["a1"].tools.keys() == {"t1"}
        world.act(AnswerPermission(main.key, "no"))
        world.act(AnswerPermission(child.key, "yes"))
        await world.until(lambda: root.turns_done, "the end of the turn")
        [later] = await world.asked()
        assert (later.session, later.summary) == ("a1", "touch y")
        world.act(AnswerPermission(later.key, "yes"))
        await world.until(lambda: world.state.sessions["a1"].phase is Phase.DONE, "the child")
    picked = [answer["result"]["outcome"]["optionId"] for answer in script.answers()]
    assert picked == ["no", "yes", "yes"]


async def test_b29_a_request_of_a_child_exists_once_and_names_it(tmp_path: Path) -> None:
    script = scripted(
        tmp_path,
        [
            {"update": spawned("a1", name="one")},
            {"update": spawned("a2", name="two")},
            ask_permission("p", "a2", "t1", "make all"),
            {"answered": "p"},
        ],
    )
    async with foreign_world(script) as world:
        root = await world.ready()
        world.act(SendPrompt(root.id, "go"))
        [request] = await world.asked()
        assert world.state.sessions[request.session].title == "two"
        assert request.payload.tool_call.raw_input == {"command": "make all"}
        world.act(AnswerPermission(request.key, "yes"))
        world.act(AnswerPermission(request.key, "no"))
        await world.until(lambda: root.turns_done, "the end of the turn")
        assert len(world.state.requests) == 1
    assert len(script.answers()) == 1


async def test_b90_what_the_agent_withdrew_cannot_be_answered(tmp_path: Path) -> None:
    script = scripted(
        tmp_path,
        [
            ask_permission("first", "$SESSION", "t1"),
            ask_permission("second", "$SESSION", "t2"),
            {"file": str(tmp_path / "shown")},
            {"withdraw": "first"},
            {"answered": "first"},
            {"answered": "second"},
        ],
    )
    async with foreign_world(script) as world:
        root = await world.ready()
        world.act(SendPrompt(root.id, "go"))
        first, second = await world.asked(2)
        script.open_gate("shown")
        await world.until(lambda: first.state is RequestState.WITHDRAWN, "the withdrawal")
        assert world.state.waiting() == [second]
        world.act(AnswerPermission(first.key, "yes"))
        world.act(AnswerPermission(second.key, "no"))
        await world.until(lambda: root.turns_done, "the end of the turn")
    first_answer, second_answer = script.answers()
    assert first_answer["error"]["code"] == -32800
    assert second_answer["result"]["outcome"]["optionId"] == "no"


async def test_what_an_agent_asks_that_is_over_waits_for_nobody(tmp_path: Path) -> None:
    script = scripted(
        tmp_path,
        [
            {"update": spawned("a1", name="one")},
            {"update": spawned("a2", name="two")},
            ask_permission("one", "a1", "t1", "make all"),
            ask_permission("two", "a2", "t2", "make all"),
            {"file": str(tmp_path / "shown")},
            {"update": child_ended("a1", "failed")},
            {"answered": "one"},
            {"answered": "two"},
        ],
    )
    async with foreign_world(script) as world:
        root = await world.ready()
        world.act(SendPrompt(root.id, "go"))
        first, second = await world.asked(2)
        script.open_gate("shown")
        await world.until(lambda: first.state is RequestState.WITHDRAWN, "the end of its agent")
        assert world.state.waiting() == [second]
        call = world.state.sessions["a1"].entries[-1]
        assert isinstance(call, ToolEntry)
        assert call.stopped
        assert not call.waits
        world.act(AnswerPermission(second.key, "no"))
        await world.until(lambda: root.turns_done, "the end of the turn")
    one, two = script.answers()
    assert one["result"]["outcome"] == {"outcome": "cancelled"}
    assert two["result"]["outcome"]["optionId"] == "no"


async def test_b90_an_option_that_was_not_offered_is_not_sent(tmp_path: Path) -> None:
    script = scripted(tmp_path, [ask_permission("p", "$SESSION", "t1"), {"answered": "p"}])
    async with foreign_world(script) as world:
        root = await world.ready()
        world.act(SendPrompt(root.id, "go"))
        [request] = await world.asked()
        world.act(AnswerPermission(request.key, "allow-everything"))
        world.act(AnswerElicitation(request.key, "accept", {}))
        assert world.state.waiting() == [request]
        world.act(AnswerPermission(request.key, None))
        await world.until(lambda: root.turns_done, "the end of the turn")
    assert [answer["result"] for answer in script.answers()] == [
        {"outcome": {"outcome": "cancelled"}}
    ]


FORM = {
    "mode": "form",
    "sessionId": "$SESSION",
    "message": "Which one?",
    "requestedSchema": {
        "type": "object",
        "properties": {"colour": {"type": "string", "enum": ["red", "blue"]}},
    },
}


@pytest.mark.parametrize(
    ("intent", "result"),
    [
        (("accept", {"colour": "red"}), {"action": "accept", "content": {"colour": "red"}}),
        (("decline", None), {"action": "decline"}),
        (("cancel", None), {"action": "cancel"}),
    ],
)
async def test_a_form_is_answered(
    tmp_path: Path, intent: tuple[str, Any], result: dict[str, Any]
) -> None:
    script = scripted(
        tmp_path,
        [{"ask": "elicitation/create", "params": FORM, "as": "e"}, {"answered": "e"}],
    )
    async with foreign_world(script) as world:
        root = await world.ready()
        world.act(SendPrompt(root.id, "go"))
        [request] = await world.asked()
        assert (request.kind, request.summary) == ("elicitation", "Which one?")
        world.act(AnswerPermission(request.key, "yes"))
        world.act(AnswerElicitation(request.key, *intent))
        await world.until(lambda: root.turns_done, "the end of the turn")
    assert [answer["result"] for answer in script.answers()] == [result]


async def test_leaving_answers_everything_with_cancelled(tmp_path: Path) -> None:
    script = scripted(
        tmp_path,
        [
            ask_permission("p", "$SESSION", "t1"),
            {"ask": "elicitation/create", "params": FORM, "as": "e"},
            {"answered": "e"},
        ],
    )
    async with foreign_world(script) as world:
        root = await world.ready()
        world.act(SendPrompt(root.id, "go"))
        await world.asked(2)
    assert [answer["result"] for answer in script.answers()] == [
        {"outcome": {"outcome": "cancelled"}},
        {"action": "cancel"},
    ]


# --- cancel ---------------------------------------------------------------------------------------


async def test_stopping_a_turn_answers_its_own_questions_and_leaves_those_of_children(
    tmp_path: Path,
) -> None:
    script = scripted(
        tmp_path,
        [
            {"update": spawned("a1")},
            ask_permission("main", "$SESSION", "t1"),
            ask_permission("child", "a1", "t2"),
            {"got": "session/cancel"},
            {"answered": "main"},
            {"respond": {"stopReason": "cancelled"}},
            {"answered": "child"},
            {"update": child_ended("a1")},
        ],
    )
    async with foreign_world(script) as world:
        root = await world.ready()
        world.act(SendPrompt(root.id, "go"))
        _, child = await world.asked(2)
        world.act(CancelTurn(root.id))
        await world.until(lambda: root.turns_done, "the end of the turn")
        assert world.state.waiting() == [child]
        world.act(AnswerPermission(child.key, "yes"))
        await world.until(lambda: world.state.sessions["a1"].phase is Phase.DONE, "the child")
    assert [answer["result"]["outcome"]["outcome"] for answer in script.answers()] == [
        "cancelled",
        "selected",
    ]
    [cancel] = script.received("session/cancel")
    assert cancel["params"] == {"sessionId": root.id}


async def test_one_child_is_stopped_under_its_newest_id(tmp_path: Path) -> None:
    script = scripted(
        tmp_path,
        [
            {"update": spawned("a1", capabilities={"cancel": {}})},
            {"update": child_ended("a1")},
            {"update": spawned("a1:generation:2", capabilities={"cancel": {}})},
            {"update": spawned("a2")},
            {"file": str(tmp_path / "stopped")},
            {"got": "session/cancel"},
            {"update": child_ended("a1:generation:2", "cancelled")},
        ],
    )
    async with foreign_world(script) as world:
        root = await world.ready()
        world.act(SendPrompt(root.id, "go"))
        await world.until(lambda: "a2" in world.state.sessions, "both children")
        world.act(CancelTurn("a2"))
        world.act(CancelTurn("a1"))
        script.open_gate("stopped")
        await world.until(lambda: root.turns_done, "the end of the turn")
        assert world.state.sessions["a1"].phase is Phase.CANCELLED
    sent = [message["params"]["sessionId"] for message in script.received("session/cancel")]
    assert sent == ["a1:generation:2"]


async def test_rfd_children_are_understood_too(tmp_path: Path) -> None:
    script = scripted(
        tmp_path,
        [
            {"update": child_update("a1", title="Explore", state={"state": "running"})},
            {"update": said("child", "k1"), "session": "a1"},
            {
                "update": child_update(
                    "a1", state={"state": "idle", "stopReason": "error", "error": {"message": "x"}}
                )
            },
        ],
    )
    async with foreign_world(script) as world:
        await turn(world)
        child = world.state.sessions["a1"]
        assert (texts(child), child.phase, child.phase_reason) == ("child", Phase.FAILED, "x")


# --- order ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", ["updates", "response"])
async def test_b26_no_text_is_lost_whichever_comes_first(tmp_path: Path, first: str) -> None:
    pieces = [f"{number} " for number in range(100)]
    frames: list[Any] = [
        {
            "method": "session/update",
            "params": {"sessionId": "S1", "update": said(piece, "m1")},
        }
        for piece in pieces
    ]
    answer = {"result": END}
    batch = [*frames, answer] if first == "updates" else [frames[0], answer, *frames[1:]]
    script = scripted(tmp_path, [{"batch": batch}])
    async with foreign_world(script) as world:
        await turn(world)
        await world.until(lambda: texts(world.root).endswith("99 "), "all text")
        assert texts(world.root) == "".join(pieces)
        said_in_turn = [
            entry.text
            for entry in world.root.entries
            if isinstance(entry, MessageEntry) and entry.role is Role.AGENT and not entry.after_turn
        ]
        assert said_in_turn == ["".join(pieces) if first == "updates" else "0 "]


async def test_b11_large_lines_pass_both_ways(tmp_path: Path) -> None:
    sizes = [2**16 - 1, 2**16, 2**16 + 1, 5 * 2**20]
    script = scripted(tmp_path, *([{"update": said("x" * size, f"m{size}")}] for size in sizes))
    async with foreign_world(script) as world:
        for size in sizes:
            await turn(world, "y" * size)
        assert [
            len(entry.text)
            for entry in world.root.entries
            if isinstance(entry, MessageEntry) and entry.role is Role.AGENT
        ] == sizes
    got = [len(m["params"]["prompt"][0]["text"]) for m in script.received("session/prompt")]
    assert got == sizes


async def test_b87_junk_lines_are_skipped(tmp_path: Path) -> None:
    junk: list[Any] = [
        {"raw": "Welcome to my agent!"},
        {"raw": ""},
        {"raw": "   "},
        {"raw": "[1, 2]"},
        {"raw": '{"jsonrpc": "2.0", "method": 5}'},
        {"raw": '{"half": '},
        {"raw": "\x00\x1b[31m"},
        {"raw": '{"jsonrpc": "2.0", "id": 999, "result": {}}'},
        {"raw": '{"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": 3}}'},
        {"raw": '{"jsonrpc": "2.0", "method": "session/update"}'},
        {"raw": '{"jsonrpc": "2.0", "method": "$/cancel_request", "params": []}'},
    ]
    script = scripted(tmp_path, [*junk, {"update": said("fine")}], start=junk)
    async with foreign_world(script) as world:
        await turn(world)
        assert texts(world.root) == "fine"


# --- the queue ------------------------------------------------------------------------------------


async def test_b20_messages_typed_during_a_turn_wait_and_go_in_order(tmp_path: Path) -> None:
    slow = [{"file": str(tmp_path / "go")}, {"update": said("answer")}]
    script = scripted(tmp_path, slow, [], [])
    async with foreign_world(script) as world:
        root = await world.ready()
        for text in ("A", "B", "C", "D", "E"):
            world.act(SendPrompt(root.id, text))
        assert [prompt.text for prompt in root.queue] == ["B", "C", "D", "E"]
        world.act(EditQueued(root.id, root.queue[1].id, "C!"))
        world.act(EditQueued(root.id, root.queue[2].id, " "))
        world.act(RemoveQueued(root.id, root.queue[2].id))
        assert [prompt.text for prompt in root.queue] == ["B", "C!"]
        script.open_gate("go")
        await world.until(lambda: root.turns_done == 3, "three turns")
        assert root.queue == []
    sent = [m["params"]["prompt"][0]["text"] for m in script.received("session/prompt")]
    assert sent == ["A", "B", "C!"]


async def test_b20_a_failed_turn_keeps_what_waits(tmp_path: Path) -> None:
    failing = [
        {"file": str(tmp_path / "go")},
        {"error": {"code": -32603, "message": "overloaded", "data": {"details": "529"}}},
    ]
    script = scripted(tmp_path, failing, [])
    async with foreign_world(script) as world:
        root = await world.ready()
        world.act(SendPrompt(root.id, "A"))
        world.act(SendPrompt(root.id, "B"))
        script.open_gate("go")
        await world.until(lambda: root.queue_held, "the queue to be held")
        assert [prompt.text for prompt in root.queue] == ["B"]
        assert [(notice.title, notice.detail) for notice in notices(root)] == [
            ("overloaded", "529")
        ]
        world.act(SendPrompt(root.id, "C"))
        await world.until(lambda: root.turns_done == 3, "the rest")
    sent = [m["params"]["prompt"][0]["text"] for m in script.received("session/prompt")]
    assert sent == ["A", "B", "C"]


async def test_a_stopped_turn_holds_the_queue_until_the_person_lets_it_go(tmp_path: Path) -> None:
    waiting = [{"got": "session/cancel"}, {"respond": {"stopReason": "cancelled"}}]
    script = scripted(tmp_path, waiting, [])
    async with foreign_world(script) as world:
        root = await world.ready()
        world.act(SendPrompt(root.id, "A"))
        world.act(SendPrompt(root.id, "B"))
        world.act(CancelTurn(root.id))
        await world.until(lambda: root.queue_held, "the queue to be held")
        world.act(SendQueue(root.id))
        await world.until(lambda: root.turns_done == 2, "the second turn")


async def test_a_message_to_a_child_goes_to_its_root_and_a_blank_one_nowhere(
    tmp_path: Path,
) -> None:
    script = scripted(tmp_path, [{"update": spawned("a1")}], [])
    async with foreign_world(script) as world:
        await turn(world)
        world.act(SendPrompt("a1", "to main"))
        world.act(SendPrompt(world.root.id, "  \n"))
        world.act(SendPrompt("nobody", "text"))
        await world.until(lambda: world.root.turns_done == 2, "the second turn")
    assert [m["params"]["sessionId"] for m in script.received("session/prompt")] == ["S1", "S1"]


# --- sessions and settings ------------------------------------------------------------------------


async def test_b21_two_sessions_stream_side_by_side(tmp_path: Path) -> None:
    pieces = [said(f"{number} ") for number in range(200)]
    script = scripted(
        tmp_path,
        [
            {"updates": pieces[:100]},
            {"file": str(tmp_path / "b")},
            {"updates": pieces[100:]},
            ask_permission("p", "$SESSION", "t1"),
            {"answered": "p"},
        ],
        [{"update": said("B")}, {"touch": str(tmp_path / "b")}],
    )
    async with foreign_world(script) as world:
        a = await world.ready()
        world.act(SendPrompt(a.id, "A"))
        world.act(OpenSession())
        await world.until(lambda: len(world.state.roots) == 2, "a second session")
        b = world.root
        world.act(SendPrompt(b.id, "B"))
        await world.until(lambda: b.turns_done, "the turn of B")
        [request] = await world.asked()
        assert (request.session, a.phase) == (a.id, Phase.RUNNING)
        world.act(AnswerPermission(request.key, "yes"))
        await world.until(lambda: a.turns_done, "the turn of A")
        assert texts(a) == "".join(piece["content"]["text"] for piece in pieces)
        assert texts(b) == "B"
        world.act(CloseSession(b.id))
        assert world.state.roots == [a.id]


async def test_settings_change_when_the_agent_agrees(tmp_path: Path) -> None:
    modes = {
        "currentModeId": "default",
        "availableModes": [{"id": "default", "name": "Manual"}, {"id": "plan", "name": "Plan"}],
    }
    models = {"currentModelId": "m1", "availableModels": [{"modelId": "m1"}, {"modelId": "m2"}]}
    fast = {"id": "fast", "name": "Fast", "type": "boolean", "currentValue": True}
    refuse = {"error": {"code": -32602, "message": "no such mode"}}
    script = scripted(
        tmp_path,
        **{
            "session/new": [[{"respond": {"sessionId": "S1", "modes": modes, "models": models}}]],
            "session/set_mode": [[], [refuse]],
            "session/set_config_option": [[{"respond": {"configOptions": [fast]}}]],
        },
    )
    async with foreign_world(script) as world:
        root = await world.ready()
        assert (root.mode, root.modes) == ("default", (("default", "Manual"), ("plan", "Plan")))
        world.act(SetMode(root.id, "plan"))
        await world.until(lambda: root.mode == "plan", "the mode")
        world.act(SetMode(root.id, "nonsense"))
        await world.until(lambda: notices(root), "a notice")
        assert (root.mode, notices(root)[0].title) == (
            "plan",
            "The setting was not changed: no such mode",
        )
        world.act(SetModel(root.id, "m2"))
        await world.until(lambda: root.model_id == "m2", "the model")
        world.act(SetOption(root.id, "fast", True))
        await world.until(lambda: root.options, "the options")
    [model] = script.received("session/set_model")
    assert model["params"] == {"sessionId": "S1", "modelId": "m2"}
    [change] = script.received("session/set_config_option")
    assert change["params"] == {
        "sessionId": "S1",
        "configId": "fast",
        "value": True,
        "type": "boolean",
    }
