"""Output of commands, read from the file that Claude Code writes it to."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any

import pytest

from canopy_agent.claude.errors import ControlFailed
from canopy_agent.domain.shells import SKIPPED
from canopy_agent.session import output_tails
from canopy_agent.session.output_file import ANEW, FARTHEST, LONGEST, OutputFile
from canopy_agent.session.output_tails import OutputTails
from waiting import eventually

if TYPE_CHECKING:
    from pathlib import Path

    from canopy_agent.domain.events import OutputRead

WORDS = "one é 日本 \U0001f600\n"


def everything(file: OutputFile) -> str:
    """All that can be read now."""
    text, more = "", True
    while more:
        piece = file.read()
        assert piece is not None
        text, more = text + piece.text, piece.more
    return text


def test_it_gives_what_came_since_in_whole_letters(tmp_path: Path) -> None:
    path = tmp_path / "b.output"
    file, got = OutputFile(str(path)), ""
    assert file.read() is None
    for byte in WORDS.encode():
        with path.open("ab") as written:
            written.write(bytes([byte]))
        piece = file.read()
        assert piece is not None
        assert "\ufffd" not in piece.text
        got += piece.text
    assert got == WORDS
    assert (piece.total, piece.more) == (len(WORDS.encode()), False)
    path.write_bytes(path.read_bytes() + "é".encode()[:1])
    assert file.read().text + file.rest() == "\ufffd"  # type: ignore[union-attr]


def test_nothing_of_a_long_output_is_lost_and_each_reading_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "b.output"
    whole = WORDS * (FARTHEST // len(WORDS.encode()))
    path.write_text(whole)
    file = OutputFile(str(path))
    piece = file.read()
    assert piece is not None
    assert (piece.total, piece.more) == (LONGEST, True)
    assert piece.text + everything(file) == whole
    assert everything(file) == ""
    assert everything(OutputFile(str(path), len(WORDS.encode()))) == whole[len(WORDS) :]


@pytest.mark.parametrize("shift", range(4))
def test_far_behind_only_the_end_is_read_and_the_gap_is_marked(tmp_path: Path, shift: int) -> None:
    path = tmp_path / "b.output"
    whole = "\U0001f600" * (FARTHEST // 2) + "x" * shift
    path.write_text(whole)
    text = everything(OutputFile(str(path)))
    end = text.removeprefix(SKIPPED)
    assert text != end
    assert whole.endswith(end)
    assert LONGEST - 4 < len(end.encode()) <= LONGEST


def test_a_file_that_is_cut_or_replaced_is_read_from_its_start(tmp_path: Path) -> None:
    path = tmp_path / "b.output"
    path.write_text("first words")
    file = OutputFile(str(path))
    assert everything(file) == "first words"
    os.truncate(path, 0)
    path.write_text("cut")
    assert everything(file) == f"{ANEW}cut"
    other = tmp_path / "other"
    other.write_text("cut by another")
    other.replace(path)
    assert everything(file) == f"{ANEW}cut by another"


def test_only_a_plain_file_is_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(__file__)
    for path in (tmp_path, tmp_path / "pipe", tmp_path / "link", tmp_path / "a\0b"):
        assert OutputFile(str(path)).read() is None


class Desk:
    """The readers with a CLI that can be asked, or not."""

    def __init__(self, reply: dict[str, Any] | None = None) -> None:
        self.reply = reply
        self.heard: list[OutputRead] = []
        self.relieved = 0
        self.tails = OutputTails(self._ask, asyncio.create_task, self.heard.append, self._relieve)

    async def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        if self.reply is None:
            raise ControlFailed(request["subtype"], "no")
        return self.reply

    async def _relieve(self) -> None:
        self.relieved += 1

    @property
    def text(self) -> str:
        """All that was told."""
        return "".join(one.output for one in self.heard)


async def test_the_file_takes_over_from_asking_and_is_drained_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output_tails, "INTERVAL", 0.001)
    desk = Desk({"output": "asked\n", "total_bytes": 6})
    desk.tails.follow("b")
    await eventually(lambda: desk.heard, "an answer")
    assert not desk.heard[0].exact
    path = tmp_path / "b.output"
    rest = WORDS * (2 * LONGEST // len(WORDS.encode()))
    path.write_text("asked\n" + rest)
    desk.tails.follow("b", str(path))
    desk.heard.clear()
    await eventually(lambda: desk.text == rest, "the rest of it")
    assert desk.relieved >= 1
    assert all(one.exact for one in desk.heard)
    desk.heard.clear()
    last = WORDS * (3 * LONGEST // len(WORDS.encode()))
    with path.open("ab") as written:
        desk.tails.finish("b")  # reads only when it has the floor
        written.write(last.encode() + b"\xf0")
    await eventually(lambda: desk.heard and desk.heard[-1].last, "the last reading")
    assert desk.text == last + "\ufffd"
    assert [one.last for one in desk.heard].count(True) == 1


async def test_the_end_comes_also_when_nothing_can_be_read(tmp_path: Path) -> None:
    desk = Desk()
    desk.tails.follow("b", str(tmp_path / "none"))
    desk.tails.finish("b")
    await eventually(lambda: desk.heard, "an end")
    assert [(one.output, one.last) for one in desk.heard] == [("", True)]
