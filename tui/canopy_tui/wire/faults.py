"""What is wrong with an agent's answer, in words for the person: what is missing or wrong.

What an answer is for is not known here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from canopy_shared.errors import INTERNAL_ERROR, AcpError
from canopy_tui.model.sanitize import clipped

NOT_SAID: Final = "not_said"
"""In place of the stop reason of a turn whose answer has none."""
_SHOWN = 60
"""Characters of a wrong value that are shown."""


def lacking(method: str, field: str, result: object) -> str:
    """One sentence: ``field`` of the answer to ``method`` is missing, or not what it has to be."""
    answer = f"The agent's answer to {method}"
    if not isinstance(result, Mapping):
        return f"{answer} is {_kind(result)} where ACP has an object with {field}."
    if result.get(field) is None:
        return f"{answer} has no {field}, which ACP demands."
    return f"{answer} has {_kind(result[field])} as {field}, which is not what ACP demands."


def bad_answer(method: str, field: str, result: object) -> AcpError:
    """The same as a refusal, for requests of which nothing more depends on the answer."""
    return AcpError(INTERNAL_ERROR, lacking(method, field, result))


def _kind(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return f"the text {clipped(repr(value), _SHOWN)}" if value else "an empty text"
        case int() | float():
            return f"the number {clipped(repr(value), _SHOWN)}" if abs(value) < 1e15 else "a number"
        case Mapping():
            return "an object"
        case _:
            return "a list"
