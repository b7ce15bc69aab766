"""Which messages of the user are our own prompt coming back, so that it is not shown twice.

An agent of ACP v2 shows every prompt as a ``user_message``, before or after the response that names
its id; it may also show what others said. Recognised by that id, and before it is known by what is
said; see https://agentclientprotocol.com/protocol/v2/draft/prompt-lifecycle.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from canopy_shared import updates as u
from canopy_shared import work_updates as w
from canopy_shared.content import TextContent

MOST = 100
"""Ids of own messages that are remembered."""

UserUpdate = w.UserMessage | u.UserMessageChunk


class Mirror:
    """One session. ``user`` takes messages of the user; each method gives what is to be shown now,
    in order: a message that may still turn out to be ours is held until something else is shown.
    """

    def __init__(self) -> None:
        self._open: str | None = None
        """Text of the prompt that was not seen coming back."""
        self._own: dict[str, None] = {}
        self._held: list[UserUpdate] = []
        self._said: dict[str, str] = {}
        """Message id → what was said in it so far, while a prompt is open."""

    def sent(self, blocks: object) -> None:
        """A prompt goes out."""
        self._open = _text(blocks)
        self._said.clear()

    def user(self, update: UserUpdate) -> tuple[bool, list[UserUpdate]]:
        """A message of the user: whether it completes our open prompt, and what to show."""
        id_ = update.message_id if isinstance(update.message_id, str) else ""
        if id_ and id_ in self._own:
            return False, []
        if self._open is None:
            return False, [*self.others(), update]
        if isinstance(update, w.UserMessage):
            said = self._said[id_] = _text(update.content)
        else:
            said = self._said[id_] = self._said.get(id_, "") + _text([update.content])
        if said == self._open:
            self._is_own(id_)
            return True, self._released(id_)
        self._held.append(update)
        return False, []

    def answered(self, message_id: object) -> list[UserUpdate]:
        """The response came: what has another id than it names is somebody else's."""
        if isinstance(message_id, str) and message_id:
            self._is_own(message_id)
            return self._released(message_id)
        return []

    def ended(self) -> list[UserUpdate]:
        """The prompt is over."""
        self._open = None
        return self.others()

    def others(self) -> list[UserUpdate]:
        """Something else is shown: what was held comes before it."""
        held, self._held = self._held, []
        return held

    def _is_own(self, id_: str) -> None:
        self._open = None
        if id_:
            self._own[id_] = None
            while len(self._own) > MOST:
                del self._own[next(iter(self._own))]

    def _released(self, own: str) -> list[UserUpdate]:
        return [one for one in self.others() if one.message_id != own]


def _text(blocks: object) -> str:
    """All text of content blocks, JSON or decoded; what is no text does not count."""
    given: Iterable[Any] = blocks if isinstance(blocks, (list, tuple)) else ()
    return "".join(_text_of(block) for block in given).strip()


def _text_of(block: object) -> str:
    if isinstance(block, TextContent):
        return block.text
    text = block.get("text") if isinstance(block, Mapping) else None
    return text if isinstance(text, str) else ""
