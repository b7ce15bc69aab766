"""Full collections of garbage wait until nobody types, and do not wait for ever."""

from __future__ import annotations

import subprocess
import sys

from canopy_tui.view.terminal.calm import PATIENCE, Calm


class Heap:
    """A collector: ``made`` objects since the last full collection, ``left`` ones after it."""

    def __init__(self, left: int) -> None:
        self.made = 0
        self.left = left
        self.collected = 0

    def new(self) -> int:
        """So many."""
        return self.made

    def collect(self) -> int:
        """Begin anew."""
        self.made = 0
        self.collected += 1
        return self.left


class Clock:
    """A time that is set."""

    now = 0.0

    def __call__(self) -> float:
        """The time."""
        return self.now


def test_a_full_collection_waits_until_nobody_types_but_not_for_ever() -> None:
    heap, clock = Heap(left=1_000_000), Clock()
    calm = Calm(heap, clock)
    calm.look()
    assert not heap.collected  # there is nothing to collect
    heap.made = 700_000
    for _ in range(20):
        clock.now += PATIENCE / 2
        calm.used()
        calm.look()
    assert not heap.collected
    clock.now += PATIENCE
    calm.look()
    assert heap.collected == 1
    heap.made, clock.now = 210_000, clock.now + PATIENCE
    calm.look()
    assert heap.collected == 1  # less than a quarter of what was left is new
    heap.made = 7_000_000
    calm.used()
    calm.look()
    assert heap.collected == 2  # too much for any patience


LOADED = """
import asyncio, gc, sys
from canopy_tui.first_frame import ahead, is_painted
from canopy_tui.view.terminal.calm import Calm

ahead()
assert not gc.isenabled()
is_painted()
assert gc.isenabled()
full = gc.get_stats()[-1]["collections"]
kept = [[number, [number]] for number in range(200_000)]  # as a long session that is loaded
in_steps = sys.version_info >= (3, 14)  # it makes no long collections by itself
assert in_steps or gc.get_stats()[-1]["collections"] == full, "a full collection, whoever types"
calm = Calm(clock=iter((0.0, 0.0, 60.0)).__next__)
calm.used()
calm.look()
print(1 if in_steps else gc.get_stats()[-1]["collections"] - full, sys.getswitchinterval() < 0.001)
"""


def test_the_interpreter_collects_everything_only_when_told() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout.split() == ["1", "True"], done.stderr
