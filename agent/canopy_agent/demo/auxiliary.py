"""Answers to what Claude Code asks beside the turns: titles, prompt suggestions, summaries.

Pure: a request or a text in, a text out; a script can replace the first two.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from canopy_agent.demo.requests import ModelRequest
    from canopy_agent.demo.rules import Script

TITLE_WORDS = 6
TITLE_LENGTH = 48  # characters
_SESSION = re.compile(r"<session>\s*(.*?)\s*</session>", re.DOTALL)
_LEAD_IN = re.compile(
    r"^(?:please|kindly|now|then|hi|hello|hey|(?:can|could|would|will) you|i want you to|let's)"
    r"[\s,:!]+",
    re.IGNORECASE,
)


def auxiliary_answer(request: ModelRequest, script: Script) -> str:
    """The text that answers a request whose purpose is not a turn."""
    answers: dict[str, Callable[[], str]] = {
        "title": lambda: _title(request, script),
        "suggestion": lambda: (script.suggestion or _suggestion)(request),
        "summary": lambda: _summary(request),
    }
    return answers[request.purpose]()


def title_of(text: str) -> str:
    """A short title in the words of a text: six words of its first sentence, no politeness."""
    words = " ".join(text.split())
    while (shorter := _LEAD_IN.sub("", words)) != words:
        words = shorter
    sentence = re.split(r"(?<=[.!?])\s", words, maxsplit=1)[0]
    kept = " ".join(sentence.split(" ")[:TITLE_WORDS])[:TITLE_LENGTH].strip(" .,;:!?")
    return kept[:1].upper() + kept[1:] if kept else "New session"


def _title(request: ModelRequest, script: Script) -> str:
    found = _SESSION.search(request.says)
    text = found.group(1) if found else request.says
    return json.dumps({"title": (script.title or title_of)(text)}, ensure_ascii=False)


def _suggestion(request: ModelRequest) -> str:
    return "run the tests" if request.last("Edit") or request.last("Write") else "go on"


def _summary(request: ModelRequest) -> str:
    asked = [
        one for one in request.conversation.all_says if "summary of the conversation" not in one
    ]
    rows = "\n".join(f"- {title_of(one)}" for one in asked) or "- nothing yet"
    return (
        "<analysis>The conversation is short and can be told as a list.</analysis>\n"
        f"<summary>\nThe user asked for:\n{rows}\nAll of it has been answered.\n</summary>"
    )
