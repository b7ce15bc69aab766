"""The program behind a script that npm puts on the PATH of Windows (``claude.cmd``).

Such a script cannot be started like a program with arguments of any kind, so what it starts is
started in its place. It must not know how the script was found.
"""

from __future__ import annotations

import re
from pathlib import Path

from canopy_agent.claude.errors import ClaudeStartFailed
from canopy_shared.ordinary import read_ordinary

SUFFIXES = frozenset({".cmd", ".bat", ".ps1"})
_LARGEST = 1024 * 1024

_PROGRAM = re.compile(
    r"(?:%~?dp0%?|\$\{?(?:basedir|PSScriptRoot)\}?)[\\/]+(?P<path>[^\"'%$\r\n]+?\.exe)",
    re.IGNORECASE,
)
"""A program whose path begins at the script's own directory. Source of the forms: the npm package
cmd-shim 7."""


def behind(path: str) -> str:
    """The program that the script at ``path`` starts; any other path as it is.

    Raises ClaudeStartFailed when the script starts no program that is there.
    """
    script = Path(path)
    if script.suffix.lower() not in SUFFIXES:
        return path
    try:
        text = read_ordinary(script, _LARGEST).decode(errors="replace")
    except OSError as error:
        raise _useless(path, error.strerror or type(error).__name__) from error
    for found in _PROGRAM.finditer(text):
        program = script.parent.joinpath(*re.split(r"[\\/]+", found["path"]))
        if program.name.lower() != "node.exe" and program.is_file():
            return str(program)
    raise _useless(path, "it starts no claude.exe that is there")


def _useless(path: str, reason: str) -> ClaudeStartFailed:
    return ClaudeStartFailed(
        f"{path} is a script that cannot be used: {reason}.",
        hint="Set CLAUDE_CODE_EXECUTABLE to the path of claude.exe itself.",
    )
