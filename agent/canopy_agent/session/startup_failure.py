"""Why a CLI did not start, as the error that the client gets.

Codes follow ``@agentclientprotocol/claude-agent-acp`` 0.101.0, reasons the CLI 2.1.332; nothing is
started or ended here.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from typing import Final

from canopy_agent.claude.errors import ClaudeError, ClaudeStartFailed
from canopy_shared.errors import (
    AcpError,
    auth_required,
    internal_error,
    invalid_params,
    resource_not_found,
)

log = logging.getLogger(__name__)

_LOGIN_REASONS: Final = frozenset(
    {"gateway_signin_required", "org_pin_mismatch", "org_config_refused"}
)
_PLACE_REASON: Final = "cwd_unavailable"
_NOT_FOUND: Final = "no conversation found"
_SECRET_NAME: Final = re.compile(
    r"(api_?key|token|secret|password|credential|custom_headers)s?\Z", re.IGNORECASE
)
_SHORTEST_SECRET: Final = 6
HIDDEN: Final = "***"


def told(
    error: Exception, session_id: str | None = None, environ: Mapping[str, str] | None = None
) -> AcpError:
    """``error`` as the client hears of it; one of our own making is logged whole.

    Values of ``environ`` that look like credentials are taken out of the text.
    """
    if isinstance(error, AcpError):
        return error
    if not isinstance(error, ClaudeError):
        log.error("a CLI could not be started", exc_info=error)
        return internal_error()
    text = without_secrets(str(error), environ or {})
    if not isinstance(error, ClaudeStartFailed):
        return internal_error(text)
    if session_id is not None and _NOT_FOUND in text.lower():
        return resource_not_found(session_id)
    data = None if error.reason is None else {"startupFailureReason": error.reason}
    if error.reason in _LOGIN_REASONS:
        return auth_required(text, data)
    if error.reason == _PLACE_REASON:
        return invalid_params(text, data)
    return internal_error(text, data)


def without_secrets(text: str, environ: Mapping[str, str]) -> str:
    """``text`` without the values of variables whose names say that they are credentials."""
    for name, value in environ.items():
        if not _SECRET_NAME.search(name):
            continue
        for line in value.splitlines():
            secret = line.partition(": ")[2] or line if "headers" in name.lower() else line
            if len(secret) >= _SHORTEST_SECRET:
                text = text.replace(secret, HIDDEN)
    return text
