"""What the documents tell a person to type works as they say."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from canopy_shared import jsonio
from canopy_tui.agents.agent_command import parse_agent_command
from canopy_tui.invocation import OpenClient, ServeStdio, parse
from canopy_tui.view.keyboard import keys

REPOSITORY = Path(__file__).resolve().parents[2]
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Relative targets of [text](target) and <img src="target">.
LINK = re.compile(r"\]\((?!https?:|#)([^)\s#]+)|src=\"(?!https?:)([^\"]+)\"")

# Commands of other programs that the documents may use.
OTHER_COMMANDS = frozenset({"pip install .", "which canopy"})
# What gives a program its input and takes its output.
PLUMBING = re.compile(r"^git diff \| | > [\w.]+$")


def fences(document: str, language: str) -> list[str]:
    text = (REPOSITORY / document).read_text(encoding="utf-8")
    return [body for marked, body in FENCE.findall(text) if marked == language]


def commands() -> list[str]:
    return [
        line
        for document in DOCUMENTS
        for body in fences(document, "sh")
        for line in body.splitlines()
        if line.strip() and not line.startswith("#")
    ]


@pytest.mark.parametrize("command", commands())
def test_a_command_of_the_documents_is_understood(command: str) -> None:
    program, *arguments = shlex.split(PLUMBING.sub("", command), comments=True)
    match program:
        case "canopy":
            asked = parse(arguments)
            if isinstance(asked, OpenClient) and asked.agent is not None:
                assert parse_agent_command(asked.agent, {})
        case "make":
            target = arguments[0]
            listed = subprocess.run(
                ["make", "--dry-run", target], cwd=REPOSITORY, capture_output=True, check=False
            )
            assert listed.returncode == 0, listed.stderr
        case _:
            assert command in OTHER_COMMANDS


def agent_servers() -> list[dict[str, Any]]:
    servers = [jsonio.loads(body)["agent_servers"] for body in fences("README.md", "json")]
    return [server for entry in servers for server in entry.values()]


def test_the_settings_for_an_ide_start_the_agent() -> None:
    assert len(agent_servers()) == 2
    for server in agent_servers():
        assert server["command"] == "canopy"
        assert parse(server["args"]) == ServeStdio()


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_of_the_documents_lead_somewhere(document: str) -> None:
    text = (REPOSITORY / document).read_text(encoding="utf-8")
    targets = [first or second for first, second in LINK.findall(text)]
    assert [target for target in targets if not (REPOSITORY / target).exists()] == []


def test_make_help_names_each_target() -> None:
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    listed = re.search(r"^\.PHONY: help (.+)$", makefile, re.MULTILINE)
    assert listed
    shown = subprocess.run(
        ["make", "--silent", "help"], cwd=REPOSITORY, capture_output=True, text=True, check=True
    ).stdout
    assert [line.split()[1] for line in shown.splitlines()] == listed.group(1).split()


def test_the_folders_of_the_readme_are_the_real_ones() -> None:
    script = (
        "from canopy_tui.paths import locations; found = locations({});"
        "print(found.config, found.state, found.cache, sep='\\n')"
    )
    shown = subprocess.run(
        [sys.executable, "-c", script],
        env={"HOME": "/a-home"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    for folder in shown.split():
        assert f"`{folder.replace('/a-home', '~')}`" in readme


def test_the_keys_of_the_readme_are_real_ones() -> None:
    known = {
        name
        for group in keys.GROUPS
        for key in group.keys
        for name in keys.shown(key.keys).split(" / ")
    }
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    table = readme.split("## Keys")[1].split("\n## ")[0]
    told = re.findall(r"`([^`]+)`", "".join(re.findall(r"^\|([^|]+)\|", table, re.MULTILINE)))
    assert len(told) > 20
    assert [name for name in told if name not in known] == []
