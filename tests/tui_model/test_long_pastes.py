"""A paste of megabytes is neither read character by character nor word by word."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from textual import events
from textual._xterm_parser import XTermParser

from canopy_tui.model.mentions import dropped_paths
from canopy_tui.view.composer.prompt_area import plain
from canopy_tui.view.terminal import keys as terminal_keys

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

PIECE = 4096
"""Bytes that a terminal gives at once."""


def steps_of(work: Callable[[], object]) -> int:
    """Calls and lines of Python that ``work`` took."""
    steps = 0

    def count(_frame: FrameType, _event: str, _argument: object) -> object:
        nonlocal steps
        steps += 1
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        work()
    finally:
        sys.settrace(before)
    return steps


TEXTS = {
    "lines": "a line of a log\n",
    "paths": "/a/path\n",
    "one word": "a",
    "one path": "/a",
    "other letters": "漢字é",
    "codes": "\x1b[2J\x9b\x00",
}


@pytest.mark.parametrize("what", TEXTS)
def test_a_long_paste_takes_steps_for_its_pieces_only(what: str) -> None:
    terminal_keys.teach()
    text = TEXTS[what] * (1_000_000 // len(TEXTS[what]))
    sent = f"\x1b[200~{text}\x1b[201~x"
    parser, got = XTermParser(), []

    def read() -> None:
        for at in range(0, len(sent), PIECE):
            got.extend(parser.feed(sent[at : at + PIECE]))

    taken = steps_of(read)
    pasted, key = got
    assert isinstance(pasted, events.Paste)
    assert isinstance(key, events.Key)
    harmless = text.replace("\x1b", "").replace("\x9b", "").replace("\x00", "")
    assert pasted.text == harmless
    taken += steps_of(lambda: dropped_paths(plain(harmless)))
    assert taken < 200 * (len(sent) // PIECE + 1) + 20_000
    assert dropped_paths(harmless) == []


def test_the_paths_of_dropped_files_are_found_up_to_their_number() -> None:
    assert dropped_paths(" ".join(f"/a/{number}" for number in range(20)))[-1] == "/a/19"
    assert dropped_paths(" ".join(f"/a/{number}" for number in range(21))) == []
    assert dropped_paths("/a " + "/" + "long" * 1000) == ["/a", "/" + "long" * 1000]
    assert dropped_paths("/a words") == []


def test_control_codes_are_no_text() -> None:
    every = "".join(map(chr, range(0x100))) + "\ud800\udfff漢"
    letters = "".join(map(chr, (*range(0x20, 0x7F), *range(0xA0, 0x100))))
    assert plain(every) == "\t\n\n" + letters + "漢"
    assert plain("a\r\nb\rc") == "a\nb\nc"
