"""What stored records say of an agent's effort: when it worked, on which model, for what tokens.

Pure: it takes records one by one and knows no file. Fields are those of Claude Code 2.1.
"""

from __future__ import annotations

from datetime import datetime

from canopy_agent.history.texts import blocks_of
from canopy_agent.history.transcript import Json, section, text

_FIGURES = {
    "input_tokens": "read",
    "cache_creation_input_tokens": "read",
    "cache_read_input_tokens": "cached",
    "output_tokens": "written",
}


def time_of(record: Json) -> float | None:
    """When a record was written, in epoch seconds."""
    stamp = text(record.get("timestamp"))
    try:
        return datetime.fromisoformat(stamp).timestamp() if stamp else None
    except ValueError:
        return None


def is_told(record: Json) -> bool:
    """Whether a record is a message to the agent, and no result of its tools."""
    if record.get("type") != "user":
        return record.get("type") == "attachment"
    return not any(block.get("type") == "tool_result" for block in blocks_of(record))


class Effort:
    """One agent. ``spans`` are the times in which it worked, each from what set it to work to the
    last that it did, in epoch seconds.

    ``read`` counts tokens that the model took in anew, ``cached`` those from its cache, ``written``
    those it gave. ``ends`` are the times at which it was done with what it had been told.
    """

    def __init__(self) -> None:
        self.spans: list[tuple[float, float]] = []
        self.ends: list[float] = []
        self.model = ""
        self.calls = 0
        self.read = self.cached = self.written = 0
        self.rests = False
        """Its last answer ended its turn."""
        self._usages: dict[str, dict[str, int]] = {}

    def take(self, record: Json) -> None:
        """Count one more record of it."""
        at = time_of(record)
        told = is_told(record)
        if told and record.get("type") == "attachment":
            return
        if at is not None:
            self._passes(at, told=told)
        if record.get("type") == "assistant":
            self._answered(section(record.get("message")))
            self.calls += sum(block.get("type") == "tool_use" for block in blocks_of(record))
        else:
            self.rests = False

    def done(self) -> list[float]:
        """``ends``, with that of the last span when it rests."""
        last = [self.spans[-1][1]] if self.rests and self.spans else []
        return [*self.ends, *last]

    def _passes(self, at: float, *, told: bool) -> None:
        if told and self.rests and self.spans:
            self.ends.append(self.spans[-1][1])
        if told or not self.spans:
            self.spans.append((at, at))
        else:
            begun, before = self.spans[-1]
            self.spans[-1] = (begun, max(before, at))

    def _answered(self, message: Json) -> None:
        model = text(message.get("model"))
        if model and not model.startswith("<"):
            self.model = model
        self.rests = message.get("stop_reason") == "end_turn"
        usage = section(message.get("usage"))
        counted = dict.fromkeys(_FIGURES.values(), 0)
        for name, figure in _FIGURES.items():
            number = usage.get(name)
            if isinstance(number, int) and not isinstance(number, bool) and number > 0:
                counted[figure] += number
        # A message is stored block by block, each with what was counted until then.
        before = self._usages.get(id_ := text(message.get("id")) or "", {})
        for figure, number in counted.items():
            counted[figure] = max(number, before.get(figure, 0))
            setattr(self, figure, getattr(self, figure) + counted[figure] - before.get(figure, 0))
        self._usages[id_] = counted
