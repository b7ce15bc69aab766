"""Reads a command line into one value that says what the person asked for.

Pure: it must not know the disk, the environment, the terminal, or who carries the request out.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

HELP = """\
Usage: canopy [DIRECTORY]           open the client on a directory (default: here)
       canopy --demo                try it: a scripted model, no account, no network
       canopy --agent 'CMD ARGS'    open the client on another ACP agent
       canopy --resume [ID]         go on with an old session (no ID: pick one)
       canopy --continue            go on with the session used last in the directory
       canopy --plain ['PROMPT']    lines of text in place of screens: for pipes, screen readers
       canopy --stdio               serve the agent to an ACP client on stdin and stdout
       canopy replay FILE           show what was recorded with --record
       canopy inspect [SESSION]     look at a past session, by its id or file (none: pick one)
       canopy doctor [--json]       check Python, the Claude CLI, login, terminal, settings
       canopy --cli [ARGS...]       run the Claude CLI that Canopy uses, e.g. --cli auth login

Options:
  --agent CMD       a shell-like string ("quotes", ~ and $NAME work; no shell runs),
                    or a JSON array of strings: '["prog", "arg with space"]'
  --record FILE     write what agent and client say to a new private file (or into a folder)
  --speed N, --paused
                    with replay: N times as fast; wait at the start
  --trust           trust the directory for this run, without a question
  --protocol v2     speak the draft of ACP v2 with an agent that can (default: v1)
  --hide-claude-auth
                    with --stdio: do not offer the login with a Claude subscription
  -V, --version, -h, --help
                    print the version, or this

A folder named like a command is opened by its path: canopy ./doctor
Claude's own account is used; without one: canopy --cli auth login, or set ANTHROPIC_API_KEY.
"""

_CLI = "--cli"
_HIDE_AUTH = "--hide-claude-auth"
_RECORD = "--record"
_RESUME = "--resume"
_CONTINUE = "--continue"
_TRUST = "--trust"
_SIMPLE_FLAGS = frozenset(
    {"--stdio", "--demo", "--json", "--plain", "--paused", _HIDE_AUTH, _CONTINUE, _TRUST}
)
_VALUED_FLAGS = frozenset({"--agent", "--protocol", "--speed", _RECORD})
_VERSION_FLAGS = frozenset({"--version", "-V", "-v"})
_HELP_FLAGS = frozenset({"--help", "-h"})
# An IDE appends ``--cli auth login`` to the command it is configured with, so the flags of that
# command arrive too; the Claude CLI does not know them.
_DROPPED_BEFORE_CLI = frozenset({"--stdio", _HIDE_AUTH})
_PROTOCOLS = ("v1", "v2")
_DOCTOR = "doctor"
_REPLAY = "replay"
_INSPECT = "inspect"
_SUBCOMMANDS: dict[str, frozenset[str]] = {
    _DOCTOR: frozenset({"--json"}),
    _REPLAY: frozenset({"--speed", "--paused", "--plain"}),
    _INSPECT: frozenset({"--plain"}),
}
"""A command, and the flags that go with it."""
SUBCOMMANDS = tuple(_SUBCOMMANDS)
_SPEED_LIMIT = 1000.0


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
    ``record`` is the file or folder to record to, as typed. ``resume`` is the id of a stored
    session or its beginning, "" for a choice; ``last``: the one that was used last.
    """

    directory: str | None = None
    agent: str | None = None
    demo: bool = False
    record: str | None = None
    resume: str | None = None
    last: bool = False
    newest: bool = False
    """Speak the newest version of ACP, a draft."""
    trusted: bool = False
    """The directory is trusted, for this run."""


@dataclass(frozen=True, slots=True)
class RunPlain:
    """Talk in lines of text; ``prompt`` None: what comes on stdin. The rest as in OpenClient."""

    prompt: str | None = None
    agent: str | None = None
    demo: bool = False
    record: str | None = None
    newest: bool = False
    trusted: bool = False


@dataclass(frozen=True, slots=True)
class ServeStdio:
    """Serve the agent on stdin and stdout.

    ``hide_subscription``: do not offer the login with a Claude subscription. ``record`` as in
    OpenClient.
    """

    hide_subscription: bool = False
    record: str | None = None


@dataclass(frozen=True, slots=True)
class Replay:
    """Show a recording; ``speed`` 2 is twice as fast, ``plain`` prints it as lines at once."""

    file: str
    speed: float = 1.0
    paused: bool = False
    plain: bool = False


@dataclass(frozen=True, slots=True)
class Inspect:
    """Show a stored session (None: what there is to pick from); ``plain`` prints it as lines
    (None: the newest of this directory).
    """

    session: str | None = None
    plain: bool = False


@dataclass(frozen=True, slots=True)
class RunDoctor:
    """Check the installation; ``json`` asks for a machine-readable report."""

    json: bool = False


@dataclass(frozen=True, slots=True)
class RunClaude:
    """Run the Claude CLI that Canopy uses, with these arguments."""

    arguments: tuple[str, ...]


Invocation = (
    ShowHelp
    | ShowVersion
    | OpenClient
    | RunPlain
    | ServeStdio
    | Replay
    | Inspect
    | RunDoctor
    | RunClaude
)


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
        before = _without_record(arguments[:position])
        rest = (*before, *arguments[position + 1 :])
        return RunClaude(tuple(word for word in rest if word not in _DROPPED_BEFORE_CLI))
    before_dashes = _before_double_dash(arguments)
    if not _HELP_FLAGS.isdisjoint(before_dashes):
        return ShowHelp()
    if not _VERSION_FLAGS.isdisjoint(before_dashes):
        return ShowVersion()
    words = _sort(arguments)
    _refuse_strangers(words)
    match words.subcommand:
        case "doctor":
            return _doctor(words)
        case "replay":
            return _replay(words)
        case "inspect":
            return _inspect(words)
        case _:
            return _open_or_serve(words)


def _without_record(words: Sequence[str]) -> list[str]:
    """``words`` without ``--record FILE``, which is ours."""
    kept: list[str] = []
    skipping = False
    for word in words:
        if skipping or word == _RECORD:
            skipping = not skipping
        elif not word.startswith(f"{_RECORD}="):
            kept.append(word)
    return kept


def _before_double_dash(arguments: Sequence[str]) -> Sequence[str]:
    return arguments[: arguments.index("--")] if "--" in arguments else arguments


def _sort(arguments: Sequence[str]) -> _Words:
    flags: dict[str, str] = {}
    positionals: list[str] = []
    subcommand: str | None = None
    words = deque(arguments)
    while words:
        word = words.popleft()
        if word == "--":
            positionals.extend(words)
            break
        if not word.startswith("-") or word == "-":
            if word in _SUBCOMMANDS and not positionals and subcommand is None:
                subcommand = word
            else:
                positionals.append(word)
            continue
        name, equals, value = word.partition("=")
        if name == _RESUME:
            if not equals and words and not words[0].startswith("-"):
                value = words.popleft()
        elif name in _VALUED_FLAGS:
            value = value if equals else words.popleft() if words else ""
        elif name not in _SIMPLE_FLAGS or equals:
            raise UsageError(_unknown(word))
        if name in flags:
            raise UsageError(f"{name} is given twice")
        flags[name] = value
    return _Words(flags, tuple(positionals), subcommand)


def _unknown(option: str) -> str:
    from canopy_tui import meant

    known = {*_SIMPLE_FLAGS, *_VALUED_FLAGS, _RESUME, _CLI, "--help", "--version"}
    return f"unknown option {option!r}; {meant.by_option(option, sorted(known))}"


def _meant(directory: str) -> str:
    from canopy_tui import meant

    return meant.by_directory(directory, SUBCOMMANDS)


def _refuse_strangers(words: _Words) -> None:
    """Refuse flags that belong to another command than the one that is called."""
    if words.subcommand is not None:
        allowed = _SUBCOMMANDS[words.subcommand]
        unwanted = [flag for flag in words.flags if flag not in allowed]
        if unwanted:
            raise UsageError(_not_with(words.subcommand, unwanted[0]))
        return
    for name, allowed in _SUBCOMMANDS.items():
        for flag in words.flags:
            if flag in allowed - {"--plain"}:
                raise UsageError(f"{flag} goes with canopy {name} only")


def _not_with(subcommand: str, unwanted: str) -> str:
    return (
        f"{subcommand} does not go with {unwanted} (a folder of that name: canopy ./{subcommand})"
    )


def _doctor(words: _Words) -> RunDoctor:
    if words.positionals:
        raise UsageError(_not_with(_DOCTOR, repr(words.positionals[0])))
    return RunDoctor(json="--json" in words.flags)


def _replay(words: _Words) -> Replay:
    if len(words.positionals) != 1 or not words.positionals[0]:
        raise UsageError("replay needs one file, which canopy --record FILE makes")
    flags = words.flags
    return Replay(
        words.positionals[0],
        _speed(flags.get("--speed", "1")),
        "--paused" in flags,
        "--plain" in flags,
    )


def _inspect(words: _Words) -> Inspect:
    if len(words.positionals) > 1:
        raise UsageError(f"inspect takes one session, not also {words.positionals[1]!r}")
    session = words.positionals[0] if words.positionals else None
    if session is not None and not session.strip():
        raise UsageError("the id of the session is empty")
    return Inspect(session, "--plain" in words.flags)


def _speed(text: str) -> float:
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0 < speed <= _SPEED_LIMIT:
        raise UsageError(f"--speed takes a number above 0 and up to {_SPEED_LIMIT:g}")
    return speed


def _open_or_serve(words: _Words) -> OpenClient | RunPlain | ServeStdio:
    flags, positionals = words.flags, words.positionals
    if _HIDE_AUTH in flags and "--stdio" not in flags:
        raise UsageError(f"{_HIDE_AUTH} goes with --stdio only")
    if len(positionals) > 1:
        one = "prompt, in quotes," if "--plain" in flags else "directory"
        reason = f"one {one} at most, not also {positionals[1]!r}"
        raise UsageError(reason if "--plain" in flags else f"{reason}; {_meant(positionals[0])}")
    _refuse_pairs(flags, positionals)
    if "--protocol" in flags:
        _check_protocol(flags["--protocol"])
    newest = flags.get("--protocol") == "v2"
    if newest and "--stdio" in flags:
        raise UsageError("--stdio speaks the version that its client asks for, v1 or v2")
    if "--agent" in flags and flags["--agent"].strip()[:1] in ("", "-"):
        raise UsageError("--agent needs a command, e.g. --agent 'my-agent --acp'")
    record = flags.get(_RECORD)
    if record is not None and (not record or record.startswith("-")):
        raise UsageError(f"{_RECORD} needs a file, e.g. {_RECORD} talk.jsonl")
    if "--stdio" in flags:
        return ServeStdio(_HIDE_AUTH in flags, record)
    positional = positionals[0] if positionals else None
    if "--plain" in flags:
        if positional is not None and not positional.strip():
            raise UsageError("the prompt is empty")
        demo, trusted = "--demo" in flags, _TRUST in flags
        return RunPlain(positional, flags.get("--agent"), demo, record, newest, trusted)
    if positional == "":
        raise UsageError("the directory is an empty string")
    return OpenClient(
        positional,
        flags.get("--agent"),
        "--demo" in flags,
        record,
        flags.get(_RESUME),
        _CONTINUE in flags,
        newest,
        _TRUST in flags,
    )


def _refuse_pairs(flags: dict[str, str], positionals: Sequence[str]) -> None:
    given = {*flags, *(("a directory",) if positionals and "--plain" not in flags else ())}
    for one, other, reason in (
        ("--stdio", "--agent", "it serves Canopy's own agent"),
        ("--stdio", "--demo", "the demo is a client"),
        ("--stdio", "--plain", "each session is another client's"),
        ("--stdio", _RESUME, "a client says which session it wants"),
        ("--stdio", _CONTINUE, "a client says which session it wants"),
        ("--plain", _RESUME, "it begins a new session"),
        ("--plain", _CONTINUE, "it begins a new session"),
        ("--demo", _RESUME, "the demo begins anew each time"),
        ("--demo", _CONTINUE, "the demo begins anew each time"),
        (_RESUME, _CONTINUE, "each names the session to go on with"),
        ("--stdio", _TRUST, "its client decides what is trusted"),
        ("--stdio", "a directory", "each session names its own"),
        ("--demo", "--agent", "the demo runs Canopy's own agent"),
        ("--demo", "a directory", "the demo works on a throw-away copy of a sample project"),
    ):
        if one in given and other in given:
            raise UsageError(f"{one} does not go with {other}: {reason}")


def _check_protocol(version: str) -> None:
    if version not in _PROTOCOLS:
        raise UsageError("--protocol takes v1 or v2")
