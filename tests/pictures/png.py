"""Makes PNG files small: 256 colours are enough for a picture of a terminal.

Only what ``rsvg-convert`` writes is read (8 bits, RGB with or without alpha, not interlaced); what
is on a picture is not known here. Follows https://www.w3.org/TR/png-3/.
"""

from __future__ import annotations

import struct
import zlib
from collections import Counter
from itertools import pairwise

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOURS = 256
Colour = tuple[int, int, int]


def in_few_colours(png: bytes) -> bytes:
    """The same picture with at most 256 colours, without alpha."""
    width, height, depth, kind = struct.unpack(">IIBB", png[16:26])
    assert (depth, kind) in ((8, 2), (8, 6)), "another kind of PNG"
    size = 4 if kind == 6 else 3
    packed = b"".join(body for name, body in _chunks(png) if name == b"IDAT")
    rows = _rows(zlib.decompress(packed), width * size, size)
    pixels = [
        (row[at], row[at + 1], row[at + 2]) for row in rows for at in range(0, width * size, size)
    ]
    index, palette = _palette(Counter(pixels))
    flat = bytes(map(index.__getitem__, pixels))
    lines = b"".join(b"\0" + flat[at : at + width] for at in range(0, width * height, width))
    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    return b"".join(
        (
            _SIGNATURE,
            _chunk(b"IHDR", head),
            _chunk(b"PLTE", bytes(part for colour in palette for part in colour)),
            _chunk(b"IDAT", zlib.compress(lines, 9)),
            _chunk(b"IEND", b""),
        )
    )


def _palette(counted: Counter[Colour]) -> tuple[dict[Colour, int], list[Colour]]:
    """The number of each colour, and the colours: similar ones share the most frequent of them, so
    that a rare colour is not taken for another.
    """
    for step in range(1, 256, 3):
        chosen: dict[Colour, Colour] = {}
        for colour, _ in counted.most_common():
            chosen.setdefault(_about(colour, step), colour)
        if len(chosen) <= _COLOURS:
            break
    number = {about: at for at, about in enumerate(chosen)}
    return {colour: number[_about(colour, step)] for colour in counted}, list(chosen.values())


def _about(colour: Colour, step: int) -> Colour:
    red, green, blue = colour
    return red // step, green // step, blue // step


def _chunks(png: bytes) -> list[tuple[bytes, bytes]]:
    found, at = [], len(_SIGNATURE)
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        found.append((png[at + 4 : at + 8], png[at + 8 : at + 8 + length]))
        at += length + 12
    return found


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def _rows(packed: bytes, width: int, size: int) -> list[bytearray]:
    """The rows of bytes, each without its filter (section 9 of the specification)."""
    rows = [bytearray(width)]
    for start, end in pairwise(range(0, len(packed) + 1, width + 1)):
        row, above = bytearray(packed[start + 1 : end]), rows[-1]
        match packed[start]:
            case 1:
                for at in range(size, width):
                    row[at] = (row[at] + row[at - size]) & 255
            case 2:
                row = bytearray((one + up) & 255 for one, up in zip(row, above, strict=True))
            case 3:
                for at in range(width):
                    left = row[at - size] if at >= size else 0
                    row[at] = (row[at] + (left + above[at]) // 2) & 255
            case 4:
                _unpaeth(row, above, size)
        rows.append(row)
    return rows[1:]


def _unpaeth(row: bytearray, above: bytearray, size: int) -> None:
    for at in range(len(row)):
        left, corner = (row[at - size], above[at - size]) if at >= size else (0, 0)
        up = above[at]
        by_left, by_up = abs(up - corner), abs(left - corner)
        by_corner = abs(left + up - 2 * corner)
        if by_left <= by_up and by_left <= by_corner:
            guess = left
        else:
            guess = up if by_up <= by_corner else corner
        row[at] = (row[at] + guess) & 255
