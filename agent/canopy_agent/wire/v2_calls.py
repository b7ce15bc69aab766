"""Tool calls and their terminals as ACP v2 tells them: patches of what the client stores.

It remembers of each call what the client has, since version 1 tells ``_meta`` of an update and
version 2 patches that of the call. Which calls there are is not known here.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from canopy_agent.domain.bounded import Recent
from canopy_agent.render.toolcalls import same_json
from canopy_agent.wire.v2_shapes import given, tool_content
from canopy_shared.ext import claude, terminal
from canopy_shared.unset import UNSET
from canopy_shared.updates import ToolCallStart, ToolCallUpdate, Update
from canopy_shared.work_updates import TerminalOutputChunk, TerminalUpdate

_CALLS = 4096
_FIELDS: Final = (
    "title",
    "name",
    "kind",
    "status",
    "content",
    "locations",
    "raw_input",
    "raw_output",
    "capabilities",
)
_TERMINAL_KEYS: Final = (terminal.INFO, terminal.OUTPUT, terminal.OUTPUT_DELTA, terminal.EXIT)


@dataclass(slots=True)
class _Known:
    """One call as the client has it."""

    meta: dict[str, Any] = field(default_factory=dict)
    name: str | None = None
    has_terminal: bool = False
    command: str | None = None


class Calls:
    """The calls of one connection, by session and id."""

    def __init__(self) -> None:
        self._known: Recent[tuple[str, str], _Known] = Recent(_CALLS)

    def told(
        self, session: str, report: ToolCallStart | ToolCallUpdate, *, replayed: bool
    ) -> list[Update]:
        """What goes out for ``report``: news of its terminal, then of the call itself."""
        key = (session, report.tool_call_id)
        before = self._known.get(key)
        known = before or _Known()
        self._known[key] = known
        anew = isinstance(report, ToolCallStart) and (before is not None or replayed)
        meta = dict(report.meta) if isinstance(report.meta, Mapping) else {}
        news = _terminal_news(known, report, meta)
        name = _name(report, meta)
        fields = {field_: given(getattr(report, field_, UNSET)) for field_ in _FIELDS}
        fields["name"] = name if name is not None and (anew or name != known.name) else UNSET
        known.name = name or known.name
        if isinstance(fields["content"], tuple):
            fields["content"] = tuple(map(tool_content, fields["content"]))
        if anew:
            fields = {key: None if value is UNSET else value for key, value in fields.items()}
        patch = _patched(known, meta, anew=anew)
        if patch or any(value is not UNSET for value in fields.values()):
            news.append(ToolCallUpdate(report.tool_call_id, **fields, meta=patch or UNSET))
        return news


def _name(report: ToolCallStart | ToolCallUpdate, meta: dict[str, Any]) -> str | None:
    """The tool's name, taken out of the extension that version 1 has it in."""
    named = claude.tool_name(meta)
    extension = meta.get(claude.NAMESPACE)
    if isinstance(extension, Mapping):
        rest = {key: value for key, value in extension.items() if key != claude.TOOL_NAME}
        meta[claude.NAMESPACE] = rest
        if not rest:
            del meta[claude.NAMESPACE]
    return report.name if isinstance(report.name, str) else named


def _patched(known: _Known, meta: dict[str, Any], *, anew: bool) -> dict[str, Any]:
    """The keys of ``_meta`` that changed; a call that is told anew loses those it had."""
    merged = meta if anew else {key: _deep(known.meta.get(key), meta[key]) for key in meta}
    patch = {
        key: value
        for key, value in merged.items()
        if key not in known.meta or not same_json(known.meta[key], value)
    }
    if anew:
        patch |= {key: None for key in known.meta if key not in meta}
        known.meta = dict(merged)
    else:
        known.meta.update(merged)
    return patch


def _deep(old: Any, new: Any) -> Any:
    if not (isinstance(old, Mapping) and isinstance(new, Mapping)):
        return new
    return {**old, **{key: _deep(old.get(key), value) for key, value in new.items()}}


# --- terminals ------------------------------------------------------------------------------------


def _terminal_news(
    known: _Known, report: ToolCallStart | ToolCallUpdate, meta: dict[str, Any]
) -> list[Update]:
    """The terminal's part of ``meta``, which is taken out of it."""
    news: list[Update] = []
    told = {key: terminal.read(meta, key) for key in _TERMINAL_KEYS}
    for key in _TERMINAL_KEYS:
        meta.pop(key, None)
    command = report.raw_input.get("command") if isinstance(report.raw_input, Mapping) else None
    known.has_terminal = known.has_terminal or told[terminal.INFO] is not None
    named = isinstance(command, str) and command != known.command and known.has_terminal
    if told[terminal.INFO] is not None or named:
        known.command = command if named else known.command
        news.append(TerminalUpdate(report.tool_call_id, command=known.command or UNSET))
    for key, payload in told.items():
        if payload is not None and key != terminal.INFO:
            news.append(_terminal_update(key, payload))
    return news


def _terminal_update(key: str, payload: Mapping[str, Any]) -> Update:
    id_ = str(payload.get("terminal_id"))
    if key == terminal.EXIT:
        status = {"exitCode": payload.get("exit_code"), "signal": payload.get("signal")}
        return TerminalUpdate(
            id_, exit_status={name: value for name, value in status.items() if value is not None}
        )
    data = b64encode(str(payload.get("data", "")).encode(errors="surrogatepass")).decode("ascii")
    if key == terminal.OUTPUT:
        return TerminalUpdate(id_, output={"data": data})
    return TerminalOutputChunk(id_, data)
