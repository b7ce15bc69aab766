"""When two setups can share a process (adapter scenario 23)."""

from __future__ import annotations

from typing import Any

import pytest

from canopy_agent.session.fingerprint import fingerprint
from canopy_agent.session.validation import SessionPlace
from canopy_shared.requests import SessionSetup

ONE = {"name": "one", "command": "a", "args": [], "env": []}
TWO = {"name": "two", "command": "b", "args": [], "env": []}


def of(**changed: Any) -> bytes:
    options = changed.pop("options", {})
    meta = {
        "claudeCode": {"options": options, **changed.pop("adapter", {})},
        **changed.pop("meta", {}),
    }
    setup = SessionSetup(
        cwd=changed.pop("cwd", "/p"),
        mcp_servers=changed.pop("servers", (ONE, TWO)),
        system_prompt=changed.pop("system_prompt", None),
        meta=meta,
    )
    return fingerprint(setup, SessionPlace(setup.cwd, changed.pop("directories", ())))


@pytest.mark.parametrize(
    "changed",
    [
        {"servers": (TWO, ONE)},
        {"servers": (dict(reversed(ONE.items())), TWO)},
        *({"options": {name: "x"}} for name in ("agent", "permissionMode", "resume", "sessionId")),
        {"meta": {"somethingElse": 1}},
    ],
)
def test_23_what_does_not_tie_a_session_to_its_process(changed: dict[str, Any]) -> None:
    assert of(**changed) == of()


def test_23_the_order_of_skills_and_keys_does_not_matter() -> None:
    one = {"skills": ["a", "b"], "settings": {"x": 1, "y": [1, 2]}}
    other = {"settings": {"y": [1, 2], "x": 1}, "skills": ["b", "a"]}
    assert of(options=one) == of(options=other)
    assert of(options=one) != of(options={**one, "skills": ["a"]})
    assert of(options=one) != of(options={**one, "settings": {"x": 1, "y": [2, 1]}})


@pytest.mark.parametrize(
    "changed",
    [
        {"cwd": "/q"},
        {"directories": ("/q",)},
        {"servers": (ONE,)},
        {"servers": (ONE, {**TWO, "command": "c"})},
        {"system_prompt": {"mode": "append", "content": []}},
        {"meta": {"systemPrompt": "x"}},
        {"meta": {"disableBuiltInTools": True}},
        {"meta": {"additionalRoots": ["/q"]}},
        {"adapter": {"emitRawSDKMessages": True}},
        {"options": {"env": {"A": "1"}}},
        {"options": {"tools": ["Read"]}},
    ],
)
def test_23_what_needs_another_process(changed: dict[str, Any]) -> None:
    assert of(**changed) != of()
