"""Which CLI is used, what is said when there is none, and its version."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from canopy_agent.claude import locate
from canopy_agent.claude.errors import ClaudeStartFailed
from canopy_agent.claude.locate import (
    CliLocation,
    bundled_cli,
    cli_version,
    locate_cli,
    sdk_version,
)

if TYPE_CHECKING:
    from fakes.cli import FakeCli


def executable(path: Path, text: str = "#!/bin/sh\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_the_variable_wins(fake_cli: FakeCli) -> None:
    assert locate_cli(fake_cli.env) == CliLocation(fake_cli.path, "environment")


def test_the_variable_may_be_a_name_on_path_or_below_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = executable(tmp_path / "bin" / "other-claude")
    environ = {"CLAUDE_CODE_EXECUTABLE": "other-claude", "PATH": str(path.parent)}
    assert locate_cli(environ) == CliLocation(str(path), "environment")
    monkeypatch.setenv("HOME", str(tmp_path))
    environ = {"CLAUDE_CODE_EXECUTABLE": "~/bin/other-claude"}
    assert locate_cli(environ) == CliLocation(str(path), "environment")


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("missing", "does not exist"),
        ("folder", "is a directory"),
        ("plain", "is not executable"),
        ("../bare-name", "does not exist"),
    ],
)
def test_a_wrong_variable_names_the_problem_and_both_remedies(
    tmp_path: Path, name: str, problem: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "plain").write_text("")
    with pytest.raises(ClaudeStartFailed) as failure:
        locate_cli({"CLAUDE_CODE_EXECUTABLE": str(tmp_path / name)})
    text = str(failure.value)
    assert problem in text
    assert "Set CLAUDE_CODE_EXECUTABLE" in text
    assert "unset it" in text


def test_a_name_that_is_not_on_path_says_so(tmp_path: Path) -> None:
    with pytest.raises(ClaudeStartFailed, match="not on PATH"):
        locate_cli({"CLAUDE_CODE_EXECUTABLE": "no-such-claude", "PATH": str(tmp_path)})


def test_the_bundled_one_is_next() -> None:
    found = locate_cli({"CLAUDE_CODE_EXECUTABLE": " ", "PATH": "/nowhere"})
    assert found.source == "bundled"
    assert Path(found.path).parent.name == "_bundled"


def test_path_is_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locate, "bundled_cli", lambda: None)
    path = executable(tmp_path / "claude")
    assert locate_cli({"PATH": str(tmp_path)}) == CliLocation(str(path), "path")
    with pytest.raises(ClaudeStartFailed, match="not found") as failure:
        locate_cli({"PATH": str(tmp_path / "empty")})
    assert "CLAUDE_CODE_EXECUTABLE" in failure.value.hint


def test_finding_does_not_import_the_sdk() -> None:
    program = (
        "import os, sys; from canopy_agent.claude.locate import locate_cli, sdk_version;"
        "locate_cli({}); sdk_version();"
        "print([name for name in sys.modules if name.startswith(('claude_agent_sdk', 'mcp'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "[]\n"


def test_the_sdk_version_is_the_installed_one() -> None:
    assert sdk_version() == importlib.metadata.version("claude-agent-sdk")


def test_a_version_is_read(fake_cli: FakeCli) -> None:
    assert cli_version(fake_cli.path) == "2.1.332"


def test_the_bundled_cli_tells_the_version_in_its_record() -> None:
    path = bundled_cli()
    assert path is not None
    assert path.with_name("claude.version").read_text().startswith(cli_version(str(path)))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("#!/bin/sh\nsleep 60\n", "did not end within 0.2 s"),
        ("#!/bin/sh\necho bad >&2; exit 3\n", "told no version"),
        ("#!/bin/sh\necho hello\n", "told no version"),
        ("#!/nowhere\n", "does not run"),
    ],
)
def test_a_cli_without_a_version_is_a_clear_failure(
    tmp_path: Path, text: str, problem: str
) -> None:
    path = executable(tmp_path / "claude", text)
    patience = 0.2 if "sleep" in text else 15.0
    with pytest.raises(ClaudeStartFailed, match=problem) as failure:
        cli_version(str(path), patience=patience)
    if "exit 3" in text:
        assert (failure.value.exit_code, failure.value.stderr_tail) == (3, "bad")
