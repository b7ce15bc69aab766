"""What goes with a message, in words: what the message says itself is not said again."""

from __future__ import annotations

import pytest

from canopy_shared.content import ResourceLink, TextContent
from canopy_tui.model.attachments import is_named_in


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
