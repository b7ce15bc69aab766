"""The live options of one session: what the person or the CLI changes, applied one after another.

What a change means is decided in ``option_changes``; here it is sent, and taken over when the CLI
agreed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from canopy_agent.brokers.durable import Place
from canopy_agent.brokers.permission_options import PermissionPolicy
from canopy_agent.brokers.plan_exit import PlanPolicy, effective_mode
from canopy_agent.claude.errors import ClaudeError
from canopy_agent.session import option_changes
from canopy_agent.session.child_options import child_options
from canopy_agent.session.config_options import config_options
from canopy_shared.codec import encode
from canopy_shared.errors import internal_error
from canopy_shared.updates import ConfigOption, Update

if TYPE_CHECKING:
    from canopy_agent.capabilities import ClientProfile
    from canopy_agent.domain.facts import Fact
    from canopy_agent.session.config_options import SessionOptions
    from canopy_agent.session.option_changes import Change, Request

log = logging.getLogger(__name__)

PLAN = "plan"


class SessionConfig:
    """Options of one session.

    ``show`` sends an update, ``note`` shows a notice; both go to the root. ``request`` sends a
    control request and waits for its answer. ``on_model`` hears of each switch of the model.
    """

    def __init__(self, profile: ClientProfile, place: Place) -> None:
        self._profile = profile
        self._place = place
        self._serial = asyncio.Lock()
        self._before_plan: str | None = None
        self._sent_modes: list[str] = []
        self.options: SessionOptions | None = None
        self.show: Callable[[Update], None] = lambda update: None
        self.note: Callable[[Fact], None] = lambda fact: None
        self.request: Callable[[dict[str, Any]], Any] = lambda request: None
        self.on_model: Callable[[SessionOptions], None] = lambda state: None

    @property
    def state(self) -> SessionOptions:
        """The options as they are. Raises an internal error before the session is open."""
        if self.options is None:
            raise internal_error("the session is not open yet")
        return self.options

    def permission_policy(self) -> PermissionPolicy:
        """What of the options decides the answers to a permission request."""
        if self.options is None:
            return PermissionPolicy(self._place)
        state = self.options
        plan = PlanPolicy(
            auto_available=state.offered.auto,
            bypass_available=state.offered.bypass,
            mode_before=self._before_plan,
            auto_supported=state.model_has_auto,
        )
        return PermissionPolicy(self._place, plan)

    def child_options(self, values: Mapping[str, str]) -> tuple[ConfigOption, ...]:
        """What is known of a subagent, as options of one value each."""
        return child_options(values, self.options, self._profile)

    # --- changes that a person asks for -----------------------------------------------------------

    async def set_mode(self, mode: str) -> None:
        """``session/set_mode``. Raises invalid params, or an internal error if the CLI refuses."""
        async with self._serial:
            await self._apply(option_changes.plan_mode(self.state, mode, self._profile))

    async def set_option(self, config_id: str, value: str | bool) -> list[Any]:
        """``session/set_config_option``; gives all options."""
        async with self._serial:
            change = option_changes.plan_change(self.state, config_id, value, self._profile)
            await self._apply(change)
            return encode(config_options(self.state, self._profile))  # type: ignore[no-any-return]

    async def _apply(self, change: Change) -> None:
        for request in change.requests:
            try:
                await self._send(request)
            except ClaudeError as error:
                raise internal_error(f"Claude Code did not take the change: {error}") from error
        self._take(change)

    async def _send(self, request: Request) -> None:
        if request["subtype"] == "set_permission_mode":
            self._sent_modes.append(request["mode"])
        await self.request(request)

    def _take(self, change: Change) -> None:
        self._remember_plan(change.state.mode)
        before, self.options = self.options, change.state
        if before is not None and before.model != change.state.model:
            self.on_model(change.state)
        for update in change.updates:
            self.show(update)
        if change.warning is not None:
            self.note(change.warning)

    def _remember_plan(self, mode: str) -> None:
        before = self.options.mode if self.options is not None else None
        if mode == PLAN and before != PLAN:
            self._before_plan = before

    # --- changes from the CLI's side --------------------------------------------------------------

    def is_in(self, mode: str) -> bool:
        """Whether the client knows the session to be in ``mode``."""
        return self.options is not None and self.options.mode == mode

    def mode_changed(self, mode: str) -> None:
        """The CLI is in ``mode`` now, and the client was told; the options follow."""
        if self.options is None or self.options.mode == mode:
            return
        change = option_changes.mode_became(self.options, mode, self._profile)
        self._remember_plan(mode)
        self.options = change.state
        self.show(option_changes.options_update(change.state, self._profile))

    async def report(self, plan: Callable[[SessionOptions], Change]) -> None:
        """Something outside changed the options: send and show what follows, in turn with all
        else. What the CLI does not take is logged.
        """
        async with self._serial:
            if self.options is None:
                return
            change = plan(self.options)
            for request in change.requests:
                try:
                    await self._send(request)
                except ClaudeError as error:
                    log.warning("an option could not follow a change: %s", error)
            self._take(change)

    def expected(self, mode: str) -> bool:
        """Whether the CLI only says which mode it was told; each is said once, in order."""
        if mode not in self._sent_modes:
            return False
        del self._sent_modes[: self._sent_modes.index(mode) + 1]
        return True

    def settle_modes(self) -> None:
        """A turn begins: nothing that was sent before will be said again."""
        if not self._serial.locked():
            self._sent_modes.clear()

    def mode_in_effect(self, mode: str) -> str:
        """The mode that the CLI is put in for an approved plan that asked for ``mode``."""
        return effective_mode(mode, self.permission_policy().plan)

    def plan_approved(self, mode: str) -> None:
        """The person approved a plan and chose the mode to go on in: show what follows."""
        if self.options is None:
            return
        effective = self.mode_in_effect(mode)
        change = option_changes.mode_became(self.options, effective, self._profile)
        if effective != mode and not self.options.auto_warned:
            after = replace(change.state, auto_warned=True)
            change = replace(change, state=after, warning=option_changes.AUTO_LOST)
        self._take(change)

    # --- a CLI that took another's place ----------------------------------------------------------

    async def restore(self) -> None:
        """Bring a CLI that was started again to the options of the session."""
        if self.options is None:
            return
        for request in option_changes.restoring(self.options, self._profile):
            try:
                await self._send(request)
            except ClaudeError as error:
                log.warning("an option could not be restored: %s", error)
