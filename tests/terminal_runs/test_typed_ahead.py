"""Ctrl+Q typed while the client still loads: the terminal keeps it for the client."""

from __future__ import annotations

import os
import pty
import termios
from pathlib import Path

from canopy_tui.process import typed_ahead


def test_keys_of_before_the_screen_are_kept_and_the_terminal_is_given_back() -> None:
    person, terminal = pty.openpty()
    try:
        before = termios.tcgetattr(terminal)
        assert before[0] & termios.IXON
        with typed_ahead.kept(terminal):
            os.write(person, b"\x11\x13\n")
            assert os.read(terminal, 10) == b"\x11\x13\n"
            typed_ahead.give_back()
            assert termios.tcgetattr(terminal) == before
        with typed_ahead.kept(terminal):
            assert termios.tcgetattr(terminal) != before
        assert termios.tcgetattr(terminal) == before
    finally:
        os.close(person)
        os.close(terminal)


def test_what_is_no_terminal_is_left_alone(tmp_path: Path) -> None:
    with (tmp_path / "file").open("w") as file, typed_ahead.kept(file.fileno()):
        file.write("as ever")
    assert (tmp_path / "file").read_text() == "as ever"
