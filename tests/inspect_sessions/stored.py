"""A stored session with its subagents, written as Claude Code writes it, and how it is inspected.

It must not know what is tested.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from canopy_agent.session.inspection import Inspection
from canopy_tui.wire.answers import initialize_params
from store.writing import Transcript

FRONT, BACK = "a1111111", "a2222222"


def answer(t: Transcript, words: str, message: str, *, ends: bool = True, out: int = 10) -> None:
    """A text of the model, with what it took."""
    usage = {"input_tokens": 100, "cache_read_input_tokens": 1000, "output_tokens": out}
    stop = "end_turn" if ends else "tool_use"
    t.says(words, message, inside={"stop_reason": stop, "usage": usage})


def team(projects: Path) -> Transcript:
    """A turn with an agent in front and one behind, which reports after the turn."""
    t = Transcript(projects)
    t.user("go [b]now[/b]\x1b[2J")
    answer(t, "I split it.", "m1", ends=False, out=5)
    answer(t, "I split it in two.", "m1", ends=False)
    t.calls("Agent", "t1", "m1", description="Front", prompt="read", run_in_background=False)
    t.calls("Agent", "t2", "m1", description="Back", prompt="dig")
    t.returns("t2", "Async agent launched", toolUseResult={"isAsync": True, "agentId": BACK})
    t.returns("t1", "Front is done.", toolUseResult={"status": "completed", "agentId": FRONT})
    answer(t, "Front is done, Back goes on.", "m2")
    notice = f"<task-notification>\n<task-id>{BACK}</task-id>\n<tool-use-id>t2</tool-use-id>\n"
    notice += "<status>completed</status>\n</task-notification>"
    t.row(type="queue-operation", operation="enqueue", content=notice)
    t.user(notice, origin={"kind": "task-notification"}, isMeta=False)
    answer(t, "Back is done too.", "m3")
    t.user("and more")
    answer(t, "No more.", "m4")
    for agent, call, words in ((FRONT, "t1", "read"), (BACK, "t2", "dig")):
        child = t.child(agent, {"toolUseId": call, "agentType": "Explore", "finished": True})
        child.starts_at(6)
        child.user(words)
        child.calls("Read", f"{agent}-r", file_path="/x")
        child.returns(f"{agent}-r", "x")
        answer(child, f"{words} is done.", f"{agent}-m")
    return t


def noted_cost(t: Transcript, dollars: float) -> None:
    """What the CLI writes when it ends."""
    t.row(type="cost-state", totalCostUSD=dollars)


def inspection(t: Transcript, config: Path) -> Inspection:
    """How the client inspects it."""
    return Inspection(t.id, t.path, str(config), initialize_params()["clientCapabilities"])


def opened_by(t: Transcript, config: Path, pid: int | None = None) -> Path:
    """The note of a CLI that has the session open: this process, unless named."""
    number = os.getpid() if pid is None else pid
    note = config / "sessions" / f"{number}.json"
    note.parent.mkdir(exist_ok=True)
    note.write_text(f'{{"sessionId": "{t.id}", "status": "busy", "entrypoint": "sdk-py"}}')
    return note


def shape(state: Any) -> list[Any]:
    """What a state shows, in short words."""
    told = []
    for view in state.sessions.values():
        told.append((view.id, view.parent, view.title, view.phase.name, view.unseen))
        for entry in view.entries:
            words = getattr(entry, "text", None) or getattr(entry, "title", "")
            told.append((type(entry).__name__, getattr(entry, "status", ""), words, entry.at))
    return told
