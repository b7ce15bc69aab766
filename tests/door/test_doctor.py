"""``canopy doctor``: what it finds, what it advises, and what it must not print."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from canopy_shared import jsonio
from canopy_tui.doctor import (
    ClaudeProbe,
    Finding,
    Level,
    SettingsProbe,
    Terminal,
    check_cli,
    check_login,
    check_python,
    check_settings,
    check_terminal,
    examine,
    exit_code,
    report,
    report_json,
)

GOOD_TERMINAL = Terminal(
    is_terminal=True,
    columns=120,
    rows=40,
    encoding="utf-8",
    term="xterm-256color",
    colorterm="truecolor",
    no_color=False,
)
SECRET = "sk-ant-a-very-secret-value"


def claude_answering(folder: Path, body: str) -> str:
    """A stand-in for the Claude CLI: a program whose behaviour is the Python ``body``."""
    program = folder / "claude"
    program.write_text(f"#!{sys.executable}\nimport json, os, sys, time\n{body}\n")
    program.chmod(0o755)
    return str(program)


@pytest.mark.parametrize(
    ("version", "level"),
    [
        ((3, 11, 0), Level.OK),
        ((3, 14, 2), Level.OK),
        ((3, 10, 9), Level.FAIL),
        ((2, 7), Level.FAIL),
    ],
)
def test_python(version: tuple[int, ...], level: Level) -> None:
    finding = check_python(version)
    assert finding.level is level
    assert ".".join(map(str, version)) in finding.found
    assert ("3.11" in finding.advice) == (level is Level.FAIL)


def test_the_cli_and_its_version(tmp_path: Path) -> None:
    cli = str(tmp_path / "claude")
    finding, path = check_cli(ClaudeProbe(lambda: cli, lambda _: "2.1.332 (Claude Code)"))
    assert finding.level is Level.OK
    assert "2.1.332" in finding.found
    assert cli in finding.found
    assert path == cli


def test_no_cli_gives_the_hint_of_the_search() -> None:
    def locate() -> str:
        raise LookupError("Install the CLI,\nor set CLAUDE_CODE_EXECUTABLE.")

    finding, path = check_cli(ClaudeProbe(locate, lambda _: "unused"))
    assert finding.level is Level.FAIL
    assert "CLAUDE_CODE_EXECUTABLE" in finding.advice
    assert "\n" not in finding.advice
    assert path is None


def test_a_cli_that_does_not_run(tmp_path: Path) -> None:
    def version(_: str) -> str:
        raise OSError("Exec format error\x1b[31m")

    finding, path = check_cli(ClaudeProbe(lambda: str(tmp_path / "claude"), version))
    assert finding.level is Level.FAIL
    assert "Exec format error" in finding.found
    assert finding.found.isprintable()
    assert path is None


@pytest.mark.parametrize(
    ("environment", "found"),
    [
        ({"ANTHROPIC_API_KEY": SECRET}, "ANTHROPIC_API_KEY"),
        ({"ANTHROPIC_AUTH_TOKEN": SECRET}, "ANTHROPIC_AUTH_TOKEN"),
        ({"CLAUDE_CODE_OAUTH_TOKEN": SECRET}, "CLAUDE_CODE_OAUTH_TOKEN"),
        ({"CLAUDE_CODE_USE_BEDROCK": "1"}, "Bedrock"),
        ({"CLAUDE_CODE_USE_VERTEX": "true"}, "Vertex"),
        ({"CLAUDE_CODE_USE_BEDROCK": "0", "ANTHROPIC_API_KEY": SECRET}, "ANTHROPIC_API_KEY"),
        ({"CLAUDE_CODE_USE_VERTEX": "1", "ANTHROPIC_API_KEY": SECRET}, "Vertex"),
    ],
)
def test_a_key_in_the_environment_is_named_never_printed(
    environment: dict[str, str], found: str
) -> None:
    finding = check_login(environment, None)
    assert finding.level is Level.OK
    assert found in finding.found
    assert SECRET not in repr(finding)


def test_without_a_key_the_cli_is_asked(tmp_path: Path) -> None:
    body = (
        "assert sys.argv[1:] == ['auth', 'status', '--json']\n"
        "print(json.dumps({'loggedIn': True, 'authMethod': 'claude.ai',"
        " 'email': 'ann@example.org', 'orgName': 'Example'}))"
    )
    finding = check_login({"ANTHROPIC_API_KEY": " "}, claude_answering(tmp_path, body))
    assert finding.level is Level.OK
    assert "claude.ai" in finding.found
    assert "ann" not in repr(finding)
    assert "Example" not in repr(finding)


def test_nobody_logged_in(tmp_path: Path) -> None:
    body = "print(json.dumps({'loggedIn': False, 'authMethod': 'none'})); sys.exit(1)"
    finding = check_login({}, claude_answering(tmp_path, body))
    assert finding.level is Level.FAIL
    assert "canopy --cli auth login" in finding.advice
    assert "ANTHROPIC_API_KEY" in finding.advice


@pytest.mark.parametrize(
    "body",
    [
        "print('Welcome!')",
        "print('[]')",
        "print('{}')",
        "sys.exit(3)",
        "sys.stdout.buffer.write(bytes(range(256)))",
    ],
)
def test_an_answer_that_says_nothing_is_a_warning(tmp_path: Path, body: str) -> None:
    finding = check_login({}, claude_answering(tmp_path, body))
    assert finding.level is Level.WARN
    assert "auth status" in finding.advice


def test_a_cli_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("canopy_tui.doctor.AUTH_STATUS_SECONDS", 0.2)
    finding = check_login({}, claude_answering(tmp_path, "time.sleep(600)"))
    assert finding.level is Level.WARN
    assert "within 0.2 s" in finding.found


def test_a_cli_that_cannot_be_started(tmp_path: Path) -> None:
    assert check_login({}, str(tmp_path / "gone")).level is Level.WARN
    assert check_login({}, None).level is Level.WARN


@pytest.mark.parametrize(
    ("change", "level", "words"),
    [
        ({}, Level.OK, "120x40"),
        ({"columns": 80, "rows": 24}, Level.OK, "80x24"),
        ({"columns": 79}, Level.WARN, "80x24 or larger"),
        ({"rows": 23}, Level.WARN, "80x24 or larger"),
        ({"term": ""}, Level.WARN, "Set TERM"),
        ({"term": "dumb"}, Level.WARN, "Set TERM"),
        ({"encoding": "ascii"}, Level.WARN, "UTF-8"),
        ({"encoding": "utf8"}, Level.OK, "utf8"),
        ({"is_terminal": False}, Level.WARN, "--stdio"),
        ({"no_color": True}, Level.OK, "NO_COLOR"),
        ({"colorterm": ""}, Level.OK, "256 colours"),
        ({"colorterm": "", "term": "linux"}, Level.OK, "16 colours"),
    ],
)
def test_terminal(change: dict[str, object], level: Level, words: str) -> None:
    finding = check_terminal(replace(GOOD_TERMINAL, **change))  # type: ignore[arg-type]
    assert finding.level is level
    assert words in f"{finding.found} {finding.advice}"


def test_five_checks_one_line_each_and_more_for_advice(tmp_path: Path) -> None:
    probe = ClaudeProbe(lambda: str(tmp_path / "claude"), lambda _: "2.1.332")
    settings = SettingsProbe(tmp_path / "config.toml", lambda: ("line 2: no", "line 3: no\x1b["))
    terminal = replace(GOOD_TERMINAL, rows=10)
    findings = examine({"ANTHROPIC_API_KEY": SECRET}, probe, terminal, settings)
    lines = report(findings, "utf-8").splitlines()
    assert [line.split()[:2] for line in lines] == [
        ["✓", "ok"],
        ["✓", "ok"],
        ["✓", "ok"],
        ["!", "warn"],
        ["Make", "it"],
        ["!", "warn"],
        ["line", "2:"],
        ["line", "3:"],
    ]
    assert lines[-1].endswith(r"no\x1b[")
    assert exit_code(findings) == 0
    assert SECRET not in report(findings, "utf-8") + report_json(findings)


def test_settings_that_are_in_order_or_cannot_be_read(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    assert check_settings(SettingsProbe(file, tuple)).found.startswith("the usual ones (")
    file.touch()
    assert check_settings(SettingsProbe(file, tuple)) == Finding("Settings", Level.OK, str(file))

    def broken() -> tuple[str, ...]:
        raise ImportError("no textual\x1b[")

    finding = check_settings(SettingsProbe(file, broken))
    assert finding.level is Level.FAIL
    assert finding.found.endswith(r"cannot be checked: no textual\x1b[")


def test_a_failure_makes_the_exit_code_one() -> None:
    assert exit_code([Finding("a", Level.OK, ""), Finding("b", Level.FAIL, "")]) == 1
    assert exit_code([Finding("a", Level.WARN, "")]) == 0


def test_a_terminal_without_unicode_gets_plain_marks() -> None:
    text = report([Finding("Login", Level.FAIL, "método", "do")], "ascii")
    assert text.isascii()
    assert text.startswith("x fail")


def test_the_report_for_programs() -> None:
    findings = [Finding("Login", Level.FAIL, "none", "log in"), Finding("Python", Level.OK, "3.11")]
    assert jsonio.loads(report_json(findings)) == {
        "ok": False,
        "checks": [
            {"check": "Login", "level": "fail", "found": "none", "advice": "log in"},
            {"check": "Python", "level": "ok", "found": "3.11", "advice": ""},
        ],
    }
