"""Per tool, what "always" may mean: the CLI's suggestions when they are safe to put in words, or
our rule.

An option never allows more than its label says; how an answer travels back is not known here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from canopy_agent.brokers import rule_paths as paths
from canopy_agent.brokers.asked import PermissionAsked
from canopy_agent.brokers.choices import AllowAlways, Choice
from canopy_agent.brokers.suggestions import (
    LOCAL_SETTINGS,
    SESSION,
    DirectoriesUpdate,
    ModeUpdate,
    Rule,
    RulesUpdate,
    Suggestion,
    is_plain,
    local_allow_rule,
    read_suggestions,
)
from canopy_shared.permission import ALLOW_ALWAYS

WITH_UPDATES: Final = "allow-with-updates"
SKILL_EXACT: Final = "allow-skill-exact"
SKILL_PREFIX: Final = "allow-skill-prefix"

MCP_PREFIX: Final = "mcp__"
SANDBOX_NETWORK: Final = "SandboxNetworkAccess"
_LONGEST_NAME: Final = 120


@dataclass(frozen=True, slots=True)
class Place:
    """Where the session works; paths are absolute."""

    cwd: str
    home: str


Builder = Callable[[PermissionAsked, tuple[Suggestion, ...], Place], tuple[Choice, ...]]


def _suggested(name: str, suggestions: tuple[Suggestion, ...]) -> tuple[Choice, ...]:
    updates = tuple(suggestion.raw for suggestion in suggestions)
    return (Choice(WITH_UPDATES, ALLOW_ALWAYS, name, AllowAlways(updates)),)


def _generated(id_: str, name: str, tool: str, content: str | None = None) -> tuple[Choice, ...]:
    update = local_allow_rule(tool, content)
    if update is None:
        return ()
    return (Choice(id_, ALLOW_ALWAYS, name, AllowAlways((update,))),)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_NAME else f"{text[: _LONGEST_NAME - 1]}…"


# --- suggestions of the CLI ---------------------------------------------------------------------


def _shell(
    asked: PermissionAsked, suggestions: tuple[Suggestion, ...], place: Place
) -> tuple[Choice, ...]:
    """Commands, read paths and directories, each with the scope it holds for."""
    scopes: dict[str, list[str]] = {}
    for suggestion in suggestions:
        parts = scopes.setdefault(paths.scope_of(suggestion.destination), [])
        match suggestion:
            case DirectoriesUpdate("addDirectories", directories, destination) if (
                destination == SESSION
            ):
                parts += [f"work in {paths.path_label(path)}" for path in directories]
            case RulesUpdate() if suggestion.adds_allow_rules:
                for rule in suggestion.rules:
                    if rule.content is None or rule.tool not in (asked.tool_name, "Read"):
                        return ()
                    if rule.tool == "Read":
                        where = paths.rule_path(rule.content, place.cwd, place.home)
                        parts.append(f"reading {paths.path_label(where or rule.content)}")
                    else:
                        command = asked.input_text("command")
                        parts.append(paths.command_label(rule.content, command))
            case _:
                return ()
    if not scopes:
        return ()
    said = [f"{paths.listed(parts)} {scope}" for scope, parts in scopes.items()]
    return _suggested(f"Always allow {', and '.join(said)}", suggestions)


_PATH_KEYS: Final = ("file_path", "notebook_path", "path")


def _target(asked: PermissionAsked, place: Place) -> str:
    named = next((text for key in _PATH_KEYS if (text := asked.input_text(key))), ".")
    return paths.absolute(named, place.cwd)


def _read(
    asked: PermissionAsked, suggestions: tuple[Suggestion, ...], place: Place
) -> tuple[Choice, ...]:
    """Rules for ``Read`` in this session, of which one must cover the path that is asked for."""
    target, where, covered = _target(asked, place), list[str](), False
    for suggestion in suggestions:
        if not isinstance(suggestion, RulesUpdate) or not suggestion.adds_allow_rules:
            return ()
        if suggestion.destination != SESSION:
            return ()
        for rule in suggestion.rules:
            if rule.tool != "Read":
                return ()
            named = "/" if rule.content is None else _named(rule.content, place)
            if named is None:
                return ()
            covered = covered or rule.content is None or paths.covers(named, target)
            where.append("anywhere" if rule.content is None else f"in {paths.path_label(named)}")
    if not covered:
        return ()
    return _suggested(f"Allow reading {paths.listed(where)} for this session", suggestions)


def _named(content: str, place: Place) -> str | None:
    return paths.rule_path(content, place.cwd, place.home)


def _edit(
    asked: PermissionAsked, suggestions: tuple[Suggestion, ...], place: Place
) -> tuple[Choice, ...]:
    """Edit mode, directories and ``Edit`` rules in this session that cover the path."""
    target, said, covered = _target(asked, place), list[str](), False
    guarded = paths.is_claude_settings(target) or asked.decision_reason_type == "safetyCheck"
    for suggestion in suggestions:
        if suggestion.destination != SESSION:
            return ()
        match suggestion:
            case ModeUpdate("acceptEdits"):
                said.append("all edits")
                covered = covered or not guarded
            case DirectoriesUpdate("addDirectories", directories):
                said += [f"work in {paths.path_label(path)}" for path in directories]
                inside = any(paths.covers(path, target) for path in directories)
                covered = covered or (inside and not guarded)
            case RulesUpdate() if suggestion.adds_allow_rules:
                for rule in suggestion.rules:
                    named = "/" if rule.content is None else _named(rule.content, place)
                    if rule.tool != "Edit" or named is None:
                        return ()
                    covered = covered or paths.covers(named, target)
                    said.append(_edits(named, place))
            case _:
                return ()
    if not covered:
        return ()
    return _suggested(f"Allow {paths.listed(said)} for this session", suggestions)


def _edits(named: str, place: Place) -> str:
    settings = {paths.absolute(".claude", root) for root in (place.cwd, place.home)}
    if any(paths.covers(directory, named) for directory in settings):
        return f"edits of Claude's own settings in {paths.path_label(named)}"
    return f"edits in {paths.path_label(named)}"


def _mcp(
    asked: PermissionAsked, suggestions: tuple[Suggestion, ...], place: Place
) -> tuple[Choice, ...]:
    """Only rules that allow this very tool without limits; they may hold for any scope."""
    scopes: list[str] = []
    for suggestion in suggestions:
        if not isinstance(suggestion, RulesUpdate) or not suggestion.adds_allow_rules:
            return ()
        if any(rule.tool != asked.tool_name or rule.content for rule in suggestion.rules):
            return ()
        scope = paths.scope_of(suggestion.destination)
        scopes += [scope] if scope not in scopes else []
    if not scopes:
        return ()
    server, _, tool = asked.tool_name.removeprefix(MCP_PREFIX).partition("__")
    named = f"{tool} of {server}" if tool else asked.tool_name
    return _suggested(f"Always allow {_short(named)} {paths.listed(scopes)}", suggestions)


def _sandbox(
    asked: PermissionAsked, suggestions: tuple[Suggestion, ...], place: Place
) -> tuple[Choice, ...]:
    """Exactly one rule for the host that the sandboxed command wants to reach."""
    host = asked.input_text("host")
    match suggestions:
        case (RulesUpdate(destination=destination) as update,) if (
            host and update.adds_allow_rules and destination == LOCAL_SETTINGS
        ):
            if update.rules in _sandbox_rules(host):
                return _suggested(
                    f"Always allow network access to {_short(host)} in this project", suggestions
                )
    return ()


def _sandbox_rules(host: str) -> tuple[tuple[Rule, ...], ...]:
    """The spellings of one rule for ``host``; the sandbox reads the rules of WebFetch too."""
    tools, contents = (SANDBOX_NETWORK, "WebFetch"), (host, f"domain:{host}")
    return tuple((Rule(tool, content),) for tool in tools for content in contents)


# --- rules of ours ------------------------------------------------------------------------------


def _web_fetch(
    asked: PermissionAsked, suggestions: tuple[Suggestion, ...], place: Place
) -> tuple[Choice, ...]:
    host = _host(asked.input_text("url") or "")
    if host is None:
        return ()
    name = f"Always allow fetching from {_short(host)} in this project"
    return _generated(WITH_UPDATES, name, asked.tool_name, f"domain:{host}")


def _host(url: str) -> str | None:
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not host or not is_plain(host):
        return None
    return None if any(char.isspace() or char in "*/\\" for char in host) else host


def _skill(
    asked: PermissionAsked, suggestions: tuple[Suggestion, ...], place: Place
) -> tuple[Choice, ...]:
    skill = (asked.input_text("skill") or "").strip()
    name, space, _ = skill.partition(" ")
    if not skill or not is_plain(skill):
        return ()
    exact = f"Always allow the skill call {_short(skill)} in this project"
    choices = _generated(SKILL_EXACT, exact, asked.tool_name, skill)
    if not space:
        return choices
    prefix = f"Always allow the skill {_short(name)} with any arguments in this project"
    return choices + _generated(SKILL_PREFIX, prefix, asked.tool_name, f"{name}:*")


def _whole_tool(
    asked: PermissionAsked, suggestions: tuple[Suggestion, ...], place: Place
) -> tuple[Choice, ...]:
    name = f"Always allow every use of {_short(asked.tool_name)} in this project"
    return _generated(WITH_UPDATES, name, asked.tool_name)


def _none(
    asked: PermissionAsked, suggestions: tuple[Suggestion, ...], place: Place
) -> tuple[Choice, ...]:
    return ()


_BUILDERS: Final[dict[str, Builder]] = {
    "Bash": _shell,
    "PowerShell": _shell,
    "Read": _read,
    "Glob": _read,
    "Grep": _read,
    "Edit": _edit,
    "MultiEdit": _edit,
    "Write": _edit,
    "NotebookEdit": _edit,
    "WebFetch": _web_fetch,
    "Skill": _skill,
    SANDBOX_NETWORK: _sandbox,
    "EnterPlanMode": _none,
}


def durable_choices(asked: PermissionAsked, place: Place) -> tuple[Choice, ...]:
    """The "always" options of a request, none when a rule could not be worded, kept or obeyed."""
    if asked.forced_by_rule or asked.suppress_always_allow_rule:
        return ()
    suggestions = read_suggestions(asked.suggestions)
    if suggestions is None:
        return ()
    fallback = _mcp if asked.tool_name.startswith(MCP_PREFIX) else _whole_tool
    return _BUILDERS.get(asked.tool_name, fallback)(asked, suggestions, place)
