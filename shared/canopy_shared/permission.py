"""A permission request and its answer, as both sides see them.

Shapes follow https://agentclientprotocol.com/protocol/tool-calls#requesting-permission (schema
v1.19); which options are offered, and what each of them does, is not known here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from canopy_shared.codec import decode_tool_call, encode
from canopy_shared.content import Meta
from canopy_shared.ext import air, canopy_reasons
from canopy_shared.unset import UNSET, Unset
from canopy_shared.updates import ToolCallUpdate
from canopy_shared.work_updates import KIND

ALLOW_ONCE: Final = "allow_once"
ALLOW_ALWAYS: Final = "allow_always"
REJECT_ONCE: Final = "reject_once"
REJECT_ALWAYS: Final = "reject_always"

_AIR_KEY = "permission"


@dataclass(frozen=True, slots=True)
class PermissionOption:
    """One answer that the user may pick; ``kind`` is one of the four above, or unknown text."""

    option_id: str
    name: str
    kind: str
    meta: Meta | Unset = UNSET

    @property
    def allows(self) -> bool:
        """Whether picking it lets the tool run; an unknown kind does not."""
        return self.kind in (ALLOW_ONCE, ALLOW_ALWAYS)


@dataclass(frozen=True, slots=True)
class PermissionRequest:
    """Parameters of ``session/request_permission``."""

    session_id: str
    tool_call: ToolCallUpdate
    options: tuple[PermissionOption, ...]
    meta: Meta | Unset = UNSET

    def to_params(self) -> dict[str, Any]:
        """The JSON object to send. A tool call inside a request carries no ``sessionUpdate``."""
        tool_call = encode(self.tool_call)
        del tool_call[KIND]
        params = {
            "sessionId": self.session_id,
            "toolCall": tool_call,
            "options": encode(self.options),
        }
        return params if self.meta is UNSET else {**params, "_meta": encode(self.meta)}

    def option(self, option_id: str) -> PermissionOption | None:
        """The option with this id, None when it was not offered."""
        return next((option for option in self.options if option.option_id == option_id), None)

    @property
    def title(self) -> str:
        """What the user is asked: the agent's own wording if any, else the call's title."""
        title = self._presented().get("title")
        if isinstance(title, str) and title:
            return title
        shown = self.tool_call.title or self.tool_call.name
        return shown if isinstance(shown, str) else ""

    @property
    def description(self) -> str | None:
        """Why the agent asks, when it says so."""
        description = self._presented().get("description")
        return description if isinstance(description, str) and description else None

    @property
    def default_to_no(self) -> bool:
        """Whether a single stray key must not approve."""
        return self._presented().get("defaultToNo") is True

    def _presented(self) -> Mapping[str, Any]:
        payload = air.payload_of(self.meta) or {}
        presented = payload.get(_AIR_KEY)
        return presented if isinstance(presented, Mapping) else {}


def presentation_meta(
    title: str, description: str | None, *, default_to_no: bool
) -> dict[str, Any]:
    """The AIR ``_meta`` of a request: how a client should put the question."""
    presented: dict[str, Any] = {"version": air.VERSION, "title": title}
    if description is not None:
        presented["description"] = description
    if default_to_no:
        presented["defaultToNo"] = True
    return air.wrap(**{_AIR_KEY: presented})


def _option(value: object) -> PermissionOption | None:
    if isinstance(value, PermissionOption):
        return value
    if not isinstance(value, Mapping) or not isinstance(value.get("optionId"), str):
        return None
    option_id, name, kind, meta = (value.get(key) for key in ("optionId", "name", "kind", "_meta"))
    return PermissionOption(
        str(option_id),
        name if isinstance(name, str) and name else str(option_id),
        kind if isinstance(kind, str) else "",
        meta if isinstance(meta, Mapping) else UNSET,
    )


def parse_permission_request(params: object) -> PermissionRequest | None:
    """What an agent asks, leniently; None when there is no session or nothing to pick.

    The ACP v2 draft puts the call under ``subject`` and the wording beside it; both are read.
    """
    if isinstance(params, PermissionRequest):
        return params
    if not isinstance(params, Mapping) or not isinstance(params.get("sessionId"), str):
        return None
    offered = params.get("options")
    items = offered if isinstance(offered, (list, tuple)) else ()
    options = tuple(option for option in map(_option, items) if option is not None)
    if not options:
        return None
    subject = params.get("subject")
    tool_call = subject.get("toolCall") if isinstance(subject, Mapping) else params.get("toolCall")
    meta = params.get("_meta")
    if isinstance(params.get("title"), str):
        meta = presentation_meta(
            params["title"],
            params["description"] if isinstance(params.get("description"), str) else None,
            default_to_no=False,
        )
    return PermissionRequest(
        params["sessionId"],
        decode_tool_call(tool_call),
        options,
        meta if isinstance(meta, Mapping) else UNSET,
    )


@dataclass(frozen=True, slots=True)
class PermissionOutcome:
    """The client's answer: the picked option, or None when it was cancelled.

    ``reason`` is what the person said to it; see ``ext.canopy_reasons``.
    """

    option_id: str | None
    reason: str = ""

    def to_result(self) -> dict[str, Any]:
        """The JSON result to send."""
        if self.option_id is None:
            return {"outcome": {"outcome": "cancelled"}}
        picked = {"outcome": {"outcome": "selected", "optionId": self.option_id}}
        return {**picked, "_meta": canopy_reasons.wrap(self.reason)} if self.reason else picked

    @classmethod
    def parse(cls, result: object) -> PermissionOutcome:
        """What the client answered; anything malformed counts as cancelled."""
        if isinstance(result, PermissionOutcome):
            return result
        if not isinstance(result, Mapping):
            return CANCELLED
        outcome = result.get("outcome")
        if not isinstance(outcome, Mapping) or outcome.get("outcome") != "selected":
            return CANCELLED
        option_id = outcome.get("optionId")
        if not isinstance(option_id, str):
            return CANCELLED
        return cls(option_id, canopy_reasons.reason_in(result.get("_meta")))


CANCELLED: Final = PermissionOutcome(None)
