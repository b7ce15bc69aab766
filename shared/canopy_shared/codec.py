"""Wire classes to JSON-shaped dicts and back, by tables that are built on first use.

Encoding leaves :data:`UNSET` fields out and sends ``None`` as ``null``; decoding is lenient, as a
client must be: what it does not know becomes an ``Unknown…`` object and never an exception.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, get_args

from canopy_shared import content as c
from canopy_shared import updates as u
from canopy_shared import work_updates as w
from canopy_shared.unset import UNSET

_EXCEPTIONS = {"meta": "_meta"}


def wire_name(field: str) -> str:
    """The camelCase name of a field: ``tool_call_id`` → ``toolCallId``, ``meta`` → ``_meta``."""
    if field in _EXCEPTIONS:
        return _EXCEPTIONS[field]
    head, *rest = field.split("_")
    return head + "".join(part.title() for part in rest)


@cache
def _layout(cls: Any) -> tuple[tuple[str, str] | None, tuple[tuple[str, str], ...]]:
    """Discriminator of ``cls`` and its ``(attribute, wire name)`` pairs in order."""
    tag = getattr(cls, "TAG", None)
    names = tuple((f.name, wire_name(f.name)) for f in dataclasses.fields(cls))
    return tag, names


def encode(value: Any) -> Any:
    """Turn a wire object, or any nest of lists, dicts and wire objects, into plain JSON values."""
    if isinstance(value, (str, int, float, bool)) or value is None:
        return value
    if isinstance(value, Mapping):
        return {key: encode(item) for key, item in value.items() if item is not UNSET}
    if isinstance(value, (list, tuple)):
        return [encode(item) for item in value]
    if isinstance(value, (u.UnknownUpdate, c.UnknownContent)):
        return encode(value.raw)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        tag, names = _layout(type(value))
        out: dict[str, Any] = {} if tag is None else {tag[0]: tag[1]}
        for attribute, name in names:
            item = getattr(value, attribute)
            if item is not UNSET:
                out[name] = encode(item)
        return out
    raise TypeError(f"not a wire value: {type(value).__name__}")


# --- decoding -------------------------------------------------------------------------------------

_MISSING_DEFAULTS: dict[str, Any] = {"str": "", "int": 0, "bool": False, "tuple": ()}
_NO_CONTENT = c.UnknownContent("(none)", {})
_PARAMETERS = re.compile(r"\[.*\]")
_LARGEST = 2**53
"""The largest number that means the same to every program that reads JSON."""
Decoder = Callable[[Any], Any]


def _mapping(value: Any) -> Any:
    return value if isinstance(value, Mapping) else UNSET


def _many(decode: Decoder) -> Decoder:
    """A decoder for a list of what ``decode`` takes; items that it refuses are left out."""

    def many(value: Any) -> Any:
        if value is None:
            return None
        if not isinstance(value, (list, tuple)):
            return UNSET
        items = (item if dataclasses.is_dataclass(item) else decode(item) for item in value)
        return tuple(item for item in items if item is not UNSET)

    return many


@cache
def _tags(union: Any) -> dict[str, type]:
    return {cls.TAG[1]: cls for cls in get_args(union) if hasattr(cls, "TAG")}


def decode_content(value: Any) -> Any:
    """A content block from its dict; :class:`UnknownContent` for other kinds, UNSET for
    non-objects.
    """
    if not isinstance(value, Mapping):
        return UNSET
    kind = value.get("type")
    cls = _tags(c.ContentBlock).get(kind) if isinstance(kind, str) else None
    return _fill(cls, value) if cls else c.UnknownContent(str(kind), value)


def decode_tool_content(value: Any) -> Any:
    """One content of a tool call from its dict."""
    if not isinstance(value, Mapping):
        return UNSET
    kind = value.get("type")
    cls: type | None = _tags(c.ToolCallContent).get(kind) if isinstance(kind, str) else None
    if cls is c.PatchDiff and "changes" not in value:
        cls = c.Diff  # the two versions give one name to two shapes
    return _fill(cls, value) if cls else c.UnknownContent(str(kind), value)


def _plain(cls: type) -> Decoder:
    return lambda value: _fill(cls, value) if isinstance(value, Mapping) else UNSET


def _choices(value: Any) -> Any:
    """The choices of a select; those in groups lose their group, which their names then tell."""
    if not isinstance(value, (list, tuple)):
        return UNSET
    found: list[Any] = []
    for row in value:
        inside = row.get("options") if isinstance(row, Mapping) else None
        if not isinstance(inside, (list, tuple)):
            found.append(row)
            continue
        group = row.get("name")
        for choice in inside:
            named = isinstance(choice, Mapping) and isinstance(group, str) and group
            name = f"{group} · {choice.get('name') or choice.get('value')}" if named else None
            found.append({**choice, "name": name} if name else choice)
    return _many(_plain(u.ConfigChoice))(found)


_BLOCKS = _many(decode_content)
_TOOL_CONTENTS = _many(decode_tool_content)
_LOCATIONS = _many(_plain(c.Location))
_OBJECTS = _many(_mapping)

_NESTED: dict[tuple[type, str], Decoder] = {
    (u.UserMessageChunk, "content"): decode_content,
    (u.AgentMessageChunk, "content"): decode_content,
    (u.AgentThoughtChunk, "content"): decode_content,
    (u.CompactionSummaryChunk, "content"): decode_content,
    (u.CompactionUpdate, "summary"): _BLOCKS,
    (u.SessionMessage, "content"): _BLOCKS,
    (c.ToolContent, "content"): decode_content,
    (u.ToolCallStart, "content"): _TOOL_CONTENTS,
    (u.ToolCallUpdate, "content"): _TOOL_CONTENTS,
    (u.ToolCallStart, "locations"): _LOCATIONS,
    (u.ToolCallUpdate, "locations"): _LOCATIONS,
    (u.Plan, "entries"): _many(_plain(u.PlanEntry)),
    (u.AvailableCommandsUpdate, "available_commands"): _many(_plain(u.Command)),
    (u.ConfigOptionUpdate, "config_options"): _many(_plain(u.ConfigOption)),
    (u.ConfigOption, "options"): _choices,
    (c.PatchDiff, "changes"): _OBJECTS,
    (w.StateUpdate, "background"): _OBJECTS,
    (w.UserMessage, "content"): _BLOCKS,
    (w.AgentMessage, "content"): _BLOCKS,
    (w.AgentThought, "content"): _BLOCKS,
}


def _absent(declared: str) -> Any:
    """The value of a field that must be there and is not: of the first type that it may have."""
    if declared == "ContentBlock":
        return _NO_CONTENT
    return _MISSING_DEFAULTS.get(_PARAMETERS.sub("", declared).partition(" | ")[0], {})


@cache
def _decoders(cls: type) -> tuple[tuple[str, str, Decoder | None, str, Any], ...]:
    """Per field: attribute, wire name, nested decoder, declared type without what stands in
    brackets, value when absent.
    """
    rows = []
    for f in dataclasses.fields(cls):
        declared = str(f.type)
        if f.default is not dataclasses.MISSING:
            absent: Any = f.default
        else:
            absent = _absent(declared)
        outer = _PARAMETERS.sub("", declared)
        rows.append((f.name, wire_name(f.name), _NESTED.get((cls, f.name)), outer, absent))
    return tuple(rows)


def _fits(value: Any, declared: str) -> bool:
    """Whether a JSON scalar may stand in a field of the ``declared`` type (annotations are
    text).
    """
    if declared == "Any" or value is None:
        return "None" in declared or declared == "Any"
    if isinstance(value, bool):
        return "bool" in declared
    if isinstance(value, str):
        return "str" in declared
    if isinstance(value, (int, float)):
        return "int" in declared and -_LARGEST <= value <= _LARGEST
    if isinstance(value, Mapping):
        return "Mapping" in declared or "Meta" in declared
    return False


def _fill(cls: Any, value: Mapping[str, Any]) -> Any:
    fields: dict[str, Any] = {}
    for attribute, name, nested, declared, absent in _decoders(cls):
        raw = value.get(name, UNSET)
        if raw is not UNSET and nested is not None:
            raw = raw if dataclasses.is_dataclass(raw) else nested(raw)
            if raw is None and "None" not in declared:
                raw = UNSET
        elif raw is not UNSET and not _fits(raw, declared):
            raw = UNSET
        fields[attribute] = absent if raw is UNSET else raw
    return cls(**fields)


def decode_update(value: Any) -> u.Update:
    """The ``update`` of a ``session/update``; :class:`UnknownUpdate` for kinds we do not know."""
    if not isinstance(value, Mapping):
        return u.UnknownUpdate("", {"value": value})
    kind = value.get(w.KIND)
    cls = _tags(u.Update).get(kind) if isinstance(kind, str) else None
    if cls is None:
        return u.UnknownUpdate(str(kind), value)
    update: u.Update = _fill(cls, value)
    if getattr(update, "content", None) is _NO_CONTENT:  # a chunk without content says nothing
        return u.UnknownUpdate(str(kind), value)
    return update


def decode_session_update(params: Any) -> u.SessionUpdate | None:
    """Parameters of ``session/update``: as they are in process, decoded from a dict; None if
    unusable.
    """
    if isinstance(params, u.SessionUpdate):
        return params
    if not isinstance(params, Mapping) or not isinstance(params.get("sessionId"), str):
        return None
    meta = _mapping(params.get("_meta"))
    return u.SessionUpdate(params["sessionId"], decode_update(params.get("update")), meta)


def decode_tool_call(value: Any) -> u.ToolCallUpdate:
    """The ``toolCall`` of a permission request."""
    if isinstance(value, u.ToolCallUpdate):
        return value
    call: u.ToolCallUpdate = _fill(u.ToolCallUpdate, value if isinstance(value, Mapping) else {})
    return call


def decode_config_options(value: Any) -> tuple[u.ConfigOption, ...]:
    """The ``configOptions`` of a session response; empty when absent or malformed."""
    decoded = _NESTED[u.ConfigOptionUpdate, "config_options"](value)
    return decoded if isinstance(decoded, tuple) else ()
