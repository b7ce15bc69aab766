"""Tool input while it streams: the complete top-level fields of a growing JSON object.

It works on text alone and knows neither tools nor frames; each character is looked at once.
"""

from __future__ import annotations

import re
from typing import Any

from canopy_shared import jsonio

_IN_STRING = re.compile(r'["\\]')
_OUTSIDE = re.compile(r'["{}\[\],]')
_OPENERS, _CLOSERS = frozenset("{["), frozenset("}]")


class PartialInput:
    """Collects ``input_json_delta`` texts of one tool call.

    A field counts as complete at the comma behind it. The last field has none: the whole input
    follows in the complete message, so its text (often a file's) is never parsed twice. Text that
    is no JSON object ends the collection silently.
    """

    __slots__ = ("_depth", "_escaped", "_fields", "_in_string", "_over", "_pending")

    def __init__(self) -> None:
        self._fields: dict[str, Any] = {}
        self._pending: list[str] = []
        self._depth = 0
        self._in_string = False
        self._escaped = False
        self._over = False

    def feed(self, text: str) -> dict[str, Any] | None:
        """Take the next piece; the complete fields when there are more of them now, else None."""
        before = len(self._fields)
        at = 0
        while at < len(text) and not self._over:
            at = self._step_in_string(text, at) if self._in_string else self._step(text, at)
        return dict(self._fields) if len(self._fields) > before else None

    def _keep(self, piece: str) -> None:
        if piece:
            self._pending.append(piece)

    def _step_in_string(self, text: str, at: int) -> int:
        if self._escaped:
            self._escaped = False
            self._keep(text[at])
            return at + 1
        found = _IN_STRING.search(text, at)
        if found is None:
            self._keep(text[at:])
            return len(text)
        self._keep(text[at : found.end()])
        if found.group() == '"':
            self._in_string = False
        else:
            self._escaped = True
        return found.end()

    def _step(self, text: str, at: int) -> int:
        found = _OUTSIDE.search(text, at)
        end = len(text) if found is None else found.start()
        if self._depth == 0:
            self._open(text[at:end], None if found is None else found.group())
            return end + 1
        self._keep(text[at:end])
        if found is not None:
            self._mark(found.group())
        return end + 1

    def _open(self, before: str, mark: str | None) -> None:
        """Wait for the brace that opens the object; anything else before it is not ours."""
        if before.strip() or mark not in (None, "{"):
            self._over = True
        elif mark == "{":
            self._depth = 1

    def _mark(self, mark: str) -> None:
        if mark in _CLOSERS:
            self._depth -= 1
            if self._depth == 0:
                self._over = True
                self._pending.clear()
                return
        elif mark == "," and self._depth == 1:
            self._finish_field()
            return
        elif mark in _OPENERS:
            self._depth += 1
        elif mark == '"':
            self._in_string = True
        self._pending.append(mark)

    def _finish_field(self) -> None:
        text = "".join(self._pending)
        self._pending.clear()
        try:
            field = jsonio.loads("{" + text + "}")
        except ValueError:
            field = None
        if isinstance(field, dict) and len(field) == 1:
            self._fields.update(field)
        else:
            self._over = True
