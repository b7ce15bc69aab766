"""What identifies a JSON-RPC request.

An id is opaque: nothing may be read out of it, and nothing is known here of what is asked.
"""

from __future__ import annotations

RequestId = int | str
"""A JSON-RPC request id."""
