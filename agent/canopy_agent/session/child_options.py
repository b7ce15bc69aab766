"""A subagent's model, mode, effort and type as config options with one value each: shown, never
set.

Shapes follow ``@agentclientprotocol/claude-agent-acp`` 0.101.0; when they are sent is the core's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from canopy_agent.session.model_match import canonical
from canopy_agent.session.modes import mode_choices
from canopy_shared.unset import UNSET
from canopy_shared.updates import ConfigChoice, ConfigOption

if TYPE_CHECKING:
    from canopy_agent.capabilities import ClientProfile
    from canopy_agent.session.config_options import SessionOptions

Builder = Callable[[str, "SessionOptions | None", "ClientProfile"], ConfigOption]


def _select(
    id_: str, name: str, choice: ConfigChoice, *, category: str | None, description: str | None
) -> ConfigOption:
    return ConfigOption(
        id_,
        name,
        "select",
        choice.value,
        category=category if category is not None else UNSET,
        description=description if description is not None else UNSET,
        options=(choice,),
    )


def _mode(value: str, root: SessionOptions | None, profile: ClientProfile) -> ConfigOption:
    choices = mode_choices(root.offered, profile) if root is not None else ()
    known = next(
        (choice for choice in choices if choice.value == value), ConfigChoice(value, value)
    )
    about = "How much this agent may do without asking"
    return _select("mode", "Mode", known, category="mode", description=about)


def _model(value: str, root: SessionOptions | None, profile: ClientProfile) -> ConfigOption:
    """The root's entry for the model, when it has one, so that both read the same."""
    choice = ConfigChoice(value, value)
    rows = root.models.rows if root is not None else ()
    for row in rows:
        if canonical(value) in (canonical(row.value), canonical(row.resolved or "")):
            choice = ConfigChoice(row.value, row.name)
            break
    return _select("model", "Model", choice, category="model", description=None)


def _effort(value: str, root: SessionOptions | None, profile: ClientProfile) -> ConfigOption:
    choice = ConfigChoice(value, value.capitalize())
    about = "How much this agent thinks"
    return _select("effort", "Effort", choice, category="thought_level", description=about)


def _agent(value: str, root: SessionOptions | None, profile: ClientProfile) -> ConfigOption:
    choice = ConfigChoice(value, value)
    return _select("agent", "Agent", choice, category=None, description="What kind of agent it is")


_BUILDERS: dict[str, Builder] = {
    "mode": _mode,
    "model": _model,
    "effort": _effort,
    "agent": _agent,
}


def child_options(
    values: Mapping[str, str], root: SessionOptions | None, profile: ClientProfile
) -> tuple[ConfigOption, ...]:
    """The options for ``values`` (option → value as the CLI spells it), worded as the root's."""
    return tuple(_BUILDERS[option](value, root, profile) for option, value in values.items())
