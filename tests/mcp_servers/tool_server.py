"""A small MCP server made with the ``mcp`` package: one tool, one prompt, over any transport.

Started as a program it serves stdio; ``BOOTED`` names a file that gets its environment and
arguments. It must not know what is tested.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import MCPServer


def make(name: str = "tools", **options: Any) -> MCPServer[Any]:
    """The server."""
    server: MCPServer[Any] = MCPServer(name, **options)

    @server.tool()
    def echo(text: str) -> str:
        """Echo the text."""
        return f"echo: {text}"

    @server.prompt()
    def greet(name: str) -> str:
        """Greet someone."""
        return f"Say hello to {name} politely"

    return server


if __name__ == "__main__":
    booted = os.environ.get("BOOTED")
    if booted:
        Path(booted).write_text(json.dumps({"argv": sys.argv[1:], "env": dict(os.environ)}))
    make().run()
