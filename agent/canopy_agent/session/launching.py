"""How the CLI of one session is started: everything the client, the settings and the profile ask of
it.

It prepares a process and its greeting and starts nothing; the same session can be prepared again
after its CLI died.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from canopy_agent.brokers.dialogs import supported_kinds
from canopy_agent.claude.client_options import with_client_options, with_profile
from canopy_agent.claude.errors import LaunchOptionInvalid
from canopy_agent.claude.launch import initialize_fields, launch_spec
from canopy_agent.claude.launch_options import (
    HookMatcher,
    LaunchOptions,
    PresetPrompt,
    Thinking,
)
from canopy_agent.claude.locate import locate_cli, sdk_version
from canopy_agent.session.mcp_servers import claude_servers
from canopy_agent.session.provider_options import with_provider
from canopy_agent.session.validation import PromptOverride, SessionPlace, system_prompt
from canopy_shared.errors import invalid_params

if TYPE_CHECKING:
    from canopy_agent.auth.provider import Provider
    from canopy_agent.capabilities import ClientProfile
    from canopy_agent.claude.process import ClaudeProcess, LaunchSpec
    from canopy_agent.session.caller_options import CallerOptions
    from canopy_agent.settings import AdapterSettings
    from canopy_shared.requests import SessionSetup

log = logging.getLogger(__name__)

ProcessFactory = Callable[["LaunchSpec"], "ClaudeProcess"]

RESULT_HOOKS = ("PostToolUse", "TaskCreated", "TaskCompleted", "PostCompact", "PostModelSwitch")
CHILD_HOOKS = (
    *RESULT_HOOKS,
    "SubagentStart",
    "SubagentStop",
    "PreToolUse",
    "PostToolUseFailure",
)
"""Hooks that tell how a subagent runs; each costs the CLI a round trip, so only clients that show
subagents as sessions get them."""


def cli_process(spec: LaunchSpec) -> ClaudeProcess:
    """The default: our own driver, or the SDK's with ``CANOPY_CLAUDE_PROCESS=sdk``."""
    if spec.env.get("CANOPY_CLAUDE_PROCESS") == "sdk":
        from canopy_agent.claude.sdk_process import SdkProcess

        return SdkProcess(spec, on_stderr=_log_stderr)
    from canopy_agent.claude.cli_process import CliProcess

    return CliProcess(spec, on_stderr=_log_stderr)


def _log_stderr(line: str) -> None:
    log.info("claude: %s", line)


def hooks_for(profile: ClientProfile) -> tuple[str, ...]:
    """The hooks to install for a client."""
    return CHILD_HOOKS if profile.native_children else RESULT_HOOKS


def base_options(
    setup: SessionSetup,
    place: SessionPlace,
    caller: CallerOptions,
    settings: AdapterSettings,
    profile: ClientProfile,
) -> LaunchOptions:
    """Options of a session before its id and mode are known. Raises invalid params."""
    prompt = system_prompt(setup)
    words: str | PresetPrompt
    if isinstance(prompt, PromptOverride):
        words = prompt.text
    else:
        exclude = prompt.extra.get("excludeDynamicSections")
        words = PresetPrompt(prompt.append, exclude if isinstance(exclude, bool) else None)
    thinking = settings.thinking
    options = LaunchOptions(
        cwd=place.cwd,
        additional_directories=place.additional_directories,
        mcp_servers=claude_servers(setup.mcp_servers),
        prompt_suggestions=profile.air and caller.prompt_suggestions,
        supported_dialog_kinds=supported_kinds(profile),
        hooks={event: (HookMatcher((event,)),) for event in hooks_for(profile)},
        thinking=Thinking(thinking.mode, thinking.budget_tokens, thinking.display)  # type: ignore[arg-type]  # the same three words
        if thinking
        else None,
    )
    try:
        options = with_client_options(options, caller.passed)
    except LaunchOptionInvalid as error:
        raise invalid_params(f"_meta.claudeCode.options.{error}") from error
    tools = options.tools
    if tools is None and isinstance(caller.tools, list):
        tools = tuple(caller.tools)
    if setup.system_prompt is not None or "systemPrompt" not in caller.passed:
        options = replace(options, system_prompt=words)
    return with_profile(replace(options, tools=tools), profile)


@dataclass(frozen=True, slots=True)
class Launcher:
    """Prepares processes for one session. ``environ`` is the environment of the CLI; ``provider``
    gives the provider that the client chose, at the time when a process is prepared.
    """

    options: LaunchOptions
    environ: Mapping[str, str]
    process: ProcessFactory = cli_process
    provider: Callable[[], Provider | None] = lambda: None

    def prepare(
        self, session_id: str, mode: str | None, *, resume: bool, bypass: bool
    ) -> tuple[ClaudeProcess, Mapping[str, Any]]:
        """A process that was not started, and its ``initialize`` request.

        Raises :class:`~canopy_agent.claude.errors.ClaudeStartFailed` when there is no CLI.
        """
        options = replace(
            self.options,
            session_id=None if resume else session_id,
            resume=session_id if resume else None,
            permission_mode=mode,
            allow_dangerously_skip_permissions=bypass,
        )
        options = with_provider(options, self.provider())
        spec = launch_spec(
            options,
            executable=str(locate_cli(self.environ).path),
            environ=self.environ,
            sdk_version=sdk_version(),
        )
        return self.process(spec), initialize_fields(options)
