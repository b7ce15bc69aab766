"""What every scene of the demo is made of: a name, an example sentence, and rules.

It knows how a text chooses a scene and how scenes look at files; the stories stand beside it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from canopy_agent.demo.rules import ToolUse, When

if TYPE_CHECKING:
    from canopy_agent.demo.conversation import ToolOutcome
    from canopy_agent.demo.requests import ModelRequest
    from canopy_agent.demo.rules import Rule

WORD = 0.022  # seconds between two words of a streamed text
DISCOUNTS = "{cwd}/fruitstand/discounts.py"

NAMES = ("answer", "read", "command", "edit", "question", "tree", "error")
"""The scenes as they are numbered."""

TITLES = {
    "answer": "How the checkout works",
    "read": "Where discounts are applied",
    "command": "Run the tests",
    "edit": "Fix the discount bug",
    "question": "How the receipt should look",
    "tree": "A review by a team of agents",
    "error": "An overloaded model",
}
_TITLED = {title.lower(): name for name, title in TITLES.items()}
"""What a menu shows starts the scene, whatever its words would mean elsewhere."""

_GREETING = re.compile(r"^\W*(hello|hi|hey|help)\W*$|what (can|do) you (do|know)|who are you")

# The first pattern that is found chooses the scene, so the order tells which word weighs more.
_WORDS = (
    ("again", r"^\W*(please\W+)?((try )?(it )?again|retry|once more|continue)\W*$"),
    ("tree", r"\b(sub-?agents?|agents?|team|tree|parallel|review)\b"),
    ("error", r"\b(errors?|overload\w*|outage|trouble)\b"),
    ("question", r"\b(ask|question\w*|choices?|options?|form)\b"),
    ("edit", r"\b(fix\w*|edit|change|repair|bug)\b"),
    ("command", r"\b(run|tests?|command|execute|bash|shell)\b"),
    ("read", r"\b(find|search|read|grep|where|look)\b"),
    ("answer", r"\b(explain|how|what|why|describe|tell|markdown|table|code|stream\w*)\b"),
)


@dataclass(frozen=True, slots=True)
class Scene:
    """One thing that the demo shows; `example` is a sentence that starts it, as does the title."""

    name: str
    description: str
    example: str
    rules: tuple[Rule, ...]

    @property
    def title(self) -> str:
        """What it is called in a list."""
        return TITLES[self.name]


def scene_named(text: str) -> str | None:
    """The name of the scene that a text asks for; None for a greeting and for what none fits."""
    words = text.strip().lower()
    number = words.rstrip(".)")
    if number.isascii() and number.isdecimal() and 0 < int(number) <= len(NAMES):
        return NAMES[int(number) - 1]
    if (titled := _TITLED.get(words.rstrip(" .!?"))) is not None:
        return titled
    if _GREETING.search(words):
        return None
    for name, pattern in _WORDS:
        if words == name or re.search(pattern, words):
            return name
    return None


def said(name: str) -> When:
    """Requests of the main agent in answer to a text that asks for this scene."""
    return When(test=lambda request: scene_named(request.says) == name)


def search(request: ModelRequest, pattern: str, *places: str) -> ToolUse:
    """Look for a pattern with what this CLI offers: its Grep tool, or else grep in the shell."""
    if request.offers("Grep"):
        where = "{cwd}/" + places[0] if len(places) == 1 else "{cwd}"
        return ToolUse(
            "Grep", {"pattern": pattern, "path": where, "output_mode": "content", "-n": True}
        )
    command = f'grep -rnE --include="*.py" "{pattern}" {" ".join(places)}'
    return ToolUse("Bash", {"command": command, "description": f"Search for {pattern}"})


def list_files(request: ModelRequest, folder: str) -> ToolUse:
    """List the Python files of a folder with Glob, or else in the shell."""
    if request.offers("Glob"):
        return ToolUse("Glob", {"pattern": "**/*.py", "path": "{cwd}/" + folder})
    command = f'find {folder} -name "*.py"'
    return ToolUse("Bash", {"command": command, "description": f"List the files of {folder}"})


def read(path: str) -> ToolUse:
    """Read a file of the sample project."""
    return ToolUse("Read", {"file_path": path if path.startswith("{") else "{cwd}/" + path})


def line_of(request: ModelRequest, needle: str) -> int:
    """The number of the line with this text in the files read since the human spoke, or 0."""
    for outcome in request.conversation.since:
        for row in outcome.text.splitlines() if outcome.name == "Read" else ():
            number, tab, code = row.partition("\t")
            if tab and needle in code and number.strip().isdecimal():
                return int(number)
    return 0


def went_well(outcome: ToolOutcome | None) -> bool:
    """Whether a tool was allowed and did its work."""
    return outcome is not None and not outcome.is_error
