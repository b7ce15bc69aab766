"""Reads a command line into one value that says what the person asked for.

Pure: it must not know the disk, the environment, the terminal, or who carries the request out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

HELP = """\
Usage: canopy [DIRECTORY]           open the client on a directory (default: here)
       canopy --demo                try it: a scripted model, no account, no network
       canopy --agent 'CMD ARGS'    open the client on another ACP agent
       canopy --stdio               serve the agent to an ACP client on stdin and stdout
       canopy doctor [--json]       check Python, the Claude CLI, the login and the terminal
       canopy --cli [ARGS...]       run the Claude CLI that Canopy uses, e.g. --cli auth login

Options:
  --agent CMD       a shell-like string ("quotes", ~ and $NAME work; no shell runs),
                    or a JSON array of strings: '["prog", "arg with space"]'
  --protocol v1     the ACP version to speak; v2 is not there yet
  --hide-claude-auth
                    with --stdio: do not offer the login with a Claude subscription
  -V, --version     print the version
  -h, --help        print this

A folder named doctor is opened by: canopy ./doctor
Claude's own account is used; without one: canopy --cli auth login, or set ANTHROPIC_API_KEY.
"""

_CLI = "--cli"
_HIDE_AUTH = "--hide-claude-auth"
_SIMPLE_FLAGS = frozenset({"--stdio", "--demo", "--json", _HIDE_AUTH})
_VALUED_FLAGS = frozenset({"--agent", "--protocol"})
_VERSION_FLAGS = frozenset({"--version", "-V", "-v"})
_HELP_FLAGS = frozenset({"--help", "-h"})
# An IDE appends ``--cli auth login`` to the command it is configured with, so the flags of that
# command arrive too; the Claude CLI does not know them.
_DROPPED_BEFORE_CLI = frozenset({"--stdio", _HIDE_AUTH})
_PROTOCOLS = ("v1", "v2")
_DOCTOR = "doctor"


class UsageError(Exception):
    """A command line that asks for nothing Canopy can do; the text is one line for the person."""


@dataclass(frozen=True, slots=True)
class ShowHelp:
    """Print the help text."""


@dataclass(frozen=True, slots=True)
class ShowVersion:
    """Print the version."""


@dataclass(frozen=True, slots=True)
class OpenClient:
    """Open the client.

    ``directory`` is as typed (None: the current one). ``agent`` is the unparsed value of
    ``--agent`` (None: the built-in agent). ``demo`` runs the built-in agent on the scripted model.
    """

    directory: str | None = None
    agent: str | None = None
    demo: bool = False


@dataclass(frozen=True, slots=True)
class ServeStdio:
    """Serve the agent on stdin and stdout.

    ``hide_subscription``: do not offer the login with a Claude subscription.
    """

    hide_subscription: bool = False


@dataclass(frozen=True, slots=True)
class RunDoctor:
    """Check the installation; ``json`` asks for a machine-readable report."""

    json: bool = False


@dataclass(frozen=True, slots=True)
class RunClaude:
    """Run the Claude CLI that Canopy uses, with these arguments."""

    arguments: tuple[str, ...]


Invocation = ShowHelp | ShowVersion | OpenClient | ServeStdio | RunDoctor | RunClaude


@dataclass(frozen=True, slots=True)
class _Words:
    """A command line sorted into flags (with their values; "" for the simple ones) and the rest."""

    flags: dict[str, str]
    positionals: tuple[str, ...]
    subcommand: str | None


def parse(arguments: Sequence[str]) -> Invocation:
    """Say what ``arguments`` (without the program name) ask for; raise ``UsageError`` otherwise.

    ``--cli`` wins wherever it stands, then ``--help`` and ``--version`` before any ``--``.
    """
    if _CLI in arguments:
        position = arguments.index(_CLI)
        rest = (*arguments[:position], *arguments[position + 1 :])
        return RunClaude(tuple(word for word in rest if word not in _DROPPED_BEFORE_CLI))
    before_dashes = _before_double_dash(arguments)
    if not _HELP_FLAGS.isdisjoint(before_dashes):
        return ShowHelp()
    if not _VERSION_FLAGS.isdisjoint(before_dashes):
        return ShowVersion()
    words = _sort(arguments)
    if words.subcommand == _DOCTOR:
        return _doctor(words)
    return _open_or_serve(words)


def _before_double_dash(arguments: Sequence[str]) -> Sequence[str]:
    return arguments[: arguments.index("--")] if "--" in arguments else arguments


def _sort(arguments: Sequence[str]) -> _Words:
    flags: dict[str, str] = {}
    positionals: list[str] = []
    subcommand: str | None = None
    words = iter(arguments)
    for word in words:
        if word == "--":
            positionals.extend(words)
        elif not word.startswith("-") or word == "-":
            if word == _DOCTOR and not positionals and subcommand is None:
                subcommand = word
            else:
                positionals.append(word)
        else:
            name, equals, value = word.partition("=")
            if name in _VALUED_FLAGS:
                value = value if equals else next(words, "")
            elif name not in _SIMPLE_FLAGS or equals:
                raise UsageError(f"unknown option {word!r}; canopy --help lists them")
            if name in flags:
                raise UsageError(f"{name} is given twice")
            flags[name] = value
    return _Words(flags, tuple(positionals), subcommand)


def _doctor(words: _Words) -> RunDoctor:
    unwanted = [*(flag for flag in words.flags if flag != "--json"), *map(repr, words.positionals)]
    if unwanted:
        raise UsageError(
            f"doctor does not go with {unwanted[0]} (a folder of that name: canopy ./doctor)"
        )
    return RunDoctor(json="--json" in words.flags)


def _open_or_serve(words: _Words) -> OpenClient | ServeStdio:
    flags, positionals = words.flags, words.positionals
    if "--json" in flags:
        raise UsageError("--json goes with canopy doctor only")
    if _HIDE_AUTH in flags and "--stdio" not in flags:
        raise UsageError(f"{_HIDE_AUTH} goes with --stdio only")
    if len(positionals) > 1:
        raise UsageError(f"one directory at most, not also {positionals[1]!r}")
    _refuse_pairs(flags, positionals)
    if "--protocol" in flags:
        _check_protocol(flags["--protocol"])
    if "--agent" in flags and flags["--agent"].strip()[:1] in ("", "-"):
        raise UsageError("--agent needs a command, e.g. --agent 'my-agent --acp'")
    if "--stdio" in flags:
        return ServeStdio(hide_subscription=_HIDE_AUTH in flags)
    directory = positionals[0] if positionals else None
    if directory == "":
        raise UsageError("the directory is an empty string")
    return OpenClient(directory, flags.get("--agent"), "--demo" in flags)


def _refuse_pairs(flags: dict[str, str], positionals: Sequence[str]) -> None:
    given = {*flags, *(("a directory",) if positionals else ())}
    for one, other, reason in (
        ("--stdio", "--agent", "it serves Canopy's own agent"),
        ("--stdio", "--demo", "the demo is a client"),
        ("--stdio", "a directory", "each session names its own"),
        ("--demo", "--agent", "the demo runs Canopy's own agent"),
        ("--demo", "a directory", "the demo works on a throw-away copy of a sample project"),
    ):
        if one in given and other in given:
            raise UsageError(f"{one} does not go with {other}: {reason}")


def _check_protocol(version: str) -> None:
    if version not in _PROTOCOLS:
        raise UsageError("--protocol takes v1 or v2")
    if version != "v1":
        raise UsageError(f"--protocol {version} is not there yet; this version speaks v1")
