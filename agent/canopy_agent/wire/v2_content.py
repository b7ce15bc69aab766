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


def check_prompt(blocks: tuple[Json, ...]) -> None:
    """Raises invalid params for a block that is malformed or of a kind that cannot be sent."""
    if not blocks:
        raise invalid_params("prompt must hold something to send: text, an image or a resource")
    for index, block in enumerate(blocks):
        values = Params(block, f"prompt[{index}].")
        kind = values.text("type")
        check = _BLOCKS.get(kind)
        if check is None:
            told = f"prompt[{index}] is of type {kind}"
            raise invalid_params(
                f"{told}; text, image, resource_link and resource can be sent", {"type": kind}
            )
        check(values)


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
    if inside.optional_text("text") is None:
        inside.text("blob")


_BLOCKS: Final[dict[str, Callable[[Params], None]]] = {
    "text": _text,
    "image": _image,
    "resource_link": _link,
    "resource": _resource,
}


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
