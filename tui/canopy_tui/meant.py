"""What a person may have meant by a word that the command line does not know.

Pure: it must not know the disk, nor what was typed besides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from canopy_tui.model.nearest import nearest

HELP_POINTER: Final = "canopy --help says what there is"

_LOGIN = "canopy --cli auth login"
_ELSEWHERE: Mapping[str, str] = {
    "help": "canopy --help",
    "version": "canopy --version",
    "demo": "canopy --demo",
    "plain": "canopy --plain",
    "stdio": "canopy --stdio",
    "resume": "canopy --resume",
    "continue": "canopy --continue",
    "record": "canopy --record FILE",
    "agent": "canopy --agent 'CMD ARGS'",
    "login": _LOGIN,
    "auth": _LOGIN,
    "cli": "canopy --cli",
    "sessions": "canopy --resume",
    "export": "canopy inspect --plain",
}
"""Words that stand for something in other programs, or without their dashes."""
_OPTIONS: Mapping[str, str] = {
    "-p": "--plain",
    "--print": "--plain",
    "-c": "--continue",
    "-r": "--resume",
    "-d": "--demo",
    "--acp": "--stdio",
    "--experimental-acp": "--stdio",
    "-?": "--help",
    "--cwd": "canopy DIRECTORY",
}


def by_option(typed: str, known: Iterable[str]) -> str:
    """What to say after an unknown option: the likeliest of ``known``, or where they are listed."""
    name = typed.partition("=")[0]
    known = tuple(known)
    if name in known:
        return f"{name} takes no value"
    likely = _OPTIONS.get(name) or next(iter(nearest(name, known, 1)), "")
    return f"did you mean {likely}? {HELP_POINTER}" if likely else HELP_POINTER


def by_directory(typed: str, commands: Iterable[str]) -> str:
    """What to say of a word that was taken for a directory, and is none."""
    if len(typed.split()) > 1 and "/" not in typed:
        return "a prompt goes with --plain: canopy --plain 'PROMPT'"
    meant = {**{name: f"canopy {name}" for name in commands}, **_ELSEWHERE}
    likely = meant.get(typed) or next((meant[name] for name in nearest(typed, meant, 1)), "")
    if likely:
        return f"did you mean {likely}? {HELP_POINTER}"
    if typed.endswith(".jsonl"):
        return "a recording is shown by canopy replay FILE, a session by canopy inspect FILE"
    return HELP_POINTER
