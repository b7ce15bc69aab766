"""The options that a session begins with, once the CLI has answered ``initialize``.

It decides and sends nothing; how the CLI was started is not known here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from canopy_agent.capabilities import ClientProfile
from canopy_agent.domain.facts import Noted
from canopy_agent.session.caller_options import CallerOptions
from canopy_agent.session.config_options import (
    SessionOptions,
    config_options,
    custom_agents,
    shown_effort,
)
from canopy_agent.session.models import catalog, initial_model
from canopy_agent.session.modes import Availability, InitialMode, modes_state, settled_mode
from canopy_agent.session.option_changes import AUTO_LOST, Request, flags
from canopy_agent.session.settings_files import ClaudeSettings
from canopy_agent.settings import AdapterSettings, ModelConfig
from canopy_shared.codec import encode


@dataclass(frozen=True, slots=True)
class Opening:
    """How a session begins.

    ``model_request`` switches the model, when that is needed; ``model_must_switch`` says that
    the session fails without it. ``requests`` follow. ``warning`` belongs before the first
    prompt.
    """

    state: SessionOptions
    model_request: Request | None = None
    model_must_switch: bool = False
    requests: tuple[Request, ...] = ()
    warning: Noted | None = None


def open_options(
    init: Mapping[str, Any],
    *,
    adapter: AdapterSettings,
    settings: ClaudeSettings,
    config: ModelConfig,
    caller: CallerOptions,
    offered: Availability,
    mode: InitialMode,
    profile: ClientProfile,
    resumed_model: str | None = None,
    served: frozenset[str] | None = None,
) -> Opening:
    """The opening of a session from the CLI's ``initialize`` response and everything read
    before.
    """
    models = catalog(init, adapter, settings, config, served)
    limited = settings.available_models is not None or config.available is not None
    model = initial_model(
        models,
        preferred=adapter.preferred_model,
        configured=settings.model,
        resumed=resumed_model,
        limited=limited,
    )
    agents = custom_agents(init)
    reason = init.get("fast_mode_disabled_reason")
    state = SessionOptions(
        mode=mode.mode,
        offered=offered,
        models=models,
        model=model.value if model else None,
        efforts={"": settings.effort, **settings.efforts} if settings.effort else settings.efforts,
        fast=init.get("fast_mode_state") == "on",
        fast_reason=reason if isinstance(reason, str) else None,
        workflows_off=settings.workflows_off,
        agents=agents,
        agent=caller.agent if any(agent.name == caller.agent for agent in agents) else None,
    )
    settled = settled_mode(mode.mode, chosen=mode.chosen, model_has_auto=state.model_has_auto)
    levels = state.row.efforts if state.row else ()
    pinned = caller.effort if caller.effort in levels else None
    state = replace(
        state,
        mode=settled.mode,
        auto_warned=settled.lost_auto,
        effort=pinned or state.configured_effort(),
        effort_pinned=pinned is not None,
    )
    return Opening(
        state,
        _model_request(model.request if model else None),
        bool(model and model.must_succeed),
        _requests(state, mode, profile),
        AUTO_LOST if settled.lost_auto else None,
    )


def _model_request(value: str | None) -> Request | None:
    return None if value is None else {"subtype": "set_model", "model": value}


def _requests(
    state: SessionOptions, mode: InitialMode, profile: ClientProfile
) -> tuple[Request, ...]:
    requests: list[Request] = []
    if state.mode != mode.mode:
        requests.append({"subtype": "set_permission_mode", "mode": state.mode})
    shown = shown_effort(state, profile)
    if shown is not None and (state.effort is None or state.effort_pinned):
        requests.append(flags(effortLevel=shown))
    return tuple(requests)


def session_response(
    session_id: str | None, state: SessionOptions, profile: ClientProfile
) -> dict[str, Any]:
    """The result of a request that opened a session."""
    response: dict[str, Any] = {} if session_id is None else {"sessionId": session_id}
    response["modes"] = modes_state(state.mode, state.offered, profile)
    response["configOptions"] = encode(config_options(state, profile))
    return response
