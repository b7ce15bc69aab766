"""Numbers in a few words, spelled one way everywhere.

Pure; where they stand is not known here.
"""

from __future__ import annotations

import re

_MODEL = re.compile(
    r"claude-(?:(?P<family>[a-z]+)-)?(?P<major>\d{1,2})(?:-(?P<minor>\d{1,2}))?"
    r"(?(family)|-(?P<old_family>[a-z]+))(?:-(?:\d{8}|latest))?(?P<wide>\[\d+[km]\])?"
)


def duration(seconds: float) -> str:
    """``8s``, ``2m05``, ``1h07``."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole}s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes}m{rest:02}"
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h{minutes:02}"


def at_work(agents_running: int, tasks_running: int) -> str:
    """``1 agent``, ``2 tasks``, ``1 agent and 2 tasks``."""
    parts = [agents(agents_running)] if agents_running or not tasks_running else []
    if tasks_running:
        parts.append(f"{tasks_running} task{'' if tasks_running == 1 else 's'}")
    return " and ".join(parts)


def still(running: int, tasks: int, held: int, how: str = "still working") -> str:
    """``2 agents still working, 1 waits for you``; empty when all is over."""
    parts = [f"{at_work(running, tasks)} {how}"] if running or tasks else []
    if held:
        who = str(held) if running else agents(held)
        parts.append(f"{who} wait{'s' if held == 1 else ''} for you")
    return ", ".join(parts)


def agents(number: int) -> str:
    """``1 agent``, ``2 agents``."""
    return f"{number} agent" if number == 1 else f"{number} agents"


def amount(number: int) -> str:
    """``950``, ``12.3k``, ``4.1M``."""
    if number < 1_000:
        return str(number)
    if number < 999_950:
        return f"{number / 1_000:.1f}k"
    return f"{number / 1_000_000:.1f}M"


def model_name(name: str) -> str:
    """``Opus 5.5`` for ``claude-opus-5-5``, as the options call it; any other name as it is.

    Spelled after https://docs.claude.com/en/docs/about-claude/models/overview
    """
    found = _MODEL.fullmatch(name)
    if found is None:
        return name
    family, old_family, wide = found["family"], found["old_family"], found["wide"]
    version = ".".join(filter(None, (found["major"], found["minor"])))
    words = f"{(family or old_family).capitalize()} {version}"
    return f"{words} ({wide[1:-1].upper()})" if wide else words


def tokens(number: int) -> str:
    """``950``, ``12.3k``, ``182k``, ``1.2M``."""
    for size, letter in ((1_000_000, "M"), (1000, "k")):
        if number >= size:
            value = number / size
            return (
                f"{value:.1f}".removesuffix(".0") + letter
                if value < 100
                else f"{value:.0f}{letter}"
            )
    return str(number)


def money(sum_: float, currency: str = "USD", *, short: bool = False) -> str:
    """``$1.20``, ``1.20 EUR``; ``$0.0042`` where two would hide it, ``short``: ``<$0.01``."""
    digits = f"{sum_:,.4f}" if 0 < sum_ < 0.1 and not short else f"{sum_:,.2f}"
    hidden = short and 0 < sum_ < 0.005
    digits = "0.01" if hidden else digits
    words = f"${digits}" if currency == "USD" else f"{digits} {currency}"
    return f"<{words}" if hidden else words


def reason_of(error: Exception) -> str:
    """What went wrong with a file: ``/its/place: No space left on device``."""
    words = getattr(error, "strerror", None) or str(error)
    place = getattr(error, "filename", None)
    return f"{place}: {words}" if isinstance(place, str) and place else words
