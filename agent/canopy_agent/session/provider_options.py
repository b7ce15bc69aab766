"""A chosen provider in the launch options of a session.

It joins values and starts nothing; what a provider is told by which variable is its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from canopy_agent.session.settings_files import merge, read_settings_file
from canopy_shared import jsonio

if TYPE_CHECKING:
    from canopy_agent.auth.provider import Provider
    from canopy_agent.claude.launch_options import LaunchOptions


def with_provider(options: LaunchOptions, provider: Provider | None) -> LaunchOptions:
    """``options`` for a CLI that goes to ``provider``; unchanged without one.

    The variables go over those of the session; and, as settings, over the user's settings files.
    """
    if provider is None:
        return options
    return replace(
        options,
        env={**options.env, **provider.environment()},
        settings=merge(settings_object(options), provider.open_settings()),
    )


def settings_object(options: LaunchOptions) -> Mapping[str, Any]:
    """The session's own settings as an object, also when they are a text or in a file."""
    given = options.settings
    if isinstance(given, Mapping):
        return given
    if not given:
        return {}
    if not given.lstrip().startswith("{"):
        settings, _ = read_settings_file(Path(options.cwd) / given)
        return settings
    try:
        read = jsonio.loads(given.encode())
    except ValueError:
        return {}
    return read if isinstance(read, Mapping) else {}
