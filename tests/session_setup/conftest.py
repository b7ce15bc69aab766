"""A trimmed ``initialize`` response of Claude Code 2.1.332, and short names for tests."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from canopy_agent.capabilities import ClientProfile, client_profile
from canopy_agent.session.caller_options import CallerOptions, caller_options
from canopy_agent.session.modes import availability, initial_mode
from canopy_agent.session.opening import Opening, open_options
from canopy_agent.session.settings_files import ClaudeSettings
from canopy_agent.settings import AdapterSettings, ModelConfig

RECORDED = Path(__file__).with_name("initialize_2_1_332.json")

PLAIN = ClientProfile()
AIR = client_profile({"_meta": {"jetbrains": {"air": {"version": 1, "capabilities": []}}}})


@pytest.fixture
def init() -> dict[str, Any]:
    """The ``response`` of the control request ``initialize``."""
    response: dict[str, Any] = json.loads(RECORDED.read_text(encoding="utf-8"))
    return response


def without_auto(init: dict[str, Any], *values: str) -> dict[str, Any]:
    """The response with models that have no auto mode: all of them, or the named ones."""
    models = [
        {**model, "supportsAutoMode": model["value"] not in values and bool(values)}
        for model in init["models"]
    ]
    return {**init, "models": models}


def opened(
    init: dict[str, Any],
    *,
    adapter: AdapterSettings | None = None,
    settings: ClaudeSettings | None = None,
    config: ModelConfig | None = None,
    caller: CallerOptions | None = None,
    profile: ClientProfile = PLAIN,
    resumed_model: str | None = None,
) -> Opening:
    """The opening of a session as the agent works it out."""
    adapter = adapter or AdapterSettings()
    settings = settings or ClaudeSettings()
    caller = caller or caller_options({}, profile)
    offered = availability(adapter, settings, caller_allows_bypass=caller.allow_bypass)
    return open_options(
        init,
        adapter=adapter,
        settings=settings,
        config=config or ModelConfig(),
        caller=caller,
        offered=offered,
        mode=initial_mode(offered, configured=settings.default_mode),
        profile=profile,
        resumed_model=resumed_model,
    )


def with_ultracode(opening: Opening) -> Opening:
    """The opening after the CLI said that dynamic workflows are available."""
    return replace(opening, state=replace(opening.state, ultracode_available=True))
