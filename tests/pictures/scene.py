"""What a scene is, and the moments of a recorded run at which scenes begin.

A scene is given a stage and ``take``; what a picture is made into is not known here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from pictures.stage import BOTH

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager

    from canopy_tui.model.state import ClientState
    from pictures.stage import Size, Stage

EVERY = ("dark", "light")


class Take(Protocol):
    """Takes a picture: in both sizes and all themes, unless told otherwise."""

    async def __call__(
        self, name: str, sizes: Sequence[Size] = BOTH, themes: Sequence[str] = EVERY
    ) -> None: ...


@dataclass(frozen=True, slots=True)
class Scene:
    """``play`` on what ``open`` gives; ``environment`` is set meanwhile."""

    play: Callable[[Stage, Take], Awaitable[None]]
    open: Callable[[], AbstractAsyncContextManager[Stage]]
    environment: Mapping[str, str] = field(default_factory=dict)


def turns(number: int, root: int = 0) -> Callable[[ClientState], object]:
    """So many turns of a main agent are over."""
    return lambda state: (
        len(state.roots) > root and state.sessions[state.roots[root]].turns_done >= number
    )


def asks(state: ClientState) -> object:
    """Somebody asks something."""
    return state.waiting()


def asks_form(state: ClientState) -> object:
    """A form is asked for."""
    return any(request.kind == "elicitation" for request in state.waiting())


def is_ready(state: ClientState) -> object:
    """A message can be sent."""
    return state.roots and state.sessions[state.roots[0]].modes


def is_team(state: ClientState) -> object:
    """The agents of the third session are at work."""
    return len(state.sessions) >= 7
