"""The tool call inside a permission request: plain form, AIR form, exact patches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from canopy_agent.domain.facts import ToolHookResponse, ToolInputComplete, ToolReturned
from canopy_shared.codec import encode
from canopy_shared.ext import air
from render.showing import (
    AIR,
    CWD,
    PATCHING,
    PLAIN,
    TERMINAL,
    air_client,
    assert_valid_tool_call,
    renderer,
    text_block,
    texts,
    told,
)

if TYPE_CHECKING:
    from canopy_agent.render.renderer import Renderer

Json = dict[str, Any]
WRITE = {"file_path": f"{CWD}/out.txt", "content": "one\n"}
EDIT = {"file_path": f"{CWD}/a.txt", "old_string": "alpha", "new_string": "omega"}
DISK = b"alpha\nbeta\n"


def asked(here: Renderer, name: str, tool_input: Json, **more: Any) -> tuple[Json, Json]:
    """The request for a call that was surfaced before, as JSON."""
    parent = more.pop("parent", None)
    told(here, ToolInputComplete("t", name, tool_input, surfaced=True), parent=parent)
    tool_call, meta = here.permission_tool_call("t", name, tool_input, parent, **more)
    shape = encode(tool_call)
    assert shape.pop("sessionUpdate") == "tool_call_update"
    assert_valid_tool_call(shape)
    return shape, meta


def record(meta: Json) -> Json:
    payload: Json = meta["jetbrains"]["air"]["permission"]
    return payload


def test_plain_request_has_everything() -> None:
    here = renderer(PLAIN, read_file=lambda _: None)
    tool_call, meta = asked(here, "Write", WRITE, reason="asked", default_to_no=True)
    diff = {"type": "diff", "path": WRITE["file_path"], "oldText": None, "newText": "one\n"}
    assert tool_call == {
        "toolCallId": "t",
        "name": "Write",
        "title": "Write out.txt",
        "kind": "edit",
        "status": "pending",
        "content": [diff],
        "locations": [{"path": WRITE["file_path"]}],
        "rawInput": WRITE,
    }
    assert meta == {}


def test_plain_meta_names_server_and_parent() -> None:
    server = {"name": "srv", "source": "dynamic"}
    tool_call, _ = asked(renderer(PLAIN), "mcp__srv__echo", {"a": 1}, mcp_server=server)
    assert tool_call["_meta"] == {"claudeCode": {"toolName": "mcp__srv__echo", "mcpServer": server}}
    tool_call, _ = asked(renderer(PLAIN), "Bash", {"command": "ls"}, parent="launch")
    assert tool_call["_meta"] == {"claudeCode": {"toolName": "Bash", "parentToolUseId": "launch"}}


def test_air_request_is_short() -> None:
    tool_call, meta = asked(
        renderer(AIR), "Write", WRITE, parent="launch", reason="Not in this folder"
    )
    assert tool_call == {
        "toolCallId": "t",
        "title": "Write out.txt",
        "rawInput": {"file_path": WRITE["file_path"]},
    }
    assert record(meta) == {
        "version": 1,
        "title": "Write out.txt",
        "description": "Reason: Not in this folder",
    }
    assert meta["jetbrains"]["air"]["version"] == 1


def test_70_default_to_no_is_told_to_air() -> None:
    _, meta = asked(renderer(AIR), "Bash", {"command": "rm -r x"}, default_to_no=True)
    assert record(meta)["defaultToNo"] is True
    _, meta = asked(renderer(AIR), "Bash", {"command": "ls"})
    assert "defaultToNo" not in record(meta)


def test_air_meta_names_the_server_alone() -> None:
    server = {"name": "srv", "source": "dynamic"}
    tool_call, _ = asked(
        renderer(AIR), "mcp__srv__echo", {"a": 1}, mcp_server=server, parent="launch"
    )
    assert tool_call["_meta"] == {"claudeCode": {"mcpServer": server}}


@pytest.mark.parametrize("profile", [PLAIN, AIR], ids=["plain", "air"])
def test_blocked_path_is_a_place(profile: Any) -> None:
    tool_call, _ = asked(renderer(profile), "Write", WRITE, blocked_path="/etc/x")
    assert tool_call["locations"] == [{"path": WRITE["file_path"]}, {"path": "/etc/x"}]
    tool_call, _ = asked(renderer(profile), "Write", WRITE, blocked_path=WRITE["file_path"])
    assert tool_call.get("locations", []) == ([] if profile.air else [{"path": WRITE["file_path"]}])
    tool_call, _ = asked(renderer(profile), "Bash", {"command": "cat x"}, blocked_path="x")
    assert tool_call["locations"] == [{"path": f"{CWD}/x"}]


def test_command_is_verbatim_and_other_titles_are_clean() -> None:
    command = "echo a\n\techo\x1b[0m b"
    tool_call, meta = asked(renderer(AIR), "Bash", {"command": command})
    assert tool_call["title"] == command
    assert record(meta)["title"] == command
    _, meta = asked(renderer(AIR), "Agent", {"description": "Do\n \x1b[1mit"})
    assert record(meta)["title"] == "Do [1mit"


def test_leaving_plan_mode() -> None:
    plan = {"plan": "# Plan\n"}
    tool_call, _ = asked(renderer(PLAIN), "ExitPlanMode", plan)
    assert tool_call["title"] == "Approve Plan"
    assert texts(tool_call) == ["# Plan\n"]
    tool_call, meta = asked(renderer(AIR), "ExitPlanMode", plan)
    assert tool_call == {"toolCallId": "t", "title": "Approve Plan", "rawInput": {}}
    assert record(meta)["title"] == "Ready to code?"


def test_plan_is_never_lost() -> None:
    """A client that renders the input itself has no other copy of the plan (user fault B48)."""
    profile = air_client(air.RAW_INPUT_RENDERING)
    tool_call, _ = asked(renderer(profile), "ExitPlanMode", {"plan": "# Plan\n"})
    assert tool_call["rawInput"] == {"plan": "# Plan\n"}


def test_network_and_computer_use_show_their_input() -> None:
    tool_call, _ = asked(renderer(PLAIN), "SandboxNetworkAccess", {"host": "a.example"})
    assert tool_call["title"] == "a.example"
    assert tool_call["content"] == [text_block('```json\n{"host":"a.example"}\n```')]
    tool_call, _ = asked(
        renderer(PLAIN), "mcp__computer-use__click", {"x": 1}, display_name="Click at 1"
    )
    assert tool_call["title"] == "Click at 1"
    assert texts(tool_call) == ['```json\n{"x":1}\n```']
    tool_call, _ = asked(renderer(AIR), "mcp__computer-use__click", {"x": 1})
    assert "content" not in tool_call


@pytest.mark.parametrize(
    ("name", "tool_input"),
    [
        ("Edit", {"file_path": "/project/a", "old_string": "a", "new_string": "b"}),
        ("Write", {"file_path": "/project/a", "content": "b"}),
        ("MultiEdit", {"file_path": "/project/a", "edits": [{"old_string": "a"}]}),
        ("NotebookEdit", {"notebook_path": "/project/a.ipynb", "new_source": "b"}),
        ("Monitor", {"command": "tail -f log", "description": "Watch"}),
        ("Workflow", {"script": "return 1"}),
    ],
)
def test_b66_a_request_shows_what_would_be_done(name: str, tool_input: Json) -> None:
    for profile in (PLAIN, TERMINAL):
        tool_call, _ = asked(renderer(profile), name, tool_input)
        assert tool_call["content"]
        assert tool_call["rawInput"] == tool_input


def test_b64_a_question_about_a_file_that_is_there_shows_what_it_held() -> None:
    content: Any
    for held, old in ((DISK, DISK.decode()), (None, None)):
        here = renderer(PLAIN, read_file=lambda _, held=held: held)
        content = asked(here, "Write", WRITE)[0]["content"]
        assert [(one["oldText"], one["newText"]) for one in content] == [(old, "one\n")]
    here = renderer(PLAIN, read_file=lambda _: b"\xff")
    note, diff = asked(here, "Write", WRITE)[0]["content"]
    assert "will be replaced" in note["content"]["text"]
    assert diff["newText"] == "one\n"


@pytest.mark.parametrize(
    ("held", "said"),
    [(b"alpha\r\nalpha\r\nalpha", "text: 3 places."), (b"\xff", "text."), (None, "text.")],
)
def test_b63_a_question_says_that_every_place_is_replaced(held: bytes | None, said: str) -> None:
    here = renderer(PLAIN, read_file=lambda _: held)
    for everywhere in (True, False):
        change = {**EDIT, "replace_all": everywhere}
        diff, *more = asked(here, "Edit", change)[0]["content"]
        assert (diff["oldText"], diff["newText"]) == ("alpha", "omega")
        assert [one["content"]["text"].endswith(said) for one in more] == [True] * everywhere


def test_b66_a_command_is_shown_whole() -> None:
    command = "cat > a.txt <<'EOF'\none\ntwo\nEOF"
    for profile in (PLAIN, AIR, TERMINAL):
        tool_call, _ = asked(renderer(profile), "Bash", {"command": command})
        assert tool_call["title"] == command


def test_plan_tools_are_shown_only_here() -> None:
    here = renderer(PLAIN)
    todos = {"todos": [{"content": "a", "status": "pending"}, {"content": "b"}]}
    (start,) = told(here, ToolInputComplete("t", "TodoWrite", todos, surfaced=True))
    assert (start["title"], start["kind"]) == ("Update TODOs: a, b", "think")
    assert here.is_open("t")
    tool_call, _ = here.permission_tool_call("t", "TodoWrite", todos, None)
    assert encode(tool_call)["title"] == "Update TODOs: a, b"
    (plan,) = told(here, ToolInputComplete("t", "TodoWrite", todos))
    assert plan["sessionUpdate"] == "plan"
    (final,) = told(here, ToolReturned("t", "Todos updated"))
    assert final == {
        "sessionUpdate": "tool_call_update",
        "toolCallId": "t",
        "status": "completed",
        "rawOutput": "Todos updated",
    }


@pytest.mark.parametrize(
    ("name", "tool_input", "title"),
    [
        ("TaskCreate", {"subject": "s"}, "Create task: s"),
        ("TaskUpdate", {"taskId": "1", "subject": "s"}, "Update task: s"),
        ("TaskUpdate", {"taskId": "1"}, "Update task: #1"),
        ("TaskList", {}, "List tasks"),
        ("TaskGet", {"taskId": "1"}, "Get task"),
    ],
)
def test_titles_of_task_tools(name: str, tool_input: Json, title: str) -> None:
    assert asked(renderer(PLAIN), name, tool_input)[0]["title"] == title


def test_command_keeps_its_terminal() -> None:
    tool_call, _ = asked(renderer(TERMINAL), "Bash", {"command": "ls", "description": "d"})
    assert tool_call["content"] == [{"type": "terminal", "terminalId": "t"}]


# --- exact patches -------------------------------------------------------------------------------


def patch_of(shape: Json) -> str:
    (block,) = shape["content"]
    text: str = block["_meta"]["jetbrains"]["air"]["diffPatch"]["text"]
    return text


def test_exact_patch_of_an_edit_is_pinned() -> None:
    here = renderer(PATCHING, read_file=lambda _: DISK)
    tool_call, _ = asked(here, "Edit", EDIT)
    assert patch_of(tool_call).splitlines()[-3:] == ["-alpha", "+omega", " beta"]
    assert tool_call["rawInput"] == {"file_path": EDIT["file_path"]}
    again = told(here, ToolInputComplete("t", "Edit", {**EDIT, "replace_all": False}))
    assert [update.keys() & {"content"} for update in again] == [set()]
    failed = told(here, ToolReturned("t", "no", is_error=True))
    assert texts(failed[-1]) == ["```\nno\n```"]


def test_hook_replaces_a_pinned_patch() -> None:
    disk = [DISK]
    here = renderer(PATCHING, read_file=lambda _: disk[0])
    asked(here, "Edit", EDIT)
    disk[0] = b"omega\nbeta\ngamma\n"  # a formatter ran, too
    response = {"filePath": EDIT["file_path"], "originalFile": DISK.decode(), "oldString": "alpha"}
    (change,) = told(here, ToolHookResponse("t", "Edit", EDIT, response))
    assert "+gamma" in patch_of(change)


def test_edit_that_cannot_be_exact_shows_its_snippet_on_the_card() -> None:
    here = renderer(PATCHING, read_file=lambda _: b"alpha alpha\n")
    (start,) = told(here, ToolInputComplete("t", "Edit", EDIT, surfaced=True))
    assert start["content"][0]["oldText"] == "alpha"
    tool_call, _ = asked(here, "Edit", EDIT)
    assert "content" not in tool_call


def unreadable(_: str) -> bytes | None:
    raise PermissionError("no")


def test_write_always_shows_what_it_would_do() -> None:
    """Nobody approves blind: the card of a Write has no diff for these clients."""
    tool_call, _ = asked(renderer(PATCHING, read_file=lambda _: None), "Write", WRITE)
    assert "new file mode 100644" in patch_of(tool_call)
    tool_call, _ = asked(renderer(PATCHING, read_file=lambda _: b"zero\n"), "Write", WRITE)
    assert "-zero\n+one\n" in patch_of(tool_call)
    tool_call, _ = asked(renderer(PATCHING, read_file=lambda _: b"zero\r\n"), "Write", WRITE)
    assert tool_call["content"][0]["oldText"] == "zero\r\n"
    assert "content" not in tool_call["rawInput"]
    tool_call, _ = asked(renderer(PATCHING, read_file=unreadable), "Write", WRITE)
    assert "replaced" in texts(tool_call)[0]
