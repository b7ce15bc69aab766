"""Everything that can be set of a session, of whatever kind of agent."""

from __future__ import annotations

from typing import Any

from canopy_shared.codec import decode_config_options
from canopy_shared.ext import air
from canopy_tui.model import events as e
from canopy_tui.model.intents import SetMode, SetModel, SetOption
from canopy_tui.model.options import adjustables
from canopy_tui.model.reduce import reduce
from canopy_tui.model.state import ClientState, OptionChange, SessionView
from canopy_tui.wire.answers import read_session
from tui_model.reducing import Story


def _opened(result: dict[str, Any]) -> tuple[ClientState, SessionView]:
    state = ClientState()
    reduce(state, read_session({"sessionId": "S", **result}, None, "/", 0.0))
    return state, state.sessions["S"]


_MODES = {
    "currentModeId": "ask",
    "availableModes": [
        {"id": "ask", "name": "Ask", "description": "asks first"},
        {"id": "code"},
        {"id": 7},
    ],
}
_MODELS = {
    "currentModelId": "m1",
    "availableModels": [{"modelId": "m1", "name": "One"}, {"modelId": "m2", "name": "Two"}],
}


def test_modes_and_models_of_the_older_way_are_options_too() -> None:
    state, root = _opened({"modes": _MODES, "models": _MODELS})
    mode, model = adjustables(root)
    assert (mode.name, mode.shown, [c.name for c in mode.choices]) == (
        "Mode",
        "Ask",
        ["Ask", "code"],
    )
    assert mode.choices[0].description == "asks first"
    assert (model.name, model.shown, root.model) == ("Model", "One", "One")
    assert mode.setting("S", "code") == SetMode("S", "code")
    assert model.setting("S", "m2") == SetModel("S", "m2")
    reduce(state, e.ModelChanged("S", "m2"))
    assert (adjustables(root)[1].shown, root.model) == ("Two", "Two")


def test_an_option_of_the_same_kind_stands_for_the_older_way() -> None:
    mode = {
        "id": "mode",
        "name": "Mode",
        "category": "mode",
        "type": "select",
        "currentValue": "code",
        "options": [{"value": "code", "name": "Code"}],
    }
    _, root = _opened({"modes": _MODES, "configOptions": [mode]})
    [only] = adjustables(root)
    assert (only.shown, only.setting("S", "code")) == ("Code", SetOption("S", "mode", "code"))


def test_options_of_odd_agents() -> None:
    options = [
        {"id": "level", "type": "select", "currentValue": "\x1b[31mx", "options": None},
        {
            "id": "m",
            "name": "Model\n2",
            "type": "select",
            "currentValue": "b",
            "options": [
                {"group": "g", "name": "Far", "options": [{"value": "a", "name": "A"}, 3]},
                {"value": "b"},
            ],
            "_meta": air.wrap(recommendedValue="a"),
        },
        {"id": "on", "name": "Switch", "type": "boolean", "currentValue": True},
    ]
    _, root = _opened({"configOptions": options})
    level, model, switch = adjustables(root)
    assert (level.name, level.shown, level.choices) == ("level", "␛[31mx", ())
    assert model.name == "Model 2"
    assert [(c.value, c.name, c.recommended) for c in model.choices] == [
        ("a", "Far · A", True),
        ("b", "b", False),
    ]
    assert (switch.is_switch, switch.shown) == (True, "on")
    assert decode_config_options([{"id": "x", "options": 4}])[0].id == "x"


def test_a_change_is_told_until_it_is_made_or_after_it_was_refused() -> None:
    fast = {"id": "fast", "name": "Fast", "type": "boolean", "currentValue": False}
    state, root = _opened({"configOptions": [fast]})
    reduce(state, e.OptionAsked("S", "fast", True))
    assert adjustables(root)[0].change == OptionChange(True)
    reduce(state, e.OptionSettled("S", "fast", "not in your plan"))
    assert adjustables(root)[0].change == OptionChange(True, "not in your plan")
    reduce(state, e.OptionAsked("S", "fast", True))
    reduce(state, e.OptionSettled("S", "fast"))
    assert adjustables(root)[0].change is None


def _model_option(value: str) -> dict[str, Any]:
    choices = [{"value": "opus", "name": "Opus 5.5"}, {"value": "haiku", "name": "Haiku 5.5"}]
    return {
        "id": "model",
        "name": "Model",
        "category": "model",
        "type": "select",
        "currentValue": value,
        "options": choices,
    }


def _used(model: str, *, over: bool = False) -> dict[str, Any]:
    meta: dict[str, Any] = {"_claude/model": model}
    if over:
        meta["_claude/origin"] = {"kind": "human"}
    return {"sessionUpdate": "usage_update", "used": 10, "size": 100, "_meta": meta}


def _picks(story: Story, value: str) -> None:
    told = {"sessionUpdate": "config_option_update", "configOptions": [_model_option(value)]}
    story.update("S", told)


def test_a_model_that_is_picked_is_told_at_once_until_it_answers_or_another_one_does() -> None:
    story = Story()
    _picks(story, "opus")
    story.prompt()
    story.update("S", _used("claude-opus-5-5"))
    assert story.view().model == "claude-opus-5-5"
    _picks(story, "haiku")
    for over in (False, True):  # of the turn in which it was picked
        story.update("S", _used("claude-opus-5-5", over=over))
        assert story.view().model == "Haiku 5.5"
    story.turn_ends()
    story.update("S", _used("claude-opus-5-5"))  # a window of another size, the figures of before
    assert story.view().model == "Haiku 5.5"
    story.prompt()
    story.update("S", _used("claude-haiku-5-5"))
    assert story.view().model == "claude-haiku-5-5"
    story.update("S", _used("claude-opus-5-5"))
    assert story.view().model == "claude-opus-5-5", "another model stepped in"


def test_where_the_model_of_before_answers_all_the_same_its_turn_says_so() -> None:
    story = Story()
    _picks(story, "opus")
    story.prompt()
    story.update("S", _used("claude-opus-5-5", over=True))
    story.turn_ends()
    _picks(story, "haiku")
    story.prompt()
    story.update("S", _used("claude-opus-5-5", over=True))
    assert story.view().model == "claude-opus-5-5"
