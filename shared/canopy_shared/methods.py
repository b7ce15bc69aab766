"""Names of the ACP methods, who sends each, and whether an answer comes back.

Names follow https://agentclientprotocol.com/protocol/schema (v1.19) and the extensions of
``@agentclientprotocol/claude-agent-acp`` 0.101.0, and of our own client (``_canopy/``); what a
method does is not known here.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final


class Sender(Enum):
    """Which side sends a method."""

    CLIENT = "client"
    AGENT = "agent"
    EITHER = "either"


@dataclass(frozen=True, slots=True)
class Method:
    """One method: ``answered`` is false for a notification; ``stable`` is false for a draft."""

    name: str
    sender: Sender
    answered: bool = True
    stable: bool = True


INITIALIZE: Final = "initialize"
AUTHENTICATE: Final = "authenticate"
LOGOUT: Final = "logout"
SESSION_NEW: Final = "session/new"
SESSION_LOAD: Final = "session/load"
SESSION_RESUME: Final = "session/resume"
SESSION_FORK: Final = "session/fork"
SESSION_LIST: Final = "session/list"
SESSION_DELETE: Final = "session/delete"
SESSION_CLOSE: Final = "session/close"
SESSION_PROMPT: Final = "session/prompt"
SESSION_CANCEL: Final = "session/cancel"
SESSION_SET_MODE: Final = "session/set_mode"
SESSION_SET_MODEL: Final = "session/set_model"
SESSION_SET_CONFIG_OPTION: Final = "session/set_config_option"
PROVIDERS_LIST: Final = "providers/list"
PROVIDERS_SET: Final = "providers/set"
PROVIDERS_DISABLE: Final = "providers/disable"
AUTH_LOGIN: Final = "auth/login"
AUTH_LOGOUT: Final = "auth/logout"
TERMINAL_CANCEL: Final = "terminal/cancel"
TOOL_CALL_CANCEL: Final = "tool_call/cancel"
STEERING: Final = "_session/steering"
GOAL: Final = "_session/goal"
ASYNC_TASK_STOP: Final = "_session/async_task/stop"
SESSION_BATCH_GET: Final = "_session/batch_get"
SESSION_LIST_SUBSCRIBE: Final = "_session/list/subscribe"
SESSION_LIST_UNSUBSCRIBE: Final = "_session/list/unsubscribe"
SESSION_RENAME: Final = "_session/rename"
SESSION_ARCHIVE: Final = "_session/archive"
SESSION_UNARCHIVE: Final = "_session/unarchive"
CANOPY_USAGE: Final = "_canopy/usage"
CANOPY_MCP_SERVERS: Final = "_canopy/mcp_servers"

SESSION_UPDATE: Final = "session/update"
REQUEST_PERMISSION: Final = "session/request_permission"
ELICITATION_CREATE: Final = "elicitation/create"
ELICITATION_COMPLETE: Final = "elicitation/complete"
AUTH_STATUS_UPDATE: Final = "_auth/status_update"
SESSION_LIST_CHANGES: Final = "_session/list/changes"

CANCEL_REQUEST: Final = "$/cancel_request"

_METHODS: Final = (
    Method(INITIALIZE, Sender.CLIENT),
    Method(AUTHENTICATE, Sender.CLIENT),
    Method(LOGOUT, Sender.CLIENT, stable=False),
    Method(SESSION_NEW, Sender.CLIENT),
    Method(SESSION_LOAD, Sender.CLIENT),
    Method(SESSION_RESUME, Sender.CLIENT, stable=False),
    Method(SESSION_FORK, Sender.CLIENT, stable=False),
    Method(SESSION_LIST, Sender.CLIENT),
    Method(SESSION_DELETE, Sender.CLIENT, stable=False),
    Method(SESSION_CLOSE, Sender.CLIENT, stable=False),
    Method(SESSION_PROMPT, Sender.CLIENT),
    Method(SESSION_CANCEL, Sender.CLIENT, answered=False),
    Method(SESSION_SET_MODE, Sender.CLIENT),
    Method(SESSION_SET_MODEL, Sender.CLIENT, stable=False),
    Method(SESSION_SET_CONFIG_OPTION, Sender.CLIENT),
    Method(PROVIDERS_LIST, Sender.CLIENT, stable=False),
    Method(PROVIDERS_SET, Sender.CLIENT, stable=False),
    Method(PROVIDERS_DISABLE, Sender.CLIENT, stable=False),
    Method(AUTH_LOGIN, Sender.CLIENT, stable=False),
    Method(AUTH_LOGOUT, Sender.CLIENT, stable=False),
    Method(TERMINAL_CANCEL, Sender.CLIENT, stable=False),
    Method(TOOL_CALL_CANCEL, Sender.CLIENT, stable=False),
    Method(STEERING, Sender.CLIENT, stable=False),
    Method(GOAL, Sender.CLIENT, stable=False),
    Method(ASYNC_TASK_STOP, Sender.CLIENT, stable=False),
    Method(SESSION_BATCH_GET, Sender.CLIENT, stable=False),
    Method(SESSION_LIST_SUBSCRIBE, Sender.CLIENT, stable=False),
    Method(SESSION_LIST_UNSUBSCRIBE, Sender.CLIENT, stable=False),
    Method(SESSION_RENAME, Sender.CLIENT, stable=False),
    Method(SESSION_ARCHIVE, Sender.CLIENT, stable=False),
    Method(SESSION_UNARCHIVE, Sender.CLIENT, stable=False),
    Method(CANOPY_USAGE, Sender.CLIENT, stable=False),
    Method(CANOPY_MCP_SERVERS, Sender.CLIENT, stable=False),
    Method(SESSION_UPDATE, Sender.AGENT, answered=False),
    Method(REQUEST_PERMISSION, Sender.AGENT),
    Method(ELICITATION_CREATE, Sender.AGENT, stable=False),
    Method(ELICITATION_COMPLETE, Sender.AGENT, answered=False, stable=False),
    Method(AUTH_STATUS_UPDATE, Sender.AGENT, answered=False, stable=False),
    Method(SESSION_LIST_CHANGES, Sender.AGENT, answered=False, stable=False),
    Method(CANCEL_REQUEST, Sender.EITHER, answered=False, stable=False),
)

METHODS: Final = {method.name: method for method in _METHODS}
"""Every method by its name."""
