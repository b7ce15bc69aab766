"""The scene of an edit: read the rule, propose the change, and accept either answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_agent.demo.rules import Pause, Text, ToolUse, flow
from canopy_agent.demo.scenes.scene import (
    DISCOUNTS,
    WORD,
    Scene,
    line_of,
    read,
    said,
    went_well,
)

if TYPE_CHECKING:
    from canopy_agent.demo.requests import ModelRequest
    from canopy_agent.demo.rules import Steps

BROKEN = "    if subtotal > BIG_BASKET:"
FIXED = "    if subtotal >= BIG_BASKET:"


def _read_first(_: ModelRequest) -> Steps:
    return [
        Pause(0.4),
        Text("A basket of exactly 20.00 should get its ten percent, and does not. The rule first:"),
        read(DISCOUNTS),
    ]


def _propose(request: ModelRequest) -> Steps:
    if at := line_of(request, FIXED.strip()):
        return [Pause(0.6), Text(f"Line {at} already says `>=`, so this bug is gone. {_NEXT}")]
    at = line_of(request, BROKEN.strip())
    if not at:
        return [Pause(0.6), Text("I cannot find the rule any more; the file has changed a lot.")]
    edit = {"file_path": DISCOUNTS, "old_string": BROKEN, "new_string": FIXED}
    found = (
        f"Line {at} says `>`, but the docstring promises *from* 20.00. One character is missing:"
    )
    return [Pause(0.8), Text(found), ToolUse("Edit", edit)]


def _close(request: ModelRequest) -> Steps:
    if went_well(request.last("Edit")):
        done = "Done: a basket of exactly 20.00 now pays 18.00. "
        return [Pause(0.4), Text(done + _NEXT)]
    kept = (
        "All right, I have left the file as it is. The bug is still there: "
        "a basket of exactly 20.00 pays in full. Ask again whenever you like."
    )
    return [Pause(0.4), Text(kept)]


_NEXT = "Say *run the tests* to see all of them pass."

SCENE = Scene(
    name="edit",
    description="an edit that asks first",
    example="Fix the discount bug",
    rules=flow(said("edit"), _read_first, _propose, _close, delay=WORD),
)
