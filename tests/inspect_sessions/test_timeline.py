"""The line of cells on which it is shown who worked when."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from canopy_tui.model.timeline import axis_of, filled, merged, worked
from canopy_tui.view.screens.timeline_screen import times

DAY = 86_400.0
_spans = st.lists(
    st.tuples(st.floats(0, 9 * DAY), st.floats(0, DAY)).map(lambda pair: (pair[0], sum(pair))),
    max_size=12,
)


@settings(max_examples=150, deadline=None)
@given(spans=_spans, cells=st.integers(1, 80))
def test_every_span_has_its_cells_in_order(spans: list[tuple[float, float]], cells: int) -> None:
    axis = axis_of(spans, cells)
    assert sum(axis.widths) + len(axis.silences) == (cells if spans else 0)
    silent = set(axis.silences)
    places = [axis.cell(at) for at in sorted(at for span in spans for at in span)]
    assert places == sorted(places)
    assert all(0 <= place < cells and place not in silent for place in places)
    for span in spans:
        assert filled([span], axis)
    assert filled(spans, axis).isdisjoint(silent)
    if spans and cells > 2 * len(spans):
        assert len(filled(spans, axis)) <= cells


def test_a_long_silence_takes_one_cell() -> None:
    night = [(0.0, 600.0), (9 * 3600.0, 9 * 3600.0 + 600.0)]
    axis = axis_of(night, 21)
    assert (axis.widths, axis.silences) == ((10, 10), (10,))
    assert filled([night[0]], axis) == set(range(10))
    assert filled([night[1]], axis) == set(range(11, 21))
    short = axis_of([(0.0, 600.0), (630.0, 1200.0)], 20)
    assert short.silences == ()


def test_work_at_the_same_time_counts_once() -> None:
    assert merged([(5.0, 9.0), (0.0, 2.0), (1.0, 3.0)]) == [(0.0, 3.0), (5.0, 9.0)]
    assert worked([(5.0, 9.0), (0.0, 2.0), (1.0, 3.0)]) == 7.0
    assert worked([]) == 0.0


@pytest.mark.parametrize(
    ("end", "cells", "told"),
    [
        (43.0, 60, "1970-01-02 00:00:00 1970-01-02 00:00:43"),
        (43.0, 30, "00:00:00 00:00:43"),
        (DAY + 60, 30, "01-02 00:00 01-03 00:01"),
        (43.0, 12, "00:00 00:00"),
        (43.0, 9, ""),
    ],
)
def test_the_ends_of_the_line_say_what_differs(
    end: float, cells: int, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    line = times(axis_of([(DAY, DAY + end)], cells))
    assert len(line) == cells
    assert " ".join(line.split()) == told
    monkeypatch.undo()
    time.tzset()
