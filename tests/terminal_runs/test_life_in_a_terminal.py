"""A day in one terminal of 16 colours and without colours at all: copy, a storm of sizes, suspend,
quit, the recording of it, and a session of the past.
"""

from __future__ import annotations

import itertools
import os
import shlex
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from canopy_tui.kept.trust import TrustedDirectories
from fakes.agent import FakeAgentScript, permission, said, tool
from inspect_sessions.stored import team
from terminal_runs.terminal import terminal
from terminal_runs.test_demo_in_a_terminal import program_in
from waiting import eventually

if TYPE_CHECKING:
    from terminal_runs.terminal import Terminal

CANOPY = (sys.executable, "-m", "canopy_tui")
SOURCE = "copy me:\ttabs, 日本, é, `[b]x[/b]`,   three spaces\nand line two"
SIZES = [(40, 10), (300, 100), (41, 11), (140, 30), (20, 5), (80, 24), (200, 60), (60, 14)]
FLAGS = "#{alternate_on}#{mouse_any_flag}#{cursor_flag}#{keypad_cursor_flag}"
CLEAN = "0010"
"""No other screen, no mouse, a cursor, plain arrow keys."""


async def flags(shell: Terminal) -> str:
    """What the program in the terminal has switched on."""
    return (await shell.tmux("display-message", "-p", FLAGS)).strip()


async def is_clean(shell: Terminal) -> None:
    """The terminal is as a shell wants it, and pastes come as they are."""
    assert await flags(shell) == CLEAN
    await shell.type("cat -v")
    await shell.keys("Enter")
    await shell.tmux("set-buffer", "pasted words")
    await shell.tmux("paste-buffer", "-p", "-t", "main")
    screen = await shell.shows("pasted words")
    assert "200~" not in screen
    await shell.keys("Enter")
    # what cat says itself: the terminal shows typed words before cat runs, and Ctrl+C missed it
    await shell.until(lambda text: text.count("pasted words") > 1, "the answer of cat")
    await shell.keys("C-c")
    await shell.until(lambda text: text.rstrip().endswith("ready>"), "the shell")
    await shell.type("clear")
    await shell.keys("Enter")
    await shell.until(lambda text: "pasted words" not in text, "cleared screen")


def body(screen: str) -> list[str]:
    """The screen without its last two lines, where notices come and go."""
    return screen.rstrip().splitlines()[:-2]


async def run(shell: Terminal, *words: str) -> None:
    """Type a command."""
    await shell.type(f"{shlex.join((*CANOPY, *words))}; echo status=$?")
    await shell.keys("Enter")


async def job_of(shell: Terminal) -> int:
    """The process that the shell runs."""
    [pane] = (await shell.tmux("list-panes", "-t", "main", "-F", "#{pane_pid}")).split()
    return program_in(str(program_in(pane)))


async def title(shell: Terminal) -> str:
    """The title of the window."""
    return (await shell.tmux("display-message", "-p", "#{pane_title}")).strip()


async def is_away(shell: Terminal, gone: str) -> None:
    """The shell has the terminal, as it wants it, and its window the title from before."""
    await shell.until(lambda text: gone not in text and "ready>" in text, "the shell")
    assert await flags(shell) == CLEAN
    assert await title(shell) == "a shell"


async def bring_back(shell: Terminal) -> None:
    """The job is to go on in the foreground; its end is told as before."""
    await shell.type("fg; echo back=$?")
    await shell.keys("Enter")


async def test_copy_sizes_suspend_quit_replay_and_inspect(tmp_path: Path) -> None:
    turn = [{"update": said(SOURCE)}, {"update": tool("t1", "Read b.txt", status="completed")}]
    script = FakeAgentScript(tmp_path / "agent")
    waits: list[Any] = [
        {"update": said("one of two", "m2")},
        {"file": script.gate("away")},
        {"update": said(" and two", "m2")},
        {"ask": "session/request_permission", "params": permission("$SESSION", "t2"), "as": "ask"},
        {"touch": script.gate("said")},
        {"answered": "ask"},
    ]
    script.play({"session/prompt": [turn, waits]})
    config = tmp_path / "claude"
    past = team(config / "projects")
    TrustedDirectories(tmp_path / "canopy" / "state").give(str(Path.cwd()), keep=True)
    env = {
        "CANOPY_CONFIG_DIR": str(tmp_path / "canopy"),
        "CLAUDE_CONFIG_DIR": str(config),
        "HOME": str(tmp_path),
        "LC_ALL": "C.UTF-8",
        "NO_COLOR": "1",
        "DISPLAY": "",
        "WAYLAND_DISPLAY": "",
        "PS1": "ready> ",
    }
    async with terminal(("sh", "-i"), env=env) as shell:
        await shell.shows("ready>")
        await shell.tmux("set-option", "-s", "set-clipboard", "on")
        await shell.tmux("select-pane", "-t", "main", "-T", "a shell")
        recording = str(tmp_path / "talk.jsonl")
        agent = shlex.join(script.command)
        await run(shell, "--record", recording, "--agent", agent)
        await shell.shows("Message, or / for commands")
        assert await flags(shell) != CLEAN
        await shell.type("hello")
        await shell.keys("Enter")
        await shell.shows("and line two", "turn of")

        await shell.keys("Tab")
        await shell.shows("y copy")
        for _ in range(3):  # from the end up to the answer
            await shell.keys("Up")
        await copied(shell, SOURCE)

        for columns, rows in itertools.islice(itertools.cycle(SIZES), 40):
            await shell.resize(columns, rows)
        await shell.resize(20, 5)
        await shell.shows("needs")
        for columns, rows in ((40, 10), (300, 100), (120, 40)):
            await shell.resize(columns, rows)
            await shell.shows("line two")

        await shell.keys("C-g")
        await shell.type("a draft")
        frame = f"╰{'─' * 118}╯"  # of the last size, with no notice on it
        before = await shell.until(lambda text: "a draft" in text and frame in text, "the draft")
        await shell.keys("C-z")
        await is_away(shell, "a draft")
        await bring_back(shell)
        await shell.until(lambda text: body(text) == body(before), f"screen as it was:\n{before}\n")
        await shell.type("!")
        await shell.shows("a draft!")
        await shell.keys("C-u")
        await shell.type("more")
        await shell.keys("Enter")
        await shell.shows("one of two")
        await shell.keys("C-z")  # in a turn, to which the agent adds meanwhile
        await is_away(shell, "one of two")
        script.open_gate("away")
        await eventually(lambda: Path(script.gate("said")).exists(), "the agent works on", bound=60)
        await bring_back(shell)
        await shell.shows("Permission", "rm -r build")
        os.kill(await job_of(shell), signal.SIGTSTP)
        await is_away(shell, "rm -r build")
        await bring_back(shell)
        await shell.shows("Permission", "rm -r build")
        await shell.keys("C-z")
        await is_away(shell, "rm -r build")
        await bring_back(shell)
        await shell.shows("Permission", "rm -r build", "Allow")
        await shell.press_until("n", lambda text: "Permission" not in text, "an answer")
        await shell.shows("one of two and two")
        await eventually(script.answers, "the answer at the agent", bound=60)
        await shell.keys("C-q")
        await shell.press_until("y", lambda text: "back=0" in text, "the end")
        await is_clean(shell)

        await run(shell, "replay", "--paused", recording)
        await shell.shows("RECORDING")
        await shell.type("$")
        await shell.shows("line two", "turn of")
        await shell.keys("C-q")
        await shell.shows("status=0")
        await is_clean(shell)

        await run(shell, "inspect", past.id)
        await shell.shows("PAST SESSION", "No more.")
        await shell.type("t")
        await shell.shows("3 agents", "Front")
        os.kill(await job_of(shell), signal.SIGTERM)
        await shell.shows("status=143")
        await is_clean(shell)


async def copied(shell: Terminal, text: str) -> None:
    """``y`` in the transcript hands exactly ``text`` to the terminal, which is tmux here."""
    seen: list[str] = []
    for _ in range(6):
        await shell.keys("y")
        await shell.shows("buffer of tmux")
        seen.append(await shell.tmux("show-buffer"))
        if seen[-1] == text:
            return
        await shell.keys("Down")
        await shell.until(lambda screen: "buffer of tmux" not in screen, "other words")
    raise AssertionError(seen)
