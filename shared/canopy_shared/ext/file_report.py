"""The AIR report of the files that an agent changed in a turn: how it is asked for, what it says.

Asked for in ``_meta`` of ``session/prompt``, answered in ``_meta`` of a ``session_info_update``
before the turn's response; shape as in ``@agentclientprotocol/claude-agent-acp`` 0.101.0. Where
paths come from is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from canopy_shared.ext import air

REQUEST_KEY = "agentFileChangeReportRequest"
KEY = "agentFileChangeReport"

CANCELLED = "cancelled"
TIMEOUT = "timeout"
INVALID_OUTPUT = "invalidOutput"
PROVIDER_ERROR = "providerError"

_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")


@dataclass(frozen=True, slots=True)
class FileReport:
    """What one turn changed. ``reason`` is set, and ``paths`` empty, when that is not known.

    ``paths`` are absolute; ``truncated`` says that some were left out.
    """

    request_id: str
    paths: tuple[str, ...] = ()
    truncated: bool = False
    reason: str | None = None


def request(request_id: str) -> dict[str, Any]:
    """A ``_meta`` object that asks for the report."""
    return air.wrap(**{REQUEST_KEY: {"version": 1, "requestId": request_id}})


def requested(meta: object) -> str | None:
    """The id under which a prompt asks for a report; None for none, also for a malformed one."""
    asked = (air.payload_of(meta) or {}).get(REQUEST_KEY)
    if not isinstance(asked, Mapping) or set(asked) != {"version", "requestId"}:
        return None
    version, id_ = asked["version"], asked["requestId"]
    if isinstance(version, bool) or version != 1 or not isinstance(id_, str):
        return None
    return id_ if _ID.fullmatch(id_) else None


def wrap(report: FileReport) -> dict[str, Any]:
    """A ``_meta`` object with the report."""
    payload: dict[str, Any] = {"version": 1, "requestId": report.request_id}
    if report.reason is not None:
        return air.wrap(**{KEY: {**payload, "status": "unavailable", "reason": report.reason}})
    told = {
        "status": "reported",
        "paths": list(report.paths),
        "declaredComplete": False,
        "truncated": report.truncated,
    }
    return air.wrap(**{KEY: payload | told})


def read(meta: object) -> FileReport | None:
    """The report in a ``_meta`` object, None when there is none that can be used."""
    payload = (air.payload_of(meta) or {}).get(KEY)
    if not isinstance(payload, Mapping):
        return None
    id_, paths, reason = (payload.get(key) for key in ("requestId", "paths", "reason"))
    if not isinstance(id_, str):
        return None
    if payload.get("status") != "reported":
        return FileReport(id_, reason=reason if isinstance(reason, str) else PROVIDER_ERROR)
    listed = paths if isinstance(paths, (list, tuple)) else ()
    texts = tuple(path for path in listed if isinstance(path, str))
    return FileReport(id_, texts, payload.get("truncated") is True)
