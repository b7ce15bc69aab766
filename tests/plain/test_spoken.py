"""What a person at a terminal is told of Markdown in lines."""

from __future__ import annotations

import pytest

from canopy_tui.plain.narrator import Narrator
from canopy_tui.plain.spoken import Spoken
from tui_model.reducing import Story


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("**Two** rules, `__init__` and *more*:", "Two rules, __init__ and more:"),
        ("## A heading", "A heading"),
        ("  - [x] a **task**", "  - [x] a task"),
        ("12. an _item_", "12. an item"),
        ("> said by `ls`", "said by ls"),
        ("see [the page](https://a.example/x)", "see the page (https://a.example/x)"),
        ("| module | **job** |", "module  job"),
        ("| :-- | --- |", ""),
        ("2 * 3 * 4 and a_b_c", "2 * 3 * 4 and a_b_c"),
        ("---", ""),
        ("", ""),
    ],
)
def test_a_line(line: str, told: str) -> None:
    assert Spoken()(line) == told


def test_code_stays_as_it_is_and_is_named() -> None:
    spoken = Spoken()
    text = "so:\n  ```python\n  x = **y\n# no heading\n  ```\n**then**\n~~~\n```\n~~~"
    assert [spoken(line) for line in text.split("\n")] == [
        *("so:", "code, python:", "  x = **y", "# no heading", "end of code", "then"),
        *("code:", "```", "end of code"),
    ]


def test_marks_go_only_where_a_person_reads() -> None:
    said = {}
    for spoken in (False, True):
        story = Story()
        narrator = Narrator(story.state, spoken=spoken)
        story.prompt("**mine**")
        lines: list[str] = []
        for chunk in ("a **b", "old** word\n```sh\nls **", "/*\n", "```\n- **end**"):
            story.says(chunk)
            lines += narrator.lines(story.touched)
        said[spoken] = [*lines, *narrator.rest()]
    assert said[False] == [
        *("you: **mine**", "main: a **bold** word", "main: ```sh", "main: ls **/*", "main: ```"),
        "main: - **end**",
    ]
    assert said[True] == [
        *("you: **mine**", "main: a bold word", "main: code, sh:", "main: ls **/*"),
        *("main: end of code", "main: - end"),
    ]
