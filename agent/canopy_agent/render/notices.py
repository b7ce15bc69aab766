"""Notices of the harness: notices where the client takes them, else lines of the transcript.

What the CLI calls ``informational`` has one text; all other notices have a title and a description.
"""

from __future__ import annotations

import re

from canopy_agent.capabilities import ClientProfile
from canopy_agent.domain.facts import Noted
from canopy_shared.content import TextContent
from canopy_shared.ext import claude
from canopy_shared.unset import UNSET
from canopy_shared.updates import AgentMessageChunk, Notice, Update

MAX_TITLE = 256
_INFORMATIONAL = "informational"
_UNTITLED = "Claude Code"
_LIGHT_MARKDOWN = re.compile(r"\A[#>\s]+|[*`]+")


def noted(fact: Noted, parent: str | None, profile: ClientProfile) -> list[Update]:
    """The updates that tell a notice; clients with notices are spared mere information."""
    informational = (fact.kind or {}).get("kind") == _INFORMATIONAL
    if not profile.notices:
        return _in_transcript(fact, parent, informational=informational)
    if not informational:
        return [_notice(fact.severity, fact.title, fact.description or "")]
    if fact.severity == "info":
        return []
    first, _, rest = fact.title.strip().partition("\n")
    severity = "warning" if fact.severity == "warning" else "info"
    if len(first) > MAX_TITLE:
        return [_notice(severity, _UNTITLED, fact.title.strip())]
    return [_notice(severity, _LIGHT_MARKDOWN.sub("", first).strip() or _UNTITLED, rest.strip())]


def _notice(severity: str, title: str, description: str) -> Notice:
    return Notice(severity, title, description or UNSET)


def _in_transcript(fact: Noted, parent: str | None, *, informational: bool) -> list[Update]:
    facts = dict(fact.kind or {})
    if informational:
        facts.setdefault("level", fact.severity)
        loud = fact.severity != "info"
        text = f"**{fact.severity.capitalize()}:** {fact.title}" if loud else fact.title
    else:
        text = f"**{fact.title}:** {fact.description}" if fact.description else f"**{fact.title}**"
    if parent:
        facts["parentToolUseId"] = parent
    meta = claude.wrap(**facts) if facts else UNSET
    return [AgentMessageChunk(TextContent(text), meta=meta)] if text.strip() else []
