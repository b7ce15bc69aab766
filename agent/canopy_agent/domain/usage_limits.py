"""How Claude Code words that an account's limit is reached; nothing else tells such a message from
an answer.

The words are those of the CLI 2.1.332 (``USAGE_LIMIT_ERROR_PREFIXES`` of the TypeScript Agent SDK
0.3.318).
"""

from __future__ import annotations

import re
from typing import Final

from canopy_agent.domain.usage import SYNTHETIC

PREFIXES: Final = (
    "You've hit your",
    "You've reached your",
    "You're out of usage credits",
    "Your org is out of usage · add funds to continue",
    "Your org is out of usage · contact your admin",
    "Your seat type doesn't include usage credits",
    "Your seat type doesn't include usage",
    "Your usage allocation has been disabled by your admin",
    "Your group's usage limit is set to $0",
    "Fable 5 requires usage credits",
    "You're out of extra usage",
    "Your seat type doesn't include extra usage",
)
_MODEL_NEEDS_CREDITS: Final = re.compile(
    r"(?:Fable|Haiku|Mythos|Opus|Sonnet)(?: [^·\n]{1,40})? requires usage credits\b"
)


def is_usage_limit(model: str | None, text: str) -> bool:
    """Whether a message of ``model`` with this text is the CLI's own word on a reached limit."""
    if model != SYNTHETIC:
        return False
    words = text.strip()
    return words.startswith(PREFIXES) or _MODEL_NEEDS_CREDITS.match(words) is not None
