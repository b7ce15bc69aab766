"""Every tool of Claude Code 2.1.332, really run, as a plain client and as an AIR client sees it."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from canopy_agent.demo.rules import Rule, ToolUse, When
from canopy_agent.demo.workspace import demo_environment
from canopy_shared.ext import air
from demo.claude import running
from e2e.world import FORM, world
from tools_e2e import desk_server
from tools_e2e.planning import NO_AUTO, plan_file, settings
from tools_e2e.scripted import call, merged, sequence
from tools_e2e.tool_table import PLANS, ROWS, Row

if TYPE_CHECKING:
    from e2e.world import World

DEFERRED = (
    "CronCreate,CronDelete,CronList,EnterPlanMode,EnterWorktree,ExitPlanMode,ExitWorktree,Monitor,"
    "NotebookEdit,PowerShell,SendMessage,SendUserMessage,TaskCreate,TaskGet,TaskList,TaskStop,"
    "TaskUpdate,WebFetch,WebSearch,mcp__desk__note"
)
ENV = {
    "CLAUDE_CODE_ENABLE_TASKS": "1",
    "CLAUDE_CODE_ENABLE_TODO_TOOLS": "1",
    "CLAUDE_CODE_USE_POWERSHELL_TOOL": "1",
    "CLAUDE_CODE_BRIEF": "1",
}
QUESTION = {
    "question": "Which?",
    "header": "H",
    "multiSelect": False,
    "options": [{"label": "A", "description": "a"}, {"label": "B", "description": "b"}],
}
FINDING = {
    "file": "a.py",
    "line": 3,
    "summary": "bad",
    "failure_scenario": "it fails",
}
NOTEBOOK = {
    "cells": [
        {
            "cell_type": "code",
            "id": "c1",
            "metadata": {},
            "outputs": [],
            "execution_count": None,
            "source": ["print(1)"],
        }
    ],
    "metadata": {"kernelspec": {"name": "python3"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}
SCRIPT = "export const meta = {name: 'w', description: 'd'}\nreturn 1\n"
AIR_CLIENT = {
    "_meta": {**air.client_meta(air.DIFF_PATCH), "terminal_output": True},
    **FORM,
}


def every_call() -> list[ToolUse]:
    notebook = "{cwd}/n.ipynb"
    return [
        call("ToolSearch", query=f"select:{DEFERRED}"),
        call("Bash", command="echo hi", description="Say hi"),
        call("Read", file_path="{cwd}/README.md", offset=1, limit=2),
        call("Write", file_path="{cwd}/n.txt", content="a\nb\n"),
        call("Edit", file_path="{cwd}/n.txt", old_string="a", new_string="c"),
        call("Read", file_path=notebook),
        call("NotebookEdit", notebook_path=notebook, cell_id="c1", new_source="print(2)"),
        call("Skill", skill="greet", args="x"),
        call("ReportFindings", findings=[FINDING]),
        call("ScheduleWakeup", delaySeconds=3600, reason="r", prompt="p"),
        call("ListAgents"),
        call("SendMessage", to="nobody", message="x", summary="s"),
        call("Monitor", command="true", description="Watch", timeout_ms=1000, persistent=False),
        call("TaskStop", task_id="nope"),
        call("CronCreate", cron="0 9 * * *", prompt="p", recurring=True),
        call("CronList"),
        call("CronDelete", id="zzz"),
        call("EnterWorktree", name="wt1"),
        call("ExitWorktree", action="remove"),
        call("WebFetch", url="http://127.0.0.1:9/x", prompt="sum"),
        call("WebSearch", query="cats"),
        call("TaskCreate", subject="First", description="d", activeForm="Doing first"),
        call("TaskUpdate", taskId="1", status="in_progress"),
        call("TaskGet", taskId="1"),
        call("TaskList"),
        call("PowerShell", command="Get-Item .", description="ps"),
        call("SendUserMessage", message="hello", attachments=[], status="normal"),
        call("Workflow", script=SCRIPT),
        call("Agent", description="Sub", prompt="Role: kid", run_in_background=False),
        call("AskUserQuestion", questions=[QUESTION]),
        call("mcp__desk__note", text="hi"),
        call("EnterPlanMode"),
        ToolUse("Write", plan_file),
        call("ExitPlanMode"),
    ]


def furnish(w: World) -> None:
    """A notebook, a skill and a git repository in the project."""
    (w.cwd / "n.ipynb").write_text(json.dumps(NOTEBOOK))
    skill = w.cwd / ".claude" / "skills" / "greet"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: greet\ndescription: greets\n---\nSay hello.\n")
    commit = ("-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-qm", "x")
    for words in (("init", "-q"), ("add", "-A"), commit):
        subprocess.run(["git", *words], cwd=w.cwd, check=True)
    settings(w, **NO_AUTO)


DESK = {"name": "desk", "command": sys.executable, "args": [desk_server.__file__], "env": []}


def kinds(card: dict[str, Any]) -> str:
    """What the content of a card is, in words."""
    found = []
    for block in card["content"]:
        if block["type"] != "content":
            patch = "diffPatch" in str(block.get("_meta"))
            found.append("git patch" if patch else block["type"])
        else:
            text = block["content"].get("text", "")
            found.append("console text" if text.startswith("```console") else "text")
    return ", ".join(dict.fromkeys(found))


def seen(card: dict[str, Any], name: str, *, of_air: bool) -> Row:
    """The row that a card is."""
    places = card.get("locations", [])
    where = ("line" if "line" in places[0] else "path") if places else ""
    meta = card["_meta"].get("jetbrains", {}).get("air", {})
    keys = ", ".join(sorted(set(meta) - {"version"}))
    content = kinds(card)
    return Row(
        name,
        card["title"],
        card["kind"],
        air=content if of_air else "",
        plain="" if of_air else content,
        status=card["status"],
        places=where,
        air_meta=keys,
    )


def expected(row: Row, *, of_air: bool) -> Row:
    """The row of the table as one client sees it."""
    title = row.air_title if of_air and row.air_title else row.title
    kind = row.air_kind if of_air and row.air_kind else row.kind
    places = "path" if of_air and row.name == "NotebookEdit" else row.places
    return Row(
        row.name,
        title,
        kind,
        air=row.air if of_air else "",
        plain="" if of_air else row.plain,
        status=row.status,
        places=places,
        air_meta=row.air_meta if of_air else "",
    )


def with_requests(w: World) -> list[dict[str, Any]]:
    """All updates, and what permission requests add to the cards, in order."""
    told = []
    for frame in w.agent.frames:
        if frame.get("method") == "session/update":
            told.append(frame["params"]["update"])
        elif frame.get("method") == "session/request_permission":
            shown = {k: v for k, v in frame["params"]["toolCall"].items() if k != "status"}
            told.append({"sessionUpdate": "tool_call_update", **shown})
    return told


@pytest.mark.parametrize("of_air", [False, True], ids=["plain", "air"])
async def test_every_tool_is_shown_as_the_table_says(of_air: bool) -> None:
    kid = Rule(When(agent="kid"), "Kid done.")
    async with world(kid, sequence(*every_call()), env=ENV) as w:
        furnish(w)
        await w.agent.initialize(AIR_CLIENT if of_air else FORM)
        w.session = await w.agent.new_session(w.cwd, mcpServers=[DESK])
        w.agent.on_permission("allow_once")
        w.agent.on("elicitation/create", {"action": "accept", "content": {"question_0": "A"}})
        assert (await w.prompt("go"))["stopReason"] == "end_turn"
        assert w.agent.text().startswith("All done.")
        cards = merged(with_requests(w))
        names = {id_: next(u for u in w.agent.updates() if u.get("toolCallId") == id_)["name"]
                 for id_ in cards}  # fmt: skip
        rows: dict[str, Row] = {}
        for id_, card in cards.items():
            rows.setdefault(names[id_], seen(card, names[id_], of_air=of_air))
        wanted = {row.name: expected(row, of_air=of_air) for row in ROWS}
        assert rows == wanted
        assert all(card["status"] in ("completed", "failed") for card in cards.values())
        plans = [u["entries"] for u in w.agent.updates("plan")]
        assert plans[-1] == [
            {"content": "Doing first", "status": "in_progress", "priority": "medium"}
        ]
        if of_air:
            assert all(one != two for one, two in pairwise(plans))


async def test_the_table_holds_every_tool_that_the_cli_offers() -> None:
    """Under each switch that adds tools; the CLI still lists Agent by its old name."""
    offered: set[str] = set()
    for more in (ENV, {"CLAUDE_CODE_ENABLE_TASKS": "0", "CLAUDE_CODE_ENABLE_TODO_TOOLS": "1"}):
        async with (
            demo_environment([Rule(When(), "Hi.")], pace=0.0, env=more) as place,
            running(place) as claude,
        ):
            await claude.turn("hi")
            offered |= set(claude.system("init")[-1]["tools"])
    known = {row.name for row in ROWS if not row.name.startswith("mcp__")} | set(PLANS)
    assert (offered - {"Task"}) | {"Agent"} == known
