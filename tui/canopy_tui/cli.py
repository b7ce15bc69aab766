"""The ``canopy`` command: reads the command line and hands over to one of its doors.

Whatever a door needs is imported when it is opened, so that ``--version`` is quick and ``--stdio``
loads no user interface; nothing here knows what happens behind a door.
"""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING, Final, assert_never

from canopy_tui.invocation import (
    HELP,
    SUBCOMMANDS,
    Inspect,
    Invocation,
    OpenClient,
    Replay,
    RunClaude,
    RunDoctor,
    RunPlain,
    ServeStdio,
    ShowHelp,
    ShowVersion,
    UsageError,
    parse,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from canopy_shared.record import Recorder
    from canopy_tui.doctor import ClaudeProbe, SettingsProbe

USAGE_EXIT = 2
_INTERRUPTED_EXIT = 130  # 128 + SIGINT, as shells report it
_FIXED_SIZE: Final = ("COLUMNS", "LINES")
"""A shell that exports them fixes the size of its start; they would win over the terminal's own."""


class StartError(Exception):
    """A request that cannot be carried out: one line for the person, and the exit code."""

    def __init__(self, reason: str, exit_code: int) -> None:
        super().__init__(reason)
        self.exit_code = exit_code


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``canopy`` with ``arguments`` (default: those of the process); return the exit code.

    2 means that the command line, the directory or the terminal was not right.
    """
    try:
        wanted = parse(sys.argv[1:] if arguments is None else arguments)
        if not isinstance(wanted, ShowHelp | ShowVersion):
            _settle_home()
        return _run(wanted)
    except UsageError as error:
        from canopy_tui.meant import HELP_POINTER

        reason = str(error)
        _complain(reason if HELP_POINTER in reason else f"{reason}; {HELP_POINTER}")
        return USAGE_EXIT
    except StartError as error:
        _complain(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        return _INTERRUPTED_EXIT


def _settle_home() -> None:
    """One home directory for all that is started from here, each of which has its own idea of one
    that is empty or relative.
    """
    if os.environ.get("HOME") == "":
        del os.environ["HOME"]
    home = os.path.expanduser("~")  # noqa: PTH111 - pathlib raises, and takes its time
    if home == "~":
        reason = "this user has no home directory: set HOME to a folder that you may write"
        raise StartError(reason, USAGE_EXIT)
    if os.environ.get("HOME"):
        os.environ["HOME"] = os.path.abspath(home)  # noqa: PTH100


def _run(invocation: Invocation) -> int:
    match invocation:
        case ShowHelp():
            return _say(HELP.rstrip("\n"))
        case ShowVersion():
            from canopy_shared.version import __version__

            return _say(f"canopy {__version__}")
        case ServeStdio():
            return _serve(invocation)
        case RunDoctor(json=as_json):
            return _doctor(as_json)
        case RunClaude(arguments=rest):
            return _claude(rest)
        case OpenClient():
            return _open_client(invocation)
        case RunPlain():
            return _plain(invocation)
        case Replay():
            return _replay(invocation)
        case Inspect():
            return _inspect(invocation)
        case _:
            assert_never(invocation)


def _open_client(request: OpenClient) -> int:
    directory = _existing_directory(request.directory)
    agent_command = None if request.agent is None else _agent_command(request.agent)
    _need_terminal("canopy --stdio serves an ACP client, and canopy --plain talks in lines")
    with _on_a_screen():
        return _run_client(request, directory, agent_command)


@contextlib.contextmanager
def _on_a_screen() -> Iterator[None]:
    """Around everything that draws, and loads what it draws with."""
    from canopy_tui.process.terminal_guard import standing_by
    from canopy_tui.process.typed_ahead import kept

    with standing_by(), kept():
        yield


def _run_client(request: OpenClient, directory: Path, agent_command: tuple[str, ...] | None) -> int:
    from canopy_tui import first_frame

    first_frame.ahead()
    from canopy_tui.compose import run_client
    from canopy_tui.host.first_session import FirstSession

    recorder = _recorder(request.record)
    first = FirstSession(request.resume or None, request.last, request.resume == "")
    code = run_client(
        directory,
        agent_command,
        request.demo,
        recorder=recorder,
        first=first,
        newest=request.newest,
        trusted=request.trusted,
    )
    _tell_of(recorder)
    return code


def _serve(request: ServeStdio) -> int:
    from canopy_tui.process.terminal_guard import standing_by

    with standing_by():
        recorder = _recorder(request.record)
        from canopy_agent.stdio import serve

        return serve(hide_subscription=request.hide_subscription, recorder=recorder)


def _plain(request: RunPlain) -> int:
    directory = _existing_directory(None)
    agent_command = None if request.agent is None else _agent_command(request.agent)
    if not request.demo:
        _need_trust(directory, given=request.trusted)
    from canopy_tui.process.terminal_guard import standing_by

    with standing_by():
        from canopy_tui.compose import run_plain

        recorder = _recorder(request.record)
        code = run_plain(
            directory,
            agent_command,
            request.demo,
            request.prompt,
            recorder=recorder,
            newest=request.newest,
        )
    _tell_of(recorder)
    return code


def _need_trust(directory: Path, *, given: bool) -> None:
    from canopy_tui.kept.trust import TrustedDirectories
    from canopy_tui.paths import locations
    from canopy_tui.plain.trusting import why_not

    reason = why_not(str(directory), TrustedDirectories(locations(os.environ).state), given=given)
    if reason:
        raise StartError(reason, USAGE_EXIT)


def _recorder(typed: str | None) -> Recorder | None:
    if typed is None:
        return None
    from pathlib import Path

    from canopy_shared.record import Recorder

    try:
        return Recorder(Path(typed))
    except FileExistsError:
        raise StartError(
            f"--record: {typed!r} exists; name a new file, or a folder for it", USAGE_EXIT
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise StartError(f"--record: {typed!r} cannot be made: {reason}", USAGE_EXIT) from None


def _tell_of(recorder: Recorder | None) -> None:
    if recorder is None:
        return
    file = repr(str(recorder.file))
    if recorder.failure:
        _complain(f"the recording {file} is cut off: {recorder.failure}; canopy replay shows it")
    else:
        _complain(f"recorded to {file}; canopy replay shows it")


def _replay(request: Replay) -> int:
    from pathlib import Path

    from canopy_shared.record import RecordingError, read_recording

    try:
        recording = read_recording(Path(request.file))
    except (RecordingError, ValueError) as error:
        raise StartError(f"{error}{_rather_inspect(Path(request.file))}", USAGE_EXIT) from None
    if request.plain:
        from canopy_tui.plain.run import print_recording

        if recording.broken:
            _complain(f"{request.file!r}: {recording.damage()}")
        return print_recording(recording)
    _need_terminal("canopy replay --plain FILE prints the recording")
    with _on_a_screen():
        from canopy_tui.replay.opening import run_replay

        return run_replay(recording, speed=request.speed, paused=request.paused)


def _rather_inspect(file: Path) -> str:
    """What to do with a file that is no recording."""
    from canopy_agent.history.transcript import is_transcript

    try:
        if file.is_file() and is_transcript(file):
            return "; it is a transcript of Claude Code, which canopy inspect shows"
    except (OSError, ValueError):
        pass
    return "; canopy --record FILE makes recordings"


def _inspect(request: Inspect) -> int:
    directory = _existing_directory(None)
    if not request.plain:
        _need_terminal("canopy inspect --plain prints the session")
    from canopy_agent.session.lookup import NoSessionError, find_session, need_sessions
    from canopy_tui.compose import run_inspect

    found = None
    try:
        if request.plain or request.session is not None:
            found = find_session(request.session, directory, _claude_folder())
        else:
            need_sessions(_claude_folder())
    except NoSessionError as error:
        raise StartError(str(error), USAGE_EXIT) from None
    guarded = contextlib.nullcontext() if request.plain else _on_a_screen()
    try:
        with guarded:
            return run_inspect(found, _claude_folder(), plain=request.plain)
    except OSError as error:
        reason = error.strerror or str(error)
        place = str(found.path if found is not None else directory)
        raise StartError(f"{place!r} cannot be read: {reason}", USAGE_EXIT) from None


def _claude_folder() -> str:
    from canopy_agent.settings import SettingsError, read_settings

    try:
        return read_settings().config_directory
    except SettingsError as error:
        raise StartError(str(error), USAGE_EXIT) from None


def _need_terminal(instead: str) -> None:
    if not _has_terminal():
        raise StartError(f"no terminal on stdin and stdout; {instead}", USAGE_EXIT)
    if os.environ.get("TERM") == "dumb":
        what = "TERM is 'dumb', a terminal that cannot draw screens"
        otherwise = "if yours can, set TERM to what it is, such as xterm-256color"
        raise StartError(f"{what}; {instead}; {otherwise}", USAGE_EXIT)
    for name in _FIXED_SIZE:
        os.environ.pop(name, None)


def _existing_directory(typed: str | None) -> Path:
    from pathlib import Path

    shown = repr(typed) if typed is not None else "the current directory"
    try:
        directory = Path.cwd() if typed is None else Path(typed).resolve(strict=True)
    except FileNotFoundError:
        raise StartError(f"{shown} does not exist{_meant(typed)}", USAGE_EXIT) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise StartError(f"{shown} cannot be opened: {reason}", USAGE_EXIT) from None
    if not directory.is_dir():
        raise StartError(f"{shown} is not a directory{_meant(typed)}", USAGE_EXIT)
    if not os.access(directory, os.R_OK | os.X_OK):
        raise StartError(f"{shown} may not be read", USAGE_EXIT)
    return directory


def _meant(typed: str | None) -> str:
    from canopy_tui.meant import by_directory

    return f"; {by_directory(typed, SUBCOMMANDS)}" if typed is not None else ""


def _agent_command(text: str) -> tuple[str, ...]:
    from canopy_tui.agents.agent_command import AgentCommandError, resolve_agent_command

    try:
        return resolve_agent_command(text, os.environ)
    except AgentCommandError as error:
        raise StartError(f"--agent: {error}", USAGE_EXIT) from None


def _has_terminal() -> bool:
    # Either is None when the process was started with that descriptor closed.
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def _doctor(as_json: bool) -> int:
    from canopy_tui import doctor

    terminal = doctor.this_terminal(os.environ)
    findings = doctor.examine(os.environ, _claude_probe(), terminal, _settings_probe())
    text = doctor.report_json(findings) if as_json else doctor.report(findings, terminal.encoding)
    return _say(text) or doctor.exit_code(findings)


def _claude_probe() -> ClaudeProbe:
    from canopy_agent.claude.locate import cli_version, locate_cli
    from canopy_tui.doctor import ClaudeProbe

    return ClaudeProbe(locate=lambda: locate_cli(os.environ).path, version=cli_version)


def _settings_probe() -> SettingsProbe:
    from canopy_tui.doctor import SettingsProbe
    from canopy_tui.paths import locations
    from canopy_tui.settings.config_file import FILE

    def faults() -> Sequence[str]:
        from canopy_tui.own_settings import own_settings

        found: Sequence[str] = own_settings(os.environ)[1]["faults"]
        return found

    return SettingsProbe(locations(os.environ).config / FILE, faults)


def _claude(arguments: Sequence[str]) -> int:
    from canopy_agent.claude.errors import ClaudeError
    from canopy_agent.claude.launch import NESTING_MARKS
    from canopy_agent.claude.locate import locate_cli
    from canopy_tui.claude_command import run_as_if_called

    # A CLI that was told of an outer session would take itself for part of it.
    environment = {name: value for name, value in os.environ.items() if name not in NESTING_MARKS}
    try:
        return run_as_if_called(locate_cli(os.environ).path, arguments, environment)
    except ClaudeError as error:
        raise StartError(str(error), 1) from None
    except OSError as error:
        raise StartError(f"the Claude CLI does not start: {error}", 1) from None


def _say(text: str) -> int:
    from canopy_tui.process.lines_out import say

    return say(text)


def _complain(reason: str) -> None:
    print(f"canopy: {reason}", file=sys.stderr)
