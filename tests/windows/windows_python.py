"""Makes the Python of this process one that has what Python on Windows has, then runs a program.

``python windows_python.py canopy ARGS`` is Canopy itself; with ``everything`` in place of
``canopy`` every module of it is imported first. On Windows nothing is taken away. It must not know
what is tested.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import pathlib
import pkgutil
import select
import signal
import subprocess
import sys
from collections.abc import Sequence
from typing import NoReturn

MISSING_MODULES = ("fcntl", "grp", "pty", "pwd", "resource", "termios", "tty")
MISSING_IN_OS = (
    *("O_CLOEXEC", "O_DIRECTORY", "O_NOCTTY", "O_NOFOLLOW", "O_NONBLOCK", "chown", "fchmod"),
    *("fork", "forkpty", "getegid", "geteuid", "getgid", "getloadavg", "getpgid", "getpgrp"),
    *("getsid", "getuid", "killpg", "lockf", "mkfifo", "nice", "openpty", "pread", "pwrite"),
    *("register_at_fork", "setsid", "statvfs", "sync", "sysconf", "tcgetpgrp", "ttyname", "uname"),
)
MISSING_SIGNALS = (
    *("SIGALRM", "SIGCONT", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGSTOP", "SIGTSTP"),
    *("SIGTTIN", "SIGTTOU", "SIGUSR1", "SIGUSR2", "SIGWINCH", "SIGXFSZ"),
)

DEPENDENCIES = (
    "claude_agent_sdk",
    "platformdirs",
    "rich.console",
    "textual.app",
)


def _missing(*_arguments: object, **_options: object) -> NoReturn:
    raise NotImplementedError


def become_windows(dependencies: Sequence[str]) -> None:
    """Take away what Windows does not have. What the standard library and ``dependencies`` need of
    it here is imported before.
    """
    for name in ("asyncio.unix_events", "asyncio.subprocess", "tempfile", "shutil", *dependencies):
        importlib.import_module(name)
    for name in MISSING_MODULES:
        sys.modules[name] = None  # type: ignore[assignment]
    for module, names in ((os, MISSING_IN_OS), (signal, MISSING_SIGNALS), (select, ("poll",))):
        for name in names:
            if hasattr(module, name):
                delattr(module, name)
    asyncio.SelectorEventLoop.add_signal_handler = _missing  # type: ignore[method-assign]
    subprocess.Popen.kill = subprocess.Popen.terminate  # type: ignore[method-assign]
    pathlib.Path.__new__.__globals__["WindowsPath"] = pathlib.PosixPath
    os.name = "nt"
    sys.platform = "win32"


def import_everything() -> None:
    """Every module of the three packages; one that cannot be imported raises."""
    for top in ("canopy_shared", "canopy_agent", "canopy_tui"):
        package = importlib.import_module(top)
        for one in pkgutil.walk_packages(package.__path__, f"{top}."):
            if not one.name.endswith(".__main__") and ".demo.sample" not in one.name:
                importlib.import_module(one.name)


if __name__ == "__main__":
    everything = sys.argv[1] == "everything"
    if os.name != "nt":
        become_windows(DEPENDENCIES if everything else ())
    if everything:
        import_everything()
    from canopy_tui.cli import main

    sys.exit(main(sys.argv[2:]))
