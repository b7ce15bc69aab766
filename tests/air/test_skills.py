"""Skills among the slash commands, and predictions of prompts: for AIR clients only."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from accounts.stage import stage
from air.playing import declares, traces_of_air
from canopy_agent.capabilities import client_profile
from canopy_agent.claude.errors import ControlFailed
from canopy_agent.session.commands import Skills
from canopy_agent.session.observer import Observer
from canopy_agent.session.skills import SkillFinder, merged, skill_files
from canopy_agent.session.titles import TitleKeeper
from canopy_shared.codec import encode
from canopy_shared.ext import suggestions
from waiting import eventually

if TYPE_CHECKING:
    from pathlib import Path

    from fakes.cli import FakeCli

ROWS = [
    {"name": "ripe-check", "source": "projectSettings", "path": "/p/.claude/skills/ripe/SKILL.md"},
    {"name": "odd", "source": "userSettings", "path": "/p/odd/README.md"},
    {"name": "dataviz", "source": "built-in"},
    {"name": "init", "source": "built-in"},
]


def put(folder: Path, name: str, text: str) -> str:
    (folder / name).mkdir(parents=True)
    file = folder / name / "SKILL.md"
    file.write_text(text)
    return str(file)


def test_what_is_a_skill() -> None:
    known = merged(ROWS, frozenset({"dataviz", "mine"}), {"mine": "/m/SKILL.md"})
    assert known == Skills(
        frozenset({"ripe-check", "odd", "dataviz", "mine"}),
        {"ripe-check": "/p/.claude/skills/ripe/SKILL.md", "mine": "/m/SKILL.md"},
    )


def test_skill_files_are_found_by_the_name_they_give_themselves(tmp_path: Path) -> None:
    project, home = tmp_path / "project", tmp_path / "home"
    named = put(project, "folder", "---\ndescription: x\nname: 'real name'\n---\nname: not this\n")
    unnamed = put(project, "plain", "No front matter.\nname: not this\n")
    put(home, "other", "---\nname: real name\n---\n")
    (project / "empty").mkdir()
    (project / "file").write_text("x")
    found = skill_files([project, home, tmp_path / "absent"])
    assert found == {"real name": named, "plain": unnamed}


@pytest.mark.parametrize("refuses", [False, True])
async def test_skills_are_looked_for_when_the_cli_names_them(tmp_path: Path, refuses: bool) -> None:
    path = put(tmp_path / ".claude" / "skills", "mine", "---\nname: mine\n---\n")
    plugin = put(tmp_path / "plugin" / "skills", "theirs", "")
    tasks: list[asyncio.Task[Any]] = []
    found: list[Skills] = []

    async def ask(request: Any) -> Any:
        if refuses:
            raise ControlFailed("get_context_usage", "no")
        return {"skills": {"skillFrontmatter": []}}

    def spawn(work: Any) -> None:
        tasks.append(asyncio.ensure_future(work))

    finder = SkillFinder((str(tmp_path),), ask, spawn, found.append)
    init = {
        "type": "system",
        "subtype": "init",
        "skills": ["mine", "theirs", 5],
        "plugins": [{"path": str(tmp_path / "plugin")}, {"path": "builtin"}, "odd"],
    }
    for frame in (init, init, {"type": "system", "subtype": "init"}):
        finder.frame(frame)
    await asyncio.gather(*tasks)
    assert found == [Skills(frozenset({"mine", "theirs"}), {"mine": path, "theirs": plugin})]
    assert len(tasks) == 1
    finder.frame({"type": "system", "subtype": "commands_changed"})
    await asyncio.gather(*tasks)
    assert len(found) == 1  # nothing is new


@pytest.mark.parametrize("capabilities", [{}, declares()], ids=["plain", "air"])
async def test_golden_commands(
    capabilities: dict[str, Any], fake_cli: FakeCli, tmp_path: Path
) -> None:
    commands = [{"name": "ripe-check", "description": "Check"}, {"name": "review"}]
    fake_cli.play(
        control={
            "initialize": {"response": {"commands": commands, "models": []}},
            "get_context_usage": {"response": {"skills": {"skillFrontmatter": ROWS}}},
        }
    )
    async with stage(fake_cli, tmp_path) as s:
        session = await s.open(capabilities)
        await s.agent.prompt(session, "hi")
        if not capabilities:
            assert traces_of_air(s.agent.updates("available_commands_update")) == []
            return

        def marked() -> Any:
            last = s.agent.updates("available_commands_update")[-1]["availableCommands"]
            rows = {row["name"]: row.get("_meta") for row in last}
            return rows if rows["ripe-check"] else None

        rows = await eventually(marked, "commands that are known to be skills")
        assert rows["ripe-check"]["jetbrains"]["air"] == {
            "version": 1,
            "kind": "skill",
            "skillPath": "/p/.claude/skills/ripe/SKILL.md",
        }
        assert rows["review"] is None


# --- predictions ----------------------------------------------------------------------------------


def watched(capabilities: dict[str, Any]) -> tuple[Observer, list[Any]]:
    shown: list[Any] = []

    async def no_title(text: str) -> dict[str, Any]:
        return {}

    def show(update: Any) -> None:
        shown.append(encode(update))

    titles = TitleKeeper(no_title, lambda work: work.close(), show)
    return Observer(client_profile(capabilities), titles, show), shown


def test_golden_predictions() -> None:
    observer, shown = watched(declares())
    observer.prompted()
    observer.frame({"type": "prompt_suggestion", "suggestion": " \n"})
    assert shown == []
    observer.frame({"type": "prompt_suggestion", "suggestion": "run the tests"})
    observer.prompted()
    observer.prompted()
    observer.frame({"type": "prompt_suggestion", "suggestion": "again"})
    observer.frame({"type": "conversation_reset"})
    assert [update["_meta"] for update in shown] == [
        {"promptSuggestions": {"suggestions": [{"text": "run the tests"}]}},
        {"promptSuggestions": {"suggestions": []}},
        {"promptSuggestions": {"suggestions": [{"text": "again"}]}},
        {"promptSuggestions": {"suggestions": []}},
    ]


def test_a_plain_client_gets_no_predictions() -> None:
    observer, shown = watched({})
    observer.frame({"type": "prompt_suggestion", "suggestion": "run the tests"})
    observer.prompted()
    assert shown == []


def test_predictions_read_back() -> None:
    assert suggestions.read(suggestions.wrap(("a", "b"))) == ("a", "b")
    assert suggestions.read({}) is None
