"""How fast the client is for a person: first frame, key to echo under load, memory, moves.

Everything runs on a real pseudo-terminal. Figures are printed; what is asserted is that nothing
hangs, and ratios.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
STARTS = 5
KEYS = [chr(0x4E00 + number) for number in range(80)]
"""Characters that nothing else on the screen has."""
PLAIN = """
from textual.app import App
from textual.widgets import Static
class Plain(App):
    def compose(self):
        yield Static("canopy")
Plain().run()
"""


class Pty:
    """A program on a terminal of 120×40, and the bytes that it wrote."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self.started = time.perf_counter()
        self.terminal, inside = pty.openpty()
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        self.process = subprocess.Popen(
            command,
            stdin=inside,
            stdout=inside,
            stderr=inside,
            env={**environment, "TERM": "xterm-256color", "COLORTERM": "truecolor"},
            start_new_session=True,
        )
        os.close(inside)
        self.got = bytearray()

    def read(self, seconds: float) -> bool:
        """Take over what comes within some seconds; False when nothing does any more."""
        if not select.select([self.terminal], [], [], seconds)[0]:
            return True
        try:
            chunk = os.read(self.terminal, 1 << 16)
        except OSError:
            return False
        self.got += chunk
        return bool(chunk)

    def until(self, wanted: bytes, bound: float = 60.0) -> float:
        """Seconds until the bytes came, from now."""
        start = time.perf_counter()
        while wanted not in self.got:
            assert time.perf_counter() - start < bound, self.got[-2000:]
            assert self.read(0.5), self.got[-2000:]
        return time.perf_counter() - start

    def end(self) -> None:
        """Stop the program and what it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(timeout=30)
        os.close(self.terminal)


@contextlib.contextmanager
def on_pty(command: list[str], environment: dict[str, str]) -> Iterator[Pty]:
    """Run it, and stop it at the end."""
    place = Pty(command, environment)
    try:
        yield place
    finally:
        place.end()


def first_frame(command: list[str], environment: dict[str, str], shown: bytes) -> float:
    """Milliseconds from the start of the process to the frame that holds ``shown``: a word that is
    in no title of a window, which comes before the frame.
    """
    with on_pty(command, environment) as place:
        place.until(shown)
        return (time.perf_counter() - place.started) * 1e3


def test_first_frame(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path), "CANOPY_CONFIG_DIR": str(tmp_path / "canopy")}
    environment = {**os.environ, **home}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    client = [sys.executable, "-m", "canopy_tui", str(tmp_path)], environment, b"Agents"
    plain = [sys.executable, "-c", PLAIN], environment, b"canopy"
    first_frame(*client)  # compiles what is not compiled yet
    taken: dict[str, list[float]] = {"client": [], "plain": []}
    for _ in range(STARTS):
        taken["plain"].append(first_frame(*plain))
        taken["client"].append(first_frame(*client))
    middle = {name: median(found) for name, found in taken.items()}
    print(f"\nfirst frame: {middle['client']:.0f} ms, median of {STARTS};", end=" ")
    print(f"a Textual app of one line: {middle['plain']:.0f} ms;", end=" ")
    print(f"ratio {middle['client'] / middle['plain']:.2f}")
    assert middle["client"] / middle["plain"] < 20


def test_typing_memory_and_moves_under_load(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    echoes = []
    with on_pty(
        [sys.executable, str(HERE / "client_load.py"), str(report)], dict(os.environ)
    ) as run:
        run.until(b"child 9")
        for key in KEYS:
            deadline = time.perf_counter() + 0.05
            while (left := deadline - time.perf_counter()) > 0:
                run.read(left)
            del run.got[:]
            sent = time.perf_counter()
            os.write(run.terminal, key.encode())
            run.until(key.encode())
            echoes.append((time.perf_counter() - sent) * 1e3)
        start = time.perf_counter()
        while not report.exists() or not report.stat().st_size:
            assert time.perf_counter() - start < 240
            run.read(0.2)
            del run.got[:]
        figures = json.loads(report.read_text(encoding="utf-8"))
    echoes.sort()
    p99 = echoes[int(len(echoes) * 0.99) - 1]
    print("\n10 children, 300 updates/s in total, 120x40, key to echo:", end=" ")
    print(f"p50 {median(echoes):.1f} ms, p99 {p99:.1f} ms, most {echoes[-1]:.1f} ms")
    print(f"10,000 more updates: {figures['grown']:+.1f} MB;", end=" ")
    print(f"to a transcript of 10,000 entries: {figures['switch']:.1f} ms,", end=" ")
    print(f"most {figures['switch_most']:.1f} ms")
    assert len(echoes) == len(KEYS)
