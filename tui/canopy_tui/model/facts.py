"""Updates that change facts of a session: modes, options, commands, title, goal, failures.

Each replaces what was known before; what the facts are used for is not known here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_shared.ext import failure, file_report, goal, suggestions
from canopy_shared.unset import Unset
from canopy_tui.model import failures, transcript
from canopy_tui.model.entries import ChangesEntry
from canopy_tui.model.events import (
    AgentUseTold,
    ModelChanged,
    OptionAsked,
    OptionSettled,
    ServersAsked,
    ServersTold,
    UsageAsked,
    UsageTold,
)
from canopy_tui.model.sanitize import clipped
from canopy_tui.model.state import OptionChange, Replay

if TYPE_CHECKING:
    from canopy_shared.ext.file_report import FileReport
    from canopy_shared.updates import (
        AvailableCommandsUpdate,
        ConfigOption,
        ConfigOptionUpdate,
        CurrentModeUpdate,
        SessionInfoUpdate,
    )
    from canopy_tui.model.events import AboutControls
    from canopy_tui.model.state import ClientState, SessionView, Touched

TITLE_LIMIT = 200
_WHATEVER = "default"
"""The model of a child that has none of its own: which one that is, is not said by its name."""


def commands(view: SessionView, update: AvailableCommandsUpdate) -> None:
    """The slash commands."""
    view.commands = update.available_commands


def mode(view: SessionView, update: CurrentModeUpdate) -> None:
    """The permission mode."""
    view.mode = update.current_mode_id


def options(view: SessionView, update: ConfigOptionUpdate) -> None:
    """The config options."""
    take_options(view, update.config_options)


def take_options(view: SessionView, given: tuple[ConfigOption, ...]) -> None:
    """Keep the options, and read mode, model and role out of them."""
    before = {option.id: option.current_value for option in view.options}
    view.options = given
    for option in given:
        value = option.current_value
        if not isinstance(value, str):
            continue
        choices = option.options if isinstance(option.options, tuple) else ()
        if option.category == "mode":
            view.mode = value
            view.modes = tuple((choice.value, choice.name) for choice in choices)
        elif option.category == "model" and (not view.model or before.get(option.id) != value):
            names = {choice.value: choice.name for choice in choices}
            if view.parent is None or value != _WHATEVER:
                _picked(view, clipped(names.get(value, value), TITLE_LIMIT))
        elif option.id == "agent" and view.parent is not None and not view.role:
            view.role = clipped(value, TITLE_LIMIT)


def take_models(view: SessionView, models: tuple[tuple[str, str, str], ...], current: str) -> None:
    """The models of an agent that tells them outside its options, and which of them answers."""
    view.models = models or view.models
    if current and current != view.model_id:
        view.model_id = current
        names = {id_: name for id_, name, _ in view.models}
        _picked(view, clipped(names.get(current, current), TITLE_LIMIT))


def _picked(view: SessionView, model: str) -> None:
    view.model, view.picked_in = model, view.prompts


def answered(view: SessionView, model: str, *, turn_is_over: bool) -> None:
    """What was used was used by ``model``. After another one was picked the figures still name the
    one before, until the picked one answers, or a turn that began since is over.
    """
    if view.picked_in is not None and model == view.answered_by:
        began_since = view.prompts > view.picked_in
        if not (turn_is_over and began_since):
            return
    view.model = view.answered_by = model
    view.picked_in = None


def model_changed(state: ClientState, event: ModelChanged, touched: Touched) -> None:
    """The agent agreed to another model."""
    view = state.find(event.session)
    if view is not None:
        take_models(view, (), event.model)
        touched.sessions.add(view.id)


def controls_changed(state: ClientState, event: AboutControls, touched: Touched) -> None:
    """A report or the servers were asked for, or came, or did not."""
    view = state.find(event.session)
    if view is None:
        return
    touched.sessions.add(view.id)
    controls = view.controls
    match event:
        case UsageAsked():
            controls.asks_report = True
        case UsageTold(_, report, error):
            controls.asks_report, controls.report_error = False, error
            controls.report = report or controls.report
        case AgentUseTold(_, use):
            view.model = clipped(use.model, TITLE_LIMIT) or view.model
            view.spent = use.read + use.written
        case ServersAsked(_, action, server):
            controls.asks_servers = True
            if server:
                controls.at_work[server] = action
                controls.problems.pop(server, None)
        case ServersTold(_, servers, error, server, problem):
            controls.asks_servers, controls.servers_error = False, error
            controls.servers = controls.servers if servers is None else servers
            controls.at_work.pop(server, None)
            if problem and server:
                controls.problems[server] = problem


def option_change(state: ClientState, event: OptionAsked | OptionSettled, touched: Touched) -> None:
    """A change of an option is asked for, made, or refused: what was refused is kept, so that it
    can be told beside the value that stays.
    """
    view = state.find(event.session)
    if view is None:
        return
    touched.sessions.add(view.id)
    asked = view.option_changes.pop(event.option, None)
    if isinstance(event, OptionAsked):
        view.option_changes[event.option] = OptionChange(event.value)
    elif event.refused and asked is not None:
        view.option_changes[event.option] = OptionChange(asked.value, event.refused)


def information(
    state: ClientState, view: SessionView, update: SessionInfoUpdate, at: float, touched: Touched
) -> None:
    """The title, and what extensions tell with it: predictions, goal, failures, changed files."""
    if isinstance(update.title, str):
        view.title = clipped(update.title, TITLE_LIMIT)
    predicted = suggestions.read(update.meta)
    if predicted is not None:
        view.suggestions = predicted
    told = goal.read(update.meta)
    if not isinstance(told, Unset):
        view.goal = told
    if view.replay is Replay.SKIP:
        return  # what follows is shown in the transcript already
    record = failure.read(update.meta)
    if record is not None:
        failures.told(state, view, record, at, touched)
    report = file_report.read(update.meta)
    if report is not None and report.paths:
        _changed_files(state, view, report, at, touched)


def _changed_files(
    state: ClientState, view: SessionView, report: FileReport, at: float, touched: Touched
) -> None:
    entry = ChangesEntry(
        at=at, paths=report.paths, truncated=report.truncated, since=view.turn_started_at
    )
    transcript.append(state, view, entry, touched, work=False)
