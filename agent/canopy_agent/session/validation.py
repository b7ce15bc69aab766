"""Checks of what a client asks when it opens a session, before anything is started or torn down.

The wording tells a person what to change; what a session does with the result is not known here.
"""

from __future__ import annotations

import os.path
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from canopy_agent.history.store import is_place
from canopy_shared.errors import invalid_params
from canopy_shared.ext import air
from canopy_shared.requests import SessionSetup

Json = Mapping[str, Any]

PathKind = Callable[[str], str | None]
"""``"directory"``, ``"other"``, or None for a path where there is nothing."""

SYSTEM_PROMPT_MODES: Final = ("append", "override")
_CODE_PRESET: Final = {"type": "preset", "preset": "claude_code"}


@dataclass(frozen=True, slots=True)
class SessionPlace:
    """Where a session works: both absolute, the working directory exists."""

    cwd: str
    additional_directories: tuple[str, ...] = ()


def kind_of_path(path: str) -> str | None:
    """What lies at ``path`` on this machine."""
    if os.path.isdir(path):  # noqa: PTH112 - the path is the client's text
        return "directory"
    return "other" if os.path.lexists(path) else None


def session_place(setup: SessionSetup, kind: PathKind = kind_of_path) -> SessionPlace:
    """The checked place of a session. Raises invalid params that name the path.

    Paths are looked up on the machine that runs the agent, which may not be the client's.
    """
    extra = setup.additional_directories
    if extra is None:
        extra = _legacy_roots(setup.meta)
    for path in extra:
        if not is_place(path):
            raise invalid_params(
                f"additionalDirectories must hold absolute paths, not {path!r}",
                {"additionalDirectories": list(extra)},
            )
    cwd = setup.cwd
    problem = _problem_with_cwd(cwd, kind)
    if problem is not None:
        raise invalid_params(f"cwd {problem}: {cwd!r}", {"cwd": cwd})
    return SessionPlace(cwd, extra)


def _problem_with_cwd(cwd: str, kind: PathKind) -> str | None:
    if not is_place(cwd):
        return "must be an absolute path"
    found = kind(cwd)
    if found is None:
        return "does not exist on the machine where the agent runs"
    if found != "directory":
        return "is not a directory on the machine where the agent runs"
    return None


def _legacy_roots(meta: Json) -> tuple[str, ...]:
    roots = meta.get("additionalRoots")
    if not isinstance(roots, (list, tuple)):
        return ()
    return tuple(root for root in roots if isinstance(root, str))


# --- the system prompt --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PromptOverride:
    """This text is the whole system prompt."""

    text: str


@dataclass(frozen=True, slots=True)
class PromptPreset:
    """Claude Code's own prompt. ``extra`` are more fields of the preset as the caller gave them."""

    append: str | None = None
    extra: Json = field(default_factory=dict)

    def to_option(self) -> dict[str, Any]:
        """The ``system_prompt`` option of the Claude Agent SDK."""
        option = {**self.extra, **_CODE_PRESET}
        return option if self.append is None else {**option, "append": self.append}


SystemPrompt = PromptOverride | PromptPreset


def system_prompt(setup: SessionSetup) -> SystemPrompt:
    """What the system prompt is to be. Raises invalid params for a malformed ``systemPrompt``.

    The ACP field goes before ``_meta.systemPrompt``; custom instructions of an AIR client come
    last.
    """
    instructions = _custom_instructions(setup.meta)
    if setup.system_prompt is not None:
        mode, texts = _acp_prompt(setup.system_prompt)
        text = _joined([*texts, instructions])
        return PromptOverride(text) if mode == "override" else PromptPreset(text or None)
    given = setup.meta.get("systemPrompt")
    if isinstance(given, str):
        return PromptOverride(_joined([given, instructions]))
    extra = dict(given) if isinstance(given, Mapping) else {}
    appended = extra.pop("append", None)
    said = appended if isinstance(appended, str) else ""
    return PromptPreset(_joined([said, instructions]) or None, extra)


def _joined(texts: list[str]) -> str:
    return "\n\n".join(text for text in texts if text)


def _custom_instructions(meta: Json) -> str:
    given = (air.payload_of(meta) or {}).get("customInstructions")
    return given if isinstance(given, str) and given.strip() else ""


def _acp_prompt(given: Json) -> tuple[str, list[str]]:
    mode, content = given.get("mode"), given.get("content")
    if mode not in SYSTEM_PROMPT_MODES:
        raise invalid_params(
            "systemPrompt.mode must be append or override",
            {"systemPrompt": {"mode": mode if isinstance(mode, str) else None}},
        )
    if not isinstance(content, (list, tuple)):
        raise invalid_params("systemPrompt.content must be a list of text blocks")
    texts: list[str] = []
    for index, block in enumerate(content):
        kind = block.get("type") if isinstance(block, Mapping) else None
        text = block.get("text") if isinstance(block, Mapping) else None
        if kind != "text":
            raise invalid_params(
                f"systemPrompt.content[{index}] must be a text block",
                {"systemPrompt": {"content": {"type": kind if isinstance(kind, str) else None}}},
            )
        if not isinstance(text, str):
            raise invalid_params(f"systemPrompt.content[{index}].text must be a string")
        texts.append(text)
    return str(mode), texts
