"""Writes one setting into the person's ``config.toml`` and leaves everything else as it stands.

A file that is broken, or would become so, is not touched.
"""

from __future__ import annotations

import re
from pathlib import Path

from canopy_shared.ordinary import read_ordinary
from canopy_tui.kept.storage import replace_file
from canopy_tui.settings.config_file import FILE, LARGEST


def keep_setting(folder: Path, entry: str, value: str) -> str:
    """Set ``entry`` at the top of the file to ``value``; a sentence on what became of it."""
    path = folder / FILE
    try:
        try:
            old = read_ordinary(path, LARGEST).decode("utf-8-sig")
        except FileNotFoundError:
            old = ""
        new = with_setting(old, entry, value)
        if new is None:
            return f"{entry} is {value} until you quit: mend {path} to have it kept."
        target = path.resolve()  # a link to a file that is kept elsewhere stays one
        replace_file(target, new.encode())
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return f"{entry} is {value} until you quit: {path}: {reason}."
    return f"{entry} is {value}, kept in {path}."


def with_setting(text: str, entry: str, value: str) -> str | None:
    """``text`` with ``entry`` set; None when it is no TOML, or would mean something else then."""
    import tomllib

    line = f'{entry} = "{value}"'
    set_already = re.compile(
        rf"""^[ \t]*{entry}[ \t]*=[ \t]*(?:"[^"\n]*"|'[^'\n]*')""", re.MULTILINE
    )
    try:
        wanted = {**tomllib.loads(text), entry: value}
        head = text[: table.start()] if (table := re.search(r"^[ \t]*\[", text, re.M)) else text
        found = set_already.search(head)
        new = (
            f"{line}\n{text}"
            if found is None
            else text[: found.start()] + line + text[found.end() :]
        )
        return new if tomllib.loads(new) == wanted else None
    except tomllib.TOMLDecodeError:
        return None
