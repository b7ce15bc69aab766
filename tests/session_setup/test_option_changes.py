"""Changing options: requests for the CLI, the state after them, and what the client is told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from canopy_agent.capabilities import ClientProfile, client_profile
from canopy_agent.session.config_options import SessionOptions, config_options
from canopy_agent.session.option_changes import (
    Change,
    fast_became,
    mode_became,
    model_became,
    plan_change,
    plan_mode,
)
from canopy_agent.session.settings_files import ClaudeSettings
from canopy_shared.codec import encode
from canopy_shared.errors import INVALID_PARAMS, AcpError
from canopy_shared.updates import ConfigOptionUpdate, CurrentModeUpdate
from session_setup.conftest import PLAIN, opened, with_ultracode, without_auto

BOOLEAN = client_profile({"session": {"configOptions": {"boolean": {}}}})


@pytest.fixture
def state(init: dict[str, Any]) -> SessionOptions:
    """A session in Manual mode on the default model."""
    return with_ultracode(opened(init, settings=ClaudeSettings(default_mode="default"))).state


def flags(**settings_: Any) -> dict[str, Any]:
    return {"subtype": "apply_flag_settings", "settings": settings_}


def current(change: Change, id_: str, profile: ClientProfile = PLAIN) -> Any:
    found = [one for one in config_options(change.state, profile) if one.id == id_]
    return found[0].current_value if found else None


def refused(state: SessionOptions, id_: str, value: Any, profile: ClientProfile) -> AcpError:
    with pytest.raises(AcpError) as caught:
        plan_change(state, id_, value, profile)
    assert caught.value.code == INVALID_PARAMS
    return caught.value


# --- the mode -----------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["foo", "", "dontAsk", "bypassPermissions"])
def test_scenario_28_a_mode_that_is_not_offered(state: SessionOptions, mode: str) -> None:
    offered = replace(state.offered, bypass=False)
    with pytest.raises(AcpError) as caught:
        plan_mode(replace(state, offered=offered), mode, PLAIN)
    assert caught.value.code == INVALID_PARAMS


def test_scenario_28_a_mode_that_is(state: SessionOptions) -> None:
    change = plan_mode(state, "plan", PLAIN)
    assert change.requests == ({"subtype": "set_permission_mode", "mode": "plan"},)
    (update,) = encode(change.updates)
    assert update["sessionUpdate"] == "config_option_update"
    assert update["configOptions"][0]["currentValue"] == "plan"
    assert change.warning is None


def test_setting_the_mode_option_announces_the_mode(state: SessionOptions) -> None:
    change = plan_change(state, "mode", "acceptEdits", PLAIN)
    assert change.updates == (CurrentModeUpdate("acceptEdits"),)
    assert current(change, "mode") == "acceptEdits"


def test_auto_on_a_model_without_it_is_said_once(init: dict[str, Any]) -> None:
    state = opened(without_auto(init), settings=ClaudeSettings(default_mode="default")).state
    first = plan_mode(state, "auto", PLAIN)
    assert first.requests == ({"subtype": "set_permission_mode", "mode": "acceptEdits"},)
    assert isinstance(first.updates[0], CurrentModeUpdate)
    assert isinstance(first.updates[1], ConfigOptionUpdate)
    assert first.warning is not None
    second = plan_mode(first.state, "auto", PLAIN)
    assert second.warning is None


def test_a_mode_that_changed_by_itself(state: SessionOptions) -> None:
    change = mode_became(state, "plan", PLAIN)
    assert change.requests == ()
    assert [update["sessionUpdate"] for update in encode(change.updates)] == [
        "current_mode_update",
        "config_option_update",
    ]


# --- values -------------------------------------------------------------------------------------


def test_scenario_29_an_alias_of_a_model(state: SessionOptions) -> None:
    for wanted in ("opus", "Opus 5.5", "claude-opus-5-5", "CLAUDE-OPUS-5-5", "opusplan"):
        change = plan_change(state, "model", wanted, PLAIN)
        assert current(change, "model") == "opus", wanted
        assert change.requests == ({"subtype": "set_model", "model": "opus"},)


@pytest.mark.parametrize(
    "wanted", ["no-such-model", "", "claude-opus-4-1", "opus[1m]", "sonnet-4", "claude"]
)
def test_scenario_29_a_model_that_is_not_listed(state: SessionOptions, wanted: str) -> None:
    assert "model" in refused(state, "model", wanted, PLAIN).message


def test_scenario_29_unknown_options_and_wrong_types(state: SessionOptions) -> None:
    refused(state, "nope", "x", PLAIN)
    refused(state, "agent", "x", PLAIN)
    wrong = refused(state, "fast", "on", BOOLEAN)
    assert wrong.data == {"configId": "fast", "value": "on"}
    assert refused(state, "fast", True, PLAIN).data == {"configId": "fast", "value": True}
    refused(state, "effort", "enormous", PLAIN)


def test_switches(state: SessionOptions) -> None:
    fast = plan_change(state, "fast", "on", PLAIN)
    assert fast.requests == (flags(fastMode=True),)
    assert (current(fast, "fast"), current(fast, "fast", BOOLEAN)) == ("on", True)
    ultracode = plan_change(state, "ultracode", True, BOOLEAN)
    assert ultracode.requests == (flags(ultracode=True),)
    assert current(ultracode, "ultracode") == "on"


def test_scenario_30_a_model_without_effort(init: dict[str, Any]) -> None:
    bare = {"value": "tiny", "displayName": "Tiny 1", "description": "", "supportsAutoMode": True}
    low = {**bare, "value": "low", "displayName": "Low 1", "supportsEffort": True}
    low["supportedEffortLevels"] = ["low"]
    init["models"] += [bare, low]
    state = opened(init, settings=ClaudeSettings(default_mode="default")).state
    pinned = plan_change(state, "effort", "max", PLAIN)
    assert pinned.requests == (flags(effortLevel="max"),)
    gone = plan_change(pinned.state, "model", "tiny", PLAIN)
    assert current(gone, "effort") is None
    assert gone.requests == ({"subtype": "set_model", "model": "tiny"}, flags(effortLevel=None))
    unsupported = plan_change(pinned.state, "model", "low", PLAIN)
    assert current(unsupported, "effort") == "default"
    assert unsupported.requests[1] == flags(effortLevel=None)
    carried = plan_change(pinned.state, "model", "haiku", PLAIN)
    assert current(carried, "effort") == "max"
    assert carried.requests == ({"subtype": "set_model", "model": "haiku"},)
    assert current(carried, "fast") is None
    taken_back = plan_change(carried.state, "effort", "default", PLAIN)
    assert taken_back.requests == (flags(effortLevel=None),)


def test_scenario_31_auto_mode_and_a_model_without_it(init: dict[str, Any]) -> None:
    state = opened(without_auto(init, "haiku"), settings=ClaudeSettings(default_mode="auto")).state
    change = plan_change(state, "model", "haiku", PLAIN)
    assert change.requests == (
        {"subtype": "set_model", "model": "haiku"},
        {"subtype": "set_permission_mode", "mode": "acceptEdits"},
    )
    assert change.updates == (CurrentModeUpdate("acceptEdits"),)
    assert change.warning is not None
    back = plan_change(change.state, "model", "opus", PLAIN)
    assert (current(back, "mode"), back.warning) == ("acceptEdits", None)


def test_scenario_32_ultracode_survives_a_change_of_effort(state: SessionOptions) -> None:
    on = plan_change(state, "ultracode", "on", PLAIN).state
    change = plan_change(on, "effort", "low", PLAIN)
    assert change.requests == (flags(effortLevel="low", ultracode=True),)


# --- what Claude Code reports -------------------------------------------------------------------


def test_another_model_than_was_told(state: SessionOptions) -> None:
    change = model_became(state, "claude-sonnet-5-5", PLAIN)
    assert (current(change, "model"), change.requests) == ("sonnet", ())
    assert [type(update) for update in change.updates] == [ConfigOptionUpdate]
    assert model_became(state, "claude-opus-5-5", PLAIN) == Change(state)
    unlisted = model_became(state, "claude-old-1", PLAIN)
    choices = next(one for one in config_options(unlisted.state, PLAIN) if one.id == "model")
    assert isinstance(choices.options, tuple)
    assert choices.options[-1].value == choices.current_value == "claude-old-1"


def test_fast_mode_that_is_lost_is_said_once(state: SessionOptions) -> None:
    on = plan_change(state, "fast", "on", PLAIN).state
    lost = fast_became(on, "off", "extra_usage_disabled", PLAIN)
    assert lost.warning is not None
    (update,) = encode(lost.updates)
    fast = next(one for one in update["configOptions"] if one["id"] == "fast")
    assert (fast["currentValue"], "extra usage" in fast["description"]) == ("off", True)
    again = fast_became(lost.state, "off", "extra_usage_disabled", PLAIN)
    assert (again.updates, again.warning) == ((), None)


def test_fast_mode_states_that_say_nothing(state: SessionOptions) -> None:
    for reported in ("cooldown", None, 3):
        assert fast_became(state, reported, None, PLAIN) == Change(state)
    quiet = fast_became(state, "off", "preference", PLAIN)
    assert (quiet.updates, quiet.warning) == ((), None)


VALUES = st.one_of(
    st.booleans(),
    st.text(max_size=8),
    st.sampled_from(["on", "off", "default", "opus", "haiku", "auto", "plan", "max", "low"]),
)
CHANGES = st.lists(
    st.tuples(
        st.sampled_from(["mode", "model", "effort", "fast", "ultracode", "agent", "x"]), VALUES
    ),
    max_size=8,
)


@settings(max_examples=150, deadline=None)
@given(CHANGES, st.sampled_from([PLAIN, BOOLEAN]))
def test_after_any_changes_every_current_value_is_offered(
    changes: list[tuple[str, Any]], profile: ClientProfile
) -> None:
    models = [
        {
            "value": "opus",
            "displayName": "Opus",
            "supportsAutoMode": True,
            "supportsFastMode": True,
        },
        {"value": "haiku", "displayName": "Haiku", "supportsEffort": True},
    ]
    models[1]["supportedEffortLevels"] = ["low", "max"]
    state = opened({"models": models}).state
    warnings = 0
    for id_, value in changes:
        try:
            change = plan_change(state, id_, value, profile)
        except AcpError as error:
            assert error.code == INVALID_PARAMS  # noqa: PT017 - others fail the test
            continue
        state = change.state
        warnings += change.warning is not None
        for one in config_options(state, profile):
            if isinstance(one.options, tuple):
                assert one.current_value in [choice.value for choice in one.options]
            else:
                assert isinstance(one.current_value, bool)
    assert warnings <= 1
