"""How dear the transcript is: under load in a real terminal, as ratios to a plain ``Log``.

Prints figures; the only assertions are about what was done, not how fast.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
import threading
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from canopy_tui.view.transcript.viewport import Viewport
from tui_transcript.drawing import layout_of, paper
from tui_transcript.samples import ANSWER, THOUGHT, add, grow, message, tool, world

if TYPE_CHECKING:
    from collections.abc import Callable

    from canopy_tui.model.state import ClientState

ROUNDS = 3
LOAD = Path(__file__).parent / "transcript_load.py"


def run_load(kind: str, report: Path) -> dict[str, float]:
    """One run on a pseudo-terminal of 120×40; adds the bytes that the terminal got."""
    terminal, inside = pty.openpty()
    fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    got = 0

    def drain() -> None:
        nonlocal got
        while True:
            try:
                chunk = os.read(terminal, 65536)
            except OSError:
                return
            if not chunk:
                return
            got += len(chunk)

    environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    environment.pop("SSH_CONNECTION", None)
    reader = threading.Thread(target=drain, daemon=True)
    with subprocess.Popen(
        [sys.executable, str(LOAD), kind, str(report)],
        stdin=inside,
        stdout=inside,
        stderr=inside,
        env=environment,
        start_new_session=True,
    ) as process:
        os.close(inside)
        reader.start()
        assert process.wait(timeout=120) == 0
    reader.join(timeout=10)
    os.close(terminal)
    figures: dict[str, float] = json.loads(report.read_text(encoding="utf-8"))
    return {**figures, "bytes": got}


def test_load_against_a_plain_log(tmp_path: Path) -> None:
    runs: dict[str, list[dict[str, float]]] = {"transcript": [], "log": []}
    for number in range(ROUNDS):
        for kind, found in runs.items():
            found.append(run_load(kind, tmp_path / f"{kind}{number}.json"))
    middle = {
        kind: {key: median(run[key] for run in found) for key in found[0]}
        for kind, found in runs.items()
    }
    print(f"\n300 updates/s for 6 s on 120x40, medians of {ROUNDS} interleaved runs")
    print(f"{'':12} {'CPU s':>7} {'CPU %':>6} {'p50 ms':>7} {'p99 ms':>7} {'max ms':>7} {'kB':>6}")
    for kind, figures in middle.items():
        share = 100 * figures["cpu"] / figures["seconds"]
        print(
            f"{kind:12} {figures['cpu']:7.2f} {share:6.1f} {figures['p50']:7.2f} "
            f"{figures['p99']:7.2f} {figures['max']:7.2f} {figures['bytes'] / 1000:6.0f}"
        )
    for key, name in (("cpu", "CPU"), ("p99", "lag p99")):
        print(f"{name} ratio to Log: {middle['transcript'][key] / middle['log'][key]:.2f}")
    assert middle["transcript"]["bytes"] > 10_000


def per_call(work: Callable[[], object], times: int) -> float:
    """Median microseconds of one call."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return median(taken) * 1e6


def talk(turns: int) -> ClientState:
    """A session of so many turns with five tool calls each, and an open answer."""
    state = world()
    for turn in range(turns):
        add(state, message(f"Question {turn}"))
        for call in range(5):
            add(state, tool(f"Read file{call}.py"))
        add(state, message(ANSWER))
    return state


def test_an_update_costs_the_same_in_a_long_talk() -> None:
    figures = {}
    for turns in (10, 1_000):
        state = talk(turns)
        entry = message("", settled=False)
        add(state, entry)
        view = Viewport(layout_of(state, 116), 40)
        view.settle()
        part = iter(ANSWER * 50)

        def step(
            state: ClientState = state,
            view: Viewport = view,
            entry=entry,
            part=part,  # type: ignore[no-untyped-def]  # bound early
        ) -> None:
            view.changed([grow(state, entry, "".join(next(part) for _ in range(15)))])
            view.settle()

        figures[turns] = per_call(step, 400)
        assert view.at_end
    print(f"\none repaint (15 new characters): {figures[10]:.0f} us after 10 turns,", end=" ")
    print(f"{figures[1_000]:.0f} us after 1,000; ratio {figures[1_000] / figures[10]:.2f}")


def test_opening_wrapping_anew_and_jumping() -> None:
    state = talk(1_000)
    add(state, message((ANSWER + "\n\n") * 600))
    add(state, message(THOUGHT))
    start = time.perf_counter()
    view = Viewport(layout_of(state, 116), 40)
    view.settle()
    opened = time.perf_counter() - start
    widths = iter([80, 116] * 10)

    def again() -> None:
        view.redraw(paper(next(widths)), 40)
        view.settle()

    places = iter(range(1, 11))

    def jump() -> None:
        view.jump(view.layout.total * next(places) // 11)
        view.settle()

    wrapped, jumped = per_call(again, 10), per_call(jump, 10)
    print(f"\n7,000 entries and an answer of 1 MB: opened in {opened * 1e3:.0f} ms,", end=" ")
    print(f"wrapped anew in {wrapped / 1e3:.1f} ms,", end=" ")
    print(f"jumped to where nobody was in {jumped / 1e3:.1f} ms")
    assert view.layout.total > 50_000
