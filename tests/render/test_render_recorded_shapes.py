"""Whole calls as an adapter in the field sends them to plain clients, and to AIR clients.

The expected JSON is written by hand after what ``claude-agent-acp`` 0.101.0 sent for such calls.
"""

from __future__ import annotations

from typing import Any

from canopy_agent.domain.facts import (
    Fact,
    ToolDenied,
    ToolHookResponse,
    ToolInputComplete,
    ToolInputGrew,
    ToolOpened,
    ToolReturned,
)
from canopy_shared.ext import air
from render.showing import AIR, CWD, NATIVE, PLAIN, air_client, shown, text_block

Json = dict[str, Any]


def update(tool: str, **fields: Any) -> Json:
    """A ``tool_call_update`` for a plain client; ``told`` goes into ``_meta.claudeCode``."""
    told = fields.pop("told", {})
    return {
        "sessionUpdate": "tool_call_update",
        "toolCallId": "t",
        **fields,
        "_meta": {"claudeCode": {"toolName": tool, **told}},
    }


def opened(name: str, title: str, kind: str, **fields: Any) -> Json:
    """The ``tool_call`` of a streamed call for a plain client."""
    start = update(name, title=title, kind=kind, name=name, status="pending", content=[])
    return {**start, "sessionUpdate": "tool_call", "rawInput": {}, **fields}


def diff(path: str, old: str | None, new: str) -> Json:
    return {"type": "diff", "path": path, "oldText": old, "newText": new}


def streamed(name: str, *inputs: Json) -> list[Fact]:
    """A call whose input grows to the last of ``inputs``."""
    *partial, whole = inputs
    grown: list[Fact] = [ToolInputGrew("t", tool_input) for tool_input in partial]
    return [ToolOpened("t", name), *grown, ToolInputComplete("t", name, whole)]


def test_read() -> None:
    path = f"{CWD}/a.txt"
    response = {
        "type": "text",
        "file": {
            "filePath": path,
            "content": "alpha\nbeta\n",
            "numLines": 3,
            "startLine": 1,
            "totalLines": 3,
        },
    }
    raw = "1\talpha\n2\tbeta\n3\t"
    facts: list[Fact] = [
        *streamed("Read", {"file_path": path}),
        ToolHookResponse("t", "Read", {"file_path": path}, response),
        ToolReturned("t", raw, structured=response),
    ]
    assert shown(PLAIN, *facts) == [
        opened("Read", "Read File", "read", locations=[]),
        update(
            "Read",
            title="Read a.txt",
            locations=[{"path": path, "line": 1}],
            rawInput={"file_path": path},
        ),
        update("Read", told={"toolResponse": response}),
        update(
            "Read",
            status="completed",
            content=[text_block("```\n1\talpha\n2\tbeta\n```")],
            rawOutput=raw,
        ),
    ]


def test_write() -> None:
    path = f"{CWD}/out.txt"
    whole = {"file_path": path, "content": "line one\nline two\n"}
    response: Json = {
        "type": "create",
        "filePath": path,
        "content": whole["content"],
        "structuredPatch": [],
        "originalFile": None,
        "userModified": False,
    }
    facts: list[Fact] = [
        *streamed("Write", {"file_path": path}, whole),
        ToolHookResponse("t", "Write", whole, response),
        ToolReturned("t", "File created successfully"),
    ]
    assert shown(PLAIN, *facts) == [
        opened("Write", "Preparing file…", "edit", locations=[]),
        update(
            "Write",
            title="Write out.txt",
            locations=[{"path": path}],
            rawInput={"file_path": path},
        ),
        update("Write", content=[diff(path, None, whole["content"])], rawInput=whole),
        update("Write", told={"toolResponse": response}),
        update("Write", status="completed", rawOutput="File created successfully"),
    ]


def test_refused_edit() -> None:
    path = f"{CWD}/a.txt"
    first = {"file_path": path}
    second = {**first, "old_string": "alpha"}
    whole = {**second, "new_string": "omega", "replace_all": False}
    refusal = "User refused permission to run tool"
    facts: list[Fact] = [
        *streamed("Edit", first, second, whole),
        ToolReturned("t", refusal, is_error=True, non_execution_kind="permission-rule"),
    ]
    assert shown(PLAIN, *facts) == [
        opened("Edit", "Edit", "edit", locations=[]),
        update("Edit", title="Edit a.txt", locations=[{"path": path}], rawInput=first),
        update("Edit", rawInput=second),
        update("Edit", content=[diff(path, "alpha", "omega")], rawInput=whole),
        update(
            "Edit",
            status="failed",
            content=[text_block(f"```\n{refusal}\n```")],
            rawOutput=refusal,
            told={"nonExecutionKind": "permission-rule"},
        ),
    ]


def test_failing_command() -> None:
    whole = {"command": "npm run build", "description": "First"}
    output = "Exit code 254\nnpm error code ENOENT"
    facts: list[Fact] = [
        *streamed("Bash", {"command": "npm run build"}, whole),
        ToolReturned("t", output, is_error=True, structured=f"Error: {output}"),
    ]
    assert shown(PLAIN, *facts) == [
        opened("Bash", "Terminal", "execute"),
        update("Bash", title="npm run build", rawInput={"command": "npm run build"}),
        update("Bash", content=[text_block("First")], rawInput=whole),
        update(
            "Bash",
            status="failed",
            content=[text_block(f"```\n{output}\n```")],
            rawOutput=output,
        ),
    ]


def test_command_in_the_background_for_air() -> None:
    command = {"command": "sleep 9"}
    described = {**command, "description": "Tick"}
    whole = {**described, "run_in_background": True}
    output = "Command running in background with ID: b1."
    facts: list[Fact] = [
        *streamed("Bash", command, described, whole),
        ToolReturned(
            "t", output, structured={"stdout": "", "stderr": "", "backgroundTaskId": "b1"}
        ),
    ]
    start = opened("Bash", "Terminal", "execute")
    del start["rawInput"]
    shared = {"sessionUpdate": "tool_call_update", "toolCallId": "t"}
    assert shown(air_client(air.ASYNC_TASKS), *facts) == [
        start,
        {**shared, "title": "sleep 9"},
        {**shared, "_meta": {"jetbrains": {"air": {"version": 1, "commandTitle": "Tick"}}}},
        {**shared, "content": [text_block("Tick")], "rawInput": whole},
        {
            **shared,
            "status": "completed",
            "content": [text_block(f"```console\n{output}\n```")],
            "_meta": {"jetbrains": {"air": {"asyncTasks": {"backgrounded": True}}}},
        },
    ]


def test_launch_of_a_subagent() -> None:
    first = {"description": "Read a file"}
    second = {**first, "prompt": "read a.txt please"}
    whole = {**second, "subagent_type": "general-purpose", "run_in_background": False}
    blocks = [{"type": "text", "text": "Tools: Read\n"}, {"type": "text", "text": "It says alpha."}]
    response = {"agentId": "a1", "status": "completed", "content": blocks, "totalTokens": 9}
    raw = [{"type": "text", "text": "  It says alpha.\nagentId: a1 (internal)"}]
    facts: list[Fact] = [
        *streamed("Agent", first, second, whole),
        ToolHookResponse("t", "Agent", whole, response),
        ToolReturned("t", raw, structured=response),
    ]
    assert shown(PLAIN, *facts) == [
        opened("Agent", "Task", "think"),
        update("Agent", title="Read a file", rawInput=first),
        update("Agent", rawInput=second),
        update("Agent", content=[text_block("read a.txt please")], rawInput=whole),
        update("Agent", told={"toolResponse": response}),
        update(
            "Agent",
            status="completed",
            content=[text_block("Tools: Read\n"), text_block("It says alpha.")],
            rawOutput=raw,
        ),
    ]


def test_write_of_a_child_for_air() -> None:
    path = f"{CWD}/kid.txt"
    whole = {"file_path": path, "content": "by the kid\n"}
    response = {"type": "create", "filePath": path, "content": whole["content"]}
    facts: list[Fact] = [
        ToolInputComplete("t", "Write", whole, surfaced=True),
        ToolInputComplete("t", "Write", whole),
        ToolHookResponse("t", "Write", whole, {**response, "structuredPatch": []}),
        ToolReturned("t", "File created successfully"),
    ]
    assert shown(NATIVE, *facts, parent="launch") == [
        {
            "sessionUpdate": "tool_call",
            "toolCallId": "t",
            "name": "Write",
            "title": "Write kid.txt",
            "kind": "edit",
            "status": "pending",
            "content": [diff(path, None, "by the kid\n")],
            "locations": [{"path": path}],
            "rawInput": {"file_path": path},
            "_meta": {"claudeCode": {"toolName": "Write", "parentToolUseId": "launch"}},
        },
        {
            "sessionUpdate": "tool_call_update",
            "toolCallId": "t",
            "status": "completed",
            "rawOutput": "File created successfully",
        },
    ]


def test_leaving_plan_mode() -> None:
    whole = {"plan": "# Plan\n\n1. Write\n", "planFilePath": "/home/me/plan.md"}
    response = {"plan": whole["plan"], "isAgent": False, "filePath": "/home/me/plan.md"}
    facts: list[Fact] = [
        *streamed("ExitPlanMode", whole),
        ToolHookResponse("t", "ExitPlanMode", whole, response),
        ToolReturned("t", "User has approved your plan.", structured=response),
    ]
    assert shown(PLAIN, *facts) == [
        opened("ExitPlanMode", "Approve Plan", "switch_mode"),
        update("ExitPlanMode", content=[text_block("# Plan\n\n1. Write\n")], rawInput=whole),
        update("ExitPlanMode", told={"toolResponse": response}),
        update(
            "ExitPlanMode",
            status="completed",
            title="Exited Plan Mode",
            rawOutput="User has approved your plan.",
        ),
    ]


def test_search_for_tools() -> None:
    whole = {"query": "select:A,B"}
    response = {"matches": ["A", "B"], "query": "select:A,B"}
    raw = [{"type": "tool_reference", "tool_name": name} for name in "AB"]
    facts: list[Fact] = [
        *streamed("ToolSearch", whole),
        ToolHookResponse("t", "ToolSearch", whole, response),
        ToolReturned("t", raw, structured=response),
    ]
    assert shown(PLAIN, *facts) == [
        opened("ToolSearch", "ToolSearch", "other"),
        update("ToolSearch", rawInput=whole),
        update("ToolSearch", told={"toolResponse": response}),
        update(
            "ToolSearch",
            status="completed",
            content=[text_block("Tool: A"), text_block("Tool: B")],
            rawOutput=raw,
        ),
    ]


def test_mcp_tool() -> None:
    name, raw = "mcp__srv__echo", '{"result":"echo: hi"}'
    facts: list[Fact] = [
        *streamed(name, {"text": "hi"}),
        ToolHookResponse("t", name, {"text": "hi"}, raw),
        ToolReturned("t", raw, structured=raw),
    ]
    assert shown(PLAIN, *facts) == [
        opened(name, name, "other"),
        update(name, rawInput={"text": "hi"}),
        update(name, told={"toolResponse": raw}),
        update(name, status="completed", content=[text_block(raw)], rawOutput=raw),
    ]


def test_question_with_two_parts() -> None:
    whole = {"questions": [{"question": "Which database?"}, {"question": "Which extras?"}]}
    facts = [*streamed("AskUserQuestion", whole), ToolReturned("t", "The user answered")]
    assert shown(PLAIN, *facts) == [
        opened("AskUserQuestion", "Asking for your input", "other"),
        update(
            "AskUserQuestion",
            content=[text_block("Which database?"), text_block("Which extras?")],
            rawInput=whole,
        ),
        update(
            "AskUserQuestion",
            status="completed",
            content=[text_block("The user answered")],
            rawOutput="The user answered",
        ),
    ]


def test_refusal_of_the_auto_mode() -> None:
    message = "Auto mode is unavailable."
    denied = ToolDenied("t", "classifier", "Classifier unavailable", message)
    result = ToolReturned("t", message, is_error=True, non_execution_kind="automode-unavailable")
    assert shown(PLAIN, *streamed("Agent", {}), denied, result) == [
        opened("Agent", "Task", "think"),
        update(
            "Agent",
            status="failed",
            content=[text_block("Permission denied: Classifier unavailable")],
            told={
                "toolResponse": {
                    "decisionReasonType": "classifier",
                    "decisionReason": "Classifier unavailable",
                    "message": message,
                }
            },
        ),
        update(
            "Agent",
            content=[text_block(f"```\n{message}\n```")],
            rawOutput=message,
            told={"nonExecutionKind": "automode-unavailable"},
        ),
    ]


def test_read_of_a_child_for_air() -> None:
    path = f"{CWD}/a.txt"
    facts: list[Fact] = [
        ToolInputComplete("t", "Read", {"file_path": path}),
        ToolHookResponse("t", "Read", {}, {"type": "text", "file": {"content": "alpha\n"}}),
        ToolReturned("t", "1\talpha"),
    ]
    start, final = shown(AIR, *facts, parent="launch")
    assert start["rawInput"] == {"file_path": path}
    assert final == {"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "completed"}
