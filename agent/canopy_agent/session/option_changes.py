"""What a change of an option means: requests for the CLI, the state after them, updates for the
client.

Nothing is sent from here; the caller sends the requests first and takes the state over when they
succeed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from canopy_agent.capabilities import ClientProfile
from canopy_agent.domain.facts import Noted
from canopy_agent.session import config_options as options
from canopy_agent.session.config_options import SessionOptions, config_options
from canopy_agent.session.model_match import canonical
from canopy_agent.session.modes import settled_mode
from canopy_shared.errors import invalid_params
from canopy_shared.updates import ConfigOption, ConfigOptionUpdate, CurrentModeUpdate, Update

Request = dict[str, Any]

AUTO_LOST: Final = Noted(
    "warning",
    "Auto mode unavailable",
    "The current model has no auto mode. Edits are accepted, other tools ask.",
)


@dataclass(frozen=True, slots=True)
class Change:
    """One change: control ``requests`` in order, then ``state``, then ``updates`` and the
    warning.
    """

    state: SessionOptions
    requests: tuple[Request, ...] = ()
    updates: tuple[Update, ...] = ()
    warning: Noted | None = None


def options_update(state: SessionOptions, profile: ClientProfile) -> ConfigOptionUpdate:
    """All options as one update."""
    return ConfigOptionUpdate(config_options(state, profile))


def flags(**settings: Any) -> Request:
    """A request that sets flags of the running session; None takes one back."""
    return {"subtype": "apply_flag_settings", "settings": settings}


# --- the mode -----------------------------------------------------------------------------------


def plan_mode(state: SessionOptions, mode_id: str, profile: ClientProfile) -> Change:
    """``session/set_mode``. Raises invalid params for a mode that the session does not offer."""
    if all(mode.id != mode_id for mode in state.offered.modes()):
        raise invalid_params("modeId must be one of the session's modes")
    change = _mode_change(state, mode_id)
    return replace(change, updates=(*change.updates, options_update(change.state, profile)))


def _mode_change(state: SessionOptions, mode: str, *, announce: bool = False) -> Change:
    """Set the mode, or the one that the model can run in; ``announce`` says it in any case."""
    settled = settled_mode(mode, chosen=True, model_has_auto=state.model_has_auto)
    announced = (CurrentModeUpdate(settled.mode),) if announce or settled.mode != mode else ()
    return Change(
        replace(state, mode=settled.mode, auto_warned=state.auto_warned or settled.lost_auto),
        ({"subtype": "set_permission_mode", "mode": settled.mode},),
        announced,
        AUTO_LOST if settled.lost_auto and not state.auto_warned else None,
    )


def mode_became(state: SessionOptions, mode: str, profile: ClientProfile) -> Change:
    """The mode changed by itself: a plan was begun or approved, a conversation was restarted."""
    after = replace(state, mode=mode)
    return Change(after, (), (CurrentModeUpdate(mode), options_update(after, profile)))


# --- a CLI that was started again ---------------------------------------------------------------


def restoring(state: SessionOptions, profile: ClientProfile) -> tuple[Request, ...]:
    """Requests that bring a fresh CLI, which is in the right mode, to everything else of
    ``state``.
    """
    requests: list[Request] = []
    if state.model is not None:
        requests.append({"subtype": "set_model", "model": state.model})
    settings: dict[str, Any] = {}
    shown = options.shown_effort(state, profile)
    if shown is not None and (state.effort is None or state.effort_pinned):
        settings["effortLevel"] = shown
    if state.fast:
        settings["fastMode"] = True
    if state.ultracode:
        settings["ultracode"] = True
    if state.agents:
        settings["agent"] = state.agent
    if settings:
        requests.append(flags(**settings))
    return tuple(requests)


# --- any option ---------------------------------------------------------------------------------


def plan_change(
    state: SessionOptions, config_id: str, value: str | bool, profile: ClientProfile
) -> Change:
    """``session/set_config_option``. Raises invalid params for an unknown option or value.

    The response carries all options, so no ``config_option_update`` is among the updates.
    """
    option = next((one for one in config_options(state, profile) if one.id == config_id), None)
    if option is None:
        raise invalid_params("configId must be one of the session's options")
    if isinstance(value, bool) is not (option.type == "boolean"):
        expected = "true or false" if option.type == "boolean" else "one of its values"
        raise invalid_params(
            f"value of the option {option.id} must be {expected}",
            {"configId": config_id, "value": value},
        )
    return _PLANS[config_id](state, _known_value(state, option, value), profile)


def _known_value(state: SessionOptions, option: ConfigOption, value: str | bool) -> Any:
    """The value as the option spells it; of a model, every spelling that means a listed one."""
    if option.type == "boolean":
        return value
    choices = option.options if isinstance(option.options, tuple) else ()
    listed = {choice.value for choice in choices}
    if value in listed:
        return value == options.ON if option.id in (options.FAST, options.ULTRACODE) else value
    if option.id == options.MODEL and isinstance(value, str):
        found = state.models.match(value)
        if found is not None and found.row.value in listed:
            return found.row.value
    raise invalid_params(f"value of the option {option.id} must be one of its values")


def _plan_mode_option(state: SessionOptions, mode: str, profile: ClientProfile) -> Change:
    return _mode_change(state, mode, announce=True)


def _plan_model(state: SessionOptions, model: str, profile: ClientProfile) -> Change:
    """Switch the model, and whatever the new one cannot do."""
    change = with_model(state, model, profile)
    request: Request = {"subtype": "set_model", "model": model}
    return replace(change, requests=(request, *change.requests))


def with_model(state: SessionOptions, model: str, profile: ClientProfile) -> Change:
    """What follows once ``model`` is the current one: effort carried or cleared, mode settled."""
    after, requests = _with_effort(replace(state, model=model), profile)
    if (
        after.mode
        != settled_mode(after.mode, chosen=True, model_has_auto=after.model_has_auto).mode
    ):
        mode = _mode_change(after, after.mode)
        return replace(mode, requests=(*requests, *mode.requests))
    return Change(after, requests)


def _with_effort(
    state: SessionOptions, profile: ClientProfile
) -> tuple[SessionOptions, tuple[Request, ...]]:
    levels = state.row.efforts if state.row else ()
    if state.effort_pinned and state.effort in levels:
        return state, ()
    requests: tuple[Request, ...] = ()
    if state.effort_pinned:
        requests = (_effort_flags(state, None),)
    after = replace(state, effort_pinned=False)
    after = replace(after, effort=after.configured_effort())
    recommended = options.shown_effort(after, profile)
    if after.effort is None and recommended is not None:
        requests = (_effort_flags(state, recommended),)
    return after, requests


def _effort_flags(state: SessionOptions, level: str | None) -> Request:
    """The CLI forgets ultracode when the effort changes, so it is said again."""
    return flags(effortLevel=level, **({"ultracode": True} if state.ultracode else {}))


def _plan_effort(state: SessionOptions, value: str, profile: ClientProfile) -> Change:
    level = None if value == options.NO_CHOICE else value
    after = replace(state, effort=level, effort_pinned=level is not None)
    return Change(after, (_effort_flags(state, level),))


def _plan_fast(state: SessionOptions, on: bool, profile: ClientProfile) -> Change:
    return Change(replace(state, fast=on), (flags(fastMode=on),))


def _plan_ultracode(state: SessionOptions, on: bool, profile: ClientProfile) -> Change:
    return Change(replace(state, ultracode=on), (flags(ultracode=on),))


def _plan_agent(state: SessionOptions, value: str, profile: ClientProfile) -> Change:
    agent = None if value == options.NO_CHOICE else value
    return Change(replace(state, agent=agent), (flags(agent=agent),))


_PLANS: Final[dict[str, Callable[[SessionOptions, Any, ClientProfile], Change]]] = {
    options.MODE: _plan_mode_option,
    options.MODEL: _plan_model,
    options.EFFORT: _plan_effort,
    options.FAST: _plan_fast,
    options.ULTRACODE: _plan_ultracode,
    options.AGENT: _plan_agent,
}


# --- changes that Claude Code reports -----------------------------------------------------------


def model_became(state: SessionOptions, model: str, profile: ClientProfile) -> Change:
    """The CLI runs another model than it was told: a fallback, or ``/model`` typed as a prompt.

    The name of what runs already changes nothing.
    """
    row = state.row
    if row is not None and canonical(model) in (
        canonical(row.value),
        canonical(row.resolved or ""),
    ):
        return Change(state)
    found = state.models.match(model)
    change = with_model(state, found.row.value if found else model, profile)
    return replace(change, updates=(*change.updates, options_update(change.state, profile)))


def fast_became(
    state: SessionOptions, reported: object, reason: object, profile: ClientProfile
) -> Change:
    """Fast mode as the CLI reports it: ``on``, ``off`` or ``cooldown``, which says nothing new.

    One that is lost for a reason the user can act on is said once; no change gives no update.
    """
    if reported not in (options.ON, options.OFF):
        return Change(state)
    on, why = reported == options.ON, reason if isinstance(reason, str) else None
    after = replace(state, fast=on, fast_reason=why)
    if after == state:
        return Change(state)
    words = options.fast_mode_reason(why)
    lost = state.fast and not on and words is not None
    warning = Noted("warning", "Fast mode is off", f"Fast mode: {words}.") if lost else None
    shown = config_options(after, profile) != config_options(state, profile)
    updates = (options_update(after, profile),) if shown else ()
    return Change(after, (), updates, warning)
