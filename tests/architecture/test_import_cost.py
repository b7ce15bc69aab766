"""What each door of the command loads before it is of use, seen from outside the process.

``-X importtime`` names every module at the moment it is loaded, so nothing has to be built into
the program to be measured.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from architecture.source_tree import product_modules
from canopy_tui.first_frame import WHILE_THE_AGENT_BOOTS
from canopy_tui.host.late_host import CONTROLLER
from canopy_tui.kept.trust import TrustedDirectories

HANG_SECONDS = 60
HEAVY = frozenset({"acp", "anyio", "claude_agent_sdk", "mcp", "pydantic", "rich", "textual"})
# What the agent may load until it has answered ``initialize``, on top of what any asyncio program
# loads: that part differs from one Python version to the next.
MODULES_UNTIL_INITIALIZED = 59

# What the client may load for its first frame: of its own, and on top of any Textual app with a
# text field. What stands on the frame has to be loaded; a dialog, a search or an export has not.
OWN_MODULES_OF_THE_FIRST_FRAME = 132
OTHER_MODULES_OF_THE_FIRST_FRAME = 10

# What is done until the first frame is written. A dataclass is dear: Python compiles its methods
# whenever it is imported.
DATACLASSES_OF_THE_FIRST_FRAME = 102
LAYOUTS_OF_THE_FIRST_FRAME = 1
RULES_PARSED_FOR_THE_FIRST_FRAME = 75

# Dear ones that are easily pulled in by a name that is a type only, or that one function needs:
# they belong below TYPE_CHECKING, or into that function.
NOT_FOR_THE_FIRST_FRAME = frozenset(
    {
        CONTROLLER,
        *WHILE_THE_AGENT_BOOTS,
        "canopy_shared.content",
        "canopy_shared.permission",
        "canopy_shared.requests",
        "canopy_shared.updates",
        "canopy_tui.wire.client",
        "canopy_tui.desk.file_listing",
        "canopy_tui.model.events",
        "canopy_tui.model.reduce",
        "canopy_tui.view.blocks.block",
        "canopy_tui.view.dialogs.confirm",
        "canopy_tui.view.dialogs.dialog",
        "canopy_tui.view.transcript.finding",
        "canopy_tui.view.keyboard.key_choice",
        "canopy_tui.view.drawing.markdown",
        "markdown_it",
        "pygments",
        "tomllib",
    }
)

# The client without a terminal, up to the moment at which it would start the agent: by then the
# first frame is painted.
UNTIL_FIRST_FRAME = """
import os, sys
from pathlib import Path
from canopy_tui.compose import run_client
from canopy_tui.host.late_host import LateHost

def start(host):
    os.write(1, "\\n".join(sys.modules).encode())
    os._exit(0)

LateHost.start = start
run_client(Path.cwd(), None, False)
"""

WORK_UNTIL_FIRST_FRAME = """
import dataclasses, os, sys
from pathlib import Path
from textual.app import App
from textual.css.stylesheet import Stylesheet
from textual.screen import Screen
from canopy_tui.compose import run_client

done = {"layouts": 0, "parsed": 0}

def counted(owner, method, name):
    call = getattr(owner, method)

    def count(*arguments, **options):
        done[name] += 1
        return call(*arguments, **options)

    setattr(owner, method, count)

def shown(app, screen, frame):
    if frame is not None:
        own = [module for name, module in sys.modules.items() if name.startswith("canopy_")]
        made = {
            id(found)
            for module in own
            for holder in (module, *(c for c in vars(module).values() if isinstance(c, type)))
            for found in vars(holder).values()
            if isinstance(found, type) and "__dataclass_fields__" in vars(found)
            and found.__module__ == module.__name__
        }
        os.write(1, f"{len(made)} {done['layouts']} {done['parsed']}".encode())
        os._exit(0)

counted(Screen, "_refresh_layout", "layouts")
counted(Stylesheet, "_parse_rules", "parsed")
App._display = shown
run_client(Path.cwd(), None, False)
"""

ANY_TEXTUAL_APP = """
import asyncio, logging, json, shlex, sys
from textual.app import App
from textual.widgets import Static, TextArea

class Plain(App):
    def compose(self):
        yield Static("plain")
        yield TextArea()

    def on_mount(self):
        self.call_after_refresh(self.exit)

Plain().run()
print(*sys.modules, sep="\\n")
"""

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": 1, "clientCapabilities": {}},
}


def run(folder: Path, *arguments: str, stdin: str = "") -> list[str]:
    """The lines of stdout and stderr in the order in which Python wrote them."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        input=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=HANG_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout.splitlines()


def loaded_modules(lines: list[str]) -> set[str]:
    """Names in the table of ``-X importtime``: ``import time: self | cumulative |   name``.

    Without the private ones of the standard library: how it is cut differs between versions.
    """
    table = [line for line in lines if line.startswith("import time:")]
    names = {line.rpartition("|")[2].strip() for line in table[1:]}
    return {name for name in names if not name.startswith("_")}


def packages_of(modules: set[str]) -> set[str]:
    return {name.split(".")[0] for name in modules}


def without_empty(modules: set[str]) -> set[str]:
    """Without packages of ours that hold nothing themselves: they only group others."""
    return modules - {module.name for module in product_modules() if not module.text.strip()}


@pytest.mark.parametrize("flag", ["--version", "--help"])
def test_asking_for_the_version_loads_no_door(tmp_path: Path, flag: str) -> None:
    modules = loaded_modules(run(tmp_path, "-m", "canopy_tui", flag))
    assert "canopy_tui.cli" in modules
    assert packages_of(modules) & HEAVY == set()
    assert {name for name in modules if name.startswith("canopy_agent")} == set()


def test_initialize_is_answered_before_much_is_loaded(tmp_path: Path) -> None:
    ask = json.dumps(INITIALIZE) + "\n"
    lines = run(tmp_path, "-m", "canopy_tui", "--stdio", stdin=ask)
    answered = next(number for number, line in enumerate(lines) if line.startswith("{"))
    assert json.loads(lines[answered])["result"]["protocolVersion"] == 1
    bare = loaded_modules(run(tmp_path, "-c", "import asyncio, dataclasses, json, logging"))
    before = without_empty(loaded_modules(lines[:answered]) - bare)
    assert "canopy_agent.server" in before
    assert len(before) <= MODULES_UNTIL_INITIALIZED, sorted(before)
    assert packages_of(loaded_modules(lines)) & HEAVY == set()


def printed(program: str, tmp_path: Path) -> str:
    """What ``program`` prints, on no terminal."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={
            **os.environ,
            "CANOPY_CONFIG_DIR": str(tmp_path / "canopy"),
            "TEXTUAL_DRIVER": "textual.drivers.headless_driver:HeadlessDriver",
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        check=True,
    )
    return done.stdout


def modules_of(program: str, tmp_path: Path) -> set[str]:
    """The names that ``program`` prints, one a line, without the private ones."""
    names = printed(program, tmp_path).splitlines()
    return {name for name in names if not name.startswith("_")}


def test_the_first_frame_comes_before_the_agent_and_what_is_not_on_it(tmp_path: Path) -> None:
    TrustedDirectories(tmp_path / "canopy" / "state").give(str(tmp_path), keep=True)
    modules = modules_of(UNTIL_FIRST_FRAME, tmp_path)
    assert "canopy_tui.view.apps.app" in modules
    assert modules & NOT_FOR_THE_FIRST_FRAME == set()
    own = without_empty({name for name in modules if name.startswith("canopy_")})
    assert len(own) <= OWN_MODULES_OF_THE_FIRST_FRAME, sorted(own)
    foreign = {name for name in modules if not name.startswith("canopy_")}
    others = foreign - modules_of(ANY_TEXTUAL_APP, tmp_path)
    assert len(others) <= OTHER_MODULES_OF_THE_FIRST_FRAME, sorted(others)
    assert {name for name in modules if name.startswith("canopy_agent")} == set()
    assert packages_of(modules) & HEAVY == {"rich", "textual"}


def test_little_is_made_for_the_first_frame(tmp_path: Path) -> None:
    dataclasses, layouts, parsed = map(int, printed(WORK_UNTIL_FIRST_FRAME, tmp_path).split())
    assert 0 < dataclasses <= DATACLASSES_OF_THE_FIRST_FRAME
    assert 0 < layouts <= LAYOUTS_OF_THE_FIRST_FRAME
    assert 0 < parsed <= RULES_PARSED_FOR_THE_FIRST_FRAME
