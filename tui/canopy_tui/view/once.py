"""Calls something once, after a while, however late the event loop is by then.

Textual's ``set_timer`` leaves out a call whose time is over before its task looks at the clock, and
of one that comes once nothing is left then: what waits for it waits for ever. It knows no widget.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual._callback import invoke

if TYPE_CHECKING:
    from textual._types import CallbackType
    from textual.message_pump import MessagePump


def once(pump: MessagePump, seconds: float, callback: CallbackType) -> asyncio.TimerHandle:
    """Call ``callback``, which may be a coroutine function, among the messages of ``pump`` in
    ``seconds``; not any more when ``pump`` is gone by then. ``cancel`` takes it back.
    """

    async def call() -> None:
        # of one that is being taken away the parts are gone before it is
        if not (pump._closing or pump._closed or getattr(pump, "_pruning", False)):
            await invoke(callback)

    return asyncio.get_running_loop().call_later(max(0.0, seconds), pump.call_next, call)
