"""Pictures and documents of a prompt, checked against what the model's API takes.

One that the API refuses would sit in the conversation for good and fail every later request, so
it is refused here; limits are those of https://docs.claude.com/en/docs/build-with-claude/vision
and /pdf-support.
"""

from __future__ import annotations

import base64
import binascii
import codecs
from collections.abc import Mapping, Sequence
from typing import Any, Final

from canopy_shared import pictures
from canopy_shared.errors import AcpError, invalid_params

LARGEST_DOCUMENT: Final = 22 * 1024 * 1024
"""Bytes; as base64 it just fits in a request."""

LARGEST_PROMPT: Final = 31_000_000
"""Bytes of texts and base64 together: the API takes requests of 32 MB, and Claude Code adds to it.
"""

MANY_PICTURES: Final = 20
MANY_PICTURES_SIDE: Final = 2_000
"""Pixels that a side may have where a request holds more than ``MANY_PICTURES``."""

_NO_CHARSETS: Final = frozenset(
    {"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "unicode_escape"}
)
"""Codecs of Python that no document is written in."""

_MIB: Final = 1024 * 1024
_SPACES: Final = str.maketrans("", "", " \t\r\n")


def picture_block(where: str, data: str, media_type: str) -> dict[str, Any]:
    """The Claude block of a base64 picture. Raises invalid params that begin with ``where``."""
    if media_type not in pictures.PICTURE_TYPES:
        raise _refused(where, f"is of a type that cannot be shown: {_listed_types()} can")
    raw, text = _decoded(where, data, pictures.LARGEST_PICTURE)
    found = pictures.format_of(raw)
    if found != media_type:
        actual = f"is {found}" if found else "is no picture"
        raise _refused(where, f"is labelled {media_type} but {actual}")
    size = pictures.size_of(raw)
    if size is None:
        raise _refused(where, "is damaged: its header holds no size")
    limit = pictures.LONGEST_SIDE
    if max(size.width, size.height) > limit:
        raise _refused(
            where,
            f"is {size.width} x {size.height} pixels; the limit is {limit} on each side",
            {"limit": limit, "width": size.width, "height": size.height},
        )
    return _source("image", media_type, text)


def document_block(where: str, data: str) -> dict[str, Any]:
    """The Claude block of a base64 PDF. Raises invalid params that begin with ``where``."""
    raw, text = _decoded(where, data, LARGEST_DOCUMENT)
    if pictures.format_of(raw) != pictures.PDF:
        raise _refused(where, f"is labelled {pictures.PDF} but is none")
    return _source("document", pictures.PDF, text)


def check_together(content: Sequence[Mapping[str, Any]]) -> None:
    """Raise invalid params for blocks that the API would take one by one, but not together."""
    size = sum(map(_bytes_of, content))
    if size > LARGEST_PROMPT:
        most = f"{LARGEST_PROMPT / 1e6:.0f} MB"
        problem = f"holds {size / 1e6:.1f} MB of text and base64; the limit is {most} together"
        raise _refused("prompt", problem, {"limit": LARGEST_PROMPT, "size": size})
    images = [block["source"] for block in content if block["type"] == "image"]
    if len(images) > MANY_PICTURES and any(map(_is_wide, images)):
        problem = (
            f"holds {len(images)} images; in more than {MANY_PICTURES} each side may have "
            f"{MANY_PICTURES_SIDE} pixels"
        )
        facts = {"limit": MANY_PICTURES_SIDE, "images": len(images)}
        raise _refused("prompt", problem, facts)


def _bytes_of(block: Mapping[str, Any]) -> int:
    text = block["text"] if block["type"] == "text" else block["source"].get("data", "")
    return len(text.encode(errors="replace"))


def _is_wide(source: Mapping[str, Any]) -> bool:
    size = pictures.size_of(base64.b64decode(source.get("data", "")))
    return size is not None and max(size.width, size.height) > MANY_PICTURES_SIDE


def decoded_text(where: str, data: str, charset: str) -> str:
    """The text of a base64 resource without its byte order mark; bad bytes become U+FFFD."""
    raw, _ = _decoded(where, data, LARGEST_DOCUMENT)
    try:
        if codecs.lookup(charset).name in _NO_CHARSETS:
            raise LookupError
        text = raw.decode(charset, "replace")
    except (LookupError, ValueError):
        raise _refused(where, "is in a character set that is not known") from None
    return text.removeprefix("\ufeff")


def _source(kind: str, media_type: str, text: str) -> dict[str, Any]:
    return {"type": kind, "source": {"type": "base64", "media_type": media_type, "data": text}}


def _listed_types() -> str:
    return ", ".join(kind.removeprefix("image/") for kind in pictures.PICTURE_TYPES)


def _decoded(where: str, data: str, limit: int) -> tuple[bytes, str]:
    """The bytes and the clean base64 text; the size is judged before anything is decoded."""
    text = data.translate(_SPACES)
    size = len(text) * 3 // 4 - text[-2:].count("=")
    if not text:
        raise _refused(where, "is empty")
    if size > limit:
        raise _refused(
            where,
            f"is {size / _MIB:.1f} MiB; the limit is {limit // _MIB} MiB",
            {"limit": limit, "size": size},
        )
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise _refused(where, "is not base64") from None
    return raw, text


def _refused(where: str, problem: str, facts: dict[str, Any] | None = None) -> AcpError:
    return invalid_params(f"{where} {problem}", {"field": where, **(facts or {})})
