"""What the first bytes of a picture or document say: its format and its size in pixels.

Formats are those that the Anthropic Messages API takes; nothing is decoded beyond the header.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

PNG: Final = "image/png"
JPEG: Final = "image/jpeg"
GIF: Final = "image/gif"
WEBP: Final = "image/webp"
PDF: Final = "application/pdf"

PICTURE_TYPES: Final = (PNG, JPEG, GIF, WEBP)

LARGEST_PICTURE: Final = 5 * 1024 * 1024
"""Bytes; https://docs.claude.com/en/docs/build-with-claude/vision."""
LONGEST_SIDE: Final = 8_000
"""Pixels; from the same page."""

_PDF_MARK_WITHIN: Final = 1024


@dataclass(frozen=True, slots=True)
class Size:
    """Pixels."""

    width: int
    height: int


def format_of(data: bytes) -> str | None:
    """The media type that the magic bytes tell, None for anything else."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return PNG
    if data.startswith(b"\xff\xd8\xff"):
        return JPEG
    if data.startswith((b"GIF87a", b"GIF89a")):
        return GIF
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return WEBP
    if b"%PDF-" in data[:_PDF_MARK_WITHIN]:
        return PDF
    return None


def size_of(data: bytes) -> Size | None:
    """The size of a picture, None when its header is damaged or holds none."""
    readers = {PNG: _png_size, JPEG: _jpeg_size, GIF: _gif_size, WEBP: _webp_size}
    reader = readers.get(format_of(data) or "")
    if reader is None:
        return None
    try:
        width, height = reader(data)
    except (struct.error, IndexError):
        return None
    return Size(width, height) if width > 0 and height > 0 else None


def _png_size(data: bytes) -> tuple[int, int]:
    if data[12:16] != b"IHDR":
        return 0, 0
    width, height = struct.unpack_from(">II", data, 16)
    return width, height


def _gif_size(data: bytes) -> tuple[int, int]:
    width, height = struct.unpack_from("<HH", data, 6)
    return width, height


_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_BARE: Final = frozenset({0x01, *range(0xD0, 0xD9)})


def _jpeg_size(data: bytes) -> tuple[int, int]:
    """Walk the segments to the first frame header."""
    at = 2
    while data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:  # fill bytes may stand before a marker
            at += 1
            continue
        if marker in _BARE:
            at += 2
            continue
        if marker in _FRAMES:
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        (length,) = struct.unpack_from(">H", data, at + 2)
        if length < 2:
            break
        at += 2 + length
    return 0, 0


def _webp_size(data: bytes) -> tuple[int, int]:
    match data[12:16]:
        case b"VP8X":
            wide, high = data[24:27], data[27:30]
            if len(high) < 3:
                return 0, 0
            return int.from_bytes(wide, "little") + 1, int.from_bytes(high, "little") + 1
        case b"VP8L" if data[20] == 0x2F:
            (bits,) = struct.unpack_from("<I", data, 21)
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8 " if data[23:26] == b"\x9d\x01\x2a":
            width, height = struct.unpack_from("<HH", data, 26)
            return width & 0x3FFF, height & 0x3FFF
        case _:
            return 0, 0
