"""Files for ``@``: which are listed, which fit what is typed, how they are written in a message."""

from __future__ import annotations

import asyncio
import subprocess
import threading
from pathlib import Path

import pytest

from canopy_tui.desk import file_listing
from canopy_tui.desk.file_index import FileIndex, Found
from canopy_tui.desk.file_listing import list_files
from canopy_tui.model.file_match import BLOCK, MANY, Search, block_of
from canopy_tui.model.ignore_rules import is_ignored, rules_of
from canopy_tui.model.mentions import dropped_paths, mentioned, open_mention, spelled


def fill(folder: Path, *paths: str) -> None:
    for path in paths:
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(path)


def listed(folder: Path) -> set[str]:
    return set(list_files(folder, threading.Event()))


# --- listing --------------------------------------------------------------------------------------


def test_git_lists_new_files_and_leaves_out_the_ignored(tmp_path: Path) -> None:
    fill(tmp_path, "a.py", "new file.py", "out/x.o", "deep/b.py", "deep/skip.log")
    (tmp_path / ".gitignore").write_text("out/\n*.log\n")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "a.py"], cwd=tmp_path, check=True)
    assert listed(tmp_path) == {".gitignore", "a.py", "new file.py", "deep/b.py"}
    assert listed(tmp_path / "deep") == {"b.py"}


def test_without_git_the_rules_of_gitignore_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_listing, "_GIT", ("no-such-program",))
    fill(tmp_path, "a.py", "out/x.o", "deep/b.py", "deep/skip.log", "deep/keep.log", ".git/HEAD")
    (tmp_path / ".gitignore").write_text("/out\n*.log\n")
    (tmp_path / "deep" / ".gitignore").write_text("!keep.log\n")
    (tmp_path / "deep" / "bad\nname").write_text("")
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    assert listed(tmp_path) == {
        ".gitignore",
        "a.py",
        "loop",
        "deep/.gitignore",
        "deep/b.py",
        "deep/keep.log",
    }


def test_without_any_rules_what_is_usually_made_is_left_out(tmp_path: Path) -> None:
    fill(tmp_path, "a.py", "node_modules/x/y.js", "__pycache__/a.pyc")
    assert listed(tmp_path) == {"a.py"}


IGNORED = [
    ("*.log", "a/b.log", False, True),
    ("*.log", "a/b.logs", False, False),
    ("build/", "build", True, True),
    ("build/", "build", False, False),
    ("/build", "x/build", True, False),
    ("a/b", "x/a/b", False, False),
    ("doc/**/*.txt", "doc/a/b/c.txt", False, True),
    ("doc/**/*.txt", "doc/c.txt", False, True),
    ("**/tmp", "a/b/tmp", True, True),
    ("out/**", "out/a/b", False, True),
    ("f?o", "fxo", False, True),
    ("f?o", "f/o", False, False),
    ("[ab]c", "ac", False, True),
    ("[!ab]c", "ac", False, False),
    ("[", "[", False, True),
    (r"\#x", "#x", False, True),
    ("# x", "# x", False, False),
    ("*.log\n!keep.log", "keep.log", False, False),
    ("a b ", "a b", False, True),
]


@pytest.mark.parametrize(("text", "path", "is_directory", "ignored"), IGNORED)
def test_rules_of_gitignore(text: str, path: str, is_directory: bool, ignored: bool) -> None:
    assert is_ignored(path, is_directory=is_directory, rules=rules_of(text)) is ignored


# --- what fits ------------------------------------------------------------------------------------

PATHS = (
    "README.md",
    "src/",
    "src/shop/",
    "src/shop/prices.py",
    "src/shop/price_list.csv",
    "src/prices/readme.txt",
    "tests/test_prices.py",
    "tools/İstanbul.py",
    "very/deep/below/that/x.py",
)


def best(query: str, paths: tuple[str, ...] = PATHS) -> list[str]:
    search = Search(query, 5)
    for number in range(Search.PASSES):
        if not search.enough(number):
            search.look(block_of(paths), number)
    return search.best()


def test_the_closest_fit_comes_first() -> None:
    assert best("prices.py")[:2] == ["src/shop/prices.py", "tests/test_prices.py"]
    assert best("price")[0] == "src/shop/prices.py"
    assert best("SRC/SH")[0] == "src/shop/"
    assert best("shoppr")[:1] == ["src/shop/prices.py"]
    assert best("src/")[0] == "src/"
    assert best("İstan") == ["tools/İstanbul.py"]
    assert best("shop prices")[0] == "src/shop/prices.py"
    assert best("nothing like it") == []
    assert best("[") == []
    assert best("")[:2] == ["src/", "README.md"]


async def search(index: FileIndex, query: str) -> Found:
    """Ask until the list is whole."""
    async with asyncio.timeout(30):
        while True:
            found = await index.search(query)
            assert found is not None
            if not found.listing:
                return found
            await asyncio.sleep(0.01)


async def test_an_index_of_many_files_gives_others_their_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"part{number % 97}/file_{number}.py" for number in range(30_000)]
    monkeypatch.setattr("canopy_tui.desk.file_listing.list_files", lambda *_: iter(names))
    monkeypatch.setattr("canopy_tui.desk.file_index._LOOK_TIME", 0.0)
    index = FileIndex(tmp_path)
    found = await search(index, "file_29999")
    assert found.paths == ("part26/file_29999.py",)
    assert found.total == len(names) + 97
    turns: list[int] = []
    other = asyncio.create_task(_count(turns))
    assert (await search(index, "zz")).paths == ()
    other.cancel()
    assert len(turns) > 10
    assert await index.search("zz", lambda: False) is None
    assert len((await search(index, "file")).paths) == 50


async def _count(turns: list[int]) -> None:
    while True:
        turns.append(1)
        await asyncio.sleep(0)


@pytest.mark.parametrize("query", ["f", "fil", "le"])
def test_where_everything_fits_whole_names_are_found_in_the_rest(query: str) -> None:
    paths = [f"a{number // 100}/file{number}" for number in range(MANY + 5 * BLOCK)]
    paths += [f"deep/below/{query}", f"deep/{query}/"]
    blocks = [block_of(paths[at : at + BLOCK]) for at in range(0, len(paths), BLOCK)]
    search = Search(query, 20)
    for number in range(Search.PASSES):
        for block in blocks if not search.enough(number) else ():
            search.look(block, number)
    assert len(search.best()) == 20
    assert len(search._ranked) <= MANY + BLOCK + 2  # the work for one key has a bound
    assert search.best()[:2] == [f"deep/{query}/", f"deep/below/{query}"]


async def test_folders_and_places_outside_are_found_too(tmp_path: Path) -> None:
    here = tmp_path / "here"
    fill(here, "src/a b.py", "src/deep/c.py")
    fill(tmp_path, "beside/d.py", "beside/.hidden")
    index = FileIndex(here)
    assert (await search(index, "")).paths == ("src/", "src/deep/", "src/a b.py")
    outside = await search(index, f"{tmp_path}/bes")
    assert outside.paths == (f"{tmp_path}/beside/",)
    assert (await search(index, "../beside/")).paths == ("../beside/d.py",)
    assert (await search(index, "/no/such/place/x")).paths == ()
    links = index.links('@"src/a b.py", @src/deep/c.py:3 and (@src/deep). @../beside/d.py @no.py')
    assert [link.uri for link in links] == [
        (here / "src/a b.py").as_uri(),
        (here / "src/deep/c.py").as_uri(),
        (here / "src/deep").as_uri(),
        (tmp_path / "beside/d.py").as_uri(),
    ]
    assert [link.name for link in links] == ["a b.py", "c.py", "deep", "d.py"]
    assert index.links("me@src @\0 @~of-no-such-person/x") == ()


async def test_a_folder_that_is_ignored_is_looked_into_once_it_is_named(tmp_path: Path) -> None:
    fill(tmp_path, "build/out.js", "build/.cache", "build/web/a.css", "src/build/b.py")
    (tmp_path / ".gitignore").write_text("/build/\n", encoding="utf-8")
    index = FileIndex(tmp_path)
    assert "build/out.js" not in (await search(index, "out")).paths
    named = (await search(index, "build/")).paths
    assert named[:2] == ("build/out.js", "build/web/")
    assert "src/build/b.py" in named
    assert (await search(index, "build/we")).paths[0] == "build/web/"
    assert (await search(index, "build/web/")).paths == ("build/web/a.css",)
    assert (await search(index, "nowhere/a")).paths == ()


# --- in a message ---------------------------------------------------------------------------------


def test_what_is_being_typed_at_the_caret() -> None:
    assert open_mention("see @src/a", 10) == open_mention("see @src/a and", 10)
    mention = open_mention("see @src/a", 8)
    assert mention is not None
    assert (mention.start, mention.path) == (4, "src")
    quoted = open_mention('@"a b', 5)
    assert quoted is not None
    assert quoted.path == "a b"
    assert open_mention("me@home", 7) is None
    assert open_mention("see @a b", 8) is None
    assert open_mention('@"a b" ', 7) is None


def test_how_a_path_is_written_and_read() -> None:
    assert spelled("a.py") == "@a.py"
    assert spelled("a b.py") == '@"a b.py"'
    assert list(mentioned('see @"a b.py" and @c.py:12, mail@x.org')) == [
        ("a b.py",),
        ("c.py:12,", "c.py:12", "c.py"),
    ]
    assert len(list(mentioned("@x " * 500))) == 50


DROPPED = {
    "/home/ada/a.png": ["/home/ada/a.png"],
    "'/home/ada/a b.png'": ["/home/ada/a b.png"],
    '"/home/ada/a b.png" ': ["/home/ada/a b.png"],
    r"/home/ada/a\ b\(1\).png": ["/home/ada/a b(1).png"],
    "file:///home/ada/a%20b.png": ["/home/ada/a b.png"],
    "/a.png /b.png\n'/c d.png'": ["/a.png", "/b.png", "/c d.png"],
    "~/a.png": ["~/a.png"],
    r"C:\Users\ada\a b.png": [r"C:\Users\ada\a b.png"],
    "file:///C:/a.png": ["C:/a.png"],
    "a.png": [],
    "rm /a.png": [],
    "/a.png and more": [],
    "'/a": [],
    "it's /a": [],
    "": [],
}


@pytest.mark.parametrize("text", DROPPED)
def test_what_a_terminal_types_for_a_dropped_file(text: str) -> None:
    assert dropped_paths(text) == DROPPED[text]


def test_a_listing_stops_when_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_listing, "_GIT", ("no-such-program",))
    fill(tmp_path, "a.py")
    stop = threading.Event()
    files = list_files(tmp_path, stop)
    stop.set()
    assert list(files) == []
