"""What a client asks of the CLI beyond ACP: ``_meta.claudeCode.options`` and its older spellings.

Options are read leniently, as every key is optional; what the adapter sets itself is not known
here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from canopy_agent.capabilities import ClientProfile
from canopy_shared.ext.claude import payload_of

Json = Mapping[str, Any]

ALL_TOOLS: Final = {"type": "preset", "preset": "claude_code"}
QUESTION_TOOL: Final = "AskUserQuestion"


@dataclass(frozen=True, slots=True)
class CallerOptions:
    """The options that the adapter itself looks at; ``passed`` holds them all as they came.

    ``tools`` is a list of names or a preset. ``settings`` is an object, or the path of a file.
    """

    passed: Json = field(default_factory=dict)
    tools: Any = None
    disallowed_tools: tuple[str, ...] = ()
    settings: Json | str | None = None
    allow_bypass: bool = True
    agent: str | None = None
    effort: str | None = None
    resume: str | None = None
    forward_subagent_text: bool = False
    per_task_stop: bool | None = None
    prompt_suggestions: bool = True
    env: Mapping[str, str] = field(default_factory=dict, repr=False)


def _text(source: Json, key: str) -> str | None:
    value = source.get(key)
    return value if isinstance(value, str) and value else None


def _flag(source: Json, key: str) -> bool | None:
    value = source.get(key)
    return value if isinstance(value, bool) else None


def caller_options(meta: Json, profile: ClientProfile) -> CallerOptions:
    """Read the ``_meta`` of a request that opens a session."""
    given = payload_of(meta).get("options")
    options: Json = given if isinstance(given, Mapping) else {}
    disallowed = options.get("disallowedTools")
    listed = disallowed if isinstance(disallowed, (list, tuple)) else ()
    names = [name for name in listed if isinstance(name, str)]
    if not profile.elicitation_form and QUESTION_TOOL not in names:
        names.append(QUESTION_TOOL)  # nobody could be asked
    settings, env = options.get("settings"), options.get("env")
    return CallerOptions(
        passed=options,
        tools=_tools(meta, options),
        disallowed_tools=tuple(names),
        settings=settings if isinstance(settings, (Mapping, str)) and settings else None,
        allow_bypass=options.get("allowDangerouslySkipPermissions") is not False,
        agent=_text(options, "agent"),
        effort=_text(options, "effort"),
        resume=_text(options, "resume"),
        forward_subagent_text=options.get("forwardSubagentText") is True,
        per_task_stop=_flag(options, "perTaskStopAffordance"),
        prompt_suggestions=options.get("promptSuggestions") is not False,
        env={
            key: value
            for key, value in (env if isinstance(env, Mapping) else {}).items()
            if isinstance(key, str) and isinstance(value, str)
        },
    )


def _tools(meta: Json, options: Json) -> Any:
    """The built-in tools: the option, else none for the older switch, else all."""
    tools = options.get("tools")
    if isinstance(tools, (list, tuple)):
        return [name for name in tools if isinstance(name, str)]
    if isinstance(tools, Mapping):
        return dict(tools)
    return [] if meta.get("disableBuiltInTools") is True else dict(ALL_TOOLS)
