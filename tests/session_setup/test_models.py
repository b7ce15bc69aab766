"""The list of models, their names, and which one a spelling means."""

from __future__ import annotations

from typing import Any

import pytest

from canopy_agent.session.model_match import match_model
from canopy_agent.session.models import Catalog, catalog, initial_model
from canopy_agent.session.settings_files import ClaudeSettings
from canopy_agent.settings import AdapterSettings, ModelConfig
from session_setup.conftest import PLAIN, opened


def listed(*models: dict[str, Any]) -> Catalog:
    return catalog({"models": [{"displayName": m["value"], **m} for m in models]})


def names(models: Catalog) -> list[str]:
    return [row.name for row in models.rows]


def test_terse_labels_get_their_version() -> None:
    models = listed(
        {"value": "a", "displayName": "Opus", "description": "Opus 5.5 · Best"},
        {"value": "b", "displayName": "Sonnet", "resolvedModel": "claude-sonnet-5"},
        {"value": "c", "displayName": "Haiku", "resolvedModel": "claude-haiku-4-5-20251001"},
        {"value": "d", "displayName": "Sonnet (1M context)", "description": "Long 1M context"},
        {"value": "e", "displayName": "My Model 7"},
    )
    assert names(models) == ["Opus 5.5", "Sonnet 5", "Haiku 4.5", "Sonnet", "My Model 7"]


def test_equal_names_are_told_apart() -> None:
    models = listed(
        {"value": "x", "displayName": "Opus", "description": "Opus 5"},
        {"value": "y", "displayName": "Opus (1M context)", "description": "Opus 5 with 1M context"},
        {"value": "z", "displayName": "Same"},
        {"value": "w", "displayName": "Same"},
    )
    assert names(models) == ["Opus", "Opus (1M context)", "Same (z)", "Same (w)"]


def test_malformed_rows_are_left_out() -> None:
    broken = {"models": [{"value": "a"}, {}, 3, {"value": 4}, {"value": "b", "displayName": 3}]}
    assert [row.value for row in catalog(broken).rows] == ["a", "b"]
    assert catalog({}).rows == catalog({"models": "x"}).rows == ()


def test_an_allowlist_orders_and_narrows(init: dict[str, Any]) -> None:
    settings = ClaudeSettings(
        available_models=("sonnet", "claude-opus-5-5", "brand-new", "haiku"),
        model_overrides={"claude-opus-5-5": "arn:opus"},
        denied_models=("haiku",),
    )
    models = catalog(init, AdapterSettings(custom_model="mine"), settings)
    assert [row.value for row in models.rows] == [
        "default",
        "sonnet",
        "arn:opus",
        "brand-new",
        "mine",
    ]
    opus = models.row("arn:opus")
    assert opus is not None
    assert (opus.fast, opus.efforts[-1]) == (True, "max")
    only_default = catalog({}, settings=ClaudeSettings(available_models=()))
    assert [row.value for row in only_default.rows] == ["default"]


def test_the_environments_allowlist_lies_under_the_settings(init: dict[str, Any]) -> None:
    config = ModelConfig({"sonnet": "a", "opus": "b"}, ("sonnet", "opus"))
    under = ClaudeSettings(model_overrides={"opus": "c"})
    over = ClaudeSettings(available_models=("haiku",))
    assert [row.value for row in catalog(init, settings=under, config=config).rows] == [
        "default",
        "a",
        "c",
    ]
    assert [row.value for row in catalog(init, settings=over, config=config).rows] == [
        "default",
        "haiku",
    ]


@pytest.mark.parametrize(
    ("wanted", "value"),
    [
        ("sonnet", "sonnet"),
        ("claude-sonnet-5-5", "sonnet"),
        ("claude-opus-5-5", "opus"),
        ("Sonnet 5.5", "sonnet"),
        ("Claude Sonnet", "sonnet"),
        ("claude-sonnet-5", "sonnet"),
        ("opusplan", "opus"),
        ("DEFAULT", "default"),
        ("claude-sonnet-4-5", None),
        ("sonnet[1m]", None),
        ("sonnet-1m", None),
        ("gpt", None),
        ("", None),
        ("claude", None),
    ],
)
def test_what_a_spelling_means(init: dict[str, Any], wanted: str, value: str | None) -> None:
    found = match_model(catalog(init).rows, wanted)
    assert (found.row.value if found else None) == value


def test_the_long_context_is_a_model_of_its_own() -> None:
    models = listed(
        {"value": "sonnet", "resolvedModel": "claude-sonnet-5"},
        {"value": "sonnet[1m]", "resolvedModel": "claude-sonnet-5[1m]"},
    )
    for wanted in ("sonnet-1m", "claude-sonnet-5-1m", "Sonnet[1M]"):
        found = models.match(wanted)
        assert found is not None
        assert found.row.value == "sonnet[1m]"


# --- the first model of a session ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("choice", "value", "request_"),
    [
        ({}, "default", None),
        ({"configured": "sonnet"}, "sonnet", None),
        ({"configured": "claude-sonnet-5-5"}, "sonnet", None),
        ({"preferred": "haiku", "configured": "sonnet"}, "haiku", None),
        ({"configured": "Sonnet 5.5"}, "sonnet", "sonnet"),
        ({"resumed": "claude-haiku-5-5"}, "haiku", "haiku"),
        ({"configured": "sonnet", "resumed": "claude-haiku-5-5"}, "sonnet", "sonnet"),
        ({"configured": "claude-old-1"}, "claude-old-1", None),
        ({"resumed": "claude-old-1"}, "claude-old-1", "claude-old-1"),
        ({"configured": "claude-old-1", "limited": True}, "default", "default"),
    ],
)
def test_which_model_a_session_begins_with(
    init: dict[str, Any], choice: dict[str, Any], value: str, request_: str | None
) -> None:
    found = initial_model(catalog(init), **choice)
    assert found is not None
    assert (found.value, found.request) == (value, request_)


def test_when_a_failed_switch_fails_the_session(init: dict[str, Any]) -> None:
    models = catalog(init)
    chosen = initial_model(models, configured="Sonnet 5.5")
    resumed = initial_model(models, configured="Sonnet 5.5", resumed="claude-haiku-5-5")
    moved = initial_model(models, configured="claude-old-1", limited=True)
    assert [bool(found and found.must_succeed) for found in (chosen, resumed, moved)] == [
        True,
        False,
        False,
    ]


def test_no_models_at_all() -> None:
    assert initial_model(Catalog()) is None


def test_an_unlisted_model_is_shown_while_it_runs(init: dict[str, Any]) -> None:
    opening = opened(init, adapter=AdapterSettings(preferred_model="claude-old-1"), profile=PLAIN)
    assert opening.state.model == "claude-old-1"
    assert [row.value for row in opening.state.models.listing("claude-old-1")][-1] == "claude-old-1"
    assert not opening.state.model_has_auto
