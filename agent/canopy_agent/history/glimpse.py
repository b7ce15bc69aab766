"""The last words of a stored session, for a person who looks for it in a list.

Blocking; call it in a thread. It reads the end of the transcript only and shows nothing itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from canopy_agent.history.store import Store
from canopy_agent.history.tail import lines_backwards
from canopy_agent.history.texts import blocks_of, is_hidden, shown_blocks, words_of
from canopy_agent.history.transcript import Json, parse
from canopy_agent.settings import SettingsError, read_settings
from canopy_shared.ordinary import open_ordinary

WORDS = 6
"""Messages that are given at most."""
LENGTH = 600
"""Characters of each."""
_LINES = 400
_LINK = re.compile(r"!?\[(@?[^\]\n]*)\]\([^)\s]*\)")
_ONLY_MARKS = re.compile(r"\s*(?:(?:```|~~~).*|\|?\s*:?-{3,}[\s:|-]*|[*_]{3,})$").match
_AT_THE_START = re.compile(r"^\s*(?:#{1,6}\s+|(?:>\s?)+|[*+]\s+)")
_AROUND = tuple(
    re.compile(pattern)
    for pattern in (
        r"\*\*(?=\S)(.+?)(?<=\S)\*\*",
        r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=\S)\*(?![\w*])",
        r"`([^`\n]+)`",
    )
)
"""Marks of Markdown, as far as they stand out in a line of text."""


def last_words(environment: Mapping[str, str], session_id: str, cwd: str) -> str:
    """The last messages of both sides, oldest first, a blank line between them; "" for none."""
    del cwd  # a session is found by its id alone
    try:
        path = Store(read_settings(environment).config_directory).find(session_id)
    except SettingsError:
        return ""
    if path is None:
        return ""
    found: list[str] = []
    try:
        with open_ordinary(path) as file:
            for number, line in enumerate(lines_backwards(file)):
                record = parse(line)
                words = "" if record is None else _words(record)
                if words:
                    found.append(words)
                if len(found) == WORDS or number == _LINES:
                    break
    except OSError:
        return ""
    return "\n\n".join(reversed(found))


def unmarked(text: str) -> str:
    """Markdown without its marks, for a place that shows text as it is."""
    lines = (_AT_THE_START.sub("", line) for line in text.splitlines() if not _ONLY_MARKS(line))
    plain = _LINK.sub(r"\1", "\n".join(lines))
    for mark in _AROUND:
        plain = mark.sub(r"\1", plain)
    return plain


def _words(record: Json) -> str:
    kind = record.get("type")
    if kind not in ("user", "assistant") or record.get("isSidechain") is True or is_hidden(record):
        return ""
    said = words_of(shown_blocks(blocks_of(record)))
    words = " ".join(_LINK.sub(r"\1", said).split() if kind == "user" else unmarked(said).split())
    if not words:
        return ""
    shown = words if len(words) <= LENGTH else words[: LENGTH - 1] + "…"
    return f"{'you' if kind == 'user' else 'agent'}: {shown}"
