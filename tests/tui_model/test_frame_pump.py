"""How often the screen is painted."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from canopy_tui.host.frame_pump import FramePump, frame_rate
from canopy_tui.model.state import Touched


class Clock:
    """Time that moves when told, with the callbacks that wait for it."""

    def __init__(self) -> None:
        self.now = 100.0
        self.waiting: list[tuple[float, Callable[[], None]]] = []
        self.painted: list[tuple[float, Touched]] = []
        self.loading = False
        self.pump = FramePump(
            lambda touched: self.painted.append((self.now, touched)),
            lambda seconds, call: self.waiting.append((self.now + seconds, call)),
            rate=20,
            clock=lambda: self.now,
            loading=lambda: self.loading,
        )

    def advance(self, seconds: float) -> None:
        end = self.now + seconds
        while self.waiting and self.waiting[0][0] <= end + 1e-9:
            self.now, call = self.waiting.pop(0)
            call()
        self.now = end


def one(entry: int) -> Touched:
    return Touched(sessions={"S"}, entries={("S", entry)})


def test_a_stream_is_painted_twenty_times_a_second() -> None:
    clock = Clock()
    for number in range(1000):
        clock.pump.add(one(number))
        clock.advance(0.001)
    clock.advance(1)
    times = [at for at, _ in clock.painted]
    assert 19 <= len(times) <= 22
    assert min(b - a for a, b in pairwise(times)) >= 0.05 - 1e-9
    assert {entry for _, touched in clock.painted for _, entry in touched.entries} == set(
        range(1000)
    )


def test_a_load_is_painted_a_few_times_a_second() -> None:
    clock = Clock()
    clock.loading = True
    for number in range(1000):
        clock.pump.add(one(number))
        clock.advance(0.001)
    clock.advance(1)
    assert 4 <= len(clock.painted) <= 6
    clock.pump.add(Touched(requests=True))
    assert clock.painted[-1][1].requests


def test_the_first_change_after_a_rest_is_painted_at_once() -> None:
    clock = Clock()
    clock.pump.add(one(1))
    assert [at for at, _ in clock.waiting] == [clock.now]
    clock.advance(0)
    assert len(clock.painted) == 1


def test_no_timer_runs_while_nothing_changes() -> None:
    clock = Clock()
    clock.pump.add(one(1))
    clock.advance(10)
    clock.pump.add(Touched())
    clock.pump.flush()
    assert clock.waiting == []
    assert len(clock.painted) == 1


@pytest.mark.parametrize("urgent", [Touched(requests=True), Touched(link=True)])
def test_requests_and_the_connection_do_not_wait(urgent: Touched) -> None:
    clock = Clock()
    clock.pump.add(one(1))
    clock.advance(0)
    clock.pump.add(one(2))
    clock.pump.add(urgent)
    assert len(clock.painted) == 2
    assert clock.painted[1][1].entries == {("S", 2)}
    clock.advance(1)
    assert len(clock.painted) == 2


def test_fewer_frames_over_ssh() -> None:
    assert (frame_rate({}), frame_rate({"SSH_CONNECTION": "1.2.3.4 1 5.6.7.8 22"})) == (20, 10)


def test_a_stopped_pump_paints_nothing() -> None:
    clock = Clock()
    clock.pump.add(one(1))
    clock.pump.stop()
    clock.pump.add(Touched(requests=True))
    clock.pump.flush()
    clock.advance(1)
    assert clock.painted == []


def test_a_frame_that_was_planned_before_an_urgent_one_keeps_its_distance() -> None:
    clock = Clock()
    clock.pump.add(one(1))
    clock.advance(0)
    clock.pump.add(one(2))
    clock.advance(0.03)
    clock.pump.add(Touched(requests=True))
    clock.pump.add(one(3))
    clock.advance(1)
    times = [at - clock.painted[0][0] for at, _ in clock.painted]
    assert times == pytest.approx([0, 0.03, 0.08])
    assert clock.painted[-1][1].entries == {("S", 3)}


def test_whoever_does_not_wait_is_told_of_everything() -> None:
    painted: list[Touched] = []
    pump = FramePump(painted.append, lambda _seconds, call: call(), clock=lambda: 5.0)
    for number in (1, 2, 3):
        pump.add(one(number))
    assert [touched.entries for touched in painted] == [{("S", 1)}, {("S", 2)}, {("S", 3)}]
