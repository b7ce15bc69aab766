"""Turns launch options into the CLI's command line, environment and ``initialize`` request.

Pure: it must not look at the disk or our own environment. Source of the forms: claude-agent-sdk
0.2.189 (``SubprocessCLITransport``, ``Query.initialize``) and the TypeScript SDK 0.3.318.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from canopy_agent.claude.launch_options import PresetPrompt
from canopy_agent.claude.process import LaunchSpec
from canopy_shared import jsonio

if TYPE_CHECKING:
    from canopy_agent.claude.launch_options import HookMatcher, LaunchOptions

NESTING_MARKS = frozenset(
    {
        "AI_AGENT",
        "CLAUDECODE",
        "CLAUDE_AGENT_SDK_DERIVED_CLIENT_APP",
        "CLAUDE_CODE_CHILD_NOTES_DIR",
        "CLAUDE_CODE_CHILD_SESSION",
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_EXECPATH",
        "CLAUDE_CODE_MESSAGING_SOCKET",
        "CLAUDE_CODE_MESSAGING_TOKEN",
        "CLAUDE_CODE_SESSION_ATTENDED",
        "CLAUDE_CODE_SESSION_ID",
        "CLAUDE_CODE_SSE_PORT",
        "CLAUDE_EFFORT",
        "CLAUDE_PID",
    }
)
"""What the CLI 2.1.332 tells the commands it runs, and where the editor of an outer terminal
listens. A CLI that inherits it takes itself for part of the outer session."""

PROMPT_ARGUMENT_LIMIT = 100_000
"""Bytes of system prompt that still go on the command line; Linux takes 128 KiB per argument."""

_UNSTARTABLE = re.compile("[\0\ud800-\udfff]")

_MORE_FIELDS = ("title", "toolAliases", "planModeInstructions", "agentProgressSummaries")


def launch_spec(
    options: LaunchOptions, *, executable: str, environ: Mapping[str, str], sdk_version: str
) -> LaunchSpec:
    """How to start the CLI at ``executable`` for ``options``, from our environment ``environ``."""
    return LaunchSpec(
        argv=(executable, *command_line(options)),
        env=child_environment(options, environ, sdk_version),
        cwd=options.cwd,
    )


def command_line(options: LaunchOptions) -> tuple[str, ...]:
    """The arguments after the executable, in the order of the SDK.

    Raises ValueError when a settings path and sandbox settings come together.
    """
    words = (
        *("--output-format", "stream-json", "--verbose"),
        *_prompt_arguments(options.system_prompt),
        *_tool_arguments(options),
        *_session_arguments(options),
        *_source_arguments(options),
        *_extra_arguments(options),
        *_thinking_arguments(options),
        *_pair("--effort", options.effort),
        *_pair("--json-schema", _schema(options)),
        *("--input-format", "stream-json"),
    )
    return tuple(_startable(word) for word in words)


def child_environment(
    options: LaunchOptions, environ: Mapping[str, str], sdk_version: str
) -> dict[str, str]:
    """The CLI's environment: ours without nesting marks, the session's, then what must hold."""
    env = {key: value for key, value in environ.items() if key not in NESTING_MARKS}
    env["CLAUDE_CODE_ENTRYPOINT"] = "sdk-py"
    env |= {key: _startable(value) for key, value in options.env.items()}
    env["CLAUDE_AGENT_SDK_VERSION"] = sdk_version
    env["PWD"] = options.cwd
    if options.enable_file_checkpointing:
        env["CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING"] = "true"
    env["CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS"] = "1"
    env["CLAUDE_CODE_STARTUP_FAILURE_RESULTS"] = "1"
    return env


def _startable(text: str) -> str:
    """Text of a client as a process can be given it: what it has no bytes for becomes U+FFFD."""
    # A client that cuts text in the middle of an emoji sends half of a pair.
    return _UNSTARTABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def initialize_fields(options: LaunchOptions) -> dict[str, Any]:
    """The fields of the ``initialize`` control request, without its ``subtype``."""
    fields: dict[str, Any] = {"hooks": _hooks(options.hooks) or None}
    if options.agents:
        fields["agents"] = {name: dict(agent) for name, agent in options.agents.items()}
    prompt = options.system_prompt
    optional: dict[str, Any]
    if isinstance(prompt, PresetPrompt):
        optional = {
            "excludeDynamicSections": prompt.exclude_dynamic_sections,
            "systemPromptSnapshot": prompt.snapshot,
            "appendSystemPrompt": prompt.append if _is_long(prompt.append) else None,
        }
    else:
        optional = {"systemPrompt": [prompt] if _is_long(prompt) else None}
    optional |= {
        "forwardSubagentText": options.forward_subagent_text or None,
        "perTaskStopAffordance": options.per_task_stop_affordance,
        "promptSuggestions": options.prompt_suggestions,
        "supportedDialogKinds": list(options.supported_dialog_kinds) or None,
        **{key: options.more.get(key) for key in _MORE_FIELDS},
    }
    skills = options.more.get("skills")
    if isinstance(skills, list):
        optional["skills"] = skills
    return fields | {key: value for key, value in optional.items() if value is not None}


def _prompt_arguments(prompt: str | PresetPrompt) -> Iterable[str]:
    # A long prompt goes with the initialize request instead.
    if isinstance(prompt, PresetPrompt):
        if prompt.append and not _is_long(prompt.append):
            return ("--append-system-prompt", prompt.append)
        return ()
    return () if _is_long(prompt) else ("--system-prompt", prompt)


def _is_long(text: str | None) -> bool:
    return text is not None and len(text.encode(errors="replace")) > PROMPT_ARGUMENT_LIMIT


def _tool_arguments(options: LaunchOptions) -> Iterable[str]:
    more = options.more
    skills = more.get("skills")
    if isinstance(skills, list):
        rules = [f"Skill({name})" for name in skills]
    else:
        rules = ["Skill"] if skills == "all" else []
    allowed = (*options.allowed_tools, *(r for r in rules if r not in options.allowed_tools))
    yield from ("--tools", "default" if options.tools is None else ",".join(options.tools))
    yield from _pair("--allowedTools", ",".join(allowed))
    yield from _pair("--max-turns", more.get("maxTurns") or None)
    yield from _pair("--max-budget-usd", more.get("maxBudgetUsd"))
    yield from _pair("--disallowedTools", ",".join(options.disallowed_tools))
    yield from _pair("--task-budget", more.get("taskBudget", {}).get("total"))


def _session_arguments(options: LaunchOptions) -> Iterable[str]:
    more = options.more
    yield from _pair("--model", options.model)
    yield from _pair("--fallback-model", more.get("fallbackModel"))
    yield from _pair("--betas", ",".join(more.get("betas", ())))
    yield from ("--permission-prompt-tool", "stdio")
    yield from _pair("--permission-mode", options.permission_mode)
    # One word each: the CLI would take a value that begins with a dash for another option.
    yield from _bound("--resume", options.resume or None)
    yield from _bound("--session-id", options.session_id or None)
    yield from _pair("--settings", _settings(options))
    for directory in options.additional_directories:
        yield from ("--add-dir", directory)
    if options.mcp_servers:
        yield from ("--mcp-config", _json({"mcpServers": options.mcp_servers}))
    yield from _bare("--include-partial-messages", options.include_partial_messages)
    yield from _bare("--include-hook-events", more.get("includeHookEvents"))
    yield from _bare("--strict-mcp-config", more.get("strictMcpConfig"))
    yield from _bare("--fork-session", options.fork)
    yield from _bound("--resume-session-at", more.get("resumeSessionAt") or None)
    yield from _bound("--resume-drops-turn", more.get("resumeDropsTurn"))


def _source_arguments(options: LaunchOptions) -> Iterable[str]:
    yield f"--setting-sources={','.join(options.setting_sources)}"
    for plugin in options.more.get("plugins", ()):
        yield from ("--plugin-dir", plugin["path"])


def _extra_arguments(options: LaunchOptions) -> Iterable[str]:
    more = options.more
    extra = dict(options.extra_args)
    if options.agent:
        extra["agent"] = options.agent
    if options.allow_dangerously_skip_permissions:
        extra["allow-dangerously-skip-permissions"] = None
    if more.get("persistSession") is False:
        extra["no-session-persistence"] = None
    if more.get("debugFile"):
        extra["debug-file"] = more["debugFile"]
    elif more.get("debug"):
        extra["debug"] = None
    if more.get("managedSettings"):
        extra["managed-settings"] = _json(more["managedSettings"])
    extra["replay-user-messages"] = None
    for flag, value in extra.items():
        if value is None:
            yield f"--{flag}"
        elif value.startswith("-"):
            yield f"--{flag}={value}"
        else:
            yield from (f"--{flag}", value)


def _thinking_arguments(options: LaunchOptions) -> Iterable[str]:
    thinking = options.thinking
    if thinking is None:
        yield from _pair("--max-thinking-tokens", options.max_thinking_tokens)
        return
    if thinking.type == "enabled" and thinking.budget_tokens is not None:
        yield from ("--max-thinking-tokens", str(thinking.budget_tokens))
    else:
        # A budget that is not given is left to the model, as in the TypeScript SDK.
        yield from ("--thinking", "disabled" if thinking.type == "disabled" else "adaptive")
    if thinking.type != "disabled":
        yield from _pair("--thinking-display", thinking.display)


def _settings(options: LaunchOptions) -> str | None:
    settings, sandbox = options.settings, options.more.get("sandbox")
    if isinstance(settings, Mapping):
        return _json({**settings, "sandbox": sandbox} if sandbox else settings)
    if not sandbox:
        return settings
    if settings and not settings.lstrip().startswith("{"):
        raise ValueError("settings from a file cannot be joined with sandbox settings")
    return _json({**jsonio.loads(settings or "{}"), "sandbox": sandbox})


def _schema(options: LaunchOptions) -> str | None:
    wanted = options.more.get("outputFormat", {})
    if wanted.get("type") != "json_schema" or wanted.get("schema") is None:
        return None
    return _json(wanted["schema"])


def _hooks(hooks: Mapping[str, tuple[HookMatcher, ...]]) -> dict[str, list[dict[str, Any]]]:
    return {event: [_hook(one) for one in matchers] for event, matchers in hooks.items()}


def _hook(hook: HookMatcher) -> dict[str, Any]:
    timeout = {} if hook.timeout is None else {"timeout": hook.timeout}
    return {"matcher": hook.matcher, "hookCallbackIds": list(hook.callback_ids), **timeout}


def _json(value: Any) -> str:
    return jsonio.dumps(value).decode()


def _pair(flag: str, value: Any) -> tuple[str, ...]:
    return () if value is None or value == "" else (flag, str(value))


def _bound(flag: str, value: str | None) -> tuple[str, ...]:
    return () if value is None else (f"{flag}={value}",)


def _bare(flag: str, wanted: Any) -> tuple[str, ...]:
    return (flag,) if wanted else ()
