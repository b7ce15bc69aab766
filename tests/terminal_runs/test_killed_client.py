"""A client that is killed with SIGKILL leaves the terminal as a shell wants it, and no process."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import subprocess
import sys
import termios
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from canopy_tui.kept.trust import TrustedDirectories
from canopy_tui.process.terminal_guard import CLEAN
from fakes.agent import FakeAgentScript
from fakes.cli import is_running
from terminal_runs.terminal import terminal
from terminal_runs.test_life_in_a_terminal import CLEAN as CLEAN_FLAGS
from terminal_runs.test_life_in_a_terminal import flags, is_clean, job_of, run
from waiting import eventually

if TYPE_CHECKING:
    from terminal_runs.terminal import Terminal

HANG_SECONDS = 60
BEGIN = """
import os, signal, sys, termios
from canopy_tui.process import terminal_guard
def patch(flags):
    return flags & ~(termios.ECHO | termios.ICANON | termios.ISIG)
before = termios.tcgetattr(0)
during = termios.tcgetattr(0)
during[3] = patch(during[3])
during[6][termios.VMIN] = 1
def draws():
    guard.draws(0, lambda flags: flags, patch)
with terminal_guard.standing_by():
    guard = terminal_guard.present()
    child = int(open(f"/proc/self/task/{os.getpid()}/children").read())
    os.write(3, b"%d" % child)
    while os.getsid(child) == os.getsid(0):
        os.sched_yield()
    draws()
    termios.tcsetattr(0, termios.TCSANOW, during)
"""
KILL = "    os.killpg(0, signal.SIGKILL)\n"
LEAVES = "    termios.tcsetattr(0, termios.TCSANOW, before)\n    guard.has_left()\n"
OTHER = "    during[3] |= termios.ISIG\n    termios.tcsetattr(0, termios.TCSANOW, during)\n"


@pytest.mark.parametrize(
    ("ends", "cleans", "cooked"),
    [
        (KILL, True, True),
        (OTHER + KILL, True, False),
        (LEAVES + KILL, False, True),
        (LEAVES, False, True),
        ("    os._exit(0)\n", True, True),
        (LEAVES + "    draws()\n" + KILL, True, True),
    ],
    ids=["killed", "a shell was there first", "not drawing", "well", "at once", "drawing again"],
)
def test_the_guard_cleans_what_is_not_clean(ends: str, cleans: bool, cooked: bool) -> None:
    ours, theirs = os.openpty()
    hears, tells = os.pipe()
    before = termios.tcgetattr(theirs)
    code = f"import os; os.dup2({tells}, 3)\n{BEGIN}{ends}"
    client = subprocess.Popen(
        (sys.executable, "-c", code),
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        pass_fds=(tells,),
        start_new_session=True,
    )
    os.close(tells)
    assert client.wait(HANG_SECONDS) in (0, -signal.SIGKILL)
    with os.fdopen(hears, "rb") as heard:
        guard = int(heard.read())
    while is_running(guard):
        os.sched_yield()
    os.write(theirs, b"over")
    written = b""
    while not written.endswith(b"over"):
        written += os.read(ours, 65536)
    assert written.replace(b"\r", b"") == (CLEAN if cleans else b"") + b"over"
    assert (termios.tcgetattr(theirs) == before) is cooked
    os.close(theirs)
    os.close(ours)


DEPENDING = """
import os, signal, subprocess, sys, time
from canopy_shared import dependents
from canopy_tui.process import terminal_guard
def start(code="pass", **options):
    program = f"import signal, time; {code}; print(flush=True); time.sleep(900)"
    process = subprocess.Popen((sys.executable, "-c", program), stdout=-1, **options)
    process.stdout.readline()
    return process.pid
with terminal_guard.standing_by():
    own = dict(start_new_session=True)
    depends = start(**own), start("signal.signal(signal.SIGTERM, signal.SIG_IGN)", **own)
    for pid in depends:
        dependents.started(pid)
    free = start(**own), start(**own)
    dependents.started(free[0])
    dependents.ended(free[0])
    terminal_guard.present()._tell((free[1], "1"))  # born as another
    print(*depends, *free, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


async def test_what_depends_on_a_killed_client_ends_and_nothing_else() -> None:
    code = DEPENDING.replace("with terminal", "terminal_guard._PATIENCE = 0.3\nwith terminal")
    client = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", code),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
    )
    assert client.stdout is not None
    first, stubborn, *free = map(int, (await client.stdout.readline()).split())
    assert await client.wait() == -signal.SIGKILL
    try:
        await eventually(lambda: not is_running(first), "the end of the first", bound=60)
        await eventually(lambda: not is_running(stubborn), "the end of the stubborn", bound=60)
        assert all(map(is_running, free))
    finally:
        for pid in free:
            os.kill(pid, signal.SIGKILL)


def guards_of(client: int) -> list[int]:
    """The processes beside the agent that a client has."""
    children = Path(f"/proc/{client}/task/{client}/children").read_text().split()
    names = {int(child): Path(f"/proc/{child}/comm").read_text().strip() for child in children}
    return [child for child, name in names.items() if name == "terminal-guard"]


async def killed(shell: Terminal) -> None:
    """The shell has the terminal, clean, with the modes it had before."""
    await shell.shows("canopy was killed.", "ready>")
    await shell.keys("Enter")  # the shell's own prompt may have gone to the other screen
    assert await flags(shell) == CLEAN_FLAGS
    await is_clean(shell)


async def test_a_killed_client_in_a_shell(tmp_path: Path) -> None:
    script = FakeAgentScript(tmp_path / "agent")
    TrustedDirectories(tmp_path / "canopy" / "state").give(str(Path.cwd()), keep=True)
    env = {
        "CANOPY_CONFIG_DIR": str(tmp_path / "canopy"),
        "HOME": str(tmp_path),
        "LC_ALL": "C.UTF-8",
        "PS1": "ready> ",
    }
    command = ("--agent", shlex.join(script.command))
    async with terminal(("sh", "-i"), env=env) as shell:
        await shell.shows("ready>")
        await shell.type(f"stty -g > {shlex.quote(str(tmp_path / 'before'))}")
        await shell.keys("Enter")
        await run(shell, *command)
        await shell.shows("Message, or / for commands")
        client = await job_of(shell)
        [guard] = guards_of(client)
        os.kill(client, signal.SIGKILL)
        await killed(shell)
        await shell.type(f"stty -g > {shlex.quote(str(tmp_path / 'after'))}; echo told")
        await shell.keys("Enter")
        await shell.until(lambda text: "\ntold" in text, "the modes")
        assert (tmp_path / "after").read_text() == (tmp_path / "before").read_text()
        gone = [client, guard, *script.pids()]
        await eventually(lambda: not any(map(is_running, gone)), "the end of all", bound=60)

        start = shlex.join((sys.executable, "-m", "canopy_tui", *command))
        await shell.type(f"LC_ALL=C PYTHONUTF8=0 {start} 2>/dev/null")
        await shell.keys("Enter")
        screen = await shell.shows("Message, or / for commands", f"+{'-' * 118}+")
        assert "\\u" not in screen
        assert screen.isascii()
        client = await job_of(shell)
        [guard] = guards_of(client)
        await shell.keys("C-z")
        await shell.until(lambda text: "Message, or" not in text, "the shell")
        await shell.type("fg")
        await shell.keys("Enter")
        await shell.shows("Message, or / for commands")
        os.killpg(client, signal.SIGKILL)  # what kill -9 %1 does
        await killed(shell)
        gone = [client, guard, *script.pids()]
        await eventually(lambda: not any(map(is_running, gone)), "the end of all", bound=60)

        await run(shell, *command)  # and the terminal goes away
        await shell.shows("Message, or / for commands")
        client = await job_of(shell)
        gone = [client, *guards_of(client)]
        await shell.tmux("kill-server")
        await eventually(lambda: not any(map(is_running, gone)), "the end of all", bound=60)
