"""The scene of reading: search the sample project, read two files, and say where things are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_agent.demo.rules import Pause, Text, flow
from canopy_agent.demo.scenes.scene import (
    DISCOUNTS,
    WORD,
    Scene,
    line_of,
    list_files,
    read,
    said,
    search,
)

if TYPE_CHECKING:
    from canopy_agent.demo.requests import ModelRequest
    from canopy_agent.demo.rules import Steps


def _look_around(request: ModelRequest) -> Steps:
    return [
        Pause(0.4),
        Text(
            "I search for every place that takes something off, and look at what files there are."
        ),
        search(request, "discount", "fruitstand"),
        list_files(request, "fruitstand"),
    ]


def _read_both(_: ModelRequest) -> Steps:
    return [
        Pause(0.8),
        Text("Two files matter: the one with the rules and the one that uses them."),
        read(DISCOUNTS),
        read("fruitstand/receipt.py"),
    ]


def _conclude(request: ModelRequest) -> Steps:
    rule = line_of(request, "def total_discount")
    use = line_of(request, "total_discount(basket)")
    return [Pause(0.8), Text(_CONCLUSION.format(rule=rule, use=use))]


_CONCLUSION = """\
Discounts are worked out in **one** place and used in **one** place:

- `fruitstand/discounts.py`, line {rule}: `total_discount` adds up three for two and the big basket.
- `fruitstand/receipt.py`, line {use}: `render` asks for it and prints a row when there is one.

Nothing else touches a price after it is in the basket.
"""

SCENE = Scene(
    name="read",
    description="a search, two files, a conclusion",
    example="Find where discounts are applied",
    rules=flow(said("read"), _look_around, _read_both, _conclude, delay=WORD),
)
