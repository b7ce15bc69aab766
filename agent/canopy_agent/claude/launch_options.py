"""Everything one session may ask of the CLI that serves it, as one frozen value.

It must not know how the CLI is told: ``launch`` turns it into arguments, environment and request.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

SETTING_SOURCES = ("user", "project", "local")


@dataclass(frozen=True, slots=True)
class PresetPrompt:
    """Claude Code's own system prompt, with ``append`` after it.

    ``exclude_dynamic_sections`` moves what differs by machine into the first user message;
    ``snapshot`` says whether the prompt is recorded with the session. None leaves it to the CLI.
    """

    append: str | None = None
    exclude_dynamic_sections: bool | None = None
    snapshot: bool | None = None


@dataclass(frozen=True, slots=True)
class Thinking:
    """How the model thinks: ``enabled`` with a token budget, ``adaptive``, or ``disabled``."""

    type: Literal["adaptive", "enabled", "disabled"]
    budget_tokens: int | None = None
    display: str | None = None


@dataclass(frozen=True, slots=True)
class HookMatcher:
    """Hook callbacks of one event: the CLI calls back with one of ``callback_ids``.

    ``timeout`` is in seconds.
    """

    callback_ids: tuple[str, ...]
    matcher: str | None = None
    timeout: float | None = None


@dataclass(frozen=True, slots=True)
class LaunchOptions:
    """What a session's CLI is started with. ``None`` means: the CLI decides.

    ``mcp_servers`` are in the CLI's own shape by name; ``tools`` None is the default set, empty
    is none; ``settings`` is an object, JSON text or a path; ``agents`` are definitions by name;
    ``env`` goes over our own environment. ``more`` holds further options by their camel case name
    in the TypeScript Agent SDK (0.3.318), as ``client_options`` admits them.
    """

    cwd: str
    session_id: str | None = None
    resume: str | None = None
    fork: bool = False
    permission_mode: str | None = None
    allow_dangerously_skip_permissions: bool = False
    model: str | None = None
    effort: str | None = None
    thinking: Thinking | None = None
    max_thinking_tokens: int | None = None
    agent: str | None = None
    agents: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    system_prompt: str | PresetPrompt = PresetPrompt()
    tools: tuple[str, ...] | None = None
    allowed_tools: tuple[str, ...] = ()
    disallowed_tools: tuple[str, ...] = ()
    mcp_servers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    additional_directories: tuple[str, ...] = ()
    settings: str | Mapping[str, Any] | None = None
    setting_sources: tuple[str, ...] = SETTING_SOURCES
    extra_args: Mapping[str, str | None] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    hooks: Mapping[str, tuple[HookMatcher, ...]] = field(default_factory=dict)
    include_partial_messages: bool = True
    enable_file_checkpointing: bool = False
    forward_subagent_text: bool = False
    per_task_stop_affordance: bool | None = None
    prompt_suggestions: bool | None = None
    supported_dialog_kinds: tuple[str, ...] = ()
    more: Mapping[str, Any] = field(default_factory=dict)
