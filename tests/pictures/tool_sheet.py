"""A run with every tool of the CLI: the calls of a scripted model, the project that they need.

Who plays the run, and how a row is drawn, is not known here.
"""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from typing import TYPE_CHECKING

from canopy_agent.demo.rules import Rule, When
from canopy_tui.model.intents import AnswerElicitation, AnswerPermission
from tools_e2e import desk_server
from tools_e2e.scripted import call, sequence
from tools_e2e.test_every_tool import ENV, NOTEBOOK, every_call

if TYPE_CHECKING:
    from canopy_agent.demo.workspace import DemoEnvironment
    from canopy_tui.host.controller import Controller

__all__ = ["ENV", "answer", "every_call_and_more", "furnish"]

_MORE = (
    call(
        "Bash", command="seq 1 400; printf '\\033[31mred\\033[0m\\n'; exit 3", description="Count"
    ),
    call("Read", file_path="{cwd}/dot.png"),
    call("mcp__desk__mixed"),
    call("mcp__desk__hostile"),
    call("mcp__desk__fail"),
)


def every_call_and_more() -> list[Rule]:
    """A model that calls every tool, one after the other."""
    calls = every_call()
    return [Rule(When(agent="kid"), "Kid done."), sequence(*calls[:3], *_MORE, *calls[3:])]


def furnish(place: DemoEnvironment) -> None:
    """A notebook, a picture, a skill, an MCP server and a git repository."""
    cwd = place.cwd
    (cwd / "n.ipynb").write_text(json.dumps(NOTEBOOK), encoding="utf-8")
    (cwd / "dot.png").write_bytes(base64.b64decode(desk_server.PNG))
    skill = cwd / ".claude" / "skills" / "greet"
    skill.mkdir(parents=True)
    words = "---\nname: greet\ndescription: greets\n---\nSay hello.\n"
    (skill / "SKILL.md").write_text(words, encoding="utf-8")
    desk = {"command": sys.executable, "args": [desk_server.__file__]}
    (cwd / ".mcp.json").write_text(json.dumps({"mcpServers": {"desk": desk}}), encoding="utf-8")
    path = place.config / "settings.json"
    told = json.loads(path.read_text(encoding="utf-8"))
    told["enableAllProjectMcpServers"] = True
    path.write_text(json.dumps(told), encoding="utf-8")
    commit = ("-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-qm", "x")
    for git in (("init", "-q"), ("add", "-A"), commit):
        subprocess.run(["git", *git], cwd=cwd, check=True)


def answer(controller: Controller) -> None:
    """Say yes to whatever waits."""
    for request in controller.state.waiting():
        if request.kind == "permission":
            options = request.payload.options
            yes = next((one for one in options if one.kind == "allow_once"), options[0])
            controller.act(AnswerPermission(request.key, yes.option_id))
        else:
            controller.act(AnswerElicitation(request.key, "accept", {"question_0": "A"}))
