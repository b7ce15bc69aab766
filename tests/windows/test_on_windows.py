"""B85 whole: what must hold on Windows, and is run there by a workflow of its own.

Elsewhere Canopy runs in a Python that lacks what Windows lacks.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from canopy_tui.kept.open_sessions import OpenSessions
from fakes.agent import said
from windows.stage import (
    BOUND,
    FAKES,
    Talk,
    agent_script,
    cli_script,
    command,
    environment,
    folder,
)

ARGUMENTS = ["--acp", "two words", "x&y", ""]
ONLY_CMD_KNOWS = ["50%", "%PATH%", 'say "hi"', "a^b", "x|y>z", "!PATH!", "C:\\tail\\", "(", "a\\\\"]


def test_the_agent_imports_everything_starts_and_serves_a_cli_behind_a_script(
    tmp_path: Path,
) -> None:
    place = folder(tmp_path)
    env = environment(place, CLAUDE_CODE_EXECUTABLE=str(cli_script(place)), PYTHONPATH=str(FAKES))
    talk = Talk(command("everything", "--stdio"), env)
    try:
        hello = talk.ask(1, "initialize", protocolVersion=1, clientCapabilities={})
        assert hello["protocolVersion"] == 1
        session = talk.ask(2, "session/new", cwd=str(place), mcpServers=[])["sessionId"]
        prompt = [{"type": "text", "text": "hello \N{HERB}"}]
        done = talk.ask(3, "session/prompt", sessionId=session, prompt=prompt)
        assert done["stopReason"] == "end_turn"
        assert "echo: hello \N{HERB}" in json.dumps(talk.seen, ensure_ascii=False)
    finally:
        code = talk.end()
    assert (code, b"Traceback" in talk.stderr) == (0, False), talk.stderr.decode()


def test_the_client_starts_an_agent_that_is_a_script(tmp_path: Path) -> None:
    place = folder(tmp_path)
    script = agent_script(place, **{"session/prompt": [[{"update": said("Hello from afar.")}]]})
    given = [*ARGUMENTS, *(ONLY_CMD_KNOWS if os.name == "nt" else [])]
    agent = json.dumps([str(script), *given])
    done = subprocess.run(
        command("canopy", "--plain", "--trust", "--agent", agent, "hello"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        cwd=place,
        env=environment(place),
        timeout=BOUND,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    assert b"Hello from afar." in done.stdout
    assert json.loads((place / "arguments.json").read_text()) == given


def test_a_session_that_was_left_is_no_longer_open(tmp_path: Path) -> None:
    notes = OpenSessions(tmp_path / "open")
    notes.take("s1", str(tmp_path))
    assert list(tmp_path.rglob("*.json"))
    notes.spoken("s1", "hello")
    notes.release("s1")
    assert list(tmp_path.rglob("*.json")) == []
    assert notes.left_behind(str(tmp_path)) is None
