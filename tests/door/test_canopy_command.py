"""The command as a person runs it: exit codes, one line on stderr, what each door is given."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from canopy_shared.record import Recorder
from canopy_shared.version import __version__
from canopy_tui import cli
from canopy_tui.claude_command import run_as_if_called
from canopy_tui.host.first_session import FirstSession

CANOPY = (sys.executable, "-m", "canopy_tui")
HANG_SECONDS = 60  # a bound for what takes well under a second


def canopy(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*CANOPY, *arguments],
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=HANG_SECONDS,
        check=False,
    )


def program(path: Path, body: str) -> Path:
    path.write_text(f"#!{sys.executable}\nimport os, signal, sys, time\n{body}\n")
    path.chmod(0o755)
    return path


def test_version() -> None:
    done = canopy("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"canopy {__version__}\n", "")


def test_the_command_on_path_is_the_same_program() -> None:
    command = Path(sys.executable).with_name("canopy")
    done = subprocess.run(
        [command, "--version"], capture_output=True, text=True, timeout=HANG_SECONDS, check=True
    )
    assert done.stdout == f"canopy {__version__}\n"


def test_help() -> None:
    done = canopy("--help")
    assert done.returncode == 0
    assert done.stdout.startswith("Usage: canopy [DIRECTORY]")
    assert done.stderr == ""


def test_without_a_terminal_the_person_is_pointed_at_other_ways() -> None:
    for line in ([], ["."], ["--demo"], ["--agent", sys.executable]):
        done = canopy(*line)
        assert done.returncode == 2
        assert done.stdout == ""
        assert done.stderr.count("\n") == 1
        assert "canopy --stdio" in done.stderr
        assert "canopy --plain" in done.stderr


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (["--nonsense"], "unknown option '--nonsense'; canopy --help says what there is"),
        (["--stdio", "--demo"], "the demo is a client; canopy --help says what there is"),
        (["inpsect"], "'inpsect' does not exist; did you mean canopy inspect? canopy --help says"),
        ([__file__], "is not a directory; canopy --help says what there is"),
        (["no/such/folder"], "'no/such/folder' does not exist"),
        (["a\x1b[31m"], r"'a\x1b[31m' does not exist"),
        (["x" * 5000], "cannot be opened"),
        (["--protocol", "v3"], "--protocol takes v1 or v2"),
        (["--agent", "no-such-agent"], "--agent: the agent program 'no-such-agent' is not on PATH"),
        (["--stdio", "--record", "no/such/folder/r"], "cannot be made: No such file or directory"),
        (["--stdio", "--record", __file__], "exists; name a new file"),
        (["replay", "no\x1b[31m"], r"'no\x1b[31m' cannot be read: No such file or directory"),
        (["replay", __file__], "is not a recording of Canopy"),
        (["--plain", "--agent", "no-such-agent"], "is not on PATH"),
        (["--plain"], "is not trusted yet, and there is no terminal to ask on; --trust trusts it"),
        (["--plain", "--trust"], "no prompt on stdin"),
        (["--agent", "'x"], "--agent: the agent command has an unclosed ' quote"),
    ],
)
def test_what_is_wrong_is_one_line_and_exit_code_2(line: list[str], words: str) -> None:
    done = canopy(*line)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("canopy: ")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_current_directory_that_is_gone(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = 'cd "$1" && rmdir "$1" && shift && exec "$@"'
    done = subprocess.run(
        ["sh", "-c", script, "sh", str(gone), *CANOPY],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        check=False,
    )
    assert done.returncode == 2
    assert "the current directory" in done.stderr


def test_closed_streams_are_no_terminal() -> None:
    done = subprocess.run(
        ["sh", "-c", '"$@" <&- >&-', "sh", *CANOPY],
        stderr=subprocess.PIPE,
        text=True,
        timeout=HANG_SECONDS,
        check=False,
    )
    assert done.returncode == 2
    assert "canopy --stdio" in done.stderr


class Doors:
    """Stand-ins for what lies behind the doors; they note what they are given."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.opened: list[object] = []
        compose, stdio = ModuleType("canopy_tui.compose"), ModuleType("canopy_agent.stdio")
        compose.run_client = self._run_client  # type: ignore[attr-defined]
        stdio.serve = self._serve  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, compose.__name__, compose)
        monkeypatch.setitem(sys.modules, stdio.__name__, stdio)
        monkeypatch.setattr("canopy_tui.cli._has_terminal", lambda: True)

    def _run_client(
        self,
        directory: Path,
        agent_command: tuple[str, ...] | None,
        demo: bool,
        *,
        recorder: Recorder | None,
        first: FirstSession,
        newest: bool,
        trusted: bool,
    ) -> int:
        assert first == FirstSession()
        assert (newest, trusted) == (False, False)
        self.opened.append((directory, agent_command, demo))
        self._recorded(recorder)
        return 5

    def _serve(self, *, hide_subscription: bool, recorder: Recorder | None) -> int:
        self.opened.append(("stdio", hide_subscription))
        self._recorded(recorder)
        return 6

    def _recorded(self, recorder: Recorder | None) -> None:
        if recorder is not None:
            self.opened.append(recorder.file)
            recorder.close()


@pytest.fixture
def doors(monkeypatch: pytest.MonkeyPatch) -> Doors:
    return Doors(monkeypatch)


def test_the_client_opens_on_the_real_directory(
    doors: Doors, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "doctor"
    folder.mkdir()
    (tmp_path / "link").symlink_to(folder)
    monkeypatch.chdir(tmp_path)
    for line in (["./doctor"], ["link"], [str(folder)], ["--", "doctor"]):
        assert cli.main(line) == 5
    assert doors.opened == [(folder, None, False)] * 4


def test_the_client_opens_here_by_default(
    doors: Doors, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    cli.main([])
    cli.main(["--demo"])
    cli.main(["--agent", f"'{sys.executable}' -m 'my agent'"])
    python = str(Path(sys.executable).absolute())
    assert doors.opened == [
        (tmp_path, None, False),
        (tmp_path, None, True),
        (tmp_path, (python, "-m", "my agent"), False),
    ]


def test_a_terminal_that_cannot_draw_is_told(
    doors: Doors, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    assert cli.main([]) == 2
    told = capsys.readouterr().err
    assert told.startswith("canopy: TERM is 'dumb', a terminal that cannot draw screens; canopy")
    assert "set TERM to what it is" in told
    assert doors.opened == []


def test_stdio_needs_no_terminal(doors: Doors, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("canopy_tui.cli._has_terminal", lambda: False)
    assert cli.main(["--stdio"]) == 6
    assert cli.main(["--hide-claude-auth", "--stdio"]) == 6
    assert doors.opened == [("stdio", False), ("stdio", True)]


def test_a_recording_is_a_new_file_and_made_only_when_a_door_opens(
    doors: Doors, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["--record", "talk.jsonl"]) == 5
    assert cli.main(["--stdio", "--record", "."]) == 6
    assert cli.main(["no/such/folder", "--record", "never.jsonl"]) == 2
    monkeypatch.setattr("canopy_tui.cli._has_terminal", lambda: False)
    assert cli.main(["--record", "never.jsonl"]) == 2
    talk, served = (item for item in doors.opened if isinstance(item, Path))
    assert talk == Path("talk.jsonl")
    assert sorted(tmp_path.iterdir()) == sorted([tmp_path / talk, tmp_path / served])
    assert talk.stat().st_mode & 0o077 == 0


def test_everything_that_is_started_sees_one_home(
    doors: Doors,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    import pwd

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "a/home")
    assert cli.main(["--stdio"]) == 6
    assert os.environ["HOME"] == str(tmp_path / "a" / "home")
    monkeypatch.setenv("HOME", "")
    assert cli.main(["--stdio"]) == 6
    assert "HOME" not in os.environ

    def nobody(_id: int) -> None:
        raise KeyError

    monkeypatch.setattr(pwd, "getpwuid", nobody)  # a number that a container was given
    assert cli.main(["--version"]) == 0
    capsys.readouterr()
    assert cli.main(["--stdio"]) == 2
    assert "set HOME to a folder" in capsys.readouterr().err


def test_an_interrupt_is_no_traceback(
    doors: Doors, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(**_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["canopy_agent.stdio"], "serve", interrupted)
    assert cli.main(["--stdio"]) == 130
    assert capsys.readouterr().err == ""


def test_doctor_wins_over_a_folder_of_that_name(
    doors: Doors, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "doctor").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("canopy_tui.cli._doctor", lambda as_json: 7)
    assert cli.main(["doctor"]) == 7
    assert doors.opened == []


SETTINGS = """theme = "blak"
glyph = "ascii"

[keys]
sesions = "alt+s"
undo = "ctrl+zz"
"""


def test_doctor_looks_at_the_real_installation(tmp_path: Path) -> None:
    secret = "sk-ant-a-very-secret-value"
    file = tmp_path / "config.toml"
    file.write_text(SETTINGS)
    places = {"CANOPY_CONFIG_DIR": str(tmp_path), "CLAUDE_CODE_EXECUTABLE": ""}
    done = canopy("doctor", ANTHROPIC_API_KEY=secret, **places)
    checks = [line.split()[1:3] for line in done.stdout.splitlines() if line[0] != " "]
    assert checks == [
        ["ok", "Python"],
        ["ok", "Claude"],
        ["ok", "Login"],
        ["warn", "Terminal"],
        ["warn", "Settings"],
    ]
    assert f"4 faults in {file}" in done.stdout
    told = [line.strip().removeprefix(f"{file}, ") for line in done.stdout.splitlines()[-4:]]
    assert told[0].endswith("ansi-light, not 'blak'.")
    assert told[1].startswith("line 2: there is no setting 'glyph'; is it 'glyphs'? There are ")
    assert told[2].startswith("line 5: there is no action 'sesions'; is it 'sessions'?")
    assert told[3].startswith("line 6: 'ctrl+zz' is no key;")
    assert done.returncode == 0
    assert secret not in done.stdout + done.stderr


def test_doctor_says_what_to_do_about_a_missing_cli(tmp_path: Path) -> None:
    done = canopy("doctor", CLAUDE_CODE_EXECUTABLE=str(tmp_path / "gone"))
    assert done.returncode == 1
    assert "CLAUDE_CODE_EXECUTABLE" in done.stdout
    assert done.stderr == ""


def test_cli_runs_the_claude_cli_as_if_called(tmp_path: Path) -> None:
    body = (
        "print(sys.argv[1:], 'CLAUDECODE' in os.environ);"
        "print(sys.stdin.read(), file=sys.stderr); sys.exit(23)"
    )
    claude = program(tmp_path / "claude", body)
    done = subprocess.run(
        [*CANOPY, "--stdio", "--cli", "auth", "login", "a b"],
        env={**os.environ, "CLAUDE_CODE_EXECUTABLE": str(claude), "CLAUDECODE": "1"},
        input="typed",
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        check=False,
    )
    assert done.stdout == "['auth', 'login', 'a b'] False\n"
    assert done.stderr == "typed\n"
    assert done.returncode == 23


def test_cli_hands_signals_on_and_dies_of_them(tmp_path: Path) -> None:
    body = "print('ready', flush=True); time.sleep(600)"
    claude = program(tmp_path / "claude", body)
    command = [*CANOPY, "--cli"]
    environment = {**os.environ, "CLAUDE_CODE_EXECUTABLE": str(claude)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        running.stdout.readline()
        running.send_signal(signal.SIGTERM)
        assert running.wait(HANG_SECONDS) == -signal.SIGTERM


def test_cli_starts_with_the_signals_of_a_fresh_process(tmp_path: Path) -> None:
    claude = tmp_path / "claude"
    claude.write_text("#!/bin/sh\nexec grep SigIgn /proc/self/status\n")
    claude.chmod(0o755)
    done = canopy("--cli", CLAUDE_CODE_EXECUTABLE=str(claude))
    ignored = int(done.stdout.split()[1], 16)
    assert not ignored & (1 << (signal.SIGPIPE - 1))


def test_cli_without_a_cli_is_one_line(tmp_path: Path) -> None:
    done = canopy("--cli", CLAUDE_CODE_EXECUTABLE=str(tmp_path / "gone"))
    assert done.returncode == 1
    assert done.stderr.startswith("canopy: ")
    assert done.stderr.count("\n") == 1


def test_where_a_process_cannot_become_another_it_waits_for_it(tmp_path: Path) -> None:
    claude = program(tmp_path / "claude", "sys.exit(int(sys.argv[1]))")
    before = signal.getsignal(signal.SIGINT)  # a shell ignores it for what runs in the background
    assert run_as_if_called(str(claude), ["9"], os.environ, in_place=False) == 9
    assert signal.getsignal(signal.SIGINT) is before
