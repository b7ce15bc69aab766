"""``canopy doctor``: five checks of the installation, each with what was found and what to do.

It must not know where the Claude CLI lies or what a setting may be (that is handed in), and it
never prints a secret, an account name or a control code that somebody else wrote.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from dataclasses import asdict, dataclass
from enum import Enum
from typing import TYPE_CHECKING

from canopy_shared import jsonio

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

AUTH_STATUS_SECONDS = 5.0
_PYTHON_FLOOR = (3, 11)
_SMALLEST_TERMINAL = (80, 24)  # columns, rows
_FALSE_WORDS = frozenset({"", "0", "false", "no", "off"})
# Switches and secrets the Claude CLI reads, in the order in which it prefers them.
_PROVIDER_SWITCHES = {
    "CLAUDE_CODE_USE_BEDROCK": "Amazon Bedrock",
    "CLAUDE_CODE_USE_VERTEX": "Google Vertex AI",
    "CLAUDE_CODE_USE_FOUNDRY": "Microsoft Foundry",
}
_SECRETS = {
    "ANTHROPIC_AUTH_TOKEN": "a bearer token",
    "ANTHROPIC_API_KEY": "an API key",
    "CLAUDE_CODE_OAUTH_TOKEN": "a login token",
}
_LOGIN_ADVICE = (
    "Run: canopy --cli auth login, or set ANTHROPIC_API_KEY (canopy --demo needs neither)."
)


class Level(Enum):
    """How a check went; only ``FAIL`` makes the exit code 1."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one check; ``advice`` says what to do and is empty when all is well."""

    check: str
    level: Level
    found: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Terminal:
    """What is known of the terminal; ``columns`` and ``rows`` are 0 when there is none."""

    is_terminal: bool
    columns: int
    rows: int
    encoding: str
    term: str
    colorterm: str
    no_color: bool


@dataclass(frozen=True, slots=True)
class ClaudeProbe:
    """How to ask the Claude CLI: ``locate`` and ``version`` raise with a text for the person."""

    locate: Callable[[], str]
    version: Callable[[str], str]


@dataclass(frozen=True, slots=True)
class SettingsProbe:
    """The file of the person's settings, and how to read it: ``faults`` gives whole sentences."""

    file: Path
    faults: Callable[[], Sequence[str]]


def examine(
    environment: Mapping[str, str],
    probe: ClaudeProbe,
    terminal: Terminal,
    settings: SettingsProbe,
) -> list[Finding]:
    """Run the five checks, in the order in which a person would mend what they find."""
    cli, path = check_cli(probe)
    return [
        check_python(sys.version_info[:3]),
        cli,
        check_login(environment, path),
        check_terminal(terminal),
        check_settings(settings),
    ]


def check_python(version: tuple[int, ...]) -> Finding:
    """Is this Python new enough?"""
    found = f"{platform.python_implementation()} {'.'.join(map(str, version))}"
    if version >= _PYTHON_FLOOR:
        return Finding("Python", Level.OK, found)
    return Finding("Python", Level.FAIL, found, "Canopy needs Python 3.11 or newer.")


def check_cli(probe: ClaudeProbe) -> tuple[Finding, str | None]:
    """Is there a Claude CLI that runs? Its path comes too, for the checks that need it."""
    # A broken installation may raise anything; a doctor that dies of it would say nothing.
    try:
        path = probe.locate()
    except Exception as error:
        return Finding("Claude CLI", Level.FAIL, "not found", printable(str(error))), None
    try:
        version = printable(probe.version(path))
    except Exception as error:
        reason = printable(str(error)) or type(error).__name__
        advice = (
            "Install claude-agent-sdk again, or point CLAUDE_CODE_EXECUTABLE at a CLI that runs."
        )
        return Finding(
            "Claude CLI", Level.FAIL, f"{printable(path)} does not run: {reason}", advice
        ), None
    return Finding("Claude CLI", Level.OK, f"{version}, {printable(path)}"), path


def check_login(environment: Mapping[str, str], cli: str | None) -> Finding:
    """Is there an account to work with? Values of secrets are never part of the finding."""
    for variable, provider in _PROVIDER_SWITCHES.items():
        if environment.get(variable, "").lower() not in _FALSE_WORDS:
            return Finding("Login", Level.OK, f"{provider} ({variable} is set)")
    for variable, secret in _SECRETS.items():
        if environment.get(variable, "").strip():
            return Finding("Login", Level.OK, f"{secret} in {variable}")
    if cli is None:
        return Finding("Login", Level.WARN, "unknown without a Claude CLI", _LOGIN_ADVICE)
    return _ask_for_login(environment, cli)


def _ask_for_login(environment: Mapping[str, str], cli: str) -> Finding:
    try:
        # It exits 1 when nobody is logged in, with the same JSON.
        answer = subprocess.run(
            [cli, "auth", "status", "--json"],
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=AUTH_STATUS_SECONDS,
            check=False,
        )
        status = jsonio.loads(answer.stdout)
        logged_in = status["loggedIn"]
    except subprocess.TimeoutExpired:
        found = f"the Claude CLI did not say within {AUTH_STATUS_SECONDS:g} s"
        return Finding("Login", Level.WARN, found, "Run: canopy --cli auth status")
    except (OSError, ValueError, TypeError, KeyError):
        found = "the Claude CLI gave no readable answer"
        return Finding("Login", Level.WARN, found, "Run: canopy --cli auth status")
    if logged_in is not True:
        return Finding("Login", Level.FAIL, "not logged in, and no key is set", _LOGIN_ADVICE)
    method = printable(str(status.get("authMethod", "unknown")))
    return Finding("Login", Level.OK, f"logged in (method: {method})")


def check_terminal(terminal: Terminal) -> Finding:
    """Can the client draw here? Without a terminal ``canopy --stdio`` still works: a warning."""
    if not terminal.is_terminal:
        elsewhere = "Run canopy in a terminal; canopy --stdio needs none."
        return Finding("Terminal", Level.WARN, "none on stdin and stdout", elsewhere)
    size = (terminal.columns, terminal.rows)
    parts = [
        f"{terminal.columns}x{terminal.rows}",
        f"TERM={printable(terminal.term) or '(unset)'}",
        _colours(terminal),
        terminal.encoding,
    ]
    advice: list[str] = []
    if terminal.term in ("", "dumb"):
        advice.append("Set TERM to what your terminal is, e.g. xterm-256color.")
    if size[0] < _SMALLEST_TERMINAL[0] or size[1] < _SMALLEST_TERMINAL[1]:
        advice.append("Make it 80x24 or larger.")
    if not _is_unicode(terminal.encoding):
        advice.append("Use a UTF-8 locale, e.g. LC_ALL=C.UTF-8.")
    level = Level.WARN if advice else Level.OK
    return Finding("Terminal", level, ", ".join(parts), " ".join(advice))


def check_settings(probe: SettingsProbe) -> Finding:
    """Does the whole of ``config.toml`` count? The client starts without what does not."""
    shown = printable(str(probe.file))
    try:
        found = [printable(fault) for fault in probe.faults()]
    except Exception as error:
        reason = printable(str(error)) or type(error).__name__
        return Finding("Settings", Level.FAIL, f"{shown} cannot be checked: {reason}")
    if found:
        count = "1 fault" if len(found) == 1 else f"{len(found)} faults"
        return Finding("Settings", Level.WARN, f"{count} in {shown}", "\n".join(found))
    if not probe.file.exists():
        return Finding("Settings", Level.OK, f"the usual ones ({shown} does not exist)")
    return Finding("Settings", Level.OK, shown)


def _colours(terminal: Terminal) -> str:
    if terminal.no_color:
        return "no colours (NO_COLOR)"
    if terminal.colorterm in ("truecolor", "24bit"):
        return "16 million colours"
    return "256 colours" if "256color" in terminal.term else "16 colours"


def _is_unicode(encoding: str) -> bool:
    return encoding.lower().replace("-", "").replace("_", "").startswith("utf")


def this_terminal(environment: Mapping[str, str]) -> Terminal:
    """The terminal on our own stdin and stdout."""
    is_terminal = all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))
    size = os.get_terminal_size(sys.stdout.fileno()) if is_terminal else os.terminal_size((0, 0))
    return Terminal(
        is_terminal=is_terminal,
        columns=size.columns,
        rows=size.lines,
        encoding=getattr(sys.stdout, "encoding", None) or "ascii",
        term=environment.get("TERM", ""),
        colorterm=environment.get("COLORTERM", ""),
        no_color=bool(environment.get("NO_COLOR")),
    )


def report(findings: list[Finding], encoding: str) -> str:
    """The findings for a person: a glyph and a word, what was found, and what to do below it."""
    glyphs = {"ok": "✓", "warn": "!", "fail": "✗"}
    if not _is_unicode(encoding):
        glyphs = {"ok": "+", "warn": "!", "fail": "x"}
    lines: list[str] = []
    for finding in findings:
        word = finding.level.value
        lines.append(f"{glyphs[word]} {word:4}  {finding.check:10}  {finding.found}")
        lines += [f"{'':20}{line}" for line in finding.advice.splitlines()]
    return "\n".join(lines).encode(encoding, "replace").decode(encoding)


def report_json(findings: list[Finding]) -> str:
    """The findings for a program: ``{"ok": bool, "checks": [{check, level, found, advice}]}``."""
    checks = [{**asdict(finding), "level": finding.level.value} for finding in findings]
    return jsonio.dumps({"ok": exit_code(findings) == 0, "checks": checks}).decode()


def exit_code(findings: list[Finding]) -> int:
    """1 if anything failed; a warning is not a failure."""
    return int(any(finding.level is Level.FAIL for finding in findings))


def printable(text: str) -> str:
    """``text`` on one line, with whatever is not printable shown as an escape."""
    return "".join(
        character if character.isprintable() else ascii(character)[1:-1] for character in text
    ).strip()
