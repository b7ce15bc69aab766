"""Values of a wrong type or of no use, in every field of every update: nothing is taken over as it
is that the rest of the client does not expect, and nothing ends the session.
"""

from __future__ import annotations

import dataclasses
import json
import re
from typing import TYPE_CHECKING, Any, get_args

import pytest

from canopy_shared import content as c
from canopy_shared import jsonio
from canopy_shared import updates as u
from canopy_shared.codec import decode_content, decode_tool_content, decode_update, wire_name
from canopy_shared.frames import Malformed, decode_line
from canopy_shared.unset import UNSET
from canopy_tui.model import tree
from canopy_tui.model import words as words_of
from canopy_tui.model.attachments import described
from tui_model.reducing import Story

if TYPE_CHECKING:
    from collections.abc import Iterator

HUGE = 10**400
ODD: tuple[Any, ...] = (
    *(None, True, "", "x", "\ud800", 0, -1, 3.7, 2**53 + 1, HUGE, -HUGE, 1e308),
    *(float("nan"), float("inf"), [], [[]], [None], ["x"], [{}], {}, {"a": None}),
    {"state": [], "text": 5, "uri": 5, "amount": HUGE, "currency": {}, "totalTokens": HUGE},
)
UPDATES = [cls for cls in get_args(u.Update) if hasattr(cls, "TAG")]


def wire(value: Any) -> Any:
    """``value`` as it arrives when a program in Python sent it."""
    return jsonio.loads_foreign(json.dumps(value))


def objects(cls: Any) -> Iterator[dict[str, Any]]:
    """Objects of one kind, each with an odd value in one field or in all."""
    tag, kind = cls.TAG
    names = [wire_name(field.name) for field in dataclasses.fields(cls)]
    yield {tag: kind}
    for odd in ODD:
        yield {tag: kind, **dict.fromkeys(names, odd)}
        yield from ({tag: kind, "toolCallId": "t", "used": 1, name: odd} for name in names)


def check(value: Any) -> None:
    """Every field has a type that it declares."""
    for field in dataclasses.fields(value):
        declared = re.sub(r"\[.*\]", "", str(field.type))
        held = getattr(value, field.name)
        allowed = {
            "str": isinstance(held, str),
            "int": isinstance(held, int | float) and abs(held) <= 2**53,
            "bool": isinstance(held, bool),
            "Mapping": isinstance(held, dict),
            "Meta": isinstance(held, dict),
            "tuple": isinstance(held, tuple),
            "None": held is None,
            "Unset": held is UNSET,
            "ContentBlock": dataclasses.is_dataclass(held),
            "Any": True,
        }
        assert any(allowed[name] for name in declared.split(" | ")), (value, field.name)


def test_every_field_of_an_update_is_what_it_says() -> None:
    for cls in UPDATES:
        story = Story()
        for one in objects(cls):
            update = decode_update(wire(one))
            if not isinstance(update, u.UnknownUpdate):
                check(update)
            story.update("S", wire(one))
        view = story.view("S")
        words_of.tokens(view.usage_used)
        assert list(tree.rows(story.state))


def test_every_field_of_a_content_is_what_it_says() -> None:
    for union, decode in (
        (c.ContentBlock, decode_content),
        (c.ToolCallContent, decode_tool_content),
    ):
        for cls in get_args(union):
            for one in objects(cls) if hasattr(cls, "TAG") else ():
                decoded = decode(wire(one))
                check(decoded)
                if decode is decode_content:
                    assert isinstance(described(decoded), str)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("NaN", None),
        ("[-Infinity, 1e999]", [None, None]),
        ("1" + "0" * 400, None),
        ("1" + "0" * 300, 10**300),
        ("-123456789012345678901", -123456789012345678901),
    ],
)
def test_numbers_from_elsewhere_can_be_calculated_with(text: str, value: Any) -> None:
    assert jsonio.loads_foreign(text) == value


def test_what_is_nested_too_deeply_is_no_message() -> None:
    assert isinstance(decode_line(b"[" * 100_000), Malformed)
    with pytest.raises(ValueError, match="nested"):
        jsonio.loads(b'{"a":' * 100_000)
