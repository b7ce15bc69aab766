"""The environment, read once into frozen settings; no other module of the agent looks at it.

What a setting does is not known here; the variables are those of the Claude Code adapter for ACP
0.101.0.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from canopy_shared import jsonio
from canopy_shared.errors import AcpError, internal_error

_PROTOCOLS: Final = {"": ("v1", "v2"), "auto": ("v1", "v2"), "v1": ("v1",), "v2": ("v2",)}

_FEWEST_TOKENS: Final = 100_000
"""A smaller conversation is not worth a compaction, whatever the environment says."""

_REMOTE_MARKS: Final = (
    "NO_BROWSER",
    "SSH_CONNECTION",
    "SSH_CLIENT",
    "SSH_TTY",
    "CLAUDE_CODE_REMOTE",
)


class SettingsError(Exception):
    """The environment asks for something impossible; the text says what would be right."""


@dataclass(frozen=True, slots=True)
class Thinking:
    """How much the model thinks. ``mode`` is ``enabled``, ``disabled`` or ``adaptive``."""

    mode: str
    budget_tokens: int | None = None
    display: str | None = None


@dataclass(frozen=True, slots=True)
class IdlePolicy:
    """When an idle session is worth compacting. ``delay`` is in seconds after a request."""

    enabled: bool = True
    delay: float = 0.9 * 3600
    min_tokens: int = 200_000


@dataclass(frozen=True, slots=True)
class AdapterSettings:
    """Everything that the environment decides.

    ``protocols`` are the names of the versions to serve. ``model_config`` is the raw JSON text of
    ``CLAUDE_MODEL_CONFIG``: what is wrong with it is an error of the session that needs it.
    ``notes`` are lines for the log about values that were ignored. ``process`` is the whole
    environment, for the CLI that we start.
    """

    protocols: tuple[str, ...] = ("v1", "v2")
    cli_path: str | None = None
    log_directory: str | None = None
    config_directory: str = ""
    home: str = ""
    model_config: str | None = None
    preferred_model: str | None = None
    custom_model: str | None = None
    thinking: Thinking | None = None
    remote: bool = False
    sandboxed: bool = False
    root: bool = False
    idle_compaction: IdlePolicy = IdlePolicy()
    notes: tuple[str, ...] = ()
    process: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def may_bypass(self) -> bool:
        """Whether the CLI would start in bypass mode: not as root outside a sandbox."""
        return self.sandboxed or not self.root


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """``CLAUDE_MODEL_CONFIG``: it lies under the settings of the caller."""

    overrides: Mapping[str, str] = field(default_factory=dict)
    available: tuple[str, ...] | None = None


def read_settings(
    environ: Mapping[str, str] | None = None, *, root: bool | None = None
) -> AdapterSettings:
    """Read ``environ`` (the process's own by default). Raises :class:`SettingsError`."""
    env = dict(os.environ if environ is None else environ)
    notes: list[str] = []
    home = env.get("HOME") or env.get("USERPROFILE")
    if not home:  # a client started us with next to nothing, and commands of the CLI want one
        home = str(Path.home())
        env = {**env, "HOME": home}
    return AdapterSettings(
        protocols=_protocols(env.get("CLAUDE_AGENT_ACP_PROTOCOL", "")),
        cli_path=env.get("CLAUDE_CODE_EXECUTABLE") or None,
        log_directory=env.get("CLAUDE_AGENT_LOGS") or None,
        config_directory=env.get("CLAUDE_CONFIG_DIR") or str(Path(home) / ".claude"),
        home=home,
        model_config=env.get("CLAUDE_MODEL_CONFIG") or None,
        preferred_model=env.get("ANTHROPIC_MODEL") or None,
        custom_model=env.get("ANTHROPIC_CUSTOM_MODEL_OPTION") or None,
        thinking=_thinking(env, notes),
        remote=any(env.get(name) for name in _REMOTE_MARKS),
        sandboxed=env.get("IS_SANDBOX") == "1",  # the CLI takes no other word for it
        root=_is_root() if root is None else root,
        idle_compaction=_idle_policy(env),
        notes=tuple(notes),
        process=env,
    )


def _is_root() -> bool:
    geteuid = getattr(os, "geteuid", None)  # absent on Windows
    return geteuid is not None and geteuid() == 0


def _protocols(value: str) -> tuple[str, ...]:
    """The versions to serve."""
    allowed = _PROTOCOLS.get(value)
    if allowed is None:
        raise SettingsError("CLAUDE_AGENT_ACP_PROTOCOL must be auto, v1 or v2 (or unset)")
    return allowed


def _idle_policy(env: Mapping[str, str]) -> IdlePolicy:
    """The variables of Claude Code that turn compaction off or move its bounds."""
    given = IdlePolicy()
    delay = _whole(env.get("CLAUDE_AGENT_ACP_IDLE_COMPACT_DELAY_MS") or "")
    tokens = _whole(env.get("CLAUDE_CODE_IDLE_COMPACT_MIN_TOKENS") or "")
    off = any(env.get(name) for name in ("DISABLE_COMPACT", "DISABLE_AUTO_COMPACT"))
    return IdlePolicy(
        enabled=not off,
        delay=given.delay if not delay else delay / 1000,
        min_tokens=given.min_tokens if tokens is None else max(tokens, _FEWEST_TOKENS),
    )


def _thinking(env: Mapping[str, str], notes: list[str]) -> Thinking | None:
    """The two thinking variables; a wrong value is noted and ignored."""
    display: str | None = env.get("CLAUDE_CODE_THINKING_DISPLAY") or None
    if display not in (None, "summarized", "omitted"):
        notes.append("CLAUDE_CODE_THINKING_DISPLAY is ignored: use summarized or omitted")
        display = None
    raw = env.get("MAX_THINKING_TOKENS")
    tokens = _whole(raw) if raw else None
    if raw and tokens is None:
        notes.append("MAX_THINKING_TOKENS is ignored: use 0 or a positive whole number")
    if tokens == 0:
        return Thinking("disabled")
    if tokens is not None:
        return Thinking("enabled", tokens, display)
    return Thinking("adaptive", display=display) if display else None


def _whole(text: str) -> int | None:
    try:
        number = float(text)
    except ValueError:
        return None
    if not math.isfinite(number) or number < 0 or not number.is_integer():
        return None
    return int(number)


def model_config(settings: AdapterSettings) -> ModelConfig:
    """Parse ``CLAUDE_MODEL_CONFIG``. Raises :class:`AcpError` when it is not a JSON object."""
    if settings.model_config is None:
        return ModelConfig()
    value = _json(settings.model_config)
    if not isinstance(value, Mapping):
        raise _bad_model_config()
    overrides, available = value.get("modelOverrides"), value.get("availableModels")
    return ModelConfig(
        {
            name: target
            for name, target in (overrides if isinstance(overrides, Mapping) else {}).items()
            if isinstance(target, str)
        },
        tuple(name for name in available if isinstance(name, str))
        if isinstance(available, list)
        else None,
    )


def _json(text: str) -> Any:
    try:
        return jsonio.loads(text)
    except (ValueError, RecursionError):
        raise _bad_model_config() from None


def _bad_model_config() -> AcpError:
    return internal_error("CLAUDE_MODEL_CONFIG must hold one JSON object")
