"""Bounds on what one result may send: a long text keeps its beginning and its end.

It counts characters and knows nothing of tools; inputs are never shortened, only results.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MAX_RESULT_TEXT = 256 * 1024
"""Characters of text that one result may carry."""


def bounded(text: str, limit: int = MAX_RESULT_TEXT) -> str:
    """``text``, or its head and tail around a line that says how much is left out."""
    if len(text) <= limit:
        return text
    head = limit // 2
    tail = limit - head
    left_out = len(text) - limit
    return f"{text[:head]}\n[… {left_out:,} characters left out …]\n{text[-tail:]}"


def bounded_output(content: Any) -> Any:
    """The raw content of a ``tool_result`` with its texts bounded; everything else as it came."""
    if isinstance(content, str):
        return bounded(content)
    if not isinstance(content, (list, tuple)):
        return content
    limit = text_share(content)
    return [_bounded_block(block, limit) for block in content]


def text_share(blocks: Any) -> int:
    """How many characters each text of ``blocks`` may have so that all stay in the bound."""
    texts = sum(1 for block in blocks if isinstance(block, Mapping) and "text" in block)
    return MAX_RESULT_TEXT // max(1, texts)


def _bounded_block(block: Any, limit: int) -> Any:
    text = block.get("text") if isinstance(block, Mapping) else None
    if not isinstance(text, str) or len(text) <= limit:
        return block
    return {**block, "text": bounded(text, limit)}
