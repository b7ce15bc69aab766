"""The fields of an elicitation form: the restricted JSON Schema as frozen classes, read leniently.

Shapes follow https://agentclientprotocol.com/protocol/elicitation (draft) and the MCP
elicitation schema; who asks, and how a field is drawn, is not known here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from canopy_shared.ext import air
from canopy_shared.ext.claude import CUSTOM_ANSWER_KEY, QUESTION_OPTION_KEY

Value = str | int | float | bool | tuple[str, ...]
"""What a field of a form may hold; a list of picks as a tuple."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """What every field has; free text that adds to another field names it in
    ``custom_answer_to``.
    """

    key: str
    title: str = ""
    description: str = ""
    required: bool = False
    custom_answer_to: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TextField(Field):
    """Free text. ``format`` is ``email``, ``uri``, ``date``, ``date-time`` or unknown text."""

    default: str | None = None
    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None
    format: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberField(Field):
    """A number, or a whole number; both bounds belong to the range."""

    whole: bool = False
    default: float | None = None
    minimum: float | None = None
    maximum: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BooleanField(Field):
    """Yes or no."""

    default: bool | None = None


@dataclass(frozen=True, slots=True)
class FieldOption:
    """One value to pick. ``preview`` is text to show while the option has the focus."""

    value: str
    label: str
    description: str = ""
    preview: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceField(Field):
    """One of some values."""

    options: tuple[FieldOption, ...]
    default: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MultiChoiceField(Field):
    """Any of some values."""

    options: tuple[FieldOption, ...]
    default: tuple[str, ...] = ()
    min_items: int | None = None
    max_items: int | None = None


FormField = TextField | NumberField | BooleanField | ChoiceField | MultiChoiceField


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) else None


_LARGEST = 2.0**53


def _number(value: object) -> float | None:
    """A bound that can be compared with exactly; others count as no bound."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    return value if -_LARGEST <= value <= _LARGEST else None


def _count(value: object) -> int | None:
    number = _number(value)
    return int(number) if number is not None and number >= 0 else None


def _preview(meta: object) -> str | None:
    payload = meta.get(QUESTION_OPTION_KEY) if isinstance(meta, Mapping) else None
    return _text_or_none(payload.get("preview")) if isinstance(payload, Mapping) else None


def _titled_options(values: object) -> tuple[FieldOption, ...]:
    """Options of ``oneOf`` or ``anyOf``; entries without a ``const`` string are left out."""
    items = values if isinstance(values, (list, tuple)) else ()
    return tuple(
        FieldOption(
            item["const"],
            _text(item.get("title")) or item["const"],
            _text(item.get("description")),
            _preview(item.get("_meta")),
        )
        for item in items
        if isinstance(item, Mapping) and isinstance(item.get("const"), str)
    )


def _plain_options(values: object, names: object = None) -> tuple[FieldOption, ...]:
    """Options of ``enum``, with the labels of ``enumNames`` when they are as many."""
    items = values if isinstance(values, (list, tuple)) else ()
    texts = [item for item in items if isinstance(item, str)]
    labels = list(names) if isinstance(names, (list, tuple)) and len(names) == len(texts) else texts
    return tuple(
        FieldOption(text, _text(label) or text) for text, label in zip(texts, labels, strict=True)
    )


def _options_of(schema: Mapping[str, Any]) -> tuple[FieldOption, ...]:
    titled = _titled_options(schema.get("oneOf")) or _titled_options(schema.get("anyOf"))
    return titled or _plain_options(schema.get("enum"), schema.get("enumNames"))


def _custom_answer_to(meta: object) -> str | None:
    """The field that a free-text field belongs to, in the AIR spelling or the older one."""
    links = [(air.payload_of(meta) or {}).get("customAnswer")]
    if isinstance(meta, Mapping):
        links.append(meta.get(CUSTOM_ANSWER_KEY))
    for link in links:
        if isinstance(link, Mapping) and isinstance(link.get("questionId"), str):
            return str(link["questionId"])
    return None


_CUSTOM_SUFFIX = "_custom"


def _head(key: str, schema: Mapping[str, Any], required: bool) -> dict[str, Any]:
    return {
        "key": key,
        "title": _text(schema.get("title")),
        "description": _text(schema.get("description")),
        "required": required,
        "custom_answer_to": _custom_answer_to(schema.get("_meta")),
    }


def _text_field(head: dict[str, Any], schema: Mapping[str, Any]) -> FormField:
    options = _options_of(schema)
    default = _text_or_none(schema.get("default"))
    if options:
        return ChoiceField(
            **head,
            options=options,
            default=default if any(option.value == default for option in options) else None,
        )
    return TextField(
        **head,
        default=default,
        min_length=_count(schema.get("minLength")),
        max_length=_count(schema.get("maxLength")),
        pattern=_text_or_none(schema.get("pattern")),
        format=_text_or_none(schema.get("format")),
    )


def _list_field(head: dict[str, Any], schema: Mapping[str, Any]) -> FormField:
    items = schema.get("items")
    options = _options_of(items) if isinstance(items, Mapping) else ()
    if not options:
        return TextField(**head)
    known = {option.value for option in options}
    default = schema.get("default")
    picks = default if isinstance(default, (list, tuple)) else ()
    return MultiChoiceField(
        **head,
        options=options,
        default=tuple(pick for pick in picks if isinstance(pick, str) and pick in known),
        min_items=_count(schema.get("minItems")),
        max_items=_count(schema.get("maxItems")),
    )


def _number_field(head: dict[str, Any], schema: Mapping[str, Any]) -> FormField:
    return NumberField(
        **head,
        whole=schema.get("type") == "integer",
        default=_number(schema.get("default")),
        minimum=_number(schema.get("minimum")),
        maximum=_number(schema.get("maximum")),
    )


def _boolean_field(head: dict[str, Any], schema: Mapping[str, Any]) -> FormField:
    default = schema.get("default")
    return BooleanField(**head, default=default if isinstance(default, bool) else None)


_READERS = {
    "string": _text_field,
    "array": _list_field,
    "number": _number_field,
    "integer": _number_field,
    "boolean": _boolean_field,
}


def read_fields(schema: object) -> tuple[FormField, ...]:
    """The fields of a ``requestedSchema`` in its order; an unknown type takes plain text.

    A field called ``<key>_custom`` right after ``<key>`` is its free-text addition even without
    a link, for agents that send the link to some clients only.
    """
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    if not isinstance(schema, Mapping) or not isinstance(properties, Mapping):
        return ()
    names = schema.get("required")
    listed = names if isinstance(names, list) else []
    required = {name for name in listed if isinstance(name, str)}
    fields: list[FormField] = []
    for key, value in properties.items():
        rules = value if isinstance(value, Mapping) else {}
        head = _head(key, rules, key in required)
        choices = (ChoiceField, MultiChoiceField)
        if (
            head["custom_answer_to"] is None
            and fields
            and isinstance(fields[-1], choices)
            and key == fields[-1].key + _CUSTOM_SUFFIX
        ):
            head["custom_answer_to"] = fields[-1].key
        kind = rules.get("type")
        reader = _READERS.get(kind, _text_field) if isinstance(kind, str) else _text_field
        fields.append(reader(head, rules))
    return tuple(fields)
