"""Title, kind, places and first content of every tool, by its input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from canopy_agent.domain.facts import ToolInputComplete, ToolOpened
from render.showing import AIR, CWD, PLAIN, shown, texts, whole_call

if TYPE_CHECKING:
    from canopy_agent.capabilities import ClientProfile

TITLES: list[tuple[str, dict[str, Any], str, str]] = [
    ("Bash", {}, "Terminal", "execute"),
    ("Bash", {"command": "a &&\n  b"}, "a &&\n  b", "execute"),
    ("PowerShell", {"command": "ls"}, "ls", "execute"),
    ("BashOutput", {"bash_id": "1"}, "BashOutput", "other"),
    ("KillShell", {}, "KillShell", "other"),
    ("LS", {"path": "/a"}, "LS", "other"),
    ("MultiEdit", {"file_path": "/a"}, "MultiEdit", "other"),
    ("ToolSearch", {"query": "x"}, "ToolSearch", "other"),
    ("Workflow", {"name": "x"}, "Workflow", "other"),
    ("Monitor", {"description": "x"}, "Monitor", "other"),
    ("SendMessage", {"to": "a1"}, "SendMessage", "other"),
    ("TaskStop", {"task_id": "x"}, "TaskStop", "other"),
    ("TaskOutput", {}, "TaskOutput", "other"),
    ("ListAgents", {}, "ListAgents", "other"),
    ("CronCreate", {"cron": "* * * * *"}, "CronCreate", "other"),
    ("CronDelete", {"id": "1"}, "CronDelete", "other"),
    ("CronList", {}, "CronList", "other"),
    ("Artifact", {"action": "list"}, "Artifact", "other"),
    ("EnterWorktree", {"name": "fix"}, "EnterWorktree: fix", "other"),
    ("EnterWorktree", {}, "EnterWorktree", "other"),
    ("ExitWorktree", {"action": "keep"}, "ExitWorktree: keep", "other"),
    ("LSP", {"operation": "hover"}, "LSP: hover", "other"),
    ("ListMcpResourcesTool", {"server": "s"}, "ListMcpResourcesTool: s", "other"),
    ("ReadMcpResourceTool", {"server": "s", "uri": "x://y"}, "ReadMcpResourceTool: x://y", "other"),
    ("RefreshMcpTools", {}, "RefreshMcpTools", "other"),
    ("ScheduleWakeup", {"reason": "later"}, "ScheduleWakeup: later", "other"),
    ("PushNotification", {"message": "hi"}, "PushNotification: hi", "other"),
    ("StructuredOutput", {"a": 1}, "StructuredOutput", "other"),
    ("BrandNewTool", {"a": 1}, "BrandNewTool", "other"),
    ("", {}, "Unknown Tool", "other"),
    ("mcp__srv__tool", {}, "mcp__srv__tool", "other"),
    ("Read", {}, "Read File", "read"),
    ("Read", {"file_path": f"{CWD}/a b.txt"}, "Read a b.txt", "read"),
    ("Read", {"file_path": "/etc/x", "limit": 3}, "Read /etc/x (1 - 3)", "read"),
    ("Read", {"file_path": "/x", "offset": 7}, "Read /x (from line 7)", "read"),
    ("Read", {"file_path": "/x.pdf", "pages": "1-3"}, "Read /x.pdf (pages 1-3)", "read"),
    ("Write", {}, "Preparing file…", "edit"),
    ("Write", {"path": f"{CWD}/x", "file_text": "a"}, "Write x", "edit"),
    ("Edit", {}, "Edit", "edit"),
    ("Edit", {"file_path": f"{CWD}/d/x"}, "Edit d/x", "edit"),
    ("NotebookEdit", {"notebook_path": "/n"}, "NotebookEdit", "other"),
    ("Glob", {}, "Find", "search"),
    ("Glob", {"pattern": "*.py"}, "Find `*.py`", "search"),
    ("Glob", {"pattern": "*.py", "path": f"{CWD}/src"}, "Find `src` `*.py`", "search"),
    ("Grep", {}, "grep", "search"),
    (
        "Grep",
        {
            "pattern": "a b",
            "path": f"{CWD}/src",
            "-i": True,
            "-n": True,
            "-A": 1,
            "-B": 2,
            "-C": 3,
            "output_mode": "files_with_matches",
            "head_limit": 9,
            "glob": "*.py",
            "type": "py",
            "multiline": True,
        },
        'grep -i -n -A 1 -B 2 -C 3 -l | head -9 --include="*.py" --type=py -P "a b" src',
        "search",
    ),
    ("Grep", {"pattern": "x", "output_mode": "count"}, 'grep -c "x"', "search"),
    ("WebFetch", {}, "Fetch", "fetch"),
    ("WebFetch", {"url": "https://a/b"}, "Fetch https://a/b", "fetch"),
    ("WebFetch", {"url": "https://a", "offset": 5}, "Fetch https://a (from char 5)", "fetch"),
    ("WebSearch", {}, "Web search", "fetch"),
    ("WebSearch", {"query": "cats"}, 'Search "cats"', "fetch"),
    ("web_search", {"query": "cats"}, 'Search "cats"', "fetch"),
    ("Agent", {}, "Task", "think"),
    ("Task", {"description": "Fix it"}, "Fix it", "think"),
    ("Agent", {"description": "Fix", "effort": "high"}, "Fix (high effort)", "think"),
    (
        "Agent",
        {"description": "Fix", "effort": "high", "subagent_type": "fork"},
        "Fix",
        "think",
    ),
    ("EnterPlanMode", {}, "EnterPlanMode", "switch_mode"),
    ("ExitPlanMode", {"plan": "x"}, "Approve Plan", "switch_mode"),
    ("AskUserQuestion", {}, "Asking for your input", "other"),
    ("AskUserQuestion", {"questions": [{"question": "Which?"}]}, "Which?", "other"),
    ("Skill", {}, "Load skill", "other"),
    ("Skill", {"skill": "pdf"}, "Load skill: pdf", "other"),
    ("ReportFindings", {"findings": []}, "Report findings: none found", "think"),
    ("ReportFindings", {"findings": [{"file": "a"}]}, "Report 1 finding", "think"),
    ("ReportFindings", {"findings": [{}, {}]}, "Report 2 findings", "think"),
]


@pytest.mark.parametrize(("name", "tool_input", "title", "kind"), TITLES)
def test_title_and_kind(name: str, tool_input: dict[str, Any], title: str, kind: str) -> None:
    (start,) = shown(PLAIN, ToolInputComplete("t", name, tool_input))
    assert (start["title"], start["kind"]) == (title, kind)
    assert start["rawInput"] == tool_input


@pytest.mark.parametrize("profile", [PLAIN, AIR], ids=["plain", "air"])
@pytest.mark.parametrize("name", sorted({name for name, *_ in TITLES}))
def test_any_input_at_all_can_be_told(name: str, profile: ClientProfile) -> None:
    """Models send wrong types; a card must come out of anything."""
    keys = {key for other, tool_input, *_ in TITLES if other == name for key in tool_input}
    odd_values: list[Any] = [None, 1, True, 1.5, "", [], {}, [1], [{}], {"x": 1}, 1e300]
    for value in odd_values:
        odd = dict.fromkeys(keys | {"file_path", "questions", "findings", "todos"}, value)
        start, final = shown(profile, *whole_call(name, odd, [{"odd": value}], structured=odd))
        assert start["title"]
        assert final["status"] == "completed"


def test_air_meta_of_tools() -> None:
    def air_meta(name: str, tool_input: dict[str, Any]) -> Any:
        (start,) = shown(AIR, ToolInputComplete("t", name, tool_input))
        return start["_meta"]["jetbrains"]["air"]

    assert air_meta("Skill", {"skill": "pdf"}) == {"version": 1, "skill": {"name": "pdf"}}
    assert air_meta("Bash", {"command_description": "d"}) == {"version": 1, "commandTitle": "d"}
    assert air_meta("Task", {}) == {"version": 1, "subagent": True}
    for name, tool_input, *_ in TITLES:
        (start,) = shown(PLAIN, ToolInputComplete("t", name, tool_input))
        assert set(start.get("_meta", {})) <= {"claudeCode"}


def test_single_question_is_no_title_for_air() -> None:
    question = {"questions": [{"question": "Which?"}]}
    assert shown(AIR, ToolInputComplete("t", "AskUserQuestion", question))[0]["title"] == (
        "Asking for your input"
    )


def test_titles_are_one_line_without_control_characters() -> None:
    wild = "Look\n at\t\x1b[31mthis\x07 \u202eevil\u200b"
    (start,) = shown(PLAIN, ToolInputComplete("t", "Agent", {"description": wild}))
    assert start["title"] == "Look at [31mthis evil"
    (start,) = shown(PLAIN, ToolInputComplete("t", "Agent", {"description": "x" * 4001}))
    assert start["title"] == "Agent"


@pytest.mark.parametrize("name", ["Read", "Edit", "Write"])
def test_places_are_absolute(name: str) -> None:
    (start,) = shown(PLAIN, ToolInputComplete("t", name, {"file_path": "src/a.py"}))
    assert start["locations"][0]["path"] == f"{CWD}/src/a.py"
    assert shown(PLAIN, ToolOpened("t", name))[0]["locations"] == []


def test_findings_are_listed() -> None:
    findings = [
        {"file": f"{CWD}/a.py", "line": 3, "summary": "Wrong sign"},
        {"file": "b.py", "short_summary": "Leak"},
    ]
    (start,) = shown(PLAIN, ToolInputComplete("t", "ReportFindings", {"findings": findings}))
    assert texts(start) == ["**a.py:3** Wrong sign\n\n**b.py** Leak"]


def test_web_search_lists_its_hits() -> None:
    hits = [{"title": "A", "url": "https://a"}, {"title": "B", "url": "https://b"}]
    structured = {"query": "q", "results": [{"tool_use_id": "x", "content": hits}, "So: A."]}
    *_, final = shown(PLAIN, *whole_call("WebSearch", {"query": "q"}, "raw", structured=structured))
    assert texts(final) == ["A (https://a)\nB (https://b)\nSo: A."]


def test_searches_with_a_path_show_no_text_to_air() -> None:
    for name in ("Grep", "Glob"):
        *_, final = shown(AIR, *whole_call(name, {"pattern": "x", "path": "/src"}, "a.py:1"))
        assert final.keys() == {"sessionUpdate", "toolCallId", "status"}
        *_, final = shown(AIR, *whole_call(name, {"pattern": "x"}, "a.py:1"))
        assert texts(final) == ["a.py:1"]


def test_skill_text_is_not_shown() -> None:
    *_, final = shown(PLAIN, *whole_call("Skill", {"skill": "pdf"}, "Launching skill: pdf"))
    assert "content" not in final


def test_literal_other_shows_its_input() -> None:
    (start,) = shown(PLAIN, ToolInputComplete("t", "Other", {"a": 1}))
    assert texts(start) == ['```json\n{"a":1}\n```']


def test_a_message_to_the_user_is_shown_and_not_its_receipt() -> None:
    facts = whole_call("SendUserMessage", {"message": "Half done."}, "Message delivered to user.")
    start, final = shown(PLAIN, *facts)
    assert (start["title"], texts(start)) == ("Message", ["Half done."])
    assert "content" not in final
