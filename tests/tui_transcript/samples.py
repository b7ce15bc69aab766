"""Transcripts for the tests: builders for single entries, and a tour that holds every kind."""

from __future__ import annotations

from typing import Any

from canopy_shared.content import (
    Diff,
    ImageContent,
    Location,
    ResourceLink,
    TerminalRef,
    TextContent,
    ToolContent,
    UnknownContent,
)
from canopy_shared.updates import PlanEntry as PlanStep
from canopy_tui.model.entries import (
    AnyEntry,
    ChildEntry,
    MessageEntry,
    NoticeEntry,
    PlanEntry,
    Role,
    RuleEntry,
    ToolEntry,
)
from canopy_tui.model.state import ClientState, Phase, SessionView

AT = 1_770_000_000.0
MAIN = "main"


def world(*entries: AnyEntry, session: str = MAIN) -> ClientState:
    """A state with one root that holds ``entries``."""
    state = ClientState()
    state.sessions[session] = SessionView(id=session, title=session)
    state.roots.append(session)
    for entry in entries:
        add(state, entry, session)
    return state


def add(state: ClientState, entry: AnyEntry, session: str = MAIN) -> int:
    """Append ``entry``; returns its key."""
    view = state.sessions[session]
    entry.key, entry.revision = view.next_key, 1
    view.next_key += 1
    view.entries.append(entry)
    return entry.key


def add_child(state: ClientState, child: str, **facts: Any) -> SessionView:
    """A child of the root, without a card."""
    root = state.roots[0]
    view = SessionView(id=child, parent=root, title=facts.pop("title", child), **facts)
    state.sessions[child] = view
    state.sessions[root].children.append(child)
    return view


def message(text: str, role: Role = Role.AGENT, **facts: Any) -> MessageEntry:
    """A settled message."""
    facts.setdefault("settled", True)
    return MessageEntry(at=AT, role=role, chunks=[text] if text else [], **facts)


def grow(state: ClientState, entry: MessageEntry, text: str) -> int:
    """Append text to an open message; returns its key."""
    entry.chunks.append(text)
    entry.revision += 1
    return entry.key


def tool(title: str, **facts: Any) -> ToolEntry:
    """A completed call."""
    facts.setdefault("status", "completed")
    facts.setdefault("tool_call_id", f"call-{title[:20]}")
    return ToolEntry(at=AT, title=title, **facts)


def text_content(text: str) -> ToolContent:
    """A text block of a tool call."""
    return ToolContent(TextContent(text))


ANSWER = """\
# The parser

I looked at the **three** modules that import `parse_config`, and found *one* bug. The loader \
keeps a stale copy when a file is replaced while it is being read, see \
[the issue](https://example.org/issues/1428) and <https://example.org/docs>.

## What to change

1. Read the file once, and keep the bytes.
2. Compare `mtime_ns` **and** size:
   - on Linux both come from one `stat`
   - on Windows the size may lag behind
3. Drop the cache in `reload()`.

```python
@dataclass(frozen=True)
class Config:
    \"\"\"What a project may set.\"\"\"

    path: Path
    retries: int = 3

    def reload(self) -> "Config":
        # one read, no race
        raw = self.path.read_bytes()
        return parse_config(raw, strict=True)
```

| File | Calls | Covered | Remark |
|:-----|------:|:-------:|--------|
| `src/loader.py` | 12 | yes | keeps a stale copy when the file is replaced while it is being read |
| `src/cli.py` | 3 | no | prints 日本語 paths |
| `tests/test_cli.py` | 41 | yes | |

> A cache that cannot be dropped is a second source of truth.

- [x] reproduce
- [ ] fix, then run the whole suite

### Next

I will start with the loader. ~~The CLI first.~~

---
"""

THOUGHT = """\
**Planning the fix**

The user wants all callers of parse_config. There are three modules that import it, and I should \
look at each of them before I change the signature, because a keyword argument would break callers \
that pass it by position.

Maybe grep first, then read the loader. The loader has a cache that is keyed by path only. If a \
file is replaced between stat and read, the old content stays. Then fix the types.
"""

OLD = """\
import json
from pathlib import Path


def parse_config(path):
    with open(path) as handle:
        return json.load(handle)


def reload(config):
    return parse_config(config.path)
"""
NEW = """\
import json
from pathlib import Path


def parse_config(path: Path) -> Config:
    with path.open() as handle:
        return Config(**json.load(handle))


def reload(config: Config) -> Config:
    return parse_config(config.path)
"""

BUILD = (
    "\x1b[1mRunning 214 tests\x1b[0m\n"
    "\x1b[32m✓\x1b[0m tests/test_cli.py \x1b[2m(41 tests)\x1b[0m\n"
    "\x1b[31m✗\x1b[0m tests/test_loader.py \x1b[2m(12 tests)\x1b[0m\n"
    "  \x1b[31mAssertionError\x1b[0m: expected 3, got 4\n"
    "    at \x1b[36mtests/test_loader.py:88\x1b[0m\n"
    "\x1b[33m1 failed\x1b[0m, \x1b[32m213 passed\x1b[0m in 12.4s\n"
)


def tour() -> ClientState:
    """Every kind of entry, in an order that could be real."""
    state = world()
    explore = add_child(
        state, "explore#2", phase=Phase.RUNNING, activity="grep", task="Find callers"
    )
    explore.entries += [tool("a"), tool("b"), tool("c"), message("line\n" * 40)]
    add_child(state, "fix-tests", phase=Phase.DONE).entries.append(message("Fixed.\nAll green."))
    add_child(state, "lint", phase=Phase.FAILED, phase_reason="no such tool")
    add_child(state, "reader", phase=Phase.CANCELLED)
    for entry in (*_first_turn(), *_second_turn()):
        add(state, entry)
    return state


def _first_turn() -> tuple[AnyEntry, ...]:
    return (
        message(
            "Find all callers of parse_config and fix the type error.\nStart with @src/loader.py.",
            Role.USER,
            extras=[
                ResourceLink("file:///p/src/loader.py", "loader.py"),
                ImageContent("A" * 4000, "image/png"),
            ],
        ),
        message(THOUGHT, Role.THOUGHT),
        message("I will look at the three modules that import it."),
        tool(
            'grep -n "parse_config" `src`',
            kind="search",
            content=(text_content("src/a.py:1: parse_config\n" * 12),),
        ),
        tool("Read src/config.py", kind="read", content=(text_content("```\n1\tx\n2\ty\n```"),)),
        tool(
            "Edit src/config.py",
            kind="edit",
            content=(Diff("/p/src/config.py", NEW, OLD),),
            locations=(Location("/p/src/config.py", 38),),
        ),
        tool("Write notes.md", kind="edit", content=(Diff("/p/notes.md", "# Notes\n\n- one\n"),)),
        tool(
            "pytest -q tests/test_loader.py tests/test_cli.py",
            kind="execute",
            status="failed",
            has_terminal=True,
            exited=True,
            exit_code=1,
            ended_at=AT + 12.4,
            output=BUILD,
            content=(TerminalRef("t1"),),
        ),
        tool("mcp__tracker__search", status="in_progress"),
        tool("rm -rf build", kind="execute", status="pending", waits=True),
        tool("npm run watch", kind="execute", status="in_progress", backgrounded=True),
        ChildEntry(at=AT, child="explore#2"),
        ChildEntry(at=AT, child="fix-tests"),
        ChildEntry(at=AT, child="lint"),
        ChildEntry(at=AT, child="reader"),
    )


def _second_turn() -> tuple[AnyEntry, ...]:
    steps = (
        PlanStep("Find the callers", "completed"),
        PlanStep("Fix the loader, and keep the public signature as it is", "in_progress"),
        PlanStep("Run the whole suite", "pending"),
    )
    return (
        PlanEntry(at=AT, steps=steps),
        message(ANSWER),
        RuleEntry(at=AT, kind="turn_end", text="end_turn", running=2),
        RuleEntry(at=AT, kind="after_turn", text="background"),
        message("The third caller is in `tests/test_cli.py`.", after_turn="background"),
        NoticeEntry(at=AT, severity="info", title="The model changed to opus."),
        NoticeEntry(at=AT, severity="warning", title="5 % of the context is left."),
        NoticeEntry(
            at=AT,
            severity="error",
            title="The agent ended with exit status 1.",
            detail='Traceback (most recent call last):\n  File "x.py", line 1\nValueError: no key',
            action="restart_agent",
        ),
        message("", extras=[UnknownContent("hologram", {"type": "hologram"})]),
    )
