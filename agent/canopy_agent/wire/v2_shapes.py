"""Single values in the words of ACP v2: options, commands, diffs, plans.

Pure and without memory. Shapes follow the v2 draft (``@agentclientprotocol/sdk`` 2.4,
``schema/v2``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from canopy_agent.render.diffs import bare_diff
from canopy_agent.render.patches import git_patch
from canopy_shared.codec import encode
from canopy_shared.content import Diff, PatchDiff, ToolCallContent
from canopy_shared.unset import UNSET
from canopy_shared.updates import Command, Plan, PlanDocument

PLAN_ID = "plan"


def config_options(options: Iterable[Any]) -> list[dict[str, Any]]:
    """Session options, from objects or from their version 1 shape."""
    told = []
    for option in options:
        shape = dict(encode(option))
        shape["configId"] = shape.pop("id", "")
        told.append(shape)
    return told


def commands(offered: Iterable[Command]) -> list[dict[str, Any]]:
    """Slash commands; one that takes no words has no ``input``."""
    return [_command(command) for command in offered]


def _command(command: Command) -> dict[str, Any]:
    shape = encode(command)
    given = shape.pop("input", None)
    told = {"type": "command", **shape}
    if isinstance(given, Mapping) and isinstance(given.get("hint"), str):
        told["input"] = {"type": "text", "hint": given["hint"]}
    return told


def plan(update: Plan) -> PlanDocument:
    """The session's plan, which has one id."""
    entries = [encode(entry) for entry in update.entries]
    return PlanDocument({"type": "items", "planId": PLAN_ID, "entries": entries}, update.meta)


def tool_content(content: ToolCallContent) -> ToolCallContent:
    """One content of a call; a diff of texts becomes the list of changes that it means."""
    return _diff(content) if isinstance(content, Diff) else content


def _diff(diff: Diff) -> PatchDiff:
    """A new file has all its lines in the patch; where a snippet stands is not known."""
    created = not isinstance(diff.old_text, str)
    patch = git_patch(diff.path, None, diff.new_text, bare=True) if created else None
    return bare_diff(diff.path, patch.text if patch is not None else None, created=created)


def given(value: Any) -> Any:
    """A field of an update: null said nothing in version 1, and would clear in version 2."""
    return UNSET if value is None else value
