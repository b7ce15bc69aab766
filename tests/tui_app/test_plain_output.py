"""What a terminal is shown that has no Unicode, or whose person wants ASCII."""

from __future__ import annotations

import io
import unicodedata

from rich.cells import cell_len

from canopy_tui.model.glyphs import ASCII, UNICODE
from canopy_tui.view.terminal.output import LastingOutput
from canopy_tui.view.terminal.plain_output import plain_for

TEXT = "╭─ main › a·b… ─╮│ café → 日本 “x” ✓ ▶ e\u0301 \x1b[1m"


def shown(encoding: str | None, glyphs: str = ASCII) -> str:
    table = plain_for(encoding, glyphs)
    return TEXT if table is None else TEXT.translate(table)


def test_each_terminal_gets_what_it_can_show() -> None:
    assert shown("UTF-8", UNICODE) == TEXT
    assert shown("utf8") == "+- main › a·b… -+| café → 日本 “x” ✓ ▶ e\u0301 \x1b[1m"
    in_ascii = '+- main > a-b. -+| cafe > ???? "x" + > e \x1b[1m'
    assert shown("ANSI_X3.4-1968") == shown("no such encoding") == shown(None) == in_ascii
    assert shown("iso8859-1", UNICODE) == '+- main > a·b. -+| café > ???? "x" + > e \x1b[1m'


def test_every_character_keeps_its_width() -> None:
    table = plain_for("ascii", ASCII)
    assert table is not None
    for code in (*range(0x20, 0xD800), *range(0xF900, 0xFFFE), *range(0x1F300, 0x1FAFF)):
        character = chr(code)
        if unicodedata.category(character) not in ("Cc", "Cf", "Cn"):
            plain = character.translate(table)
            assert plain.isascii()
            assert cell_len(plain) == cell_len(character), (hex(code), plain)


def test_the_output_writes_no_escapes_in_place_of_frames() -> None:
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="backslashreplace")
    output = LastingOutput(file, plain_for(file.encoding, ASCII))
    assert output.write("╭──╮ é") == 6
    output.flush()
    assert file.buffer.getvalue() == b"+--+ e"  # type: ignore[attr-defined]
