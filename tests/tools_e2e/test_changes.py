"""Diffs and patches of real edits: what a client is shown is what happened to the file."""

from __future__ import annotations

import asyncio
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from canopy_shared.ext import air
from e2e.world import world
from tools_e2e.scripted import call, merged, sequence

if TYPE_CHECKING:
    from pathlib import Path

    from canopy_agent.demo.rules import ToolUse

Json = dict[str, Any]
LONG = "".join(f"line {n}\n" for n in range(1, 201))
SEVEN = "".join(f"{n}\nneedle\n" + "filler\n" * 12 for n in range(7))


@dataclass(frozen=True, slots=True)
class Change:
    """One change of one file: its bytes before (None: there is none), and the call."""

    name: str
    before: bytes | None
    change: ToolUse
    exact: bool = True


def edit(name: str, old: str, new: str, **more: Any) -> ToolUse:
    return call("Edit", file_path=f"{{cwd}}/{name}", old_string=old, new_string=new, **more)


def write(name: str, content: str) -> ToolUse:
    return call("Write", file_path=f"{{cwd}}/{name}", content=content)


CHANGES = (
    Change("new.txt", None, write("new.txt", "one\ntwo\n")),
    Change("no newline.txt", None, write("no newline.txt", "one\ntwo")),
    Change("empty.txt", b"", write("empty.txt", "first\n")),
    Change("one.txt", LONG.encode(), edit("one.txt", "line 100\n", "line one hundred\n")),
    Change("over.txt", LONG.encode(), write("over.txt", LONG.replace("line 50\n", "LINE 50\n"))),
    Change("seven.txt", SEVEN.encode(), edit("seven.txt", "needle", "pin", replace_all=True)),
    Change("end.txt", b"a\nb", edit("end.txt", "b", "c")),
    Change("gone.txt", b"a\nb\nc\n", edit("gone.txt", "b\n", "")),
    Change("über ä.txt", b"x\ny\n", edit("über ä.txt", "x", "z")),
    Change("crlf.txt", b"a\r\nb\r\n", edit("crlf.txt", "a", "c"), exact=False),
    Change("bom.txt", b"\xef\xbb\xbfa\nb\n", edit("bom.txt", "a", "c"), exact=False),
)


def calls() -> list[ToolUse]:
    """Each change, after the file was read where there is one."""
    found = []
    for one in CHANGES:
        if one.before:
            found.append(call("Read", file_path=f"{{cwd}}/{one.name}"))
        found.append(one.change)
    return found


@dataclass(slots=True)
class Seen:
    """What a client got: cards and requests by file name, and the files afterwards."""

    root: str
    cards: dict[str, Json]
    requests: dict[str, Json]
    after: dict[str, bytes]


async def _seen(capabilities: Json) -> Seen:
    async with world(sequence(*calls())) as w:
        for one in CHANGES:
            if one.before is not None:
                (w.cwd / one.name).write_bytes(one.before)
        await w.open(capabilities)
        w.agent.on_permission("allow_once")
        assert (await w.prompt("go"))["stopReason"] == "end_turn"
        cards = [c for c in merged(w.agent.updates()).values() if c["name"] in ("Edit", "Write")]
        assert [card["status"] for card in cards] == ["completed"] * len(CHANGES)
        requests = w.agent.requests("session/request_permission")
        assert len(requests) == len(CHANGES)
        return Seen(
            str(w.cwd),
            dict(zip((one.name for one in CHANGES), cards, strict=True)),
            dict(zip((one.name for one in CHANGES), requests, strict=True)),
            {one.name: (w.cwd / one.name).read_bytes() for one in CHANGES},
        )


@pytest.fixture(scope="module")
def patched() -> Seen:
    """As a client sees it that takes patches."""
    return asyncio.run(_seen({"_meta": air.client_meta(air.DIFF_PATCH)}))


@pytest.fixture(scope="module")
def plain() -> Seen:
    """As a plain client sees it."""
    return asyncio.run(_seen({}))


def patches(content: list[Json]) -> list[str]:
    return [
        block["_meta"]["jetbrains"]["air"]["diffPatch"]["text"]
        for block in content
        if "diffPatch" in str(block.get("_meta"))
    ]


@pytest.mark.parametrize("change", CHANGES, ids=lambda one: one.name)
def test_56_58_git_applies_each_patch_to_the_file_as_it_was(
    patched: Seen, tmp_path: Path, change: Change
) -> None:
    asked = patches(patched.requests[change.name]["params"]["toolCall"].get("content", []))
    shown = patches(patched.cards[change.name]["content"])
    if not change.exact:
        assert asked == shown == []
        return
    assert asked, "the question shows what would be done"
    for text in {*asked, *shown}:
        target = tmp_path / patched.root.lstrip("/") / change.name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        if change.before is not None:
            target.write_bytes(change.before)
        for words in (("--check",), ()):
            done = subprocess.run(
                ["git", "apply", *words, "-"],
                input=text.encode(),
                cwd=tmp_path,
                capture_output=True,
            )
            assert done.returncode == 0, done.stderr.decode()
        assert target.read_bytes() == patched.after[change.name]


def diffs(card: Json) -> list[Json]:
    return [block for block in card["content"] if block["type"] == "diff"]


def test_b64_only_a_new_file_has_no_old_text(plain: Seen) -> None:
    for change in CHANGES:
        found = diffs(plain.cards[change.name])
        assert found, change.name
        if change.before:
            assert all(one["oldText"] is not None for one in found), change.name
    (over,) = diffs(plain.cards["over.txt"])
    old, new = over["oldText"].splitlines(), over["newText"].splitlines()
    assert len(set(old) ^ set(new)) == 2
    assert plain.cards["over.txt"]["locations"] == [{"path": f"{plain.root}/over.txt", "line": 47}]
    assert [one["oldText"] for one in diffs(plain.cards["new.txt"])] == [None]


def test_b63_a_replacement_everywhere_shows_every_place(plain: Seen, patched: Seen) -> None:
    card = plain.cards["seven.txt"]
    assert sum(one["newText"].count("pin") for one in diffs(card)) == 7
    assert len(card["locations"]) == len(diffs(card)) == 7
    lines = [one["line"] for one in card["locations"]]
    assert lines == sorted(set(lines))
    question = plain.requests["seven.txt"]["params"]["toolCall"]
    assert question["rawInput"]["replace_all"] is True
    (text,) = patches(patched.requests["seven.txt"]["params"]["toolCall"]["content"])
    assert text.count("\n+pin\n") == 7


def test_crlf_and_a_byte_order_mark_are_no_change_of_every_line(plain: Seen, patched: Seen) -> None:
    for seen in (plain, patched):
        for name in ("crlf.txt", "bom.txt"):
            (one,) = diffs(seen.cards[name])
            assert "b" not in set(one["oldText"].split()) ^ set(one["newText"].split())
    assert plain.after["crlf.txt"] == b"c\r\nb\r\n"
    assert plain.after["bom.txt"] == b"\xef\xbb\xbfc\nb\n"


async def test_b25_an_edit_works_on_the_file_as_a_command_left_it() -> None:
    """No file goes through the client, so there is no stale copy."""
    later = call("Bash", command="printf 'v2\\nrest\\n' > f.txt", description="Change it")
    read = call("Read", file_path="{cwd}/f.txt")
    change = edit("f.txt", "v2", "v2 and more")
    async with world(sequence(read, later, read, change)) as w:
        (w.cwd / "f.txt").write_text("v1\nrest\n")
        await w.open({"fs": {"readTextFile": True, "writeTextFile": True}})
        w.agent.on_permission("allow_once")
        await w.prompt("go")
        assert (w.cwd / "f.txt").read_text() == "v2 and more\nrest\n"
        (one,) = diffs(list(merged(w.agent.updates()).values())[-1])
        assert one["oldText"].startswith("v2")
        assert not [f for f in w.agent.frames if str(f.get("method")).startswith("fs/")]
