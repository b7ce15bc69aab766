"""How large the context of a session's model is: from earlier sessions, its name, or the CLI.

It finds the size and says it; the gauge that shows it is the core's.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, Final

from canopy_agent.claude.errors import ClaudeError
from canopy_agent.domain.usage import DEFAULT_WINDOW, LARGE_WINDOW

if TYPE_CHECKING:
    from canopy_agent.session.config_options import SessionOptions

log = logging.getLogger(__name__)

Json = Mapping[str, Any]
Ask = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]

_LARGE: Final = re.compile(r"(?:\A|[\s\[(-])1m(?![a-z0-9])", re.IGNORECASE)


class KnownWindows:
    """Sizes that results told, for sessions to come. A key is a backend with a model."""

    def __init__(self) -> None:
        self._sizes: dict[tuple[str, str], int] = {}

    def get(self, backend: str, model: str) -> int | None:
        """The size of a model's context, None while no result named it."""
        return self._sizes.get((backend, model))

    def learned(self, backend: str, model: str, size: int) -> None:
        """A result named it."""
        self._sizes[backend, model] = size

    def forget(self) -> None:
        """Another account may have other sizes."""
        self._sizes.clear()


class ContextWindow:
    """Keeps the gauge's size right. ``tell`` takes a size in tokens; ``backend`` names the
    provider.
    """

    def __init__(
        self,
        known: KnownWindows,
        ask: Ask,
        spawn: Callable[[Coroutine[Any, Any, Any]], object],
        tell: Callable[[int], None],
        backend: Callable[[], str],
    ) -> None:
        self._known = known
        self._ask = ask
        self._spawn = spawn
        self._tell = tell
        self._backend = backend

    def model_is(self, state: SessionOptions) -> None:
        """The session runs this model now: say what is known, and ask for the rest."""
        self._tell(self._first_guess(state))
        self._spawn(self._refine())

    def frame(self, frame: Json) -> None:
        """Results name the size of each model that they used."""
        models = frame.get("modelUsage") if frame.get("type") == "result" else None
        for model, row in (models if isinstance(models, Mapping) else {}).items():
            size = row.get("contextWindow") if isinstance(row, Mapping) else None
            if isinstance(size, int) and size > 0:
                self._known.learned(self._backend(), model, size)

    def _first_guess(self, state: SessionOptions) -> int:
        row = state.row
        names = [state.model or "", *((row.value, row.resolved or "") if row else ())]
        for name in names:
            size = self._known.get(self._backend(), name)
            if size is not None:
                return size
        words = " ".join((*names, row.description if row else ""))
        return LARGE_WINDOW if _LARGE.search(words) else DEFAULT_WINDOW

    async def _refine(self) -> None:
        try:
            answer = await self._ask({"subtype": "get_context_usage", "detail": "summary"})
        except ClaudeError as error:
            log.info("the size of the context could not be read: %s", error)
            return
        size = answer.get("rawMaxTokens")
        if isinstance(size, int) and size > 0:
            self._tell(size)
