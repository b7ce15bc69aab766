"""The scene of a command: run the tests of the sample project, if the person allows it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from canopy_agent.demo.rules import Pause, Text, ToolUse, flow
from canopy_agent.demo.scenes.scene import WORD, Scene, said

if TYPE_CHECKING:
    from canopy_agent.demo.requests import ModelRequest
    from canopy_agent.demo.rules import Steps

TESTS = {"command": "python3 -m unittest", "description": "Run the tests of the project"}


def _ask(_: ModelRequest) -> Steps:
    return [Pause(0.4), Text("I run the tests of the project."), ToolUse("Bash", TESTS)]


def _tell(request: ModelRequest) -> Steps:
    return [Pause(0.6), Text(_verdict(request.result_text))]


def _verdict(output: str) -> str:
    ran = re.search(r"Ran (\d+) tests?", output)
    if ran is None:
        return (
            "The command did not run, so I cannot say whether the tests pass. Nothing has changed."
        )
    if re.search(r"^OK", output, re.MULTILINE):
        return f"All {ran.group(1)} tests pass."
    failing = re.findall(r"^(?:FAIL|ERROR): (\w+)", output, re.MULTILINE)
    rows = "\n".join(f"- `{name}`" for name in failing)
    return f"Not all of the {ran.group(1)} tests pass:\n\n{rows}\n\n{_ADVICE}"


_ADVICE = "It is about the limit of the big basket discount. Say *fix the discount bug* and I will."

SCENE = Scene(
    name="command",
    description="a command that asks first",
    example="Run the tests",
    rules=flow(said("command"), _ask, _tell, delay=WORD),
)
