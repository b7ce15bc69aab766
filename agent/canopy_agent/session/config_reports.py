"""Options that change without the client: read from the CLI's frames, hooks and answers.

It finds out what changed and hands it to the session's configuration; what follows is decided
there. Frames follow the CLI 2.1.332.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, Final

from canopy_agent.claude.errors import ClaudeError
from canopy_agent.session import option_reports
from canopy_agent.session.option_changes import Change, fast_became, model_became

if TYPE_CHECKING:
    from canopy_agent.capabilities import ClientProfile
    from canopy_agent.session.config import SessionConfig
    from canopy_agent.session.config_options import SessionOptions

log = logging.getLogger(__name__)

Json = Mapping[str, Any]
Ask = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]

_OWN_SWITCHES: Final = frozenset({"sdk", "resume"})
_LOCAL: Final = "local"


class ConfigReports:
    """Watches one session. ``spawn`` runs work beside it."""

    def __init__(
        self,
        config: SessionConfig,
        profile: ClientProfile,
        ask: Ask,
        spawn: Callable[[Coroutine[Any, Any, Any]], object],
    ) -> None:
        self._config = config
        self._profile = profile
        self._ask = ask
        self._spawn = spawn

    def opened(self) -> None:
        """The session is open: ask for what its greeting does not say."""
        self._spawn(self._read_applied())

    def frame(self, frame: Json) -> None:
        """One frame of the CLI."""
        match frame.get("type"), frame.get("subtype"):
            case "system", "init":
                self._config.settle_modes()
                self._mode(frame.get("permissionMode"))
                self._fast(frame)
            case "system", "status":
                mode = frame.get("permissionMode")
                if isinstance(mode, str) and not self._config.expected(mode):
                    self._mode(mode)
            case "system", "model_refusal_fallback":
                if frame.get("scope") != _LOCAL and frame.get("direction") != "revert":
                    self._model(frame.get("fallback_model"), None)
            case "result", _:
                self._fast(frame)
            case "control_request", _:
                self._hook(frame.get("request"))

    def _hook(self, request: object) -> None:
        """A switch of the main conversation that its host did not ask for."""
        given = request.get("input") if isinstance(request, Mapping) else None
        if not isinstance(given, Mapping) or given.get("hook_event_name") != "PostModelSwitch":
            return
        if given.get("agent_id") is None and given.get("source") not in _OWN_SWITCHES:
            self._model(given.get("to_model"), given.get("requested_model"))

    def _model(self, model: object, requested: object) -> None:
        """``requested`` is as the person spelled it, which may be the value of a row."""
        state = self._config.options
        if not isinstance(model, str) or state is None:
            return
        name = model
        if isinstance(requested, str) and state.models.row(requested) is not None:
            name = requested
        self._report(lambda state: model_became(state, name, self._profile))

    def _mode(self, mode: object) -> None:
        if isinstance(mode, str):
            name = mode
            self._report(lambda state: option_reports.mode_reported(state, name, self._profile))

    def _fast(self, frame: Json) -> None:
        reported, reason = frame.get("fast_mode_state"), frame.get("fast_mode_disabled_reason")
        if reported is not None:
            self._report(lambda state: fast_became(state, reported, reason, self._profile))

    def _report(self, plan: Callable[[SessionOptions], Change]) -> None:
        """Hand a change on; nothing is started for one that changes nothing now."""
        state = self._config.options
        if state is not None and plan(state) != Change(state):
            self._spawn(self._config.report(plan))

    async def _read_applied(self) -> None:
        try:
            answer = await self._ask({"subtype": "get_settings"})
        except ClaudeError as error:
            log.info("the settings in force could not be read: %s", error)
            return
        applied = answer.get("applied")
        if not isinstance(applied, Mapping):
            return
        available, on = applied.get("ultracodeAvailable"), applied.get("ultracodeRequested")
        await self._config.report(
            lambda state: option_reports.ultracode_reported(state, available, on, self._profile)
        )
