"""What a person says to a permission that they reject, told to the agent that asked.

The agent announces in ``_meta.canopy`` of its answer to ``initialize`` that it takes reasons; the
client puts one into ``_meta.canopy`` of its answer. What becomes of it is not known here.
"""

from __future__ import annotations

from typing import Any, Final

from canopy_shared.ext.canopy import NAMESPACE, VERSION, payload_of

REASONS: Final = "rejectReasons"
_REASON: Final = "reason"


def are_taken(meta: object) -> bool:
    """Whether an agent with this ``_meta`` in its answer to ``initialize`` takes reasons."""
    return payload_of(meta).get(REASONS) is True


def wrap(reason: str) -> dict[str, Any]:
    """The ``_meta`` of an answer."""
    return {NAMESPACE: {"version": VERSION, _REASON: reason}}


def reason_in(meta: object) -> str:
    """The reason in the ``_meta`` of an answer, "" without one."""
    reason = payload_of(meta).get(_REASON)
    return reason.strip() if isinstance(reason, str) else ""
