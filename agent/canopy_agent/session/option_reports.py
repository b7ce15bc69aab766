"""What follows when something outside the session changes its options: the CLI, or a settings file.

Pure, like ``option_changes``; the caller sends the requests and takes the state over.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from canopy_agent.capabilities import ClientProfile
from canopy_agent.session.config_options import SessionOptions, config_options
from canopy_agent.session.models import Catalog, catalog
from canopy_agent.session.modes import DEFAULT, Availability, availability
from canopy_agent.session.option_changes import Change, mode_became, options_update
from canopy_agent.session.settings_files import ClaudeSettings
from canopy_agent.settings import AdapterSettings, ModelConfig


@dataclass(frozen=True, slots=True)
class SettingsContext:
    """What settings are read against: the CLI's greeting, our environment, the caller's wishes.

    ``listed`` are the models that the provider serves, None without a list.
    """

    greeting: Mapping[str, Any]
    adapter: AdapterSettings
    config: ModelConfig
    allow_bypass: bool
    listed: frozenset[str] | None = None

    def models(self, settings: ClaudeSettings) -> Catalog:
        """The models that can be picked."""
        return catalog(self.greeting, self.adapter, settings, self.config, self.listed)

    def offered(self, settings: ClaudeSettings) -> Availability:
        """The modes that can be picked."""
        return availability(self.adapter, settings, caller_allows_bypass=self.allow_bypass)


def mode_reported(state: SessionOptions, mode: str, profile: ClientProfile) -> Change:
    """The CLI is in another mode than it was told."""
    return Change(state) if mode == state.mode else mode_became(state, mode, profile)


def ultracode_reported(
    state: SessionOptions, available: object, on: object, profile: ClientProfile
) -> Change:
    """What the CLI says of dynamic workflows; anything but true and false says nothing."""
    after = replace(
        state,
        ultracode_available=available if isinstance(available, bool) else state.ultracode_available,
        ultracode=on if isinstance(on, bool) else state.ultracode,
    )
    return _shown(state, after, profile)


def settings_reported(
    state: SessionOptions,
    settings: ClaudeSettings,
    context: SettingsContext,
    profile: ClientProfile,
) -> Change:
    """Settings files changed. A mode that they forbid now is left."""
    after = replace(
        state,
        offered=context.offered(settings),
        models=context.models(settings),
        efforts={"": settings.effort, **settings.efforts} if settings.effort else settings.efforts,
        workflows_off=settings.workflows_off,
    )
    if not after.effort_pinned:
        after = replace(after, effort=after.configured_effort())
    if after.offered.has(after.mode):
        return _shown(state, after, profile)
    change = mode_became(after, DEFAULT, profile)
    return replace(change, requests=({"subtype": "set_permission_mode", "mode": DEFAULT},))


def _shown(before: SessionOptions, after: SessionOptions, profile: ClientProfile) -> Change:
    """The change, with an update only when the client sees a difference."""
    differs = config_options(after, profile) != config_options(before, profile)
    return Change(after, (), (options_update(after, profile),) if differs else ())
