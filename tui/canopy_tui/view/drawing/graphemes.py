"""Where the characters that a person sees begin and end inside a line of text.

Pure, on top of ``rich.cells``, which knows combining marks and joiners; flags and Hangul jamo are
added here.
"""

from __future__ import annotations

import unicodedata

from rich.cells import split_graphemes

_REGIONAL = range(0x1F1E6, 0x1F200)
_JAMO_LEADING = range(0x1100, 0x1160)
_JAMO_REST = range(0x1160, 0x1200)


def boundaries(line: str) -> list[int]:
    """Offsets at which a caret may stand in ``line``, from 0 to its length."""
    if line.isascii():
        return list(range(len(line) + 1))
    starts = [0]
    flag_open = False
    for start, end, _width in split_graphemes(line)[0]:
        first = ord(line[start])
        if flag_open and first in _REGIONAL:
            flag_open = False
            starts[-1] = end
            continue
        if start and first in _JAMO_REST and ord(line[start - 1]) in (*_JAMO_LEADING, *_JAMO_REST):
            starts[-1] = end
            continue
        if start and unicodedata.combining(line[start]):
            starts[-1] = end
            continue
        flag_open = first in _REGIONAL
        starts.append(end)
    return starts


def before(line: str, column: int) -> int:
    """The boundary left of ``column``; 0 at the start."""
    return max((offset for offset in boundaries(line) if offset < column), default=0)


def after(line: str, column: int) -> int:
    """The boundary right of ``column``; the length of ``line`` at its end."""
    return min((offset for offset in boundaries(line) if offset > column), default=len(line))
