"""The working trees of one git repository, found by reading its files.

Blocking; call it in a thread. No git is run: a repository's hooks and settings stay untouched.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Final

from canopy_shared.ordinary import read_ordinary

AGENT_FOLDER: Final = (".claude", "worktrees")
_MOST = 200
_LARGEST = 64 * 1024


def worktrees_of(directory: str) -> list[str]:
    """``directory``, then the same place in the other working trees of its repository."""
    here = Path(directory)
    top = next((one for one in (here, *here.parents) if (one / ".git").exists()), None)
    if top is None:
        return [directory]
    below = here.relative_to(top)
    others = [tree / below for tree in _trees(top) if tree != top]
    return [directory, *(str(one) for one in others)]


def is_agents_own(directory: str) -> bool:
    """Whether a directory lies in a working tree that an agent made for itself."""
    parts = Path(directory).parts
    return any(pair == AGENT_FOLDER for pair in pairwise(parts))


def _trees(top: Path) -> list[Path]:
    """The roots of all working trees of the repository that ``top`` is a root of."""
    shared = _shared_folder(top)
    if shared is None:
        return [top]
    trees = [shared.parent] if shared.name == ".git" else []
    try:
        linked = sorted((shared / "worktrees").iterdir())
    except OSError:
        linked = []
    for entry in linked[:_MOST]:
        gitdir = _line(entry / "gitdir")
        if gitdir is not None:
            place = Path(gitdir)
            trees.append((place if place.is_absolute() else entry / place).parent)
    return trees


def _shared_folder(top: Path) -> Path | None:
    """The repository's own folder, which all of its working trees share."""
    mark = top / ".git"
    if mark.is_dir():
        return mark
    pointer = _line(mark)
    if pointer is None or not pointer.startswith("gitdir:"):
        return None
    own = (top / pointer.removeprefix("gitdir:").strip()).resolve()
    common = _line(own / "commondir")
    return own if common is None else (own / common).resolve()


def _line(path: Path) -> str | None:
    try:
        return read_ordinary(path, _LARGEST).decode(errors="replace").strip() or None
    except OSError:
        return None
