"""``canopy --demo`` in a real terminal, as a person uses it: the real CLI, the scripted model."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from canopy_agent.demo.scenes import scene_list
from fakes.cli import is_running
from terminal_runs.terminal import Terminal, terminal
from waiting import eventually

DEMO = (sys.executable, "-m", "canopy_tui", "--demo")


def neutral(folder: Path) -> dict[str, str]:
    """An environment in which nothing of the machine's user is read or written."""
    return {
        "CANOPY_CONFIG_DIR": str(folder / "canopy"),
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "CI": "true",
        "LC_ALL": "C.UTF-8",
    }


async def scene(screen: Terminal, words: str) -> None:
    """Type a prompt and send it."""
    await screen.shows("Message, or / for commands")
    await screen.type(words)
    await screen.shows(words)
    await screen.keys("Enter")


def processes_under(folder: Path) -> list[int]:
    """Processes that work in a folder below ``folder``."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                cwd = (entry / "cwd").readlink()
            except OSError:
                continue
            if cwd.is_relative_to(folder):
                found.append(int(entry.name))
    return found


def left_of(folder: Path) -> list[object]:
    """What a demo in ``folder`` left behind: processes, and its throw-away project."""
    return [*processes_under(folder), *folder.glob("canopy-demo-*")]


def program_in(pane: str) -> int:
    """The process that the shell of a tmux pane runs."""
    return int(Path(f"/proc/{pane}/task/{pane}/children").read_text().split()[0])


async def test_the_tree_of_agents_from_prompt_to_quit(tmp_path: Path) -> None:
    """A prompt, a child's pane, its question after the turn, the follow-up, the way out."""
    async with terminal(DEMO, env=neutral(tmp_path)) as screen:
        first = await screen.shows("Canopy", "A review by a team of agents")
        assert "Enter" in first
        await scene(screen, "Review the project with a team of agents")
        await screen.shows("Write receipt tests", "Check the README", "Review the discount r")
        asked = await screen.shows("Permission", "Write receipt tests asks", "Allow once")
        assert "test_receipt.py" in asked
        await screen.keys("Escape")  # counts however early; a second one would stop the turn
        later = await screen.until(lambda text: "Allow once" not in text, "closed question")
        assert "1 waiting" in later
        assert re.search(r"ended .* · [12] agents? still working", later)
        await screen.keys("F4")
        await screen.shows("Allow once")
        await screen.type("any")  # a word, at the speed of one who types fast
        await screen.shows("nothing was answered: press one alone", "Allow once")
        await screen.press_until("y", lambda text: "Allow once" not in text, "answered question")
        await screen.until(lambda text: "waiting" not in text, "answer that counts")

        await screen.press_until("C-t", lambda text: "1 ├" in text, "tree with the focus")
        await screen.keys("Down", "Enter")
        await screen.shows("main › ", "read-only")
        child = await screen.press_until(
            "C-Home", lambda text: "prompt from main" in text, "start of the child's transcript"
        )
        assert "Role: " in child
        await screen.keys("C-g")
        await screen.until(lambda text: "main › " not in text, "way back to main")
        await screen.shows("All agents are done.")
        await screen.until(lambda text: not re.search(r"▶ \d running", text), "end of all the work")
        await screen.keys("C-q")
        last = await screen.ended()
        assert "The demo's project and sessions are gone." in last
        assert "exit status: 0" in last
    await eventually(lambda: not left_of(tmp_path), "nothing is left", bound=30)


async def test_a_small_terminal_and_a_form(tmp_path: Path) -> None:
    exported = {"COLUMNS": "20", "LINES": "5"}  # by a shell, long ago
    env = {**neutral(tmp_path), **exported}
    async with terminal(DEMO, columns=80, rows=24, env=env) as screen:
        await scene(screen, scene_list()[4].example)
        await screen.shows("Send", "Decline")
        await screen.resize(100, 30)
        await screen.shows("Send", "Decline")
        await screen.keys("Escape")
        await screen.until(
            lambda text: "Decline" not in text and "1 waiting" in text, "form put off"
        )
        await screen.keys("C-q")
        await screen.shows("Quitting stops what runs")
        await screen.press_until("y", lambda text: "exit status: 0" in text, "end of the program")


async def test_sigterm_leaves_the_terminal_and_the_disk_clean(tmp_path: Path) -> None:
    async with terminal(DEMO, env=neutral(tmp_path)) as screen:
        await scene(screen, "How does the checkout work?")
        await screen.shows("turn of", bound=60)
        pids = [pid for pid in processes_under(tmp_path) if is_running(pid)]
        assert pids
        pane = (await screen.tmux("list-panes", "-F", "#{pane_pid}")).strip()
        os.kill(program_in(pane), 15)
        last = await screen.ended()
        assert "exit status: 143" in last
        mouse = await screen.tmux("display-message", "-p", "#{mouse_any_flag}#{alternate_on}")
        assert mouse.strip() == "00"
    await eventually(lambda: not left_of(tmp_path), "nothing is left", bound=30)


@pytest.mark.parametrize(("setting", "flag"), [("on", "1"), ("off", "0")])
async def test_the_mouse_can_be_left_to_the_terminal(
    setting: str, flag: str, tmp_path: Path
) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own/config.toml").write_text(f'mouse = "{setting}"\n')
    env = neutral(tmp_path) | {"CANOPY_CONFIG_DIR": str(tmp_path / "own")}
    async with terminal(DEMO, env=env) as screen:
        await screen.shows("A review by a team of agents")
        assert (await screen.tmux("display-message", "-p", "#{mouse_any_flag}")).strip() == flag
        await screen.keys("C-q")
        await screen.ended()
