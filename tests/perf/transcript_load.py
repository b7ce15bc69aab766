"""One run of a load on a widget, in a terminal of its own: ``transcript_load.py WIDGET REPORT``.

Writes a JSON report: the lateness of the event loop in milliseconds, the CPU time in seconds.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from textual.app import App
from textual.widgets import Log

from canopy_tui.view.drawing.theme import DARK, THEMES
from canopy_tui.view.transcript.transcript import TranscriptView
from tui_transcript.samples import ANSWER, MAIN, add, grow, message, tool, world

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.widget import Widget

RATE = 300
SECONDS = 6.0
MESSAGES = 20
PROBE = 0.002


def parts() -> list[str]:
    """What a model would send: an answer of 30 kB in pieces of six characters, without an end."""
    text = (ANSWER + "\n\n") * 20
    return [text[at : at + 6] for at in range(0, len(text), 6)]


class Load(App[None]):
    """Feeds one widget at a steady rate and measures itself."""

    def __init__(self, kind: str, report: Path) -> None:
        super().__init__()
        self._kind = kind
        self._report = report
        self._late: list[float] = []
        self._state = world(*(message(ANSWER) for _ in range(5)))

    def compose(self) -> ComposeResult:
        """The widget under load."""
        yield self._widget()

    def _widget(self) -> Widget:
        return TranscriptView() if self._kind == "transcript" else Log()

    def on_mount(self) -> None:
        """Begin."""
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK
        self.run_worker(self._run())

    async def _run(self) -> None:
        feed = self._feed_transcript() if self._kind == "transcript" else self._feed_log()
        await asyncio.sleep(0.5)
        probe = asyncio.create_task(self._probe())
        cpu, start = time.process_time(), time.perf_counter()
        for number in range(int(RATE * SECONDS)):
            next(feed)
            due = start + (number + 1) / RATE
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
        used, took = time.process_time() - cpu, time.perf_counter() - start
        probe.cancel()
        late = sorted(self._late)
        figures = {
            "cpu": used,
            "seconds": took,
            "p50": late[len(late) // 2] * 1e3,
            "p99": late[int(len(late) * 0.99)] * 1e3,
            "max": late[-1] * 1e3,
        }
        self._report.write_text(json.dumps(figures), encoding="utf-8")
        self.exit()

    async def _probe(self) -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(PROBE)
            self._late.append(time.perf_counter() - before - PROBE)

    def _feed_transcript(self):  # type: ignore[no-untyped-def]  # a generator without an end
        view = self.query_one(TranscriptView)
        view.show(MAIN, self._state)
        every = int(RATE * SECONDS) // MESSAGES
        entry = message("", settled=False)
        add(self._state, entry)
        for number, part in enumerate(parts()):
            if number % every == every - 1:
                entry.settled = True
                view.touched([add(self._state, tool(f"Read file{number}.py"))])
                entry = message("", settled=False)
                add(self._state, entry)
            view.touched([grow(self._state, entry, part)])
            yield

    def _feed_log(self):  # type: ignore[no-untyped-def]  # a generator without an end
        log = self.query_one(Log)
        for part in parts():
            log.write(part)
            yield


if __name__ == "__main__":
    Load(sys.argv[1], Path(sys.argv[2])).run()
