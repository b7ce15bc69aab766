"""Checks a text against the formats and the pattern that a field of a form may name.

Formats as https://json-schema.org/draft/2020-12/json-schema-validation#section-7.3 refers to them:
RFC 3339 dates and times, RFC 5321 addresses, RFC 3986 URIs; who asks is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import Final
from urllib.parse import urlsplit

EXAMPLES: Final[Mapping[str, str]] = {
    "email": "name@example.org",
    "uri": "https://example.org/page",
    "date": "2026-01-31",
    "date-time": "2026-01-31T12:00:00Z",
}
_NAMES: Final = {
    "email": "an e-mail address",
    "uri": "an address with its scheme",
    "date": "a date",
    "date-time": "a date and time with seconds and zone",
}
_LONGEST_LOCAL, _LONGEST_ADDRESS = 64, 254

_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_EMAIL = re.compile(rf"({_ATOM}(?:\.{_ATOM})*)@{_LABEL}(?:\.{_LABEL})*")
_URI = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+"
)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(
    r"([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?(?:[Zz]|[+-]([0-9]{2}):([0-9]{2}))"
)


def format_problem(name: str | None, value: str) -> str | None:
    """Why ``value`` is not of the format, with an example; None when it is, or none is known."""
    check = _CHECKS.get(name or "")
    if name is None or check is None or check(value):
        return None
    return f"must be {_NAMES[name]} like {EXAMPLES[name]}"


def _is_email(value: str) -> bool:
    found = _EMAIL.fullmatch(value) if len(value) <= _LONGEST_ADDRESS else None
    return found is not None and len(found[1]) <= _LONGEST_LOCAL


def _is_uri(value: str) -> bool:
    if not _URI.fullmatch(value):
        return False
    try:
        parts = urlsplit(value)
        _ = parts.port
    except ValueError:
        return False
    return parts.scheme not in ("http", "https") or bool(parts.hostname)


def _is_date(value: str) -> bool:
    if not _DATE.fullmatch(value):
        return False
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True


def _is_date_time(value: str) -> bool:
    day, between, time = value[:10], value[10:11], value[11:]
    found = _TIME.fullmatch(time)
    if not _is_date(day) or between not in ("T", "t") or found is None:
        return False
    limits = (23, 59, 60, 23, 59)  # RFC 3339 has leap seconds
    return all(int(part or 0) <= most for part, most in zip(found.groups(), limits, strict=True))


_CHECKS: Final[Mapping[str, Callable[[str], bool]]] = {
    "email": _is_email,
    "uri": _is_uri,
    "date": _is_date,
    "date-time": _is_date_time,
}
