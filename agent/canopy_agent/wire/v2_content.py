"""Strict checks of what a client of ACP v2 sends: content blocks and MCP servers.

Version 1 is read leniently where a field can be done without; version 2 says which must be there.
Errors name the field and never a value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from canopy_shared.errors import invalid_params
from canopy_shared.params import Params

Json = Mapping[str, Any]


def read_prompt(blocks: tuple[Json, ...]) -> list[Json]:
    """The blocks, without optional fields of the wrong kind: those count as absent, and the client
    is told the message as it was understood.

    Raises invalid params for a block that is malformed or of a kind that cannot be sent.
    """
    if not blocks:
        raise invalid_params("prompt must hold something to send: text, an image or a resource")
    return [_block(index, block) for index, block in enumerate(blocks)]


def _block(index: int, block: Json) -> Json:
    values = Params(block, f"prompt[{index}].")
    kind = values.text("type")
    check = _BLOCKS.get(kind)
    if check is None:
        told = f"prompt[{index}] is of type {kind}"
        raise invalid_params(
            f"{told}; text, image, resource_link and resource can be sent", {"type": kind}
        )
    check(values)
    read = _understood(block)
    if kind == "resource":
        read["resource"] = _understood(block["resource"])
    return read


def _text(values: Params) -> None:
    values.text("text")


def _image(values: Params) -> None:
    values.text("data")
    values.text("mimeType")


def _link(values: Params) -> None:
    values.text("name")
    values.text("uri")


def _resource(values: Params) -> None:
    inside = Params(values.optional_object("resource"), f"{values.path}resource.")
    inside.text("uri")
    if not isinstance(inside.raw("text"), str):
        inside.text("blob")


_BLOCKS: Final[dict[str, Callable[[Params], None]]] = {
    "text": _text,
    "image": _image,
    "resource_link": _link,
    "resource": _resource,
}


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_weight(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _is(kind: type) -> Callable[[object], bool]:
    return lambda value: isinstance(value, kind)


_OPTIONAL: Final[dict[str, Callable[[object], bool]]] = {
    "_meta": _is(Mapping),
    "annotations": _is(Mapping),
    "audience": _are_texts,
    "description": _is(str),
    "icons": _is(list),
    "lastModified": _is(str),
    "mimeType": _is(str),
    "priority": _is_weight,
    "size": _is_count,
    "title": _is(str),
    "uri": _is(str),
}
"""Fields of blocks, resources and annotations that need not be there."""


def _understood(fields: Json) -> dict[str, Any]:
    kept = {key: value for key, value in fields.items() if _counts(key, value)}
    if isinstance(notes := kept.get("annotations"), Mapping):
        kept["annotations"] = _understood(notes)
    return kept


def _counts(field: str, value: object) -> bool:
    allowed = _OPTIONAL.get(field)
    return allowed is None or value is None or allowed(value)


def check_servers(servers: tuple[Json, ...]) -> None:
    """Raises invalid params for an MCP server without a type that is served, or with a name that
    another one has.
    """
    names: set[str] = set()
    for index, server in enumerate(servers):
        values = Params(server, f"mcpServers[{index}].")
        if values.text("type") not in ("stdio", "http"):
            raise values.wrong("type", "stdio or http")
        name = values.text("name")
        if name in names:
            raise values.wrong("name", "a name that no other server of the request has")
        names.add(name)
