"""What the end of a transcript says, read backwards."""

from __future__ import annotations

import io
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from canopy_agent.history.tail import LastOptions, last_options, lines_backwards
from store.writing import Transcript


@given(
    st.lists(st.binary(max_size=20).map(lambda b: b.replace(b"\n", b"")), max_size=12),
    st.integers(1, 9),
)
def test_lines_come_from_the_last_to_the_first_in_chunks_of_any_size(
    lines: list[bytes], chunk: int
) -> None:
    data = b"\n".join(lines)
    found = list(lines_backwards(io.BytesIO(data), chunk))
    assert found == (data.split(b"\n")[::-1] if data else [])


def test_the_last_real_model_and_mode_count(tmp_path: Path) -> None:
    t = Transcript(tmp_path)
    t.user("one", permissionMode="plan")
    t.says("two", inside={"model": "claude-opus-5-5"})
    t.user("three", permissionMode="acceptEdits")
    t.says("four", inside={"model": "claude-sonnet-5-5"})
    t.says("five", inside={"model": "<synthetic>"})
    t.returns("t1")
    assert last_options(t.path) == LastOptions("claude-sonnet-5-5", "acceptEdits")


def test_words_of_subagents_do_not_count(tmp_path: Path) -> None:
    t = Transcript(tmp_path)
    t.user("one", permissionMode="plan")
    t.says("two")
    t.says("of a subagent", isSidechain=True, inside={"model": "claude-haiku-5-5"})
    t.user("to a subagent", isSidechain=True, permissionMode="default")
    assert last_options(t.path) == LastOptions("claude-opus-5-5", "plan")


def test_a_plan_mode_that_was_left_is_no_mode(tmp_path: Path) -> None:
    t = Transcript(tmp_path)
    t.user("one", permissionMode="plan")
    t.says("two")
    t.record("attachment", attachment={"type": "plan_mode_exit"})
    assert last_options(t.path) == LastOptions("claude-opus-5-5", None)
    t.user("three", permissionMode="plan")
    assert last_options(t.path).mode == "plan"


def test_prompts_without_a_mode_do_not_hide_the_one_before(tmp_path: Path) -> None:
    t = Transcript(tmp_path)
    t.user("one", permissionMode="acceptEdits")
    t.user("<command-name>/context</command-name>", permissionMode=None)
    assert last_options(t.path).mode == "acceptEdits"


def test_a_file_that_is_not_there_says_nothing(tmp_path: Path) -> None:
    assert last_options(tmp_path / "none.jsonl") == LastOptions()
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes(b'{"type":"assistant"\n\x00\xff"user"\n')
    assert last_options(broken) == LastOptions()
