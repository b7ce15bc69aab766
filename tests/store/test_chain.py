"""Which records of a transcript count, whatever happened to the file."""

from __future__ import annotations

import json
import uuid
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from canopy_agent.history.chain import active_chain, branches
from canopy_agent.history.reader import open_agent, open_conversation
from canopy_agent.history.texts import blocks_of, words_of
from canopy_agent.history.transcript import lines, read_index
from store.writing import Transcript


def told(path: Path) -> list[str]:
    """The texts, calls (+) and results (-) of the conversation that counts."""
    found = []
    for batch in open_conversation(path).batches():
        for _, record in batch:
            for block in blocks_of(record):
                match block["type"]:
                    case "tool_use":
                        found.append(f"+{block['id']}")
                    case "tool_result":
                        found.append(f"-{block['tool_use_id']}")
                    case _:
                        found.append(block["text"])
    return found


def test_a_plain_conversation_is_told_in_order(tmp_path: Path) -> None:
    t = Transcript(tmp_path)
    t.row(type="ai-title", aiTitle="A title")
    t.user("one")
    t.record("attachment", attachment={"type": "date"})
    t.says("two")
    t.user("three")
    assert told(t.path) == ["one", "two", "three"]


def test_parallel_calls_keep_all_their_results(tmp_path: Path) -> None:
    t = Transcript(tmp_path)
    t.user("go")
    first = t.calls("Read", "t1", "msg_1")
    second = t.calls("Read", "t2", "msg_1")
    t.returns("t2", parent=second)
    last = t.returns("t1", parent=first, sourceToolAssistantUUID=first)
    t.says("done", parent=last)
    assert told(t.path) == ["go", "+t1", "+t2", "-t2", "-t1", "done"]


def test_the_branch_that_ends_last_counts(tmp_path: Path) -> None:
    t = Transcript(tmp_path)
    root = t.user("first")
    t.says("old answer")
    t.user("another try", parent=root)
    t.says("new answer")
    assert told(t.path) == ["first", "another try", "new answer"]
    index = read_index(t.path)
    ends = [chain[-1].uuid for chain in branches(index)]
    assert len(ends) == 2
    assert ends[0] == active_chain(index)[-1].uuid


def test_a_record_of_the_harness_at_the_end_does_not_hide_the_answer_before_it(
    tmp_path: Path,
) -> None:
    t = Transcript(tmp_path)
    t.user("question")
    made = t.calls("Read", "t1", "msg_1")
    t.returns("t1", parent=made)
    t.says("answer")
    t.user("caveat", isMeta=True)
    assert told(t.path)[-2:] == ["answer", "caveat"]


def test_what_was_said_before_a_compaction_is_still_told(tmp_path: Path) -> None:
    t = Transcript(tmp_path)
    t.user("before")
    before = t.says("answer before")
    t.record("system", parent=None, subtype="compact_boundary", logicalParentUuid=before)
    t.user("the summary", isCompactSummary=True)
    t.user("after")
    assert told(t.path) == ["before", "answer before", "the summary", "after"]


def test_a_line_that_cannot_be_read_is_counted_and_bridged(tmp_path: Path) -> None:
    t = Transcript(tmp_path)
    t.user("one")
    t.says("two")
    t.user("lost")
    t.says("four")
    whole = t.path.read_bytes().splitlines(keepends=True)
    whole[2] = whole[2][:40] + b"\n"
    t.path.write_bytes(b"".join(whole))
    assert told(t.path) == ["one", "two", "four"]
    assert open_conversation(t.path).skipped == 1


def test_a_record_that_names_an_unknown_parent_in_a_sound_file_begins_the_conversation(
    tmp_path: Path,
) -> None:
    t = Transcript(tmp_path)
    t.user("of another conversation")
    t.user("begins", parent=str(uuid.uuid4()))
    assert told(t.path) == ["begins"]


def test_circles_end(tmp_path: Path) -> None:
    t = Transcript(tmp_path)
    one, two = str(uuid.uuid4()), str(uuid.uuid4())
    for id_, parent in ((one, two), (two, one)):
        message = {"role": "user", "content": id_}
        t.row(type="user", uuid=id_, parentUuid=parent, isSidechain=False, message=message)
    t.user("end", parent=two)
    assert told(t.path)[-1] == "end"


def test_a_fork_agent_begins_with_what_it_was_told(tmp_path: Path) -> None:
    t = Transcript(tmp_path)
    kid = t.child("a1b2c3d4e5f6", {"toolUseId": "t1"})
    kid.user("words of the parent")
    kid.calls("Agent", "t0")
    told_it = "<fork-boilerplate>rules</fork-boilerplate>\n\nYour directive: dig here"
    kid.user([{"type": "text", "text": told_it}])
    kid.says("dug")
    found = open_agent(kid.path)
    texts = [words_of(blocks_of(r)) for batch in found.batches() for _, r in batch]
    assert texts == [told_it, "dug"]
    assert found.seen.launches == set()


def test_lines_of_any_length_are_cut_at_newlines_and_huge_ones_are_left_out(
    tmp_path: Path,
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"ab\n\n" + b"x" * 100 + b"\ncd\nlast")
    with path.open("rb") as file:
        found = [(at, raw) for at, _, raw in lines(file, limit=10)]
    assert found == [(0, b"ab\n"), (4, None), (105, b"cd\n"), (108, b"last")]


# --- properties -----------------------------------------------------------------------------------


def conversation(folder: Path, length: int) -> Transcript:
    t = Transcript(folder)
    for number in range(length):
        (t.user if number % 2 == 0 else t.says)(f"text {number}")
    return t


def sound(path: Path) -> None:
    """What must hold of any file: no record twice, in order of the file, all of one writer."""
    index = read_index(path)
    chain = active_chain(index)
    assert len({entry.uuid for entry in chain}) == len(chain)
    known = {entry.uuid for entry in index.entries}
    assert all(entry.uuid in known for entry in chain)
    if index.skipped == 0:
        for before, after in pairwise(chain):
            assert after.parent in (before.uuid, None) or after.parent not in known


@settings(max_examples=40, deadline=None)
@given(length=st.integers(1, 12), cut=st.floats(0, 1))
def test_a_truncated_file_tells_everything_before_the_cut(length: int, cut: float) -> None:
    with TemporaryDirectory() as folder:
        t = conversation(Path(folder), length)
        data = t.path.read_bytes()
        kept = data[: int(len(data) * cut)]
        t.path.write_bytes(kept)
        complete = kept.count(b"\n")
        found = told(t.path)
        # a last line that lacks nothing but its newline is as good as any
        whole = complete + (1 if kept and data[len(kept) :][:1] == b"\n" else 0)
        assert found == [f"text {number}" for number in range(whole)]
        sound(t.path)


@settings(max_examples=60, deadline=None)
@given(
    length=st.integers(2, 12),
    damage=st.lists(st.tuples(st.integers(0, 10_000), st.binary(max_size=8)), max_size=6),
)
def test_damage_costs_no_more_than_the_lines_it_hit(
    length: int, damage: list[tuple[int, bytes]]
) -> None:
    with TemporaryDirectory() as folder:
        t = conversation(Path(folder), length)
        data = bytearray(t.path.read_bytes())
        original = bytes(data).splitlines()
        for at, bytes_ in damage:
            where = at % len(data)
            data[where : where + len(bytes_)] = bytes_
        t.path.write_bytes(bytes(data))
        left = bytes(data).split(b"\n")
        untouched = [f"text {number}" for number, line in enumerate(original) if line in left]
        found = told(t.path)
        sound(t.path)
        if not any(is_object(line) for line in left if line not in original):
            assert found == untouched


def is_object(line: bytes) -> bool:
    """Whether a damaged line still reads as a record, with whatever it says now."""
    try:
        return isinstance(json.loads(line.decode("utf-8", "replace")), dict)
    except (ValueError, RecursionError):
        return False


@settings(max_examples=40, deadline=None)
@given(order=st.lists(st.booleans(), min_size=1, max_size=16))
def test_of_two_writers_in_one_file_the_last_one_counts_whole(order: list[bool]) -> None:
    with TemporaryDirectory() as folder:
        one = Transcript(Path(folder))
        start = one.user("common")
        other = Transcript(Path(folder), one.id, path=one.path)
        other.last = start
        said: dict[bool, list[str]] = {True: ["common"], False: ["common"]}
        for number, which in enumerate(order):
            writer, words = (one if which else other), f"{which} {number}"
            (writer.user if len(said[which]) % 2 else writer.says)(words)
            said[which].append(words)
        assert told(one.path) == said[order[-1]]
        sound(one.path)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.binary(max_size=60), max_size=8))
def test_no_bytes_break_the_reader(junk: list[bytes]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{uuid.uuid4()}.jsonl"
        path.write_bytes(b"\n".join([*junk, b"[]", b"{}", b"null", json.dumps({"a": 1}).encode()]))
        assert told(path) == []
