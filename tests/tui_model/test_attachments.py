"""What goes with a message, in words: what the message says itself is not said again."""

from __future__ import annotations

import pytest

from canopy_shared.content import ResourceLink, TextContent
from canopy_shared.updates import UserMessageChunk
from canopy_tui.model.attachments import as_sent, is_named_in
from canopy_tui.model.entries import MessageEntry
from tui_model.reducing import Story


@pytest.mark.parametrize(
    ("text", "uri", "named"),
    [
        ("see @src/a.py, please", "file:///till/src/a.py", True),
        ('see @"src/a b.py"', "file:///till/src/a%20b.py", True),
        ("@/till/src/a.py:12", "file:///till/src/a.py", True),
        ("in @src/", "file:///till/src", True),
        ("see @a.py", "file:///till/src/other_a.py", False),
        ("see @/", "file:///till", False),
        ("see a.py", "file:///till/a.py", False),
        ("see @a.py", "https://example.org/a.py", False),
    ],
)
def test_a_file_that_the_message_mentions(text: str, uri: str, named: bool) -> None:
    assert is_named_in(text, ResourceLink(uri, "a")) is named
    assert not is_named_in(text, TextContent(text))


def test_a_message_that_is_loaded_is_the_one_that_was_sent() -> None:
    """Both adapters of Claude Code store a file as text, in a block of its own."""
    chunks = ("see @a.py", "[@a.py](file:///till/a.py)", "[@b%20c.py](file:///till/b%20c.py)")
    story = Story()
    for text in chunks:
        story.update("S", UserMessageChunk(TextContent(text), message_id="m"))
    [entry] = story.state.sessions["S"].entries
    assert isinstance(entry, MessageEntry)
    assert entry.text == "see @a.py"
    links = (
        ResourceLink("file:///till/a.py", "a.py"),
        ResourceLink("file:///till/b%20c.py", "b c.py"),
    )
    assert tuple(entry.extras) == links
    assert [is_named_in(entry.text, link) for link in links] == [True, False]
    for words in ("[@a.py](https://example.org)", "a [@a.py](file:///a.py)", "[@a] (file:///a)"):
        assert as_sent(TextContent(words)) == TextContent(words)
