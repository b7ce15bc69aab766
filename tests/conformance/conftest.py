"""Both implementations of the port to the CLI, and a way to start them on the fake CLI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from canopy_agent.claude.cli_process import CliProcess
from canopy_agent.claude.sdk_process import SdkProcess

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path

    from canopy_agent.claude.process import ClaudeProcess
    from fakes.cli import FakeCli

    Start = Callable[..., Awaitable[ClaudeProcess]]

IMPLEMENTATIONS = {"cli": CliProcess, "sdk": SdkProcess}


@pytest.fixture(params=IMPLEMENTATIONS)
def process_class(request: pytest.FixtureRequest) -> type[CliProcess] | type[SdkProcess]:
    """Each implementation of the port in turn."""
    return IMPLEMENTATIONS[request.param]


@pytest.fixture
async def start(
    process_class: type[CliProcess] | type[SdkProcess], fake_cli: FakeCli, tmp_path: Path
) -> AsyncIterator[Start]:
    """``await start(**options)``: a running process on the fake CLI, closed after the test."""
    started: list[ClaudeProcess] = []

    async def start_one(**options: Any) -> ClaudeProcess:
        process = process_class(fake_cli.spec(tmp_path), **options)
        await process.start()
        started.append(process)
        return process

    yield start_one
    for process in started:
        await process.aclose(grace=0.1)
