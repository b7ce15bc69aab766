"""The answers that a permission request offers: what the user reads, and what each does in the CLI.

Which tool offers which of them is not known here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from canopy_shared.permission import (
    ALLOW_ALWAYS,
    ALLOW_ONCE,
    REJECT_ONCE,
    PermissionOption,
)


@dataclass(frozen=True, slots=True)
class AllowOnce:
    """Run the tool this time."""


@dataclass(frozen=True, slots=True)
class AllowAlways:
    """Run the tool and keep ``updates``, which are suggestions of the CLI or rules of ours."""

    updates: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class LeavePlan:
    """Approve the plan and go on in ``mode`` with the conversation as it is."""

    mode: str


@dataclass(frozen=True, slots=True)
class RestartWithPlan:
    """Approve the plan and carry it out in ``mode`` in a fresh conversation."""

    mode: str


@dataclass(frozen=True, slots=True)
class Reject:
    """Do not run the tool; Claude goes on."""


@dataclass(frozen=True, slots=True)
class KeepPlanning:
    """Do not approve the plan; the turn ends."""


Effect = AllowOnce | AllowAlways | LeavePlan | RestartWithPlan | Reject | KeepPlanning


@dataclass(frozen=True, slots=True)
class Choice:
    """One option of a request: its id, its ACP kind, its label, and what picking it does."""

    id: str
    kind: str
    name: str
    effect: Effect

    def to_option(self) -> PermissionOption:
        """The option as the client sees it."""
        return PermissionOption(self.id, self.name, self.kind)


ALLOW: Final = Choice("allow-once", ALLOW_ONCE, "Allow once", AllowOnce())
REJECT: Final = Choice("reject", REJECT_ONCE, "Reject", Reject())

_ORDER: Final = {ALLOW_ONCE: 0, ALLOW_ALWAYS: 1, REJECT_ONCE: 2}


def in_order(choices: tuple[Choice, ...], *, reject_first: bool) -> tuple[Choice, ...]:
    """Once, then always, then reject, each group as it came; or the rejecting ones first."""

    def place(choice: Choice) -> int:
        rank = _ORDER[choice.kind]
        return -1 if reject_first and choice.kind == REJECT_ONCE else rank

    return tuple(sorted(choices, key=place))
