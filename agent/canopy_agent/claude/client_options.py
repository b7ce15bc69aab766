"""Reads ``_meta.claudeCode.options`` of a session request, and what the client's profile decides.

It must not know how the CLI is started. Keys are those of the TypeScript Agent SDK (0.3.318) that
claude-agent-acp 0.101.0 passes through; the adapter computes the others itself, and unknown keys,
callbacks included, are ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from canopy_agent.claude.errors import LaunchOptionInvalid
from canopy_agent.claude.launch_options import PresetPrompt, Thinking
from canopy_shared.ext.air import AGENT_FILE_CHANGE_REPORT

if TYPE_CHECKING:
    from canopy_agent.capabilities import ClientProfile
    from canopy_agent.claude.launch_options import LaunchOptions

Reader = Callable[[Any], Any]
"""Gives the option's value, or raises TypeError or ValueError for what it does not take."""


def with_client_options(options: LaunchOptions, raw: Mapping[str, Any]) -> LaunchOptions:
    """``options`` with what the client asked for over them.

    Tool and directory lists are joined, the client's first; so are MCP servers, agents, variables
    and extra arguments, where ``options`` win by name.

    Raises :class:`~.errors.LaunchOptionInvalid` for a value of the wrong kind: a rule that is
    silently dropped could be one that forbids something.
    """
    changes: dict[str, Any] = {}
    more = dict(options.more)
    for key, value in raw.items():
        if value is None:
            continue
        try:
            if key in _FIELDS:
                name, read = _FIELDS[key]
                changes[name] = _joined(getattr(options, name), read(value), name)
            elif key in _MORE:
                more[key] = _MORE[key](value)
        except (TypeError, ValueError) as error:
            raise LaunchOptionInvalid(key, str(error)) from error
    return replace(options, **changes, more=more)


def with_profile(options: LaunchOptions, profile: ClientProfile) -> LaunchOptions:
    """``options`` with what the client can show deciding what the CLI sends.

    Subagent text and the per-task stop follow the child form; AskUserQuestion needs forms.
    """
    disallowed = options.disallowed_tools
    if not profile.elicitation_form and "AskUserQuestion" not in disallowed:
        disallowed = (*disallowed, "AskUserQuestion")
    stop = options.per_task_stop_affordance
    if stop is None and profile.spares_background:
        stop = True
    return replace(
        options,
        disallowed_tools=disallowed,
        forward_subagent_text=options.forward_subagent_text or profile.forwards_child_text,
        per_task_stop_affordance=stop,
        enable_file_checkpointing=options.enable_file_checkpointing
        or profile.air_has(AGENT_FILE_CHANGE_REPORT),
    )


def _joined(default: Any, given: Any, name: str) -> Any:
    if name in _TUPLES_THAT_JOIN:
        return (*given, *(one for one in default if one not in given))
    if name in _MAPPINGS_THAT_JOIN:
        return {**given, **default}
    return given


_TUPLES_THAT_JOIN = frozenset({"disallowed_tools", "allowed_tools", "additional_directories"})
_MAPPINGS_THAT_JOIN = frozenset({"env", "extra_args", "mcp_servers", "agents"})


def _is(kind: type | tuple[type, ...], what: str) -> Reader:
    def read(value: Any) -> Any:
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise TypeError(f"must be {what}")
        return value

    return read


_text = _is(str, "a string")
_flag = _is(bool, "true or false")
_number = _is((int, float), "a number")
_whole = _is(int, "a whole number")
_object = _is(dict, "an object")


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise TypeError("must be a list of strings")
    return tuple(value)


def _text_list(value: Any) -> list[str]:
    return list(_texts(value))


def _objects(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict) or not all(isinstance(one, dict) for one in value.values()):
        raise TypeError("must be an object of objects")
    return value


def _settings(value: Any) -> str | dict[str, Any]:
    if not isinstance(value, str | dict):
        raise TypeError("must be an object or a path")
    return value


def _env(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        raise TypeError("must be an object")
    # undefined is how a JavaScript caller says: not set
    given = {key: one for key, one in value.items() if one is not None}
    for key, one in given.items():
        if not isinstance(one, str) or not key or "=" in key or "\0" in key + one:
            raise ValueError(f"{key!r} is no environment variable with a string value")
    return given


def _extra_args(value: Any) -> dict[str, str | None]:
    if not isinstance(value, dict) or not all(isinstance(v, str | None) for v in value.values()):
        raise TypeError("must be an object of strings and nulls")
    return value


def _tools(value: Any) -> tuple[str, ...] | None:
    if isinstance(value, dict) and value.get("type") == "preset":
        return None
    return _texts(value)


def _thinking(value: Any) -> Thinking:
    kind = _object(value).get("type")
    if kind not in ("adaptive", "enabled", "disabled"):
        raise ValueError("type must be adaptive, enabled or disabled")
    budget, display = value.get("budgetTokens"), value.get("display")
    return Thinking(
        kind,
        budget_tokens=None if budget is None else _whole(budget),
        display=None if display is None else _text(display),
    )


def _system_prompt(value: Any) -> str | PresetPrompt:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n\n".join(_texts(value))
    names = {"append": "append", "excludeDynamicSections": "exclude_dynamic_sections"}
    names["snapshot"] = "snapshot"
    given = {names[key]: one for key, one in _object(value).items() if key in names}
    prompt = PresetPrompt(**given)
    for name, kind in (("append", str), ("exclude_dynamic_sections", bool), ("snapshot", bool)):
        if not isinstance(getattr(prompt, name), kind | None):
            raise TypeError(f"{name} has the wrong type")
    return prompt


def _skills(value: Any) -> list[str] | str:
    if value == "all":
        return "all"
    names = _text_list(value)
    for name in names:
        # The CLI cuts the rules made of these names at such characters.
        if name != name.strip() or not name or any(c in "(),\\*" or ord(c) < 32 for c in name):
            raise ValueError(f"{name!r} is no skill name")
    return names


def _plugins(value: Any) -> list[dict[str, Any]]:
    if not isinstance(value, list):
        raise TypeError("must be a list")
    for plugin in value:
        if _object(plugin).get("type") != "local" or not isinstance(plugin.get("path"), str):
            raise ValueError("a plugin must be {type: 'local', path}")
    return value


_FIELDS: dict[str, tuple[str, Reader]] = {
    "additionalDirectories": ("additional_directories", _texts),
    "agent": ("agent", _text),
    "agents": ("agents", _objects),
    "allowedTools": ("allowed_tools", _texts),
    "disallowedTools": ("disallowed_tools", _texts),
    "effort": ("effort", _text),
    "enableFileCheckpointing": ("enable_file_checkpointing", _flag),
    "env": ("env", _env),
    "extraArgs": ("extra_args", _extra_args),
    "forwardSubagentText": ("forward_subagent_text", _flag),
    "maxThinkingTokens": ("max_thinking_tokens", _whole),
    "mcpServers": ("mcp_servers", _objects),
    "model": ("model", _text),
    "perTaskStopAffordance": ("per_task_stop_affordance", _flag),
    "promptSuggestions": ("prompt_suggestions", _flag),
    "settingSources": ("setting_sources", _texts),
    "settings": ("settings", _settings),
    "systemPrompt": ("system_prompt", _system_prompt),
    "thinking": ("thinking", _thinking),
    "tools": ("tools", _tools),
}

_MORE: dict[str, Reader] = {
    "agentProgressSummaries": _flag,
    "betas": _text_list,
    "debug": _flag,
    "debugFile": _text,
    "fallbackModel": _text,
    "includeHookEvents": _flag,
    "managedSettings": _object,
    "maxBudgetUsd": _number,
    "maxTurns": _whole,
    "outputFormat": _object,
    "persistSession": _flag,
    "planModeInstructions": _text,
    "plugins": _plugins,
    "resumeDropsTurn": _text,
    "resumeSessionAt": _text,
    "sandbox": _object,
    "skills": _skills,
    "strictMcpConfig": _flag,
    "taskBudget": _object,
    "title": _text,
    "toolAliases": _object,
}
