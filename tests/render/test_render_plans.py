"""Plans from TodoWrite and from the Task tools; documents of approved plans; plan files."""

from __future__ import annotations

from typing import Any

import pytest

from canopy_agent.capabilities import ClientProfile
from canopy_agent.domain.facts import (
    Fact,
    PlanForgotten,
    PlanShown,
    TaskHooked,
    ToolHookResponse,
    ToolInputComplete,
    ToolInputGrew,
    ToolOpened,
    ToolReturned,
)
from canopy_shared.codec import encode
from canopy_shared.ext import air
from render.showing import AIR, NATIVE, PLAIN, air_client, renderer, shown, told, whole_call

Json = dict[str, Any]
TODOS = {
    "todos": [
        {"content": "First", "activeForm": "Doing first", "status": "in_progress"},
        {"content": "Second", "activeForm": "Doing second", "status": "pending"},
        {"content": "Third", "status": "done?"},
        "odd",
    ]
}


def entries(update: Json) -> list[tuple[str, str]]:
    assert update["sessionUpdate"] == "plan"
    assert all(entry["priority"] == "medium" for entry in update["entries"])
    return [(entry["content"], entry["status"]) for entry in update["entries"]]


def test_60_todos_are_a_plan_and_no_call() -> None:
    facts: list[Fact] = [
        ToolOpened("t", "TodoWrite"),
        ToolInputGrew("t", {}),
        ToolInputComplete("t", "TodoWrite", TODOS),
        ToolHookResponse("t", "TodoWrite", TODOS, {"newTodos": []}),
        ToolReturned("t", "Todos updated"),
    ]
    (plan,) = shown(PLAIN, *facts)
    assert entries(plan) == [
        ("Doing first", "in_progress"),
        ("Second", "pending"),
        ("Third", "pending"),
    ]


def test_plan_call_is_not_open() -> None:
    here = renderer(PLAIN)
    told(here, ToolOpened("t", "TodoWrite"))
    assert not here.is_open("t")


def created(number: int, subject: str, structured: Any = None, **more: Any) -> list[Any]:
    raw = f"Task #{number} created successfully: {subject}"
    tool_input = {"subject": subject, "description": "d", **more}
    return whole_call("TaskCreate", tool_input, raw, id_=f"c{number}", structured=structured)


def updated(number: int, id_: str, **tool_input: Any) -> list[Any]:
    return whole_call("TaskUpdate", {"taskId": str(number), **tool_input}, "Updated", id_=id_)


def test_60_tasks_are_snapshots() -> None:
    facts: list[Fact] = [
        *created(1, "First", {"task": {"id": "1", "subject": "First"}}, activeForm="Doing first"),
        *created(2, "Second"),
        *updated(1, "u1", status="in_progress"),
        *updated(1, "u2", status="completed"),
        *updated(2, "u3", status="deleted"),
    ]
    plans = shown(PLAIN, *facts)
    assert [entries(plan) for plan in plans] == [
        [("First", "pending")],
        [("First", "pending"), ("Second", "pending")],
        [("Doing first", "in_progress"), ("Second", "pending")],
        [("First", "completed"), ("Second", "pending")],
        [("First", "completed")],
    ]


def test_60_unchanged_plan_is_repeated_to_plain_clients_only() -> None:
    for profile, count in ((PLAIN, 2), (AIR, 1)):
        here = renderer(profile)
        plans = told(here, *created(1, "First"))
        plans += [
            encode(u) for u in here.render(TaskHooked("TaskCreated", "1", "First", "d"), None)
        ]
        assert len(plans) == count
        assert entries(plans[-1]) == [("First", "pending")]


def test_task_hooks_keep_the_list() -> None:
    here = renderer(PLAIN)
    (plan,) = here.render(TaskHooked("TaskCreated", "1", "First"), None)
    assert entries(encode(plan)) == [("First", "pending")]
    assert [entries(encode(u)) for u in here.unfinished_plan()] == [[("First", "pending")]]
    (plan,) = here.render(TaskHooked("TaskCompleted", "1", "First"), None)
    assert entries(encode(plan)) == [("First", "completed")]
    assert here.unfinished_plan() == []
    assert here.render(TaskHooked("Stop", "1", "First"), None) == []
    (forgotten,) = told(here, PlanForgotten())
    assert entries(forgotten) == []
    assert told(here, PlanForgotten()) == []
    assert told(here, *updated(1, "u", status="pending")) == []


def listed(raw: str, structured: Any = None) -> list[list[tuple[str, str]]]:
    facts: list[Fact] = [
        *created(1, "Old", activeForm="Doing old"),
        *whole_call("TaskList", {}, raw, id_="l", structured=structured),
    ]
    return [entries(plan) for plan in shown(PLAIN, *facts)[1:]]


def test_task_list_replaces_the_list() -> None:
    raw = "#1 [in_progress] Old (me)\n#2 [pending] New [blocked by #1]"
    assert listed(raw) == [[("Doing old", "in_progress"), ("New", "pending")]]
    structured = {"tasks": [{"id": "7", "subject": "S", "status": "completed", "blockedBy": []}]}
    assert listed("ignored", structured) == [[("S", "completed")]]
    assert listed("No tasks found") == [[]]
    assert listed("something else") == []


@pytest.mark.parametrize(
    ("name", "tool_input"),
    [
        ("TaskUpdate", {"taskId": "9", "status": "completed"}),
        ("TaskUpdate", {"taskId": "9", "status": "deleted"}),
        ("TaskUpdate", {}),
        ("TaskGet", {"taskId": "1"}),
        ("TaskCreate", {}),
        ("TodoWrite", {"todos": "odd"}),
    ],
)
def test_what_says_nothing_of_the_plan(name: str, tool_input: Json) -> None:
    assert shown(PLAIN, *whole_call(name, tool_input, "odd")) == []


def test_failures_change_nothing() -> None:
    here = renderer(PLAIN)
    told(here, *created(1, "First"))
    failed = {"success": False, "taskId": "1", "updatedFields": []}
    facts: list[Fact] = [
        *whole_call("TaskUpdate", {"taskId": "1", "status": "completed"}, "no", is_error=True),
        *whole_call(
            "TaskUpdate", {"taskId": "1", "status": "completed"}, "no", id_="u", structured=failed
        ),
    ]
    assert told(here, *facts) == []


def test_todos_of_a_subagent_do_not_replace_the_plan_of_the_root() -> None:
    todo = ToolInputComplete("t", "TodoWrite", TODOS)
    assert shown(PLAIN, todo, parent="launch") == []
    assert len(shown(NATIVE, todo, parent="launch")) == 1


def test_plan_as_a_fact() -> None:
    fact = PlanShown(({"content": "a", "status": "pending", "priority": "medium"},))
    assert [entries(plan) for plan in shown(PLAIN, fact, fact)] == [[("a", "pending")]] * 2
    assert len(shown(AIR, fact, fact)) == 1


# --- approved plans ------------------------------------------------------------------------------

PLAN = {"plan": "# Plan\n", "planFilePath": "/home/me/plan.md"}


def approved(profile: ClientProfile, parent: str | None = None, **structured: Any) -> list[Json]:
    facts = whole_call("ExitPlanMode", PLAN, "approved", structured=structured)
    updates = shown(profile, *facts, parent=parent)
    return [update for update in updates if update["sessionUpdate"] == "plan_update"]


def test_approved_plan_is_a_document() -> None:
    plain = ClientProfile(plan_documents=True)
    (document,) = approved(plain, plan="# Edited\n")
    assert document["plan"] == {"type": "markdown", "planId": "plan-mode", "content": "# Edited\n"}
    (document,) = approved(air_client(plan_documents=True))
    assert document["plan"]["planId"] == "plan-mode:t"
    assert document["plan"]["content"] == "# Plan\n"
    assert approved(plain, "launch") == []
    assert approved(plain, isAgent=True) == []
    assert approved(plain, awaitingLeaderApproval=True) == []
    assert approved(PLAIN) == []


PLANNING = air_client(air.PLAN_FILE)


def test_plan_file_stands_for_the_text() -> None:
    facts = whole_call("ExitPlanMode", PLAN, "approved")
    start, final, cleared = shown(PLANNING, *facts, read_file=lambda _: b"# Plan\n")
    assert start["rawInput"] == {"planFilePath": "/home/me/plan.md"}
    assert start["content"] == []
    assert final.keys() == {"sessionUpdate", "toolCallId", "status", "title"}
    assert cleared == {
        "sessionUpdate": "tool_call",
        "toolCallId": "t:plan-file-clear",
        "title": "Exited Plan Mode",
        "kind": "switch_mode",
        "status": "completed",
        "rawInput": {"planFilePath": ""},
        "content": [],
    }


def test_plan_file_that_only_the_result_names() -> None:
    structured = {"plan": "# Plan\n", "filePath": "/home/me/plan.md"}
    facts = whole_call("ExitPlanMode", {"plan": "# Plan\n"}, "approved", structured=structured)
    start, final, cleared = shown(PLANNING, *facts, read_file=lambda _: b"# Plan\n")
    assert start["rawInput"] == {"plan": "# Plan\n"}
    assert final["rawInput"] == {"planFilePath": "/home/me/plan.md"}
    assert cleared["toolCallId"] == "t:plan-file-clear"


def test_plan_without_a_file_is_shown_as_text() -> None:
    facts = whole_call("ExitPlanMode", PLAN, "approved")
    start, *rest = shown(PLANNING, *facts, read_file=lambda _: None)
    assert start["rawInput"] == PLAN
    assert start["content"] != []
    assert len(rest) == 1


def test_keep_planning() -> None:
    facts = whole_call("ExitPlanMode", PLAN, "```\nNot yet\n```", is_error=True)
    *_, plain = shown(PLAIN, *facts)
    assert plain["content"][0]["content"]["text"] == "```\nNot yet\n```"
    *_, in_air = shown(AIR, *facts)
    assert "content" not in in_air
    assert in_air["rawOutput"] == "```\nNot yet\n```"
