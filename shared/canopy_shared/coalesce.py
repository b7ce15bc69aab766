"""Joins neighbouring text deltas of one message that wait in the same batch.

Anything else is a barrier, so the order of what a client sees never changes; no timer is involved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_shared.content import TextContent
from canopy_shared.frames import Frame, Notification
from canopy_shared.unset import UNSET
from canopy_shared.updates import AgentMessageChunk, AgentThoughtChunk, SessionUpdate

if TYPE_CHECKING:
    from collections.abc import Iterable

_JOINABLE = (AgentMessageChunk, AgentThoughtChunk)


def _delta(frame: Frame) -> SessionUpdate | None:
    if type(frame) is not Notification:
        return None
    params = frame.params
    if type(params) is not SessionUpdate or params.meta is not UNSET:
        return None
    update = params.update
    if type(update) not in _JOINABLE:
        return None
    block = update.content  # type: ignore[union-attr]  # _JOINABLE all have it
    if type(block) is not TextContent or block.meta is not UNSET:
        return None
    return params if block.annotations is UNSET else None


def _same_message(a: SessionUpdate, b: SessionUpdate) -> bool:
    x, y = a.update, b.update
    return (
        type(x) is type(y)
        and a.session_id == b.session_id
        and x.message_id == y.message_id  # type: ignore[union-attr]
        and x.meta == y.meta  # type: ignore[union-attr]
    )


def coalesce(frames: Iterable[Frame]) -> list[Frame]:
    """The same frames with runs of joinable deltas made one each. The input is left as it is."""
    out: list[Frame] = []
    run: list[SessionUpdate] = []
    for frame in frames:
        delta = _delta(frame)
        if run and (delta is None or not _same_message(run[0], delta)):
            out.append(_joined(run))
            run = []
        if delta is None:
            out.append(frame)
        else:
            run.append(delta)
    if run:
        out.append(_joined(run))
    return out


def _joined(run: list[SessionUpdate]) -> Notification:
    first = run[0]
    if len(run) == 1:
        return Notification("session/update", first)
    chunk = first.update
    assert isinstance(chunk, _JOINABLE)
    text = "".join(item.update.content.text for item in run)  # type: ignore[union-attr]
    joined = type(chunk)(TextContent(text), chunk.message_id, chunk.meta)
    return Notification("session/update", SessionUpdate(first.session_id, joined))
