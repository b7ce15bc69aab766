"""Memories that the harness brought into a turn, as one tool call that is over.

The shapes are those of ``@agentclientprotocol/claude-agent-acp`` 0.101.0; nothing is read here.
"""

from __future__ import annotations

from canopy_agent.domain.facts import Recalled
from canopy_agent.render.bounds import bounded
from canopy_agent.render.results import text_content
from canopy_agent.render.titles import text_field
from canopy_shared.content import Location
from canopy_shared.ext import claude
from canopy_shared.unset import UNSET
from canopy_shared.updates import ToolCallStart, Update

_SYNTHESIS = "synthesize"


def recalled(fact: Recalled, parent: str | None) -> list[Update]:
    """The call; memories that lie in files are places, the others are content."""
    paths = [text_field(memory, "path") for memory in fact.memories]
    texts = [text_field(memory, "content") for memory in fact.memories]
    content = tuple(text_content(bounded(text)) for text in texts if text)
    places = tuple(Location(path) for path in paths if path.startswith("/"))
    return [
        ToolCallStart(
            fact.id,
            _title(fact),
            kind="read",
            status="completed",
            content=content,
            locations=places or UNSET,
            meta=claude.wrap(toolName="memory_recall", toolResponse={"mode": fact.mode}),
        )
    ]


def _title(fact: Recalled) -> str:
    if fact.mode == _SYNTHESIS:
        return "Recalled synthesized memory"
    count = len(fact.memories)
    return "Recalled 1 memory" if count == 1 else f"Recalled {count} memories"
