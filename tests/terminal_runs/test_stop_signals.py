"""What the driver of the terminal does with SIGTSTP and SIGCONT, whenever they come.

The real driver of Textual on a pseudo-terminal, in this process. Only the stop itself is left out.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from canopy_tui.view.terminal.output import lasting
from waiting import eventually


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Stdin and stderr of this process are a terminal, which somebody reads."""
    master, slave = os.openpty()
    before = {number: signal.getsignal(number) for number in (signal.SIGTSTP, signal.SIGCONT)}
    ended = threading.Event()
    reads = threading.Thread(target=_read_all, args=(master, ended), daemon=True)
    reads.start()
    with open(slave, closefd=False) as stdin, open(slave, "w", closefd=False) as stderr:
        monkeypatch.setattr(sys, "__stdin__", stdin)
        monkeypatch.setattr(sys, "__stderr__", stderr)
        yield
    for number, handler in before.items():
        signal.signal(number, handler)
    ended.set()
    reads.join()
    os.close(slave)
    os.close(master)


def _read_all(master: int, ended: threading.Event) -> None:
    while not ended.is_set():
        if select.select([master], [], [], 0.05)[0]:
            os.read(master, 4096)


class Quiet:
    """As much of an app as the driver asks for."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(self) -> None:
        self.came_back = 0

    async def _post_message(self, message: Any) -> None:
        self.came_back += type(message).__name__ == "SignalResume"

    def __getattr__(self, name: str) -> Any:
        return lambda *_args, **_options: None


@pytest.fixture
async def driver(terminal: None, monkeypatch: pytest.MonkeyPatch) -> Any:
    from textual.drivers import linux_driver

    monkeypatch.setattr(linux_driver.os, "kill", lambda *_: None)
    app: Any = Quiet()
    made: Any = lasting(linux_driver.LinuxDriver)(app, mouse=False)
    made._watched = True  # the end of this terminal is no hangup of the process
    made.start_application_mode()
    yield made
    made.stop_application_mode()
    made.close()


def readers() -> int:
    """How many threads read keys."""
    return sum(thread.name.startswith("textual-input") for thread in threading.enumerate())


async def test_a_stop_that_comes_in_the_middle_of_a_write_does_not_wait_for_its_lock(
    driver: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = driver._writer_thread._queue.mutex
    held_at_the_stop: list[bool] = []
    left = driver.suspend_application_mode

    def leave() -> None:
        held_at_the_stop.append(lock.locked())
        if not lock.locked():
            left()

    monkeypatch.setattr(driver, "suspend_application_mode", leave)
    with lock:
        signal.raise_signal(signal.SIGTSTP)
    await eventually(lambda: held_at_the_stop, "the terminal given back")
    assert held_at_the_stop == [False]
    signal.raise_signal(signal.SIGCONT)
    await eventually(lambda: driver._app.came_back, "the app told that it is back")
    assert readers() == 1


@pytest.mark.parametrize("times", [1, 3])
async def test_going_on_without_a_stop_that_could_be_seen_leaves_one_reader_of_keys(
    driver: Any, times: int
) -> None:
    assert readers() == 1
    for _ in range(times):  # SIGSTOP cannot be caught, and `fg` may be said twice
        signal.raise_signal(signal.SIGCONT)
    await eventually(lambda: driver._app.came_back == times, "the app told that it is back")
    assert readers() == 1
