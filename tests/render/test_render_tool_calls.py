"""The report sequence of tool calls, for AIR and plain clients (numbers: behaviour scenarios)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from canopy_agent.domain.facts import (
    ToolBeat,
    ToolClosed,
    ToolDenied,
    ToolExited,
    ToolHookResponse,
    ToolInputComplete,
    ToolInputGrew,
    ToolOpened,
    ToolReturned,
    ToolShownWhole,
)
from canopy_shared.ext import air
from render.showing import (
    AIR,
    AIR_TERMINAL,
    CWD,
    NATIVE,
    PATCHING,
    PLAIN,
    TERMINAL,
    Client,
    air_client,
    renderer,
    shown,
    text_block,
    texts,
    told,
    whole_call,
)

if TYPE_CHECKING:
    from canopy_agent.capabilities import ClientProfile
    from canopy_agent.domain.facts import Fact

BASH = {"command": "ls -la", "description": "List files"}
OUTPUT = {"stdout": "a\nb", "stderr": "", "interrupted": False}


def named(name: str, **more: Any) -> dict[str, Any]:
    return {"claudeCode": {"toolName": name, **more}}


def streamed_bash() -> list[Any]:
    return [
        ToolOpened("t", "Bash"),
        ToolInputGrew("t", {"command": "ls -la"}),
        ToolInputComplete("t", "Bash", BASH),
        ToolReturned("t", "a\nb", structured=OUTPUT),
    ]


def test_52_bash_in_a_terminal() -> None:
    opened, titled, refined, output, final = shown(TERMINAL, *streamed_bash())
    terminal = [{"type": "terminal", "terminalId": "t"}]
    assert opened == {
        "sessionUpdate": "tool_call",
        "toolCallId": "t",
        "name": "Bash",
        "title": "Terminal",
        "kind": "execute",
        "status": "pending",
        "content": terminal,
        "rawInput": {},
        "_meta": {**named("Bash"), "terminal_info": {"terminal_id": "t"}},
    }
    assert titled["title"] == "ls -la"
    assert "content" not in titled
    assert refined["rawInput"] == BASH
    assert output == {
        "sessionUpdate": "tool_call_update",
        "toolCallId": "t",
        "_meta": {"terminal_output": {"terminal_id": "t", "data": "a\nb"}},
    }
    assert final == {
        "sessionUpdate": "tool_call_update",
        "toolCallId": "t",
        "status": "completed",
        "_meta": {
            **named("Bash"),
            "terminal_exit": {"terminal_id": "t", "exit_code": 0, "signal": None},
        },
    }


def test_52_delta_client_gets_its_own_key() -> None:
    from render.showing import PROFILES

    output = shown(PROFILES["delta"], *streamed_bash())[-2]
    assert output["_meta"] == {"terminal_output_delta": {"terminal_id": "t", "data": "a\nb"}}


@pytest.mark.parametrize("profile", [PLAIN, AIR], ids=["plain", "air"])
def test_53_bash_without_terminal(profile: ClientProfile) -> None:
    *_, final = shown(profile, *streamed_bash())
    assert final["content"] == [text_block("```console\na\nb\n```")]
    assert final["status"] == "completed"
    assert final.get("rawOutput") == (None if profile.air else "a\nb")


@pytest.mark.parametrize(("profile", "code"), [(TERMINAL, 2), (AIR_TERMINAL, 1)])
def test_54_exit_code(profile: ClientProfile, code: int) -> None:
    failed = ToolReturned("t", "Exit code 2\nno such file", is_error=True)
    *_, output, final = shown(profile, ToolInputComplete("t", "Bash", BASH), failed)
    assert output["_meta"]["terminal_output"]["data"] == "Exit code 2\nno such file"
    assert final["status"] == "failed"
    assert final["_meta"]["terminal_exit"]["exit_code"] == code
    assert "rawOutput" not in final


@pytest.mark.parametrize(
    ("structured", "plain", "for_air"),
    [
        ({"stdout": "x", "stderr": ""}, 0, 0),
        ({"stdout": "x", "stderr": "", "returnCodeInterpretation": "No matches"}, None, 0),
        ({"stdout": "x", "stderr": "", "interrupted": True}, None, 1),
        ({"stdout": "x", "stderr": "", "return_code": 7}, 7, 7),
        (None, 0, 0),
    ],
)
def test_exit_code_of_a_result(structured: Any, plain: int | None, for_air: int) -> None:
    facts = whole_call("Bash", BASH, "x", structured=structured)
    assert shown(TERMINAL, *facts)[-1]["_meta"]["terminal_exit"]["exit_code"] == plain
    assert shown(AIR_TERMINAL, *facts)[-1]["_meta"]["terminal_exit"]["exit_code"] == for_air


def test_output_joins_the_streams_and_says_where_the_rest_is() -> None:
    structured = {
        "stdout": "out",
        "stderr": "err",
        "interrupted": True,
        "persistedOutputPath": "/tmp/all",
        "persistedOutputSize": 3_400_000,
    }
    facts = whole_call("Bash", BASH, "raw", structured=structured)
    data = shown(TERMINAL, *facts)[-2]["_meta"]["terminal_output"]["data"]
    lines = data.split("\n")
    assert lines[:3] == ["out", "err", "[interrupted]"]
    assert "3.4 MB" in lines[3]
    assert "/tmp/all" in lines[3]


def test_picture_output_is_content_and_no_terminal_text() -> None:
    image = {
        "type": "image",
        "source": {"type": "base64", "data": "AAAA", "media_type": "image/png"},
    }
    structured = {"stdout": "AAAA", "stderr": "", "isImage": True}
    opened, final = shown(TERMINAL, *whole_call("Bash", BASH, [image], structured=structured))
    assert opened["content"][0]["type"] == "terminal"
    assert final["content"] == [
        {"type": "content", "content": {"type": "image", "data": "AAAA", "mimeType": "image/png"}}
    ]


def test_silent_command_keeps_its_description() -> None:
    silent = {"stdout": "", "stderr": ""}
    *_, final = shown(PLAIN, *whole_call("Bash", BASH, "(no output)", structured=silent))
    assert "content" not in final
    assert final["rawOutput"] == "(no output)"


def test_background_command_keeps_its_terminal_until_it_exits() -> None:
    here = renderer(TERMINAL)
    structured = {"stdout": "", "stderr": "", "backgroundTaskId": "b1"}
    facts = whole_call("Bash", BASH, "Command running in background", structured=structured)
    *_, output, final = told(here, *facts)
    assert output["_meta"]["terminal_output"]["data"] == "Command running in background"
    assert final["status"] == "completed"
    assert "terminal_exit" not in final["_meta"]
    assert not here.is_open("t")
    (exited,) = told(here, ToolExited("t"))
    assert exited["_meta"]["terminal_exit"]["exit_code"] is None
    assert told(here, ToolExited("t")) == []


def test_background_command_for_air() -> None:
    profile = air_client(air.ASYNC_TASKS, terminal="output")
    *_, final = shown(profile, *whole_call("Bash", BASH, "running", backgrounded=True))
    assert final["_meta"]["terminal_exit"]["exit_code"] == 0
    assert final["_meta"]["jetbrains"]["air"]["asyncTasks"] == {"backgrounded": True}
    assert "jetbrains" not in shown(AIR, *whole_call("Bash", BASH, "x", backgrounded=True))[-1].get(
        "_meta", {}
    )


READ = {"file_path": f"{CWD}/src/a.ts", "offset": 10, "limit": 5}


def test_55_read_shows_numbered_lines() -> None:
    structured = {
        "type": "text",
        "file": {"content": "alpha\nbeta\n", "startLine": 10, "numLines": 2, "totalLines": 99},
    }
    raw = "10\talpha\n11\tbeta\n\n<system-reminder>\nthink\n</system-reminder>\n"
    start, final = shown(PLAIN, *whole_call("Read", READ, raw, structured=structured))
    assert start["title"] == "Read src/a.ts (10 - 14)"
    assert start["locations"] == [{"path": f"{CWD}/src/a.ts", "line": 10}]
    assert texts(final) == ["```\n10\talpha\n11\tbeta\n```"]


def test_55_read_without_structure_loses_the_reminder() -> None:
    raw = "1\talpha\n\n<system-reminder>\nthink\n</system-reminder>\n"
    *_, final = shown(PLAIN, *whole_call("Read", READ, raw))
    assert texts(final) == ["```\n1\talpha\n```"]
    *_, final = shown(PLAIN, *whole_call("Read", READ, "<system-reminder>x</system-reminder>"))
    assert texts(final) == ["(empty)"]


def test_55_no_reminder_is_on_the_wire_at_all() -> None:
    raw = "1\talpha\n\n<system-reminder>\nthink\n</system-reminder>\n"
    for content in (raw, [{"type": "text", "text": raw}]):
        updates = shown(PLAIN, *whole_call("Read", READ, content))
        assert "system-reminder" not in str(updates)


def test_55_air_lists_viewed_files_itself() -> None:
    *_, final = shown(AIR, *whole_call("Read", READ, "1\talpha"))
    assert final == {"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "completed"}


def test_read_says_that_a_file_was_cut() -> None:
    file = {"content": "x\n", "startLine": 1, "totalLines": 900, "truncatedByTokenCap": True}
    structured = {"type": "text", "file": file}
    *_, final = shown(PLAIN, *whole_call("Read", READ, "1\tx", structured=structured))
    assert "900" in texts(final)[0].removeprefix("```\n1\tx\n```")


EDIT = {"file_path": f"{CWD}/a.txt", "old_string": "alpha", "new_string": "omega"}
HUNKS = [
    {"oldStart": 1, "oldLines": 2, "newStart": 1, "newLines": 2,
     "lines": ["-alpha", "+omega", " beta"]},
    {"oldStart": 40, "oldLines": 1, "newStart": 40, "newLines": 2, "lines": [" x", "+y"]},
]  # fmt: skip


def edited(**more: Any) -> ToolHookResponse:
    response = {
        "filePath": EDIT["file_path"],
        "oldString": "alpha",
        "newString": "omega",
        "originalFile": "alpha\nbeta\n",
        "structuredPatch": HUNKS,
        **more,
    }
    return ToolHookResponse("t", "Edit", EDIT, response)


def test_56_edit_plain_snippet_then_hunks() -> None:
    hook = edited()
    start, change, final = shown(
        PLAIN, ToolInputComplete("t", "Edit", EDIT), hook, ToolReturned("t", "done")
    )
    path = EDIT["file_path"]
    assert start["content"] == [
        {"type": "diff", "path": path, "oldText": "alpha", "newText": "omega"}
    ]
    assert change["content"] == [
        {"type": "diff", "path": path, "oldText": "alpha\nbeta", "newText": "omega\nbeta"},
        {"type": "diff", "path": path, "oldText": "x", "newText": "x\ny"},
    ]
    assert change["locations"] == [{"path": path, "line": 1}, {"path": path, "line": 40}]
    assert change["_meta"]["claudeCode"]["toolResponse"] == hook.response
    assert final["status"] == "completed"
    assert "content" not in final


@pytest.mark.parametrize("profile", [PLAIN, AIR])
@pytest.mark.parametrize(("name", "given"), [("Edit", EDIT), ("Write", EDIT | {"content": "x"})])
def test_a_change_of_the_past_is_shown_as_it_was_when_it_was_made(
    profile: ClientProfile, name: str, given: dict[str, Any]
) -> None:
    """With its lines and their numbers; one that is not told, or failed, shows its input."""
    told = {"structuredPatch": HUNKS}
    hook = replace(edited(), name=name, input=given)
    now = shown(profile, ToolInputComplete("t", name, given), hook, ToolReturned("t", "done"))
    then = shown(profile, *whole_call(name, given, "done", replay=True, structured=told))
    live, loaded = (Client().take_all(updates).calls["t"] for updates in (now, then))
    assert loaded["content"] == live["content"]
    assert loaded["locations"] == live["locations"]
    assert [place["line"] for place in loaded["locations"]] == [1, 40]
    for odd in (None, {"structuredPatch": "odd"}, {"structuredPatch": []}):
        *_, final = shown(profile, *whole_call(name, given, replay=True, structured=odd))
        assert "content" not in final
        assert "locations" not in final
    failed = whole_call(name, given, replay=True, structured=told, is_error=True)
    assert "locations" not in shown(profile, *failed)[-1]


def test_56_edit_air_patch() -> None:
    start, change = shown(
        PATCHING,
        ToolInputComplete("t", "Edit", EDIT),
        edited(),
        read_file=lambda _: b"omega\nbeta\n",
    )
    assert start["content"][0]["oldText"] == "alpha"
    (block,) = change["content"]
    payload = block["_meta"]["jetbrains"]["air"]["diffPatch"]
    assert payload["version"] == 1
    assert payload["format"] == "git_patch"
    assert payload["text"].startswith("diff --git a/")
    assert (block["oldText"], block["newText"]) == (None, "")
    assert "toolResponse" not in change.get("_meta", {}).get("claudeCode", {})


def test_57_raw_input_of_an_edit() -> None:
    assert shown(AIR, ToolInputComplete("t", "Edit", EDIT))[0]["rawInput"] == {
        "file_path": EDIT["file_path"]
    }
    assert shown(PLAIN, ToolInputComplete("t", "Edit", EDIT))[0]["rawInput"] == EDIT


WRITE = {"file_path": f"{CWD}/new.txt", "content": "one\ntwo\n"}


def written(**more: Any) -> ToolHookResponse:
    response = {
        "type": "create",
        "filePath": WRITE["file_path"],
        "content": WRITE["content"],
        "originalFile": None,
        "structuredPatch": [],
        **more,
    }
    return ToolHookResponse("t", "Write", WRITE, response)


def test_58_write_of_a_new_file_as_a_patch() -> None:
    start, change = shown(
        PATCHING,
        ToolInputComplete("t", "Write", WRITE),
        written(),
        read_file=lambda _: b"one\ntwo\n",
    )
    assert start["content"] == []
    assert start["rawInput"] == WRITE
    text = change["content"][0]["_meta"]["jetbrains"]["air"]["diffPatch"]["text"]
    assert text.splitlines() == [
        "diff --git a/project/new.txt b/project/new.txt",
        "new file mode 100644",
        "--- /dev/null",
        "+++ b/project/new.txt",
        "@@ -0,0 +1,2 @@",
        "+one",
        "+two",
    ]
    assert "locations" not in change  # the file itself, as before


@pytest.mark.parametrize(
    "on_disk", [b"one\r\ntwo\r\n", b"\xef\xbb\xbfone\ntwo\n", b"other", b"\xff", b"one\0", None]
)
def test_58_what_is_not_exact_is_a_standard_diff(on_disk: bytes | None) -> None:
    *_, change = shown(
        PATCHING, ToolInputComplete("t", "Write", WRITE), written(), read_file=lambda _: on_disk
    )
    assert change["content"] == [
        {"type": "diff", "path": WRITE["file_path"], "oldText": None, "newText": "one\ntwo\n"}
    ]


def test_58_replayed_write_shows_the_input() -> None:
    *_, final = shown(PATCHING, *whole_call("Write", WRITE, "done", replay=True))
    assert final["content"][0]["newText"] == "one\ntwo\n"


def test_write_over_a_file_of_unknown_content_says_so() -> None:
    hook = written(type="update", structuredPatch=[], originalFile=None)
    *_, change = shown(PLAIN, ToolInputComplete("t", "Write", WRITE), hook)
    assert len(texts(change)) == 1


def test_59_grep_title() -> None:
    (start,) = shown(
        PLAIN, ToolInputComplete("t", "Grep", {"pattern": "x", "-n": True, "path": "src"})
    )
    assert start["title"] == 'grep -n "x" src'
    assert start["kind"] == "search"
    assert "locations" not in start


def test_61_unchanged_refinement_is_silent() -> None:
    whole = ToolInputComplete("t", "Bash", BASH)
    for profile in (PLAIN, TERMINAL, AIR, AIR_TERMINAL):
        assert len(shown(profile, whole, whole, whole)) == 1


def test_61_title_alone_changes() -> None:
    opened = ToolOpened("t", "Agent")
    grew = ToolInputGrew("t", {"description": "Fix"})
    (_, plain) = shown(PLAIN, opened, grew)
    assert plain.keys() == {"sessionUpdate", "toolCallId", "title", "rawInput", "_meta"}
    (_, in_air) = shown(AIR, opened, grew)
    assert in_air.keys() == {"sessionUpdate", "toolCallId", "title"}


def test_62_partial_input_has_title_and_place_but_no_content() -> None:
    _, update = shown(PLAIN, ToolOpened("t", "Write"), ToolInputGrew("t", {"file_path": "/a"}))
    assert update["title"] == "Write /a"
    assert update["locations"] == [{"path": "/a"}]
    assert "content" not in update


def test_63_result_made_by_the_harness() -> None:
    refused = ToolReturned(
        "t", "no", is_error=True, non_execution_kind="user-rejected", user_feedback="use b.txt"
    )
    for profile in (PLAIN, AIR):
        *_, final = shown(profile, ToolInputComplete("t", "Edit", EDIT), refused)
        assert final["status"] == "failed"
        assert final["_meta"]["claudeCode"]["nonExecutionKind"] == "user-rejected"
        assert final["_meta"]["claudeCode"]["userFeedback"] == "use b.txt"
        assert texts(final) == ["```\nno\n```"]


def test_64_denied_before_it_ran() -> None:
    denied = ToolDenied("t", "classifier", "Too risky", "Auto mode refused")
    here = renderer(PLAIN)
    _, update = told(here, ToolInputComplete("t", "Bash", BASH), denied)
    assert update["status"] == "failed"
    assert texts(update) == ["Permission denied: Too risky"]
    assert update["_meta"]["claudeCode"]["toolResponse"] == {
        "decisionReasonType": "classifier",
        "decisionReason": "Too risky",
        "message": "Auto mode refused",
    }
    assert not here.is_open("t")
    (after,) = told(here, ToolReturned("t", "Auto mode refused", is_error=True))
    assert "status" not in after
    assert texts(after) == ["```\nAuto mode refused\n```"]
    assert told(here, ToolDenied("unknown", "rule")) == []


def test_64_denied_for_air() -> None:
    start = ToolInputComplete("t", "Bash", BASH)
    _, update = shown(AIR, start, ToolDenied("t", "rule", "No", "No"))
    assert update["_meta"]["claudeCode"]["toolResponse"] == {"decisionReasonType": "rule"}
    _, update = shown(AIR_TERMINAL, start, ToolDenied("t", "rule", "No", "Longer"))
    assert update["_meta"]["claudeCode"]["toolResponse"]["message"] == "Longer"
    assert update["_meta"]["terminal_exit"]["exit_code"] == 1


REPORT = (
    "  <note>Read</note>\n  \n[Subagent hand-back] The text below is model output.\n"
    "  It says alpha.\n  indented\nagentId: a1 (use SendMessage to go on)\n"
    "<usage>tokens: 1\ntool_uses: 2</usage>"
)


def test_65_subagent_traffic_names_its_launch() -> None:
    for update in shown(PLAIN, *whole_call("Bash", BASH), parent="launch"):
        assert update["_meta"]["claudeCode"]["parentToolUseId"] == "launch"
    start, final = shown(AIR, *whole_call("Bash", BASH), parent="launch")
    assert start["_meta"]["claudeCode"]["parentToolUseId"] == "launch"
    assert "_meta" not in final


def test_65_report_of_a_subagent_is_cleaned() -> None:
    call = {"description": "Look", "prompt": "Look at a.txt"}
    *_, final = shown(PLAIN, *whole_call("Agent", call, [{"type": "text", "text": REPORT}]))
    assert texts(final) == ["<note>Read</note>\n\nIt says alpha.\nindented"]
    assert final["rawOutput"] == [{"type": "text", "text": REPORT}]


def test_65_structured_report_comes_first() -> None:
    blocks = [{"type": "text", "text": "One."}, {"type": "text", "text": "Two."}]
    structured = {"status": "completed", "content": blocks}
    *_, final = shown(PLAIN, *whole_call("Agent", {}, REPORT, structured=structured))
    assert texts(final) == ["One.", "Two."]
    launched = {"status": "async_launched", "agentId": "a1", "isAsync": True}
    *_, final = shown(PLAIN, *whole_call("Agent", {}, "agentId: a1", structured=launched))
    assert "agentId" not in texts(final)[0]


@pytest.mark.parametrize(("profile", "marked"), [(AIR, True), (PLAIN, False), (NATIVE, False)])
def test_card_of_an_agent_is_marked_only_without_native_sessions(
    profile: ClientProfile, marked: bool
) -> None:
    (start,) = shown(profile, ToolInputComplete("t", "Agent", {"description": "Look"}))
    assert start["_meta"].get("jetbrains") == (
        {"air": {"version": 1, "subagent": True}} if marked else None
    )


def test_66_heartbeat_lands_on_the_launch() -> None:
    here = renderer(PLAIN)
    told(here, ToolInputComplete("toolu_1", "Agent", {}))
    beat = ToolBeat("toolu_1-heartbeat-3", 3.0, "Explore")
    (first,) = told(here, beat, parent="toolu_1")
    assert first["toolCallId"] == "toolu_1"
    assert first["status"] == "in_progress"
    assert first["_meta"] == named(
        "Agent", toolResponse={"elapsedTimeSeconds": 3.0, "subagentType": "Explore"}
    )
    (second,) = told(here, ToolBeat("toolu_1-heartbeat-4", 6.0), parent="toolu_1")
    assert second.keys() == {"sessionUpdate", "toolCallId", "_meta"}
    told(here, ToolReturned("toolu_1", "done"))
    assert told(here, ToolBeat("toolu_1", 9.0)) == []
    assert told(here, ToolBeat("toolu_1-heartbeat-5", 9.0), parent="toolu_1") == []


def test_67_mcp_tool() -> None:
    call = ToolInputComplete("t", "mcp__srv__do__it", {"a": 1})
    (start,) = shown(AIR, call)
    assert start["title"] == "mcp__srv__do__it"
    assert start["_meta"]["is_mcp_tool_call"] is True
    assert start["_meta"]["jetbrains"]["air"]["mcp"] == {"server": "srv", "tool": "do__it"}
    (start,) = shown(PLAIN, call)
    assert start["_meta"] == named("mcp__srv__do__it")


def test_68_pdf_is_named_and_not_sent() -> None:
    data = "QUFB" * 1000
    document = {
        "type": "document",
        "source": {"type": "base64", "media_type": "application/pdf", "data": data},
    }
    structured = {"type": "pdf", "file": {"base64": data, "originalSize": 3000}}
    *_, final = shown(PLAIN, *whole_call("Read", READ, [document], structured=structured))
    assert texts(final) == ["[document: application/pdf, 3.0 kB]"]


# --- beyond the numbered scenarios ---------------------------------------------------------------


def test_unknown_call_tells_nothing() -> None:
    here = renderer(PLAIN)
    facts: list[Fact] = [
        ToolInputGrew("x", {"a": 1}),
        ToolReturned("x", "ok"),
        ToolHookResponse("x", "Bash", {}, {"stdout": ""}),
        ToolBeat("x", 1.0),
        ToolDenied("x"),
        ToolClosed("x", "stopped"),
        ToolExited("x"),
    ]
    assert told(here, *facts) == []
    assert not here.is_open("x")


def test_word_about_a_finished_call_does_not_open_it_again() -> None:
    here = renderer(PLAIN)
    told(here, *whole_call("Bash", BASH))
    late: list[Fact] = [
        ToolOpened("t", "Bash"),
        ToolInputGrew("t", {"command": "x"}),
        ToolInputComplete("t", "Bash", {"command": "x"}),
        ToolReturned("t", "again"),
        ToolClosed("t", "turn_ended"),
    ]
    assert told(here, *late) == []
    hook = ToolHookResponse("t", "Bash", BASH, OUTPUT)
    assert len(told(here, hook)) == 1
    assert told(here, hook, *late) == []


def test_partial_input_after_the_whole_one_is_ignored() -> None:
    whole = ToolInputComplete("t", "Bash", BASH, surfaced=True)
    stream: list[Fact] = [ToolOpened("t", "Bash"), ToolInputGrew("t", {"command": "l"})]
    assert len(shown(PLAIN, whole, *stream)) == 1


def test_forgotten_call_may_be_created_again() -> None:
    here = renderer(AIR)
    whole = ToolInputComplete("t", "Bash", BASH, surfaced=True)
    first = told(here, whole)
    here.forget("t")
    assert not here.is_open("t")
    assert told(here, whole) == first


@pytest.mark.parametrize("why", ["never_ran", "cancelled", "turn_ended", "stopped", "other"])
def test_call_without_result_is_closed(why: str) -> None:
    here = renderer(PLAIN)
    _, closed = told(here, ToolInputComplete("t", "Read", READ), ToolClosed("t", why))
    assert closed["status"] == "failed"
    assert len(texts(closed)) == 1
    assert not here.is_open("t")
    assert told(here, ToolClosed("t", why), ToolReturned("t", "late")) == []


@pytest.mark.parametrize(("profile", "code"), [(TERMINAL, None), (AIR_TERMINAL, 1)])
def test_closed_command_ends_its_terminal(profile: ClientProfile, code: int | None) -> None:
    _, closed = shown(profile, ToolInputComplete("t", "Bash", BASH), ToolClosed("t", "cancelled"))
    assert closed["_meta"]["terminal_exit"]["exit_code"] == code
    assert closed["content"][0] == {"type": "terminal", "terminalId": "t"}


def test_display_of_the_input_is_left_to_clients_that_render_it() -> None:
    profile = air_client(air.RAW_INPUT_RENDERING)
    inputs: dict[str, dict[str, Any]] = {
        "Bash": BASH,
        "Agent": {"description": "d", "prompt": "p"},
        "WebFetch": {"url": "https://a", "prompt": "p"},
        "ExitPlanMode": {"plan": "# Plan"},
        "AskUserQuestion": {"questions": [{"question": "Which?"}]},
        "Other": {"a": 1},
    }
    for name, tool_input in inputs.items():
        assert shown(profile, ToolInputComplete("t", name, tool_input))[0]["content"] == []
        assert shown(AIR, ToolInputComplete("t", name, tool_input))[0]["content"] != []


def test_hook_tells_air_only_the_status() -> None:
    start = ToolInputComplete("t", "Agent", {"description": "d"})
    launched = {"status": "async_launched", "isAsync": True, "agentId": "a1", "prompt": "p"}
    _, update = shown(AIR, start, ToolHookResponse("t", "Agent", {}, launched))
    assert update["_meta"]["claudeCode"] == {
        "toolResponse": {"status": "async_launched", "isAsync": True}
    }
    assert len(shown(AIR, start, ToolHookResponse("t", "Agent", {}, {"x": 1}))) == 1


def test_hook_may_come_after_the_result() -> None:
    here = renderer(PLAIN)
    told(here, ToolInputComplete("t", "Edit", EDIT), ToolReturned("t", "done"))
    (change,) = told(here, edited())
    assert len(change["content"]) == 2
    assert told(here, edited()) == []


def test_result_that_nothing_is_to_be_shown_of() -> None:
    """An approved plan whose context is cleared, or an answered network question."""
    exit_plan = ToolInputComplete("t", "ExitPlanMode", {"plan": "# Plan"})
    _, final = shown(PLAIN, exit_plan, ToolReturned("t", None, structured={"plan": "# Plan"}))
    assert final == {
        "sessionUpdate": "tool_call_update",
        "toolCallId": "t",
        "status": "completed",
        "title": "Exited Plan Mode",
        "_meta": named("ExitPlanMode"),
    }
    network = ToolInputComplete("n", "SandboxNetworkAccess", {"host": "a.example"}, surfaced=True)
    start, final = shown(PLAIN, network, ToolReturned("n", None, is_error=True))
    assert start["title"] == "a.example"
    assert final["status"] == "failed"


def test_failed_launch_is_one_call() -> None:
    whole = ToolInputComplete("t", "Agent", {"description": "Look", "prompt": "p"})
    failed = ToolReturned("t", "No such agent", is_error=True)
    (update,) = shown(NATIVE, ToolShownWhole(whole, failed))
    assert update["sessionUpdate"] == "tool_call"
    assert update["status"] == "failed"
    assert update["title"] == "Look"
    assert texts(update) == ["```\nNo such agent\n```"]
    assert "jetbrains" not in update["_meta"]


def test_air_agent_control_failures_are_plain_text() -> None:
    facts = whole_call("SendMessage", {"to": "a1"}, "No such agent", is_error=True)
    assert texts(shown(AIR, *facts)[-1]) == ["No such agent"]
    assert texts(shown(PLAIN, *facts)[-1]) == ["```\nNo such agent\n```"]


def test_notebooks_are_told_in_full_to_air_only() -> None:
    tool_input = {"notebook_path": f"{CWD}/n.ipynb", "cell_id": "c1", "new_source": "1 + 1"}
    start, final = shown(AIR, *whole_call("NotebookEdit", tool_input, "Updated cell"))
    assert start["title"] == "Edit cell c1 in n.ipynb"
    assert (start["kind"], start["locations"]) == ("edit", [{"path": f"{CWD}/n.ipynb"}])
    assert texts(start) == ["```\n1 + 1\n```"]
    assert "content" not in final
    start, final = shown(PLAIN, *whole_call("NotebookEdit", tool_input, "Updated cell"))
    assert (start["title"], start["kind"], start["content"]) == ("NotebookEdit", "other", [])
    assert texts(final) == ["Updated cell"]
    deleted = {**tool_input, "edit_mode": "delete"}
    start, final = shown(AIR, *whole_call("NotebookEdit", deleted, "Deleted cell"))
    assert start["title"] == "Delete cell c1 in n.ipynb"
    assert texts(final) == ["Deleted cell"]
