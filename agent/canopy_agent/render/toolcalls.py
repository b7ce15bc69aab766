"""The state of each tool call as the client sees it, so that an update says only what changed.

It knows fields and ``_meta`` keys, no tools: what they hold is told by the reporters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from canopy_agent.domain.bounded import Recent
from canopy_shared.ext import air, terminal
from canopy_shared.ext.claude import NAMESPACE as CLAUDE
from canopy_shared.unset import UNSET, Unset
from canopy_shared.updates import ToolCallStart, ToolCallUpdate

Json = Mapping[str, Any]
Meta = Mapping[str, Any]
_Path = tuple[str, ...]

MAX_OPEN = 4096
MAX_AWAITING_HOOK = 64
MAX_REMEMBERED = 2048

_NESTED: tuple[_Path, ...] = ((CLAUDE,), (air.NAMESPACE, "air"))
_EVENTS: frozenset[_Path] = frozenset(
    {
        (terminal.OUTPUT,),
        (terminal.OUTPUT_DELTA,),
        (terminal.EXIT,),
        ("mcp_output_delta",),
        (CLAUDE, "toolResponse"),
    }
)
"""Keys that tell an event: sent whenever they come, never held back as unchanged."""

OPEN, DONE = "open", "done"


@dataclass(slots=True)
class ToolCall:
    """One call. ``visible`` is false while the client has no card for it (plans).

    ``pinned``: the content is an exact patch from a permission request, which only the end
    replaces. ``printed`` is what the client has of the output of a command that
    runs. ``lasting``: what it began goes on after its result. ``sent`` holds the last value of each
    field that the client got.
    """

    id: str
    name: str
    parent: str | None = None
    input: Json = field(default_factory=dict)
    visible: bool = True
    complete: bool = False
    pinned: bool = False
    has_terminal: bool = False
    state: str = OPEN
    returned: bool = False
    hooked: bool = False
    lasting: bool = False
    printed: str = ""
    sent: dict[str, Any] = field(default_factory=dict)

    @property
    def is_open(self) -> bool:
        """Whether the client sees the call as not finished."""
        return self.visible and self.state == OPEN

    def pin(self, content: Any) -> None:
        """The client has an exact patch as ``content``, by a permission request."""
        self.pinned = True
        self.sent["content"] = content


def same_json(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON: unlike with ``==``, ``true`` is not ``1``."""
    if one is other:
        return True
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same_json(one[k], other[k]) for k in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same_json, one, other))
    return type(one) is type(other) and bool(one == other)


class SentMeta:
    """Which ``_meta`` keys each call's client has, for the last calls."""

    __slots__ = ("_calls", "_strips")

    def __init__(self, *, strips: bool) -> None:
        self._strips = strips
        self._calls: Recent[str, dict[_Path, Any]] = Recent(MAX_REMEMBERED)

    def take(self, call_id: str, meta: Meta) -> tuple[Meta, bool]:
        """``_meta`` to send (for AIR only what changed), and whether it tells anything new."""
        known = self._calls.get(call_id) or {}
        changed = {
            path: value
            for path, value in _leaves(meta)
            if path in _EVENTS or path not in known or not same_json(known[path], value)
        }
        known.update((path, value) for path, value in changed.items() if path not in _EVENTS)
        self._calls[call_id] = known
        return (_assembled(changed) if self._strips else meta), bool(changed)

    def forget(self, call_id: str) -> None:
        """The client does not have the call after all."""
        self._calls.pop(call_id)


def _leaves(meta: Meta) -> Iterator[tuple[_Path, Any]]:
    """Keys of ``_meta`` that are compared one by one, with the namespaces opened."""
    for key, value in meta.items():
        inner = next((path for path in _NESTED if path[0] == key), None)
        here: Any = value
        for step in inner[1:] if inner else ():
            here = here.get(step) if isinstance(here, Mapping) else None
        if inner is None or not isinstance(here, Mapping):
            yield (key,), value
        else:
            yield from (((*inner, name), item) for name, item in here.items())


def _assembled(leaves: Mapping[_Path, Any]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for path, value in leaves.items():
        here = out
        for step in path[:-1]:
            here = here.setdefault(step, {})
        here[path[-1]] = value
    return out


class ToolCalls:
    """All calls of one session that may still get an update."""

    __slots__ = ("_awaiting", "_ended", "_meta", "_open")

    def __init__(self, *, strips_meta: bool) -> None:
        self._meta = SentMeta(strips=strips_meta)
        self._open: Recent[str, ToolCall] = Recent(MAX_OPEN)
        self._awaiting: Recent[str, ToolCall] = Recent(MAX_AWAITING_HOOK)
        self._ended: Recent[str, None] = Recent(MAX_REMEMBERED)

    def get(self, call_id: str) -> ToolCall | None:
        """The call, while anything about it may still be told."""
        return self._open.get(call_id) or self._awaiting.get(call_id)

    def is_over(self, call_id: str) -> bool:
        """Whether the call has its result; a late word of the stream must not open it again."""
        call = self.get(call_id)
        return call_id in self._ended if call is None else call.returned

    def add(self, call: ToolCall) -> ToolCall:
        """Begin to follow ``call``."""
        self._open[call.id] = call
        return call

    def settle(self, call: ToolCall) -> None:
        """Let a call with a result go once neither its hook nor its terminal's exit can follow."""
        if not call.returned or call.has_terminal or call.lasting:
            return
        self._open.pop(call.id)
        if call.hooked or not call.visible:
            self.end(call)
            return
        for name in ("raw_input", "raw_output"):
            call.sent.pop(name, None)
        self._awaiting[call.id] = call

    def end(self, call: ToolCall) -> None:
        """Nothing more will be told of ``call``."""
        self._open.pop(call.id)
        self._awaiting.pop(call.id)
        self._ended[call.id] = None

    def forget(self, call_id: str) -> None:
        """Drop every trace: the client never got the call, and the stream may create it again."""
        self._open.pop(call_id)
        self._awaiting.pop(call_id)
        self._ended.pop(call_id)
        self._meta.forget(call_id)

    def start(self, call: ToolCall, fields: dict[str, Any], meta: Meta) -> ToolCallStart:
        """The ``tool_call`` that shows ``call``; ``fields`` are snake-case fields of it."""
        call.sent = dict(fields)
        call.visible = True
        sent, _ = self._meta.take(call.id, meta)
        return ToolCallStart(call.id, name=call.name, **fields, meta=sent or UNSET)

    def update(self, call: ToolCall, fields: dict[str, Any], meta: Meta) -> ToolCallUpdate | None:
        """The ``tool_call_update`` with what changed, None when nothing did."""
        changed = {
            name: value
            for name, value in fields.items()
            if value is not UNSET and not same_json(call.sent.get(name, UNSET), value)
        }
        call.sent.update(changed)
        sent, news = self._meta.take(call.id, meta)
        if not changed and not news:
            return None
        carried: Meta | Unset = sent if sent else UNSET
        return ToolCallUpdate(call.id, **changed, meta=carried)
