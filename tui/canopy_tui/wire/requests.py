"""What an agent asks the person, read from the wire into the event that it is.

Follows ACP v1 (https://agentclientprotocol.com/protocol/tool-calls#requesting-permission and
/elicitation); how a request is shown or answered is not known here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from canopy_shared import methods
from canopy_shared.elicitation import parse_elicitation
from canopy_shared.errors import invalid_params
from canopy_shared.permission import parse_permission_request
from canopy_tui.model.events import RequestArrived
from canopy_tui.model.state import PendingRequest

NO_SESSION = ""
"""The session of a request that is tied to none."""


def read_permission(params: Any, key: int, at: float) -> RequestArrived:
    """A permission request. Raises ``AcpError`` when it asks nothing."""
    request = parse_permission_request(params)
    if request is None:
        raise invalid_params("a permission request needs a sessionId and options")
    call = request.tool_call
    pending = PendingRequest(
        key=key,
        session=request.session_id,
        kind="permission",
        payload=request,
        summary=request.title,
        at=at,
        tool_call_id=call.tool_call_id or None,
    )
    return RequestArrived(pending, call)


def read_elicitation(params: Any, key: int, at: float) -> RequestArrived:
    """A form or a page to open. Raises ``AcpError`` for a mode that this client does not know."""
    request = parse_elicitation(params)
    if request is None:
        raise invalid_params("mode must be form or url")
    pending = PendingRequest(
        key=key,
        session=request.session_id or NO_SESSION,
        kind="elicitation",
        payload=request,
        summary=request.message,
        at=at,
        tool_call_id=request.tool_call_id,
    )
    return RequestArrived(pending)


Reader = Callable[[Any, int, float], RequestArrived]

READERS: dict[str, Reader] = {
    methods.REQUEST_PERMISSION: read_permission,
    methods.ELICITATION_CREATE: read_elicitation,
}
"""What the person can be asked, by method."""
