"""Finds the Claude Code executable, and asks it for its version.

It must not import the SDK, whose wheel brings the executable along: that takes half a second.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from canopy_agent.claude import shims
from canopy_agent.claude.errors import ClaudeStartFailed
from canopy_agent.claude.start_failure import REMEDIES

if TYPE_CHECKING:
    from collections.abc import Mapping

VARIABLE = "CLAUDE_CODE_EXECUTABLE"

_SDK = "claude_agent_sdk"
_NAMES = ("claude.exe", "claude.cmd", "claude.ps1") if sys.platform == "win32" else ("claude",)
"""The program first, then the scripts that npm makes."""
_VERSION = re.compile(r"\d+\.\d+\.\d+\S*")


@dataclass(frozen=True, slots=True)
class CliLocation:
    """An executable and where it was found."""

    path: str
    source: Literal["environment", "bundled", "path"]


def locate_cli(environ: Mapping[str, str]) -> CliLocation:
    """The CLI to use: the one that ``CLAUDE_CODE_EXECUTABLE`` names, the bundled one, or PATH's.

    Raises ClaudeStartFailed when the variable names nothing that runs, or nothing is found.
    """
    named = environ.get(VARIABLE, "").strip()
    if named:
        return CliLocation(_checked(named, environ), "environment")
    bundled = bundled_cli()
    if bundled is not None:
        return CliLocation(str(bundled), "bundled")
    for name in _NAMES:
        found = shutil.which(name, path=environ.get("PATH", ""))
        if found is not None:
            return CliLocation(shims.behind(str(Path(found).absolute())), "path")
    raise ClaudeStartFailed(
        f"Claude Code was not found: the SDK has none, and {' or '.join(_NAMES)} is not on PATH.",
        hint=f"Set {VARIABLE} to the path of a Claude Code executable, or install the package "
        "claude-agent-sdk again: its wheel for your system brings one along.",
    )


def bundled_cli() -> Path | None:
    """The executable in the SDK's wheel, None when the wheel has none."""
    folder = _sdk_folder()
    path = None if folder is None else folder / "_bundled" / _NAMES[0]
    return path if path is not None and path.is_file() else None


def sdk_version() -> str:
    """The version of the installed SDK, which the CLI wants to know; "unknown" without one."""
    folder = _sdk_folder()
    try:
        text = "" if folder is None else (folder / "_version.py").read_text()
    except OSError:
        text = ""
    found = _VERSION.search(text)
    return found[0].rstrip("\"'") if found else "unknown"


def cli_version(path: str, *, patience: float = 15.0) -> str:
    """What ``path --version`` says, for example ``2.1.332``. Blocks up to ``patience`` seconds.

    Raises ClaudeStartFailed when it does not run, does not end, or prints no version.
    """
    try:
        done = subprocess.run(
            [path, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=patience,
            check=False,
        )
    except subprocess.TimeoutExpired:
        message = f"{path} --version did not end within {patience:g} s."
        raise ClaudeStartFailed(message, hint=REMEDIES) from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ClaudeStartFailed(f"{path} does not run: {reason}.", hint=REMEDIES) from error
    found = _VERSION.search(done.stdout.decode(errors="replace"))
    if done.returncode != 0 or found is None:
        raise ClaudeStartFailed(
            f"{path} --version told no version.",
            exit_code=done.returncode if done.returncode >= 0 else None,
            stderr_tail=done.stderr.decode(errors="replace")[-2000:].strip(),
            hint=REMEDIES,
        )
    return found[0]


def _sdk_folder() -> Path | None:
    spec = importlib.util.find_spec(_SDK)  # Finds a top-level package without running it.
    locations = spec.submodule_search_locations if spec is not None else None
    return Path(next(iter(locations))) if locations else None


def _checked(named: str, environ: Mapping[str, str]) -> str:
    path = Path(named).expanduser()
    if path.name == named and not path.exists():
        found = shutil.which(named, path=environ.get("PATH", ""))
        if found is None:
            message = f"{VARIABLE} names {named}, which is not on PATH."
            raise ClaudeStartFailed(message, hint=REMEDIES)
        path = Path(found)
    problem = None
    if not path.exists():
        problem = "which does not exist"
    elif path.is_dir():
        problem = "which is a directory"
    elif not os.access(path, os.X_OK):
        problem = "which is not executable"
    if problem is not None:
        raise ClaudeStartFailed(f"{VARIABLE} names {path}, {problem}.", hint=REMEDIES)
    return shims.behind(str(path.absolute()))
