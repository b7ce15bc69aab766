"""``user`` records of the stream to domain events: echoes of prompts, tool results, local output.

A record is read as it stands; which prompts are ours, and which calls are open, is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from canopy_agent.claude.decode_reports import hook_feedback
from canopy_agent.claude.fields import ident, items, section, text
from canopy_agent.domain import events as e

Json = Mapping[str, Any]
Events = list[e.Event]

_STDOUT = re.compile(r"<local-command-stdout>(.*?)</local-command-stdout>", re.DOTALL)
_SWITCHED = re.compile(r"(?:Set|Kept) model (?:to|as) ")


def user_record(frame: Json) -> Events:
    """The events of a ``user`` frame."""
    blocks = _blocks(section(frame.get("message")).get("content"))
    parent, uuid = ident(frame.get("parent_tool_use_id")), ident(frame.get("uuid"))
    if frame.get("isReplay") is True and parent is None and uuid is not None:
        origin = text(section(frame.get("origin")).get("kind"))
        synthetic = frame.get("isSynthetic") is True
        echo: Events = [e.PromptEchoed(uuid, blocks, origin, synthetic)]
        return echo + _local_output(blocks, uuid)
    own = [] if parent else _local_output(blocks, uuid) + hook_feedback(frame, _words(blocks))
    return _results(frame, blocks, parent) + own


def _blocks(content: object) -> tuple[Json, ...]:
    if isinstance(content, str):
        return ({"type": "text", "text": content},) if content else ()
    return items(content)


def _results(frame: Json, blocks: tuple[Json, ...], parent: str | None) -> Events:
    rows = [(id_, b) for b in blocks if (id_ := _result_of(b)) is not None]
    # a fork carries the result of its own launch: that one, and what is said of it, is not its own
    own = [(id_, block) for id_, block in rows if parent is None or id_ != parent]
    whole = frame.get("tool_use_result") if len(own) == len(rows) else None
    events: Events = []
    woken = section(whole)
    if woken.get("success") is True and (agent := ident(woken.get("resumedAgentId"))):
        events.append(e.AgentWoken(agent, tuple(id_ for id_, _ in own)))
    notes = {id_: r for r in items(frame.get("tool_result_meta")) if (id_ := ident(r.get("id")))}
    for id_, block in own:
        note = notes.get(id_, {})
        events.append(
            e.ToolResulted(
                parent,
                id_,
                block.get("content"),
                block.get("is_error") is True,
                whole if len(own) == 1 else None,
                text(note.get("non_execution_kind")),
                text(note.get("user_feedback")),
            )
        )
    return events


def _result_of(block: Json) -> str | None:
    return ident(block.get("tool_use_id")) if block.get("type") == "tool_result" else None


def _words(blocks: tuple[Json, ...]) -> str:
    return "".join(text(block.get("text")) or "" for block in blocks)


def _local_output(blocks: tuple[Json, ...], uuid: str | None) -> Events:
    """Output of a local command that travels inside a user message."""
    outputs = (out.strip() for out in _STDOUT.findall(_words(blocks)))
    # the CLI notes a switch that its host asked for in this form, one that is typed in another
    return [e.LocalOutput(out, uuid) for out in outputs if out and not _SWITCHED.match(out)]
