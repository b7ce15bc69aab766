"""The linear mode on a real stdin and stdout: lines in, lines out, no control codes, exit codes.

What the lines say is decided by ``talk``; which agent answers is given.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from canopy_shared.framing import LineFramer
from canopy_shared.stdio import open_source
from canopy_tui.host.controller import Controller
from canopy_tui.host.first_session import Beginning
from canopy_tui.model.state import Touched
from canopy_tui.plain.exporting import exported
from canopy_tui.plain.narrator import Narrator
from canopy_tui.plain.talk import Talk, question_about, question_lines
from canopy_tui.process.lines_out import Output
from canopy_tui.replay.player import Player

if TYPE_CHECKING:
    from canopy_shared.record import Recording
    from canopy_tui.agents.agent_connection import Launch


async def converse(
    launch: Launch,
    directory: Path,
    environment: Mapping[str, str],
    prompt: str | None,
    *,
    exports_to: Path | None = None,
) -> int:
    """Talk until it is over; gives the exit code. Exports go to ``exports_to``, else to
    ``directory``.

    With a ``prompt`` the program ends when that is done, and lines on stdin answer questions.
    Without, a person at a terminal talks line by line, and anything else on stdin is one prompt up
    to its end; then nobody is there to answer.
    """
    answers = sys.stdin is not None and (prompt is not None or sys.stdin.isatty())
    if prompt is None and not answers:
        prompt = await asyncio.to_thread(_everything)
        if not prompt.strip():
            print("canopy: there is no prompt on stdin", file=sys.stderr)
            return 2
    places = (directory, exports_to or directory)
    return await _Conversation(launch, places, environment, prompt, answers).run()


def _everything() -> str:
    if sys.stdin is None:
        return ""
    return sys.stdin.buffer.read().decode(errors="replace")


def _at_once(_seconds: float, call: Callable[[], None]) -> None:
    """There are no frames to wait for, and lines keep their order."""
    call()


class _Conversation:
    """The wires between the controller, the talk, stdin, stdout and signals."""

    def __init__(
        self,
        launch: Launch,
        places: tuple[Path, Path],
        environment: Mapping[str, str],
        prompt: str | None,
        answers: bool,
    ) -> None:
        directory, exports_to = places
        self._wake = asyncio.Event()
        self._signal: int | None = None
        self._output = Output()
        self._controller = Controller(
            launch,
            directory,
            schedule=_at_once,
            on_touched=self._touched,
            environment=environment,
            beginning=Beginning(asks_for_login=False),
        )
        self._talk = Talk(
            self._controller,
            self._output,
            once=prompt is not None,
            answers=answers,
            echo=prompt is not None,
            clock=time.monotonic,
            spoken=self._output.is_read,
            export=lambda kind: exported(self._controller.state, kind, exports_to),
        )
        self._answers = answers
        # Of a pipe it is soon known whether anything comes; at a terminal people wait to be asked.
        self._reads_from_start = prompt is None or (answers and not sys.stdin.isatty())
        self._reading: asyncio.Future[None] | None = None
        if prompt is not None:
            self._talk.say(prompt.strip())

    async def run(self) -> int:
        """Until it is over."""
        with _signals(self._signalled):
            self._controller.start()
            try:
                return await self._until_over()
            finally:
                if self._reading is not None:
                    self._reading.cancel()
                await self._controller.aclose()

    async def _until_over(self) -> int:
        while True:
            if self._signal is not None:
                return 128 + self._signal
            if self._output.broken:
                return self._output.code
            code = self._talk.over
            if code is not None:
                return code
            self._read_if_needed()
            wait = self._talk.wake_at
            patience = None if wait is None else max(0.0, wait - time.monotonic())
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), patience)
            self._wake.clear()

    def _read_if_needed(self) -> None:
        """Read stdin from when it matters: a program in the background that reads its terminal is
        stopped by the shell.
        """
        needed = self._answers and (self._reads_from_start or self._talk.asks)
        if needed and self._reading is None:
            self._reading = asyncio.ensure_future(self._read())

    async def _read(self) -> None:
        async for line in _lines():
            self._talk.typed(line)
            self._wake.set()
        self._talk.no_more_input()
        self._wake.set()

    def _touched(self, touched: Touched) -> None:
        self._talk.happened(touched)
        self._wake.set()

    def _signalled(self, number: int) -> None:
        if number != signal.SIGINT or not self._talk.interrupt():
            self._signal = number
        self._wake.set()


async def _lines() -> AsyncIterator[str]:
    """Lines of stdin, as they are typed."""
    source = await open_source(0)
    framer = LineFramer()
    while data := await source.read():
        for line in framer.feed(data):
            if isinstance(line, bytes):
                yield line.decode(errors="replace").rstrip("\r")
    for line in framer.finish():
        if isinstance(line, bytes):
            yield line.decode(errors="replace")


@contextlib.contextmanager
def _signals(handle: Callable[[int], None]) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    caught = []
    for name in ("SIGTERM", "SIGHUP", "SIGINT"):
        number = getattr(signal, name, None)
        if number is not None:
            with contextlib.suppress(NotImplementedError, ValueError):
                loop.add_signal_handler(number, partial(handle, int(number)))
                caught.append(number)
    try:
        yield
    finally:
        for number in caught:
            loop.remove_signal_handler(number)


# --- a recording ----------------------------------------------------------------------------------


def print_recording(recording: Recording) -> int:
    """Tell everything that was recorded, at once; gives the exit code."""
    output = Output()
    asked: set[int] = set()

    def touched(news: Touched) -> None:
        output(narrator.lines(news))
        for request in player.state.waiting():
            if request.key not in asked:
                asked.add(request.key)
                question = question_about(player.state, request)
                output(question_lines(narrator, request, question, answers=False))

    player = Player(recording, schedule=lambda _seconds, _call: None, on_touched=touched)
    narrator = Narrator(player.state, spoken=output.is_read)
    while not player.done and not output.broken:
        player.step()
    output(narrator.rest())
    return output.code
