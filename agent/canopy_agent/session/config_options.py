"""The options of a session as a client sees them, from one frozen state.

Ids, values and order follow ``@agentclientprotocol/claude-agent-acp`` 0.101.0; how a value is
changed is not known here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from canopy_agent.capabilities import ClientProfile
from canopy_agent.session.model_match import DEFAULT_MODEL, ModelRow
from canopy_agent.session.models import Catalog, concrete_row
from canopy_agent.session.modes import Availability, mode_choices
from canopy_shared.ext import air
from canopy_shared.unset import UNSET
from canopy_shared.updates import ConfigChoice, ConfigOption

MODE: Final = "mode"
MODEL: Final = "model"
EFFORT: Final = "effort"
FAST: Final = "fast"
ULTRACODE: Final = "ultracode"
AGENT: Final = "agent"

NO_CHOICE: Final = "default"
"""The value of a select that leaves the choice to Claude Code."""

ON: Final = "on"
OFF: Final = "off"

_TOP_EFFORT: Final = "xhigh"
_RECOMMENDED_EFFORT: Final = "medium"
_BUILT_IN_AGENTS: Final = frozenset(
    {"claude", "general-purpose", "Explore", "Plan", "statusline-setup", NO_CHOICE}
)
_FAST_REASONS: Final = {
    "free": "not part of the free plan",
    "extra_usage_disabled": "extra usage is turned off",
    "model_not_allowed": "this model is not allowed to use it",
    "not_first_party": "only with Anthropic's own API",
    "disabled_by_env": "turned off by the environment",
    "network_error": "its state could not be read",
}


@dataclass(frozen=True, slots=True)
class CustomAgent:
    """An agent of the user that a session can be led by."""

    name: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """Everything that decides the options of one session.

    ``effort`` is None while Claude Code chooses; ``effort_pinned`` says that the user chose it.
    ``efforts`` are the configured levels per model id, with the general one under ``""``.
    ``ultracode_available`` is None while the CLI has not said. ``auto_warned`` remembers that
    the user was told that auto mode was lost.
    """

    mode: str
    offered: Availability
    models: Catalog = Catalog()  # noqa: RUF009 - frozen, holds no state
    model: str | None = None
    effort: str | None = None
    effort_pinned: bool = False
    efforts: Mapping[str, str] = field(default_factory=dict)
    fast: bool = False
    fast_reason: str | None = None
    ultracode: bool = False
    ultracode_available: bool | None = None
    workflows_off: bool = False
    agents: tuple[CustomAgent, ...] = ()
    agent: str | None = None
    auto_warned: bool = False

    @property
    def row(self) -> ModelRow | None:
        """The row of the current model, None for one that is not listed."""
        return None if self.model is None else self.models.row(self.model)

    @property
    def model_has_auto(self) -> bool:
        """Whether the current model can run in auto mode."""
        return self.row is not None and self.row.auto

    @property
    def offers_ultracode(self) -> bool:
        """Whether dynamic workflows can be switched on."""
        if self.ultracode_available is not None:
            return self.ultracode_available
        return not self.workflows_off and self.row is not None and _TOP_EFFORT in self.row.efforts

    def configured_effort(self) -> str | None:
        """The effort that settings name for the current model, if it has that level."""
        row = self.row
        if row is None:
            return None
        for key in (row.resolved, row.value, ""):
            level = self.efforts.get(key) if key is not None else None
            if level is not None:
                return level if level in row.efforts else None
        return None


def custom_agents(init: Mapping[str, Any]) -> tuple[CustomAgent, ...]:
    """The agents of the CLI's ``initialize`` response that are not its own."""
    listed = init.get("agents")
    found: dict[str, CustomAgent] = {}
    for item in listed if isinstance(listed, list) else ():
        name = item.get("name") if isinstance(item, Mapping) else None
        if isinstance(name, str) and name and name not in _BUILT_IN_AGENTS:
            description = item.get("description")
            found[name] = CustomAgent(name, description if isinstance(description, str) else "")
    return tuple(found.values())


def config_options(state: SessionOptions, profile: ClientProfile) -> tuple[ConfigOption, ...]:
    """The options in their order; one that means nothing now is left out."""
    builders = (_mode, _model, _effort, _fast, _ultracode, _agent)
    built = (build(state, profile) for build in builders)
    return tuple(option for option in built if option is not None)


def _mode(state: SessionOptions, profile: ClientProfile) -> ConfigOption | None:
    return ConfigOption(
        MODE,
        "Mode",
        "select",
        state.mode,
        category="mode",
        description="How much Claude may do without asking",
        options=mode_choices(state.offered, profile),
    )


def _model(state: SessionOptions, profile: ClientProfile) -> ConfigOption | None:
    if state.model is None:
        return None
    current, rows = state.model, state.models.listing(state.model)
    meta: Any = UNSET
    recommended = recommended_model(state, profile)
    if recommended is not None:
        rows = tuple(row for row in rows if row.value != DEFAULT_MODEL)
        current = recommended if current == DEFAULT_MODEL else current
        meta = air.wrap(recommendedValue=recommended)
    return ConfigOption(
        MODEL,
        "Model",
        "select",
        current,
        category="model",
        description="The model that answers",
        options=tuple(ConfigChoice(row.value, row.name, row.description or UNSET) for row in rows),
        meta=meta,
    )


def recommended_model(state: SessionOptions, profile: ClientProfile) -> str | None:
    """The row to recommend in place of the default row, for clients that mark a recommendation."""
    default = state.models.row(DEFAULT_MODEL)
    if default is None or not profile.air_has(air.RECOMMENDED_VALUE):
        return None
    row = concrete_row(state.models.rows, default)
    return row.value if row else None


def shown_effort(state: SessionOptions, profile: ClientProfile) -> str | None:
    """The effort that the option shows as current, None when it shows the default row."""
    if state.effort is not None or not profile.air_has(air.RECOMMENDED_VALUE):
        return state.effort
    return recommended_effort(state)


def recommended_effort(state: SessionOptions) -> str | None:
    """The middle level, or the first one that the model has."""
    levels = state.row.efforts if state.row else ()
    return _RECOMMENDED_EFFORT if _RECOMMENDED_EFFORT in levels else next(iter(levels), None)


def _effort(state: SessionOptions, profile: ClientProfile) -> ConfigOption | None:
    levels = state.row.efforts if state.row else ()
    if not levels:
        return None
    choices = tuple(ConfigChoice(level, level.capitalize()) for level in levels)
    meta: Any = UNSET
    if profile.air_has(air.RECOMMENDED_VALUE):
        meta = air.wrap(recommendedValue=recommended_effort(state))
    else:
        choices = (ConfigChoice(NO_CHOICE, "Default"), *choices)
    return ConfigOption(
        EFFORT,
        "Effort",
        "select",
        shown_effort(state, profile) or NO_CHOICE,
        category="thought_level",
        description="How much the model thinks",
        options=choices,
        meta=meta,
    )


def _switch(
    id_: str, name: str, description: str, on: bool, profile: ClientProfile
) -> ConfigOption:
    """A boolean, or a select of on and off for clients that know no booleans."""
    if profile.boolean_options:
        return ConfigOption(
            id_, name, "boolean", on, category="model_config", description=description
        )
    return ConfigOption(
        id_,
        name,
        "select",
        ON if on else OFF,
        category="model_config",
        description=description,
        options=(ConfigChoice(ON, "On"), ConfigChoice(OFF, "Off")),
    )


def fast_mode_reason(reason: str | None) -> str | None:
    """Why fast mode cannot be used, in words; None for a reason that says nothing to a user."""
    return _FAST_REASONS.get(reason) if reason is not None else None


def _fast(state: SessionOptions, profile: ClientProfile) -> ConfigOption | None:
    if state.row is None or not state.row.fast:
        return None
    description = "Faster answers at a higher price"
    why = fast_mode_reason(state.fast_reason)
    if why is not None and not state.fast:
        description = f"{description} ({why})"
    return _switch(FAST, "Fast mode", description, state.fast, profile)


def _ultracode(state: SessionOptions, profile: ClientProfile) -> ConfigOption | None:
    if not state.offers_ultracode:
        return None
    description = "Dynamic workflows for every task"
    return _switch(ULTRACODE, "Ultracode", description, state.ultracode, profile)


def _agent(state: SessionOptions, profile: ClientProfile) -> ConfigOption | None:
    if not state.agents:
        return None
    choices = tuple(
        ConfigChoice(agent.name, agent.name, agent.description or UNSET) for agent in state.agents
    )
    return ConfigOption(
        AGENT,
        "Agent",
        "select",
        state.agent or NO_CHOICE,
        description="The agent that leads the session",
        options=(ConfigChoice(NO_CHOICE, "Default"), *choices),
    )
