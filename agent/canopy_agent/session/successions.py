"""Which conversations on disk followed one another under one ACP session.

A cleared context is a new conversation of Claude Code with an id of its own, while the client keeps
its session id: what connects the two is written here, as lines of JSON beside the transcripts.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from canopy_shared import jsonio
from canopy_shared.ordinary import read_end

log = logging.getLogger(__name__)

SESSION, CONVERSATION = "session", "conversation"
_FILE = Path("canopy") / "conversations.jsonl"
_MOST = 8 * 1024 * 1024
"""Bytes at its end that are read."""


def record(config_directory: str, session_id: str, conversation_id: str) -> None:
    """Note that ``session_id`` goes on as ``conversation_id``. A disk that refuses is logged."""
    path = Path(config_directory) / _FILE
    line = jsonio.dumps({SESSION: session_id, CONVERSATION: conversation_id}) + b"\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(file, line)
        finally:
            os.close(file)
    except OSError as error:
        log.warning("the id of a new conversation could not be kept: %s", error)


def newest(config_directory: str) -> Mapping[str, str]:
    """The conversation that each recorded session is in now; sessions not named are their own."""
    return dict(_pairs(config_directory))


def owners(config_directory: str) -> Mapping[str, str]:
    """The session of each conversation that was begun under another id."""
    return {conversation: session for session, conversation in _pairs(config_directory)}


def _pairs(config_directory: str) -> Iterator[tuple[str, str]]:
    try:
        lines = read_end(Path(config_directory) / _FILE, _MOST).splitlines()
    except OSError:
        return
    for line in lines:
        try:
            row = jsonio.loads(line)
        except ValueError:
            continue  # half a line of a process that was killed
        if isinstance(row, Mapping):
            session, conversation = row.get(SESSION), row.get(CONVERSATION)
            if isinstance(session, str) and isinstance(conversation, str):
                yield session, conversation
