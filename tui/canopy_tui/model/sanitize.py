"""Makes foreign text harmless: what could steer a terminal or mislead the eye becomes visible.

For every text that a model, a tool, a file or an agent wrote, before it is drawn or put in a title;
markup is the business of whoever draws.
"""

from __future__ import annotations

import re

_CONTROL_PICTURES = {code: 0x2400 + code for code in range(0x20)} | {0x7F: 0x2421}

_SUSPECT_CLASS = (
    "[\x00-\x1f\x7f-\x9f"
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\ud800-\udfff"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""C0 and C1 controls, what changes the reading direction, and what has no width or no ink."""

_SUSPECT = re.compile(_SUSPECT_CLASS)
_SUSPECT_IN_LINES = re.compile("(?![\n\t])" + _SUSPECT_CLASS)

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")

_JOINERS = frozenset("\u200c\u200d\ufe0e\ufe0f")
"""Needed by real scripts and emoji; harmless after a character that is not ASCII."""
_SELECTORS = frozenset("\ufe0e\ufe0f")
_KEYCAP = "\u20e3"

_ESCAPES = re.compile(
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI
    "|(?:\x1b[\\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\\\|\x9c)?"  # OSC, DCS
    "|\x1b[ -/]*[0-~]"
)


def visible(text: str, *, multiline: bool) -> str:
    """``text`` with controls shown as pictures (``␛``) and hidden characters as ``<U+202E>``.

    ``multiline`` keeps line breaks and tabs (``\\r\\n`` becomes ``\\n``); otherwise runs of white
    space become one space. The result holds no C0, C1 or bidirectional control.
    """
    if multiline:
        return _SUSPECT_IN_LINES.sub(_shown, text.replace("\r\n", "\n"))
    if not text.isprintable():
        text = " ".join(text.split())
    return _SUSPECT.sub(_shown, text)


def for_file(text: str) -> str:
    """``text`` for a document that somebody may print in a terminal: controls shown as pictures,
    everything else as it is. Line breaks and tabs are kept.
    """
    return _CONTROLS.sub(
        lambda found: chr(_CONTROL_PICTURES.get(ord(found.group()), 0xFFFD)),
        text.replace("\r\n", "\n"),
    )


def encodable(text: str) -> str:
    """``text`` with every half of a surrogate pair that stands alone as ``\ufffd``: JSON may hold
    some, UTF-8 cannot.
    """
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _shown(found: re.Match[str]) -> str:
    character = found.group()
    if character in _JOINERS and _joins(found):
        return character
    code = ord(character)
    picture = _CONTROL_PICTURES.get(code)
    return chr(picture) if picture else f"<U+{code:04X}>"


def _joins(found: re.Match[str]) -> bool:
    """Whether a joiner follows a character that it may join, or makes a keycap."""
    text, start = found.string, found.start()
    before = text[start - 1] if start else ""
    if found.group() == "\u200d" and before in _SELECTORS:
        return start > 1 and not text[start - 2].isascii()
    if before.isascii():
        return before != "" and text[found.end() : found.end() + 1] == _KEYCAP
    return not _SUSPECT.match(before)


def without_escapes(text: str) -> str:
    """Terminal output as text: colours and other escape sequences removed, the rest made visible.

    A line that rewrote itself with ``\\r`` shows its last state.
    """
    text = _ESCAPES.sub("", text).replace("\r\n", "\n")
    if "\r" in text:
        text = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    if "\b" in text:
        text = re.sub("[^\n\b]\b", "", text)
    return visible(text, multiline=True)


def clipped(text: str, limit: int) -> str:
    """One harmless line of at most ``limit`` characters, cut with ``…``."""
    line = visible(text[: limit * 8], multiline=False)
    return line if len(line) <= limit else line[: limit - 1] + "…"
