"""The private names of claude-agent-sdk that we rely on: a new version fails here first."""

from __future__ import annotations

import importlib
import importlib.metadata
import inspect
from pathlib import Path
from typing import Any

import pytest

import canopy_agent.claude.sdk_process
from canopy_agent.claude.sdk_process import MODULE, PRIVATE_NAMES


def test_the_version_is_the_one_that_was_read() -> None:
    assert importlib.metadata.version("claude-agent-sdk") == "0.2.189"


@pytest.mark.parametrize("name", PRIVATE_NAMES)
def test_a_private_name_has_the_parameters_we_use(name: str) -> None:
    thing: Any = importlib.import_module(MODULE)
    for part in name.split("."):
        thing = getattr(thing, part)
    assert f"({', '.join(inspect.signature(thing).parameters)})" == PRIVATE_NAMES[name]


async def test_the_process_attribute_is_empty_before_the_start() -> None:
    from claude_agent_sdk import ClaudeAgentOptions
    from claude_agent_sdk._internal.transport.subprocess_cli import SubprocessCLITransport

    assert SubprocessCLITransport(prompt="", options=ClaudeAgentOptions())._process is None


def test_no_other_module_knows_private_names() -> None:
    own = Path(canopy_agent.claude.sdk_process.__file__)
    package = own.parents[1]
    users = [
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if "claude_agent_sdk._" in path.read_text()
    ]
    assert users == ["claude/sdk_process.py"]
