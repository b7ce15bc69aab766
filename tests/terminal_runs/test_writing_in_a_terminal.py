"""Writing in a real terminal: pastes, the editor, and a draft that outlives a killed client."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from pathlib import Path

from fakes.agent import FakeAgentScript
from terminal_runs.terminal import Terminal, terminal
from terminal_runs.test_demo_in_a_terminal import program_in
from waiting import eventually

EDITOR = """
import pathlib, sys
file = pathlib.Path(sys.argv[-1])
print("IN THE EDITOR, has a terminal:", sys.stdin.isatty() and sys.stdout.isatty())
more = input("more: ")
if more == "give up":
    import os, tty
    tty.setraw(0)
    os.kill(os.getpid(), 9)
file.write_text(file.read_text().strip() + " " + more)
"""


def environment(folder: Path) -> dict[str, str]:
    """Canopy's own files below ``folder``, and an editor that asks one line."""
    program = folder / "ask.py"
    program.write_text(EDITOR)
    return {
        "CANOPY_CONFIG_DIR": str(folder / "canopy"),
        "EDITOR": f"{sys.executable} {program}",
        "VISUAL": "",
        "LANG": "C.UTF-8",
    }


async def kill(shell: Terminal) -> None:
    """End the client as a crash would."""
    [pid] = (await shell.tmux("list-panes", "-t", "main", "-F", "#{pane_pid}")).split()
    os.kill(program_in(pid), signal.SIGKILL)


async def test_the_editor_a_paste_and_a_killed_client(tmp_path: Path) -> None:
    script = FakeAgentScript(tmp_path / "agent")
    command = (sys.executable, "-m", "canopy_tui", "--agent", shlex.join(script.command))
    env = environment(tmp_path)
    async with terminal(command, env=env) as shell:
        await shell.shows("Do you trust this directory?")
        await shell.keys("y")
        await shell.shows("Message, or / for commands")
        await shell.type("first")
        await shell.shows("first")
        await shell.keys("F6")
        screen = await shell.shows("IN THE EDITOR", "more:")
        assert "has a terminal: True" in screen
        assert "Canopy" not in screen
        await shell.type("second")
        await shell.keys("Enter")
        await shell.shows("first second", "Ctrl+T")
        await shell.keys("F6")
        await shell.shows("IN THE EDITOR", "more:")
        await shell.type("give up")
        await shell.keys("Enter")
        await shell.shows("first second", "Ctrl+T")
        await shell.type(" third")
        await shell.shows("first second third")
        await shell.tmux("set-buffer", "\n".join(f"line {n}" for n in range(30)) + "\x1b[2J")
        await shell.tmux("paste-buffer", "-p", "-t", "main")
        await shell.shows("[Pasted text 1: 30 lines]", "unfold")
        drafts = tmp_path / "canopy" / "state" / "drafts"
        await eventually(
            lambda: drafts.is_dir() and any("Pasted" in f.read_text() for f in drafts.iterdir()),
            "the draft to be kept",
            bound=60,
        )
        await kill(shell)
        await shell.shows("canopy was killed.")  # the words of the shell may be on the other screen
    async with terminal(command, env=env) as shell:
        await shell.shows("first second third[Pasted text 1: 30 lines]", "unfold")
        await shell.keys("Enter")
        await eventually(lambda: script.received("session/prompt"), "the prompt", bound=60)
    [prompt] = script.received("session/prompt")
    text = prompt["params"]["prompt"][0]["text"]
    assert text.startswith("first second thirdline 0\nline 1\n")
    assert text.endswith("line 29[2J")
