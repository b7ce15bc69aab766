"""The environment that an administrator prescribes: ``env`` of Claude Code's managed settings.

It reads the managed tier alone and changes nothing;
https://code.claude.com/docs/en/settings says where the files lie.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path

from canopy_agent.session.settings_files import managed_directory, read_managed

log = logging.getLogger(__name__)


def with_policy(environ: Mapping[str, str], directory: Path | None = None) -> dict[str, str]:
    """``environ`` with the variables of the managed settings over it.

    ``directory`` is where those lie. What cannot be read is logged and changes nothing.
    """
    settings, notes = read_managed(managed_directory() if directory is None else directory)
    for note in notes:
        log.warning("%s", note)
    prescribed = settings.get("env")
    if not isinstance(prescribed, Mapping):
        return dict(environ)
    return {**environ, **{name: _text(value) for name, value in prescribed.items() if name}}


def _text(value: object) -> str:
    """A value as a variable holds it; JSON spells true and false in small letters."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)
