"""Result blocks, bounds, fences and the cleaning of subagent reports."""

from __future__ import annotations

from typing import Any

import pytest
from markdown_it import MarkdownIt

from canopy_agent.render.bounds import MAX_RESULT_TEXT, bounded, bounded_output
from canopy_agent.render.handback import cleaned_report
from canopy_agent.render.results import contents, file_size, without_reminders
from canopy_agent.render.titles import clean_title, shown_path
from canopy_shared.codec import encode
from canopy_shared.fences import fenced, unfenced
from render.showing import AIR, PLAIN, TERMINAL, shown, texts, whole_call


def rendered(content: Any) -> list[Any]:
    return [part["content"] for part in encode(contents(content))]


@pytest.mark.parametrize(
    ("block", "text"),
    [
        ({"type": "text", "text": "a"}, "a"),
        ({"type": "image", "source": {"type": "url", "url": "https://a"}}, "[image: https://a]"),
        ({"type": "tool_reference", "tool_name": "Bash"}, "Tool: Bash"),
        (
            {"type": "document", "title": "T", "source": {"type": "text", "data": "abc"}},
            '[document "T": text, 3 B]',
        ),
        (
            {"type": "document", "source": {"type": "url", "url": "https://a/b.pdf"}},
            "[document: https://a/b.pdf]",
        ),
        ({"type": "web_search_result", "title": "A", "url": "https://a"}, "A (https://a)"),
        ({"type": "search_result", "title": "A", "source": "s"}, "A (s)"),
        (
            {
                "type": "web_search_tool_result",
                "content": [
                    {"type": "web_search_result", "title": "A", "url": "https://a"},
                    {"type": "web_search_result", "url": "https://b"},
                ],
            },
            "A (https://a)\nhttps://b",
        ),
        (
            {
                "type": "web_fetch_tool_result",
                "content": {"type": "web_fetch_tool_result_error", "error_code": "url_too_long"},
            },
            "Error: url_too_long",
        ),
        (
            {"type": "code_execution_result", "stdout": "1", "stderr": "e", "return_code": 3},
            "1\ne\n[exit code 3]",
        ),
        ({"type": "advisor_tool_result", "content": {"type": "advisor_result", "text": "x"}}, "x"),
        (
            {"type": "advisor_tool_result", "content": {"type": "advisor_redacted_result"}},
            "[redacted]",
        ),
        ({"type": "brand_new", "a": [1]}, '{"type":"brand_new","a":[1]}'),
        ({"type": ["odd"]}, '{"type":["odd"]}'),
        ({"a": 1}, '{"a":1}'),
        ({"type": "text", "text": 5}, '{"type":"text","text":5}'),
        (7, "7"),
    ],
)
def test_each_kind_of_block_says_something(block: Any, text: str) -> None:
    assert rendered([block]) == [{"type": "text", "text": text}]


def test_images_pass() -> None:
    source = {"type": "base64", "media_type": "image/jpeg", "data": "AAAA"}
    image = {"type": "image", "mimeType": "image/jpeg", "data": "AAAA"}
    assert rendered([{"type": "image", "source": source}]) == [image]
    assert rendered([image]) == [image]
    failed = whole_call("Bash", {}, [{"type": "image", "source": source}], is_error=True)
    assert shown(PLAIN, *failed)[-1]["content"] == [{"type": "content", "content": image}]


@pytest.mark.parametrize("content", [None, "", [], [{"type": "text", "text": ""}]])
def test_nothing_gives_no_content(content: Any) -> None:
    assert contents(content) == ()


def test_failure_without_words_leaves_the_content() -> None:
    *_, final = shown(PLAIN, *whole_call("Agent", {"prompt": "p"}, "", is_error=True))
    assert final["status"] == "failed"
    assert "content" not in final
    tagged = "<tool_use_error>No such file</tool_use_error>"
    *_, final = shown(PLAIN, *whole_call("Read", {}, tagged, is_error=True))
    assert texts(final) == ["```\nNo such file\n```"]
    assert final["rawOutput"] == tagged


@pytest.mark.parametrize(
    ("size", "words"), [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (25_000_000, "25 MB")]
)
def test_sizes(size: int, words: str) -> None:
    assert file_size(size) == words


# --- bounds --------------------------------------------------------------------------------------

HUGE = "begin" + "x" * (MAX_RESULT_TEXT * 3) + "end"


def test_bounded_text_keeps_both_ends_and_counts_the_rest() -> None:
    text = bounded("a" * 50 + "b" * 51, 100)
    assert text.startswith("a" * 50)
    assert text.endswith("b" * 50)
    assert "1 characters left out" in text
    assert bounded("x" * 100, 100) == "x" * 100


@pytest.mark.parametrize("profile", [PLAIN, AIR, TERMINAL], ids=["plain", "air", "terminal"])
@pytest.mark.parametrize("name", ["Bash", "mcp__a__b", "Agent", "WebFetch", "Grep", "Other"])
@pytest.mark.parametrize("failed", [False, True])
def test_huge_output_is_bounded_and_keeps_its_end(profile: Any, name: str, failed: bool) -> None:
    for content in (HUGE, [{"type": "text", "text": HUGE}] * 3):
        updates = shown(profile, *whole_call(name, {}, content, is_error=failed))
        told = str(updates)
        assert "end" in told.replace("pending", "")
        assert "characters left out" in told
        assert len(told) < 2.5 * MAX_RESULT_TEXT


def test_small_output_is_as_it_came() -> None:
    block = {"type": "text", "text": "a", "more": 1}
    assert bounded_output([block, 3]) == [block, 3]
    assert bounded_output({"a": HUGE}) == {"a": HUGE}


def test_input_is_never_shortened() -> None:
    tool_input = {"file_path": "/a", "content": HUGE}
    start, _ = shown(PLAIN, *whole_call("Write", tool_input))
    assert start["rawInput"] == tool_input


# --- text ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["a", "a\n", "```\nx\n```", "````", "` `` ```", ""])
def test_fence_cannot_be_closed_by_its_content(text: str) -> None:
    first, *inside, last = fenced(text, "console").split("\n")
    assert first == f"{last}console"
    assert set(last) == {"`"}
    assert all(last not in line for line in inside)
    assert unfenced(fenced(text)) == text.removesuffix("\n")


@pytest.mark.parametrize(
    "text",
    [
        "```\nx\n```",
        "````\n```\nx\n```\n````\n~~~",
        "``````` seven",
        "a fence at the end\n```",
        "~~~\ntildes",
        "# Title\n\n```python\nprint()\n```\n",
        "    indented\n\ttab",
        "<b>x</b>\n\n\n",
    ],
)
def test_b61_a_commonmark_reader_sees_one_block_with_the_output(text: str) -> None:
    (token,) = MarkdownIt("commonmark").parse(fenced(text, "console"))
    assert (token.type, token.info) == ("fence", "console")
    assert token.content.rstrip("\n") == text.rstrip("\n")


def test_reminders_go_only_from_the_end() -> None:
    reminder = "<system-reminder>x</system-reminder>"
    assert without_reminders(f"a\n\n{reminder}\n{reminder}\n") == "a"
    assert without_reminders(f"{reminder} in a file") == f"{reminder} in a file"
    assert without_reminders("a </system-reminder>") == "a </system-reminder>"


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("plain", "plain"),
        ("a\nagentId: a1 (use it)\n<usage>x: 1</usage>\n", "a"),
        ("a\nagentId: a1", "a\nagentId: a1"),
        ("the word <usage> is mine", "the word <usage> is mine"),
        ("  note\n[Subagent hand-back] words\n  text\n    code", "note\ntext\n  code"),
        (
            "  The agent stopped at its 20-turn limit.\n  \n[Subagent hand-back] w\n  half",
            "**Partial output:**\n\nhalf",
        ),
        ("", ""),
    ],
)
def test_report_of_a_subagent(raw: str, clean: str) -> None:
    assert cleaned_report(raw) == clean


def test_shown_path() -> None:
    assert shown_path("/project/a", "/project") == "a"
    assert shown_path("/project/a", "/project/") == "a"
    assert shown_path("/projects/a", "/project") == "/projects/a"
    assert shown_path("/project", "/project") == "/project"
    assert shown_path("/a", "/") == "/a"
    assert shown_path("C:\\w\\a", "C:\\w") == "a"


def test_clean_title() -> None:
    assert clean_title("  a\r\n\tb ", "f") == "a b"
    assert clean_title("\x1b\x00", "f") == "f"
