"""Each AIR extension: the frames that a client with it gets, and that no other client gets them.

One line of the table plays what makes the extension speak, for clients of four kinds. Those that
are requests (goal, steering, index) or need files have golden frames beside their other tests.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from air.playing import (
    EVERYTHING,
    PLAIN,
    Json,
    Play,
    declares,
    level,
    lifecycle,
    notification,
    own_result,
    result,
    said,
    state,
    task_started,
    tool,
    tool_result,
    traces_of_air,
)
from brokers.conftest import ask
from canopy_agent.advertise import AIR_OFFERS
from canopy_agent.brokers import elicitation
from canopy_agent.capabilities import client_profile
from canopy_agent.domain.facts import Fact, ToolHookResponse, ToolInputComplete
from canopy_agent.session.opening import session_response
from canopy_agent.session.settings_files import ClaudeSettings
from canopy_shared.codec import encode
from canopy_shared.ext import air, session_index
from render.showing import renderer, told, whole_call
from session_setup.conftest import RECORDED, opened

EDIT = {"file_path": "/project/a.txt", "old_string": "alpha", "new_string": "omega"}
PATCH = """\
diff --git a/project/a.txt b/project/a.txt
--- a/project/a.txt
+++ b/project/a.txt
@@ -1,2 +1,2 @@
-alpha
+omega
 beta
"""
PLAN = {"plan": "# Plan\n", "planFilePath": "/home/me/plan.md"}


@dataclass(frozen=True)
class Case:
    """``frames`` gives what a client with the given capabilities gets; ``golden`` is a part of it
    for a client with the extension, for no other.
    """

    extension: str
    frames: Callable[[Json], list[Json]]
    golden: list[Json]


def marked(**payload: Any) -> Json:
    """AIR metadata, which other metadata may stand beside."""
    return {"air": {"version": 1, **payload}}


def alone(**payload: Any) -> Json:
    """AIR metadata with nothing beside it."""
    return {"jetbrains": marked(**payload)}


# --- played on the core ---------------------------------------------------------------------------


def child(capabilities: Json) -> list[Json]:
    play = Play(capabilities).prompt()
    play.frames(
        tool("t1", "Agent", description="Look", prompt="Do.", run_in_background=False),
        task_started("a1", "t1", task_type="local_agent", description="Look", run_id="r1"),
        notification("a1", summary="Done."),
        tool_result("t1", "Done.", {"status": "completed", "agentId": "a1"}),
    )
    return play.updates()


def shell(capabilities: Json) -> list[Json]:
    play = Play(capabilities).prompt()
    play.frames(
        tool("t1", "Bash", command="sleep 1", description="Tick", run_in_background=True),
        level("b1"),
        task_started("b1", "t1", is_backgrounded=True),
        tool_result("t1", "In background", {"stdout": "", "stderr": "", "backgroundTaskId": "b1"}),
        result("p1"),
        state("idle"),
        notification("b1", summary="It ended"),
        level(),
    )
    play.frames(state("running"), said("It is done."), own_result(), state("idle"))
    for update in play.tasks():
        if update["asyncTaskId"].startswith("autonomous-turn-"):
            update["asyncTaskId"] = "autonomous-turn-"
    return play.updates()


def failing(capabilities: Json) -> list[Json]:
    wrong = {"is_error": True, "result": "API Error: no", "terminal_reason": "api_error"}
    play = Play(capabilities).prompt()
    play.frames(said("API Error: no", error="rate_limit"), result("p1", **wrong))
    play.frames(lifecycle("p1", "cancelled"), state("idle"))
    answer = play.answers["p1"]
    return [*play.updates(), answer]


def answered(capabilities: Json) -> list[Json]:
    """The answer to a prompt while a subagent works on in the background."""
    play = Play(capabilities).prompt()
    row = {"task_id": "a1", "task_type": "local_agent", "description": "Look"}
    play.frames(
        tool("t1", "Agent", description="Look", prompt="Do.", run_in_background=True),
        level(row),
        task_started("a1", "t1", task_type="local_agent", run_id="r1", is_backgrounded=True),
        tool_result("t1", "Launched", {"isAsync": True, "agentId": "a1"}),
        result("p1"),
    )
    return [{"prompt": id_, "stopReason": one["stopReason"]} for id_, one in play.answers.items()]


def goal(capabilities: Json) -> list[Json]:
    return Play(capabilities).prompt("p1", "/goal all tests pass").updates()


def compaction(capabilities: Json) -> list[Json]:
    play = Play({**capabilities, "session": {"compaction": {}}}).prompt(text="/compact")
    began = {"type": "system", "subtype": "status", "status": "compacting", "uuid": "c1"}
    went = {"type": "system", "subtype": "status", "status": None, "compact_result": "success"}
    facts = {"trigger": "manual", "pre_tokens": 9000, "post_tokens": 2000, "duration_ms": 30}
    boundary = {"type": "system", "subtype": "compact_boundary", "compact_metadata": facts}
    return play.frames(began, went, boundary, result("p1")).updates("compaction_update")


# --- played on the renderer -----------------------------------------------------------------------


def rendered(*facts: Fact, disk: bytes = b"omega\nbeta\n") -> Callable[[Json], list[Json]]:
    def frames(capabilities: Json) -> list[Json]:
        profile = client_profile(capabilities)
        return told(renderer(profile, read_file=lambda _: disk), *facts)

    return frames


HUNK = {"oldStart": 1, "oldLines": 2, "newStart": 1, "newLines": 2}
CHANGED = {
    "filePath": EDIT["file_path"],
    "oldString": "alpha",
    "newString": "omega",
    "originalFile": "alpha\nbeta\n",
    "structuredPatch": [{**HUNK, "lines": ["-alpha", "+omega", " beta"]}],
    "userModified": False,
    "replaceAll": False,
}
edit = rendered(ToolInputComplete("t", "Edit", EDIT), ToolHookResponse("t", "Edit", EDIT, CHANGED))
plan = rendered(*whole_call("ExitPlanMode", PLAN, "approved"), disk=b"# Plan\n")
fetch = rendered(ToolInputComplete("t", "WebFetch", {"url": "https://a", "prompt": "p"}))
mcp = rendered(ToolInputComplete("t", "mcp__srv__echo", {"a": 1}))


def permission(capabilities: Json) -> list[Json]:
    here = renderer(client_profile(capabilities))
    told(here, ToolInputComplete("t", "Bash", {"command": "ls"}, surfaced=True))
    call, meta = here.permission_tool_call("t", "Bash", {"command": "ls"}, None, reason="outside")
    return [{"toolCall": encode(call), "_meta": meta}]


# --- others ---------------------------------------------------------------------------------------


def options(capabilities: Json) -> list[Json]:
    init = json.loads(RECORDED.read_text(encoding="utf-8"))
    profile = client_profile(capabilities)
    opening = opened(init, settings=ClaudeSettings(default_mode="default"), profile=profile)
    found: list[Json] = session_response("s", opening.state, profile)["configOptions"]
    return [
        {"id": one["id"], "value": one["currentValue"], "_meta": one.get("_meta")} for one in found
    ]


def question(capabilities: Json) -> list[Json]:
    asked = [{"question": "Which?", "header": "W", "options": [{"label": "A"}, {"label": "B"}]}]
    profile = client_profile({**capabilities, "elicitation": {"form": {}}})
    form = elicitation.question_form("s", ask("AskUserQuestion", {"questions": asked}), profile)
    assert form is not None
    return [
        {"field": name, "_meta": field.get("_meta")}
        for name, field in form["requestedSchema"]["properties"].items()
    ]


ALWAYS = "every AIR client"
LINK = {"questionId": "question_0", "isCustomAnswer": True}
CASES = [
    Case(
        air.NATIVE_SUBAGENT_SESSIONS,
        child,
        [
            {
                "sessionUpdate": "subagent_spawned",
                "subagentSessionId": "a1",
                "name": "Look",
                "task": "Do.",
                "prompt": "Do.",
                "capabilities": {},
            },
            {
                "sessionUpdate": "subagent_state_update",
                "subagentSessionId": "a1",
                "state": "completed",
            },
        ],
    ),
    Case(
        air.BACKGROUND_SUBAGENTS,
        answered,
        [{"prompt": "p1", "stopReason": "end_turn"}],
    ),
    Case(
        air.ASYNC_TASKS,
        shell,
        [
            {
                "sessionUpdate": "async_task_spawned",
                "asyncTaskId": "b1",
                "name": "Tick",
                "taskType": "shell",
                "description": "Tick",
                "showInTranscript": False,
                "canStop": True,
                "toolCallId": "t1",
            },
            {
                "sessionUpdate": "async_task_state_update",
                "asyncTaskId": "b1",
                "state": "completed",
                "summary": "It ended",
            },
            {
                "sessionUpdate": "async_task_spawned",
                "asyncTaskId": "autonomous-turn-",
                "name": "Claude is working",
                "taskType": "turn",
                "description": "It ended",
                "showInTranscript": False,
                "canStop": True,
            },
            {
                "sessionUpdate": "async_task_state_update",
                "asyncTaskId": "autonomous-turn-",
                "state": "completed",
            },
        ],
    ),
    Case(
        air.SESSION_FAILURE,
        failing,
        [
            marked(
                sessionFailure={
                    "id": "p1:error",
                    "revision": 1,
                    "category": "limit",
                    "severity": "error",
                    "title": "API Error: no",
                    "actions": ["retry"],
                }
            )
        ],
    ),
    Case(
        air.DIFF_PATCH,
        edit,
        [
            {
                "type": "diff",
                "path": "/project/a.txt",
                "oldText": None,
                "newText": "",
                "_meta": alone(diffPatch={"version": 1, "format": "git_patch", "text": PATCH}),
            }
        ],
    ),
    Case(
        air.PLAN_FILE,
        plan,
        [
            {
                "sessionUpdate": "tool_call",
                "toolCallId": "t:plan-file-clear",
                "title": "Exited Plan Mode",
                "kind": "switch_mode",
                "status": "completed",
                "rawInput": {"planFilePath": ""},
                "content": [],
            }
        ],
    ),
    Case(
        air.RAW_INPUT_RENDERING,
        fetch,
        [
            {
                "sessionUpdate": "tool_call",
                "toolCallId": "t",
                "title": "Fetch https://a",
                "name": "WebFetch",
                "kind": "fetch",
                "status": "pending",
                "content": [],
                "rawInput": {"url": "https://a", "prompt": "p"},
                "_meta": {"claudeCode": {"toolName": "WebFetch"}},
            }
        ],
    ),
    Case(
        air.RECOMMENDED_VALUE,
        options,
        [
            {"id": "model", "value": "opus", "_meta": alone(recommendedValue="opus")},
            {"id": "effort", "value": "medium", "_meta": alone(recommendedValue="medium")},
        ],
    ),
    Case(
        ALWAYS,
        goal,
        [
            marked(
                goal={
                    "objective": "all tests pass",
                    "status": "active",
                    "controlMethod": "_session/goal",
                }
            )
        ],
    ),
    Case(
        ALWAYS,
        compaction,
        [
            {
                "sessionUpdate": "compaction_update",
                "compactionId": "c1",
                "status": "completed",
                "_meta": alone(
                    contextCompaction={
                        "version": 1,
                        "trigger": "manual",
                        "preTokens": 9000,
                        "postTokens": 2000,
                        "durationMs": 30,
                    }
                ),
            }
        ],
    ),
    Case(
        ALWAYS,
        permission,
        [marked(permission={"version": 1, "title": "ls", "description": "Reason: outside"})],
    ),
    Case(ALWAYS, mcp, [marked(mcp={"server": "srv", "tool": "echo"})]),
    Case(
        ALWAYS,
        question,
        [
            {
                "field": "question_0_custom",
                "_meta": {"_askUserQuestionCustomAnswer": LINK, **alone(customAnswer=LINK)},
            }
        ],
    ),
]
IDS = [f"{number} {case.extension}" for number, case in enumerate(CASES)]
ELSEWHERE = {
    air.AGENT_FILE_CHANGE_REPORT: "test_file_report.py",
    air.CUSTOM_INSTRUCTIONS: "what a client sends",
    air.SESSION_INDEX: "test_session_index.py",
    session_index.BATCH_GET: "test_session_index.py",
    session_index.ARCHIVE: "test_session_index.py",
    session_index.RENAME: "test_session_index.py",
    session_index.SUBSCRIBE: "test_session_index.py",
    session_index.WORKTREES: "test_session_index.py",
}


def parts(value: Any) -> list[Any]:
    """A value and everything inside it."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [value, *(part for one in inside for part in parts(one))]


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_golden_frames_of_a_client_with_the_extension(case: Case) -> None:
    with_it = declares() if case.extension == ALWAYS else declares(case.extension)
    for capabilities in (with_it, declares(*EVERYTHING)):
        found = parts(case.frames(needed(case, capabilities)))
        for golden in case.golden:
            assert golden in found


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_no_other_client_gets_them(case: Case) -> None:
    others = [PLAIN, {"_meta": {"terminal_output": True}}, {"subagents": {}}]
    for capabilities in others:
        frames = case.frames(capabilities)
        assert traces_of_air(frames) == []
        assert not [golden for golden in case.golden if golden in parts(frames)]
    if case.extension != ALWAYS:
        rest = [name for name in EVERYTHING if name != case.extension]
        frames = case.frames(declares(*rest))
        assert not [golden for golden in case.golden if golden in parts(frames)]


def needed(case: Case, capabilities: Json) -> Json:
    """Turns end with live subagents only where those are sessions of their own."""
    if case.extension == air.BACKGROUND_SUBAGENTS and "native" not in str(capabilities):
        return declares(air.BACKGROUND_SUBAGENTS, air.NATIVE_SUBAGENT_SESSIONS)
    return capabilities


def test_every_extension_has_golden_frames() -> None:
    named = {case.extension for case in CASES} | set(ELSEWHERE)
    assert {name for name, _ in AIR_OFFERS} <= named
