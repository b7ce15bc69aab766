"""JSON values as lines that a person reads: indented ``key: value``, no quotes and brackets.

Pure, and bounded in depth; what a value means is not known here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_DEEPEST = 12


def value_lines(value: object, depth: int = 0) -> str:
    """``value`` as text of one or more lines.

    >>> print(value_lines({"path": "a.py", "edits": [{"old": "x"}, 2], "all": True}))
    path: a.py
    edits:
      - old: x
      - 2
    all: true
    """
    if depth > _DEEPEST:
        return "…"
    match value:
        case Mapping() if value:
            return "\n".join(_labelled(f"{key}:", item, depth) for key, item in value.items())
        case str():
            return value
        case Sequence() if value and not isinstance(value, bytes):
            return "\n".join(
                "- " + value_lines(item, depth + 1).replace("\n", "\n  ") for item in value
            )
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case _:
            return str(value)


def _labelled(label: str, item: object, depth: int) -> str:
    text = value_lines(item, depth + 1)
    plain = not isinstance(item, Mapping | list | tuple) or not item
    if plain and "\n" not in text:
        return f"{label} {text}"
    return f"{label}\n  " + text.replace("\n", "\n  ")
