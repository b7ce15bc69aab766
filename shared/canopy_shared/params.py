"""A strict reader of request parameters: each wrong field becomes one clear invalid-params error.

The error names the field and what would be right; it never repeats a value, which may hold a
secret.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from canopy_shared.errors import AcpError, invalid_params

Json = Mapping[str, Any]

_DEEPEST = 12


def as_object(value: Any) -> Any:
    """``value``, but an empty list where an object is expected is an empty object: languages with
    one kind of collection, as PHP and Lua, cannot tell them apart.
    """
    return {} if isinstance(value, (list, tuple)) and not value else value


def as_objects(value: Any, depth: int = _DEEPEST) -> Any:
    """The same at every place inside, for objects in which an empty list says nothing."""
    value = as_object(value)
    if not isinstance(value, Mapping) or depth == 0:
        return value
    return {key: as_objects(item, depth - 1) for key, item in value.items()}


class Params:
    """The parameters of one request, or a nested object of them. ``null`` counts as absent."""

    __slots__ = ("_values", "path")

    def __init__(self, value: object, path: str = "") -> None:
        """``path`` ends with a dot. Raises invalid params when ``value`` is not an object."""
        value = as_object(value)
        if not isinstance(value, Mapping):
            raise invalid_params(f"{path.rstrip('.') or 'params'} must be an object")
        self._values: Json = value
        self.path = path

    def wrong(self, field: str, expected: str) -> AcpError:
        """The error that says what ``field`` must be."""
        return invalid_params(
            f"{self.path}{field} must be {expected}", {"field": self.path + field}
        )

    def text(self, field: str) -> str:
        """A string that must be there."""
        value = self._values.get(field)
        if not isinstance(value, str):
            raise self.wrong(field, "a string")
        return value

    def optional_text(self, field: str) -> str | None:
        """A string, or None."""
        value = self._values.get(field)
        if value is not None and not isinstance(value, str):
            raise self.wrong(field, "a string")
        return value

    def whole_number(self, field: str, most: int) -> int:
        """A whole number from 0 to ``most``; ``1.0`` is whole, as JSON has one number type."""
        value = self._values.get(field)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
            raise self.wrong(field, f"a whole number from 0 to {most}")
        return value

    def optional_object(self, field: str) -> Json | None:
        """An object, or None."""
        value = as_object(self._values.get(field))
        if value is not None and not isinstance(value, Mapping):
            raise self.wrong(field, "an object")
        return value

    def objects(self, field: str, *, required: bool = False) -> tuple[Json, ...]:
        """A list of objects; empty when absent and not ``required``."""
        value = self._values.get(field)
        if value is None and not required:
            return ()
        if not isinstance(value, (list, tuple)):
            raise self.wrong(field, "a list")
        for index, item in enumerate(value):
            if not isinstance(item, Mapping):
                raise self.wrong(f"{field}[{index}]", "an object")
        return tuple(value)

    def optional_texts(self, field: str) -> tuple[str, ...] | None:
        """A list of strings, or None."""
        value = self._values.get(field)
        if value is None:
            return None
        if not isinstance(value, (list, tuple)):
            raise self.wrong(field, "a list of strings")
        for index, item in enumerate(value):
            if not isinstance(item, str):
                raise self.wrong(f"{field}[{index}]", "a string")
        return tuple(value)

    def fields(self) -> set[str]:
        """The names of all fields that are there."""
        return set(self._values)

    def raw(self, field: str) -> Any:
        """The value as it came, None when absent."""
        return self._values.get(field)

    def meta(self) -> Json:
        """``_meta``, empty when absent. It is kept apart and never fills in for a field."""
        return self.optional_object("_meta") or {}
