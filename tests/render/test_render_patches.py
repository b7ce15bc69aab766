"""Exact git patches: git itself accepts each of them and gets the same file."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from canopy_agent.render.diffs import hunk_changes
from canopy_agent.render.lines import changes
from canopy_agent.render.patches import (
    MAX_BYTES,
    coming_patch,
    done_patch,
    git_patch,
    readable_text,
)
from canopy_shared.codec import encode

if TYPE_CHECKING:
    from pathlib import Path

    from canopy_agent.render.diffs import Change


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty repository; paths in patches are below it."""
    root = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    return root


def applied(repository: Path, path: str, old: str | None, patch: str) -> str:
    """What ``git apply`` makes of the file, after ``--check`` accepted the patch."""
    target = repository / path.lstrip("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    if old is not None:
        target.write_bytes(old.encode())
    for check in (["--check"], []):
        subprocess.run(
            ["git", "apply", "--whitespace=nowarn", *check, "-"],
            cwd=repository,
            input=patch.encode(),
            check=True,
            capture_output=True,
        )
    return target.read_bytes().decode()


LONG = "".join(f"line {number}\n" for number in range(60))
CASES: list[tuple[str, str | None, str]] = [
    ("new file", None, "one\ntwo\n"),
    ("new file without a newline", None, "one"),
    ("one line changes", "a\nb\nc\n", "a\nB\nc\n"),
    ("newline is lost", "a\nb\n", "a\nb"),
    ("newline is won", "a\nb", "a\nb\n"),
    ("no newline on either side", "a\nb", "a\nc"),
    ("all is deleted", "a\nb\n", ""),
    ("empty file is filled", "", "a\n"),
    ("insertion at the start", "b\n", "a\nb\n"),
    ("insertion at the end", "a\n", "a\nb\n"),
    ("two distant hunks", LONG, LONG.replace("line 3\n", "x\n").replace("line 50\n", "")),
    ("two near changes", LONG, LONG.replace("line 3\n", "x\n").replace("line 9\n", "y\n")),
    ("blank lines", "\n\na\n\n", "\na\n\n\n"),
    ("odd separators", "a\x0bb\u2028c\n", "a\x0bb\u2028d\n"),
    ("unicode", "é\n日本\n", "é\n中国\n"),
    ("lines that look like a patch", "--- a\n+++ b\n", "--- a\n@@ -1 +1 @@\n+++ b\n"),
]


@pytest.mark.parametrize(("old", "new"), [case[1:] for case in CASES], ids=[c[0] for c in CASES])
def test_56_58_git_accepts_the_patch(repository: Path, old: str | None, new: str) -> None:
    patch = git_patch("/src/a.txt", old, new)
    assert patch is not None
    assert applied(repository, "/src/a.txt", old, patch.text) == new


@pytest.mark.parametrize(
    "path",
    [
        "/a b/c d.txt",
        '/quo"te.txt',
        "/tab\there.txt",
        "/back\\slash.txt",
        "/été/日本.txt",
        "/new\nline.txt",
        "/é and space.txt",
    ],
)
@pytest.mark.parametrize("old", [None, "one\n"], ids=["new", "old"])
def test_git_accepts_odd_names(repository: Path, path: str, old: str | None) -> None:
    patch = git_patch(path, old, "two\n")
    assert patch is not None
    assert applied(repository, path, old, patch.text) == "two\n"


def test_form_of_a_patch() -> None:
    patch = git_patch("/src/a b.txt", LONG, LONG.replace("line 3\n", "x\n"))
    assert patch is not None
    assert patch.starts == (1,)
    assert patch.text.splitlines() == [
        "diff --git a/src/a b.txt b/src/a b.txt",
        "--- a/src/a b.txt\t",
        "+++ b/src/a b.txt\t",
        "@@ -1,7 +1,7 @@",
        " line 0",
        " line 1",
        " line 2",
        "-line 3",
        "+x",
        " line 4",
        " line 5",
        " line 6",
    ]
    windows = git_patch("C:\\src\\a.txt", "a\n", "b\n")
    assert windows is not None
    assert windows.text.startswith("diff --git a/C:/src/a.txt b/C:/src/a.txt\n")
    assert "\n@@ -1 +1 @@\n" in windows.text


def test_nothing_changes() -> None:
    assert git_patch("/a", "x\n", "x\n") is None
    assert git_patch("/a", None, "") is None


lines = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n", "long line\n"]), max_size=40)
texts = st.builds(lambda parts, end: "".join(parts) + end, lines, st.sampled_from(["", "z"]))


@given(old=texts, new=texts)
@settings(max_examples=120, deadline=None)
def test_changes_turn_old_into_new(old: str, new: str) -> None:
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    found = changes(before, after)
    built: list[str] = []
    at, bt = 0, 0
    for a0, a1, b0, b1 in found:
        assert (a0, b0) >= (at, bt)
        assert (a0, b0) != (a1, b1)
        assert before[at:a0] == after[bt:b0]
        built += before[at:a0] + after[b0:b1]
        at, bt = a1, b1
    assert built + before[at:] == after


@given(old=texts, new=texts)
@settings(max_examples=25, deadline=None)
def test_git_accepts_any_patch(repository: Path, old: str, new: str) -> None:
    patch = git_patch("/any.txt", old, new)
    if patch is None:
        assert old == new
    else:
        assert applied(repository, "/any.txt", old, patch.text) == new


def test_large_files_take_no_quadratic_time() -> None:
    """Twenty thousand equal lines on both sides of a change at either end."""
    old = [f"{number % 7}\n" for number in range(20_000)]
    new = ["first\n", *old[1:-1], "last\n"]
    assert changes(old, new) == [(0, 1, 0, 1), (19_999, 20_000, 19_999, 20_000)]
    shuffled = [f"{number % 11}\n" for number in range(20_000)]
    assert changes(old, shuffled)


# --- when there is no exact patch ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"a\n", "a\n"),
        (b"", ""),
        (b"a\r\n", None),
        (b"a\0b", None),
        (b"\xff\xfe", None),
        (b"\xef\xbb\xbfa\n", None),
        (b"x" * (MAX_BYTES + 1), None),
        (b"x" * 9000 + b"\0\n", "x" * 9000 + "\0\n"),
    ],
    ids=["text", "empty", "cr", "nul", "latin", "bom", "large", "late nul"],
)
def test_what_a_patch_can_tell(raw: bytes, text: str | None) -> None:
    assert readable_text(raw) == text


def text_of(change: Change | None) -> str:
    assert change is not None
    (block,) = encode(change.content)
    text: str = block["_meta"]["jetbrains"]["air"]["diffPatch"]["text"]
    return text


def edit(old: str, new: str, *, everywhere: bool = False) -> dict[str, Any]:
    return {"old_string": old, "new_string": new, "replace_all": everywhere}


@pytest.mark.parametrize(
    ("disk", "tool_input", "after"),
    [
        ("a b\n", edit("a", "c"), "c b\n"),
        ("a a\n", edit("a", "c", everywhere=True), "c c\n"),
        ("a\nb\n", edit("a", ""), "b\n"),
        ("a b\n", edit("a", ""), " b\n"),
        ("a\n", edit("a\n", ""), ""),
        (None, edit("", "new\n"), "new\n"),
        ("a a\n", edit("a", "c"), None),
        ("b\n", edit("a", "c"), None),
        (None, edit("a", "c"), None),
        ("a\n", edit("", "c"), None),
        ("", edit("", "c"), None),
        ("a\n", {"old_string": "a"}, None),
        ("a\r\n", edit("a", "c"), None),
        ("a\n", edit("a", "c\r"), None),
        ("a\n", edit("a", "\ud800"), None),
    ],
)
def test_preview_of_an_edit(
    repository: Path, disk: str | None, tool_input: dict[str, Any], after: str | None
) -> None:
    raw = None if disk is None else disk.encode()
    change = coming_patch("Edit", "/a.txt", tool_input, lambda _: raw)
    if after is None:
        assert change is None
    else:
        assert applied(repository, "/a.txt", disk, text_of(change)) == after


def done(name: str, disk: bytes | None, **response: Any) -> Change | None:
    return done_patch(name, "/a.txt", response, lambda _: disk)


def test_done_is_told_by_the_file_itself(repository: Path) -> None:
    change = done("Edit", b"b\nformatted\n", originalFile="a\n", oldString="a")
    assert applied(repository, "/a.txt", "a\n", text_of(change)) == "b\nformatted\n"
    assert done("Edit", b"a\n", originalFile="a\n", oldString="a") is None
    assert done("Edit", b"x\n", originalFile="", oldString="") is None
    assert done("Edit", b"x\n", originalFile=None, oldString="a") is None
    assert done("Write", b"x\n", type="create", content="y\n") is None
    assert done("Write", None, type="create", content="y\n") is None
    assert done("Write", b"x\n", type="update", content="x\n", originalFile="a\r\n") is None
    update = done("Write", b"x\n", type="update", content="x\n", originalFile="a\n")
    assert update is not None
    assert [place.line for place in update.locations] == [1]


@pytest.mark.parametrize("patch", [None, [], "x", [1], [{}], [{"lines": "x"}]])
def test_no_usable_hunk(patch: Any) -> None:
    assert hunk_changes("/a", patch) is None


def test_hunk_without_old_lines_is_an_addition() -> None:
    hunk = {"oldStart": 0, "newStart": 1, "lines": ["+a", "\\ No newline at end of file", 3]}
    change = hunk_changes("/a", [hunk])
    assert change is not None
    assert encode(change.content) == [
        {"type": "diff", "path": "/a", "oldText": None, "newText": "a"}
    ]
