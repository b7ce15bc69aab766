"""The throw-away world of the demo: a copy of the sample project, a configuration, a model.

It makes the environment in which the real Claude Code runs; it starts no process and knows no
scene.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shutil
import stat
import sys
import tempfile
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from canopy_agent.demo.leftovers import MARK, PREFIX, hold, left_over, let_go
from canopy_agent.demo.scenes import demo_script
from canopy_agent.demo.server import ScriptedModel

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence
    from importlib.resources.abc import Traversable

    from canopy_agent.demo.rules import Rule, Script

API_KEY = "sk-ant-demo-0000000000000000000000000000-scripted"
PROJECT = "fruitstand"
CONFIG = "config"
MAX_RETRIES = 2
REMOVAL_TRIES = 20
REMOVAL_WAIT = 0.1  # seconds between two tries

_FOREIGN_PREFIXES = ("ANTHROPIC_", "CLAUDE", "AWS_", "GOOGLE_", "VERTEX_", "OTEL_")
_FOREIGN_ENDINGS = ("_PROXY", "_API_KEY", "_TOKEN", "_SECRET")


@dataclass(frozen=True, slots=True)
class DemoEnvironment:
    """A place to run Claude Code in: `env` is complete, nothing of `os.environ` may be added.

    `cwd` is the copy of the sample project, `config` the CLAUDE_CONFIG_DIR.
    """

    cwd: Path
    config: Path
    env: Mapping[str, str]
    model: ScriptedModel


@asynccontextmanager
async def demo_environment(
    script: Script | Sequence[Rule] | None = None,
    *,
    pace: float = 1.0,
    env: Mapping[str, str] | None = None,
    parent: Path | None = None,
) -> AsyncIterator[DemoEnvironment]:
    """Make it all, and remove it at the end, whatever happened meanwhile.

    `script` None plays the demo's scenes; `env` adds variables; `parent` is where the throw-away
    directory goes (default: the system's place for temporary files).
    """
    root = _new_root(parent)
    hold(root)
    sweeping = asyncio.create_task(asyncio.to_thread(_sweep, root.parent))
    try:
        _furnish(root)
        async with ScriptedModel(demo_script() if script is None else script, pace=pace) as model:
            variables = {**cleaned(os.environ), **_variables(root, model.url), **(env or {})}
            yield DemoEnvironment(root / PROJECT, root / CONFIG, variables, model)
    finally:
        await asyncio.wait([sweeping])
        for _ in range(REMOVAL_TRIES):
            if _removed(root):
                break
            await asyncio.sleep(REMOVAL_WAIT)
        else:
            logging.getLogger(__name__).warning("the demo's files could not be removed: %s", root)
        let_go(root)


def _sweep(parent: Path) -> None:
    """Remove what demos left that were killed."""
    for root in left_over(parent):
        if not _removed(root):
            logging.getLogger(__name__).warning("an old demo's files stay: %s", root)


def cleaned(environ: Mapping[str, str]) -> dict[str, str]:
    """An environment without credentials, proxies and settings of other Claude programs."""
    return {
        name: value
        for name, value in environ.items()
        if not name.upper().startswith(_FOREIGN_PREFIXES)
        and not name.upper().endswith(_FOREIGN_ENDINGS)
    }


def _new_root(parent: Path | None) -> Path:
    return Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent)).resolve()


def _furnish(root: Path) -> None:
    """Make everything that Claude Code is to find in the throw-away directory."""
    _copy(files("canopy_agent.demo") / "sample", root / PROJECT)
    _configure(root / CONFIG, root / PROJECT)
    for name in ("home", "tmp", "bin"):
        (root / name).mkdir()
    if os.name == "posix":
        # The scenes run `python3`; this one is there on every machine that runs the demo.
        python = root / "bin" / "python3"
        python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        python.chmod(0o755)


def _variables(root: Path, url: str) -> dict[str, str]:
    own = {
        "PATH": os.pathsep.join([str(root / "bin"), os.environ.get("PATH", os.defpath)]),
        "HOME": str(root / "home"),
        "TMPDIR": str(root / "tmp"),
        "CLAUDE_CODE_TMPDIR": str(root / "tmp"),
        "CLAUDE_CONFIG_DIR": str(root / CONFIG),
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": API_KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_MAX_RETRIES": str(MAX_RETRIES),
        "DISABLE_AUTOUPDATER": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        own["IS_SANDBOX"] = "1"
    return own


def _copy(source: Traversable, target: Path) -> None:
    target.mkdir()
    for entry in source.iterdir():
        if entry.name == "__pycache__":
            continue
        if entry.is_dir():
            _copy(entry, target / entry.name)
        else:
            (target / entry.name).write_bytes(entry.read_bytes())


def _configure(config: Path, cwd: Path) -> None:
    """Write what Claude Code would otherwise ask for at its first start."""
    config.mkdir()
    settings = {"permissions": {"defaultMode": "default"}}
    state = {
        "hasCompletedOnboarding": True,
        "customApiKeyResponses": {"approved": [API_KEY[-20:]], "rejected": []},
        "projects": {str(cwd): {"hasTrustDialogAccepted": True}},
    }
    (config / "settings.json").write_text(json.dumps(settings, indent=2))
    (config / ".claude.json").write_text(json.dumps(state, indent=2))


def _removed(root: Path) -> bool:
    """Remove a tree, read-only parts too; False while an ending process still writes to it.

    The mark goes last: what a removal that was cut off leaves is found by the next start.
    """
    _make_writable(root)
    with suppress(OSError):
        for path in root.iterdir():
            if path.name != MARK:
                _remove(path)
        if {path.name for path in root.iterdir()} <= {MARK}:
            shutil.rmtree(root, ignore_errors=True)
    return not root.exists()


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()


def _make_writable(root: Path) -> None:
    for folder, folders, names in os.walk(root):
        for path in (Path(folder), *(Path(folder, name) for name in (*folders, *names))):
            if not path.is_symlink():
                with suppress(OSError):  # gone meanwhile
                    path.chmod(stat.S_IRWXU)
