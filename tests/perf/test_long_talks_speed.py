"""How fast the client is in long talks: typing after 10 and after 1,000 turns and while a session
is loaded, an answer of 1 MB in 20,000 pieces, output of 5,000 and of 35,000 lines.

Figures are printed; what is asserted is that nothing hangs, and ratios.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from statistics import median

from client_load import resident
from test_client_speed import on_pty

from canopy_tui.view.blocks.look import Look
from canopy_tui.view.transcript.viewport import Viewport
from tui_transcript.drawing import layout_of
from tui_transcript.samples import ANSWER, add, grow, message, tool, world

LOAD = Path(__file__).parent / "long_load.py"
KEYS = [chr(0x4E00 + number) for number in range(60)]


def echoes(what: str, folder: Path) -> list[float]:
    """Milliseconds from a key to its echo, in order of size."""
    done, taken = folder / f"done-{what.replace(':', '-')}", []
    with on_pty([sys.executable, str(LOAD), what, str(done)], dict(os.environ)) as run:
        run.until(b"all-is-told")
        for key in KEYS:
            deadline = time.perf_counter() + 0.05
            while (left := deadline - time.perf_counter()) > 0:
                run.read(left)
            del run.got[:]
            sent = time.perf_counter()
            os.write(run.terminal, key.encode())
            run.until(key.encode())
            taken.append((time.perf_counter() - sent) * 1e3)
        done.touch()
    return sorted(taken)


def test_typing_in_long_talks_and_while_one_is_loaded(tmp_path: Path) -> None:
    middle = {}
    for what in ("talk:10", "talk:1000", "load"):
        taken = echoes(what, tmp_path)
        middle[what] = median(taken)
        print(f"\n{what:9} key to echo: p50 {middle[what]:.1f} ms,", end=" ")
        print(f"p99 {taken[int(len(taken) * 0.99) - 1]:.1f} ms, most {taken[-1]:.1f} ms", end="")
    print(f"\nratio of 1,000 turns to 10: {middle['talk:1000'] / middle['talk:10']:.2f}")
    print(f"ratio of a load to 10 turns: {middle['load'] / middle['talk:10']:.1f}")
    assert middle["talk:1000"] / middle["talk:10"] < 10
    assert middle["load"] / middle["talk:10"] < 40


def streamed(pieces: int, size: int) -> tuple[float, float]:
    """Seconds and MB for an answer that comes in so many pieces, drawn after every tenth."""
    state, entry = world(), message("", settled=False)
    text = (ANSWER + "\n\n") * (pieces * size // len(ANSWER) + 1)
    add(state, entry)
    view = Viewport(layout_of(state, 116), 40)
    before = resident()
    start = time.perf_counter()
    for at in range(pieces):
        key = grow(state, entry, text[at * size : (at + 1) * size])
        if at % 10 == 0:
            view.changed([key])
            view.settle()
    took = time.perf_counter() - start
    return took, resident() - before


def test_an_answer_of_a_megabyte_costs_as_much_at_its_end() -> None:
    few, many = streamed(2_000, 50), streamed(20_000, 50)
    ratio = many[0] / few[0] / 10
    print(f"\n0.1 MB in 2,000 pieces: {few[0]:.2f} s, {few[1]:+.1f} MB;", end=" ")
    print(
        f"1 MB in 20,000: {many[0]:.2f} s, {many[1]:+.1f} MB; per piece {ratio:.2f} times as much"
    )
    assert ratio < 10


def test_output_of_many_lines() -> None:
    taken = {}
    for lines in (5_000, 35_000):
        output = "\n".join(f"line {number}" for number in range(lines))
        start = time.perf_counter()
        layout = layout_of(world(tool("make", output=output, has_terminal=True)), 80)
        layout.set_look(0, Look(expanded=True, whole=True))
        view = Viewport(layout, 40)
        view.settle()
        view.jump(0)
        view.settle()
        taken[lines] = time.perf_counter() - start
    ratio = taken[35_000] / taken[5_000]
    print(f"\n5,000 lines of output: {taken[5_000] * 1e3:.0f} ms,", end=" ")
    print(f"35,000: {taken[35_000] * 1e3:.0f} ms, ratio {ratio:.1f} for 7 times as many")
    assert ratio < 70
