"""The one place that turns values into JSON text and back.

It uses ``orjson`` when that is installed and the standard library otherwise; callers must not care
which.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from math import isfinite
from typing import Any


def _object(value: object) -> Any:
    """What JSON has no form for may be a wire object; the codec, which is dear to import, knows."""
    from canopy_shared.codec import encode

    return encode(value)


_encode = json.JSONEncoder(
    ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=_object
).encode

try:
    import orjson as _orjson  # type: ignore[import-not-found, unused-ignore]
except ImportError:
    _orjson = None


def dumps(value: object) -> bytes:
    """Encode ``value``, which may hold wire objects, as one line of UTF-8 JSON without a newline.

    Raises ``TypeError`` or ``ValueError`` for what JSON cannot say: foreign types, NaN, cycles.
    Lone surrogates, which Python strings may hold and UTF-8 may not, become U+FFFD.
    """
    if _orjson is not None:
        try:
            options = _orjson.OPT_PASSTHROUGH_DATACLASS | _orjson.OPT_PASSTHROUGH_SUBCLASS
            return bytes(_orjson.dumps(value, _object, options))
        except TypeError:
            pass  # ints beyond 64 bits, lone surrogates: the standard library copes
    text = _encode(value)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def loads(text: bytes | str) -> Any:
    """Decode one JSON value. Raises :class:`ValueError` on anything else, and on what
    is nested too deeply.

    NaN and infinities, which some programs write, become None as in JavaScript.
    """
    return _loads(text, _decode)


def loads_foreign(text: bytes | str) -> Any:
    """The same for what another program sent: an integer too large for a float, with which no
    reader could calculate, is None as well, and a byte that is no UTF-8 becomes U+FFFD.
    """
    return _loads(text, _decode_foreign, _mended)


def _strict(text: bytes) -> str:
    return text.decode(json.detect_encoding(text), "surrogatepass")


def _mended(text: bytes) -> str:
    try:
        return _strict(text)
    except UnicodeDecodeError:
        return text.decode("utf-8", "replace")


def _loads(
    text: bytes | str, decode: Callable[[str], Any], read: Callable[[bytes], str] = _strict
) -> Any:
    if _orjson is not None:
        try:
            return _orjson.loads(text)
        except ValueError:
            pass  # the standard library also takes lone surrogates and big integers
    if isinstance(text, bytes):
        text = read(text)
    try:
        return decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _float(digits: str) -> float | None:
    number = float(digits)
    return number if isfinite(number) else None


def _bounded(digits: str) -> int | None:
    return int(digits) if len(digits) < _LONG else None


_LONG = 309
"""Digits of the shortest integer that may be too large for a float."""


def _nothing(_constant: str) -> None:
    return None


_decode = json.JSONDecoder(parse_float=_float, parse_constant=_nothing).decode
_decode_foreign = json.JSONDecoder(
    parse_float=_float, parse_constant=_nothing, parse_int=_bounded
).decode
