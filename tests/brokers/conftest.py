"""Real permission requests of Claude Code 2.1.332, with the paths of the machine replaced."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from canopy_agent.brokers.asked import PermissionAsked, parse_permission_asked
from canopy_agent.brokers.durable import Place
from canopy_agent.brokers.permission_options import PermissionPolicy

RECORDED = Path(__file__).with_name("can_use_tool_2_1_332.json")


@pytest.fixture(scope="session")
def recorded() -> list[dict[str, Any]]:
    """The raw ``request`` objects, in the order they came."""
    requests: list[dict[str, Any]] = json.loads(RECORDED.read_text(encoding="utf-8"))
    return requests


@pytest.fixture
def policy() -> PermissionPolicy:
    """A session in ``/project`` of a user whose home is ``/home/me``."""
    return PermissionPolicy(Place("/project", "/home/me"))


def ask(tool: str, given: dict[str, Any] | None = None, **more: Any) -> PermissionAsked:
    """One request as the CLI sends it."""
    asked = parse_permission_asked(
        {"tool_name": tool, "tool_use_id": "toolu_1", "input": given or {}, **more}
    )
    assert asked is not None
    return asked


def rules(*contents: str | None, tool: str = "Bash", to: str = "localSettings") -> dict[str, Any]:
    """An ``addRules`` suggestion that allows."""
    listed = [
        {"toolName": tool} if content is None else {"toolName": tool, "ruleContent": content}
        for content in contents
    ]
    return {"type": "addRules", "behavior": "allow", "destination": to, "rules": listed}
