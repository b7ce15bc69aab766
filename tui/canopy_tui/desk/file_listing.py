"""Lists the files below a directory: by git where that knows them, else by walking.

It blocks, so it runs on a thread; it must not know what the paths are for.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import subprocess
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from threading import Event

from canopy_shared.ordinary import read_ordinary
from canopy_tui.model.ignore_rules import NEVER, USUALLY_NOT, Rule, is_ignored, rules_of

MOST_FILES = 200_000
_GIT = (
    "git",
    "--no-optional-locks",
    "ls-files",
    "-z",
    "--cached",
    "--others",
    "--exclude-standard",
    "--deduplicate",
)
_CHUNK = 1 << 16
_LARGEST_RULES = 1_000_000


def list_files(directory: Path, stop: Event) -> Iterator[str]:
    """Paths relative to ``directory`` with ``/``, at most :data:`MOST_FILES`.

    Names that hold control characters or are not text are left out: they cannot be written in a
    message. Ends early when ``stop`` is set.
    """
    by_git = _git_files(directory, stop)
    first = next(by_git, None)
    files = _walk(directory, stop) if first is None else itertools.chain([first], by_git)
    usable = (path for path in files if path.isprintable())
    return itertools.islice(usable, MOST_FILES)


def _git_files(directory: Path, stop: Event) -> Iterator[str]:
    """What git lists; nothing when it is not there, fails, or has nothing to list."""
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
    try:
        process = subprocess.Popen(
            _GIT,
            cwd=directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return
    assert process.stdout is not None
    rest = b""
    try:
        while not stop.is_set() and (chunk := os.read(process.stdout.fileno(), _CHUNK)):
            *names, rest = (rest + chunk).split(b"\0")
            yield from (os.fsdecode(name) for name in names if name)
    finally:
        process.stdout.close()
        if process.poll() is None:
            process.terminate()
        process.wait()


def _walk(directory: Path, stop: Event) -> Iterator[str]:
    """Breadth first, so that what is near is there first; links to directories are not followed."""
    waiting: deque[tuple[str, tuple[Rule, ...]]] = deque([("", ())])
    while waiting and not stop.is_set():
        place, above = waiting.popleft()
        try:
            with os.scandir(directory / place) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError:
            continue
        rules = above + _own_rules(entries, place)
        for entry in entries:
            path = place + entry.name
            is_directory = _is_directory(entry)
            if is_ignored(path, is_directory=is_directory, rules=rules):
                continue
            if not is_directory:
                yield path
            elif entry.name not in NEVER and (rules or entry.name not in USUALLY_NOT):
                waiting.append((path + "/", rules))


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _own_rules(entries: list[os.DirEntry[str]], place: str) -> tuple[Rule, ...]:
    for entry in entries:
        if entry.name == ".gitignore":
            with contextlib.suppress(OSError):
                text = read_ordinary(entry.path, _LARGEST_RULES).decode("utf-8", "replace")
                return rules_of(text.replace("\r\n", "\n"), place)
    return ()
