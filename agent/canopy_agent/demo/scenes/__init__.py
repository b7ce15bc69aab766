"""The scenes of the demo: the list that a client can show, and the script that the model plays.

It knows what can be said and which scene answers; it opens no socket and starts nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_agent.demo.auxiliary import title_of
from canopy_agent.demo.rules import Pause, Script, Text, Usage
from canopy_agent.demo.scenes import answer, command, editing, question, reading, tree, trouble
from canopy_agent.demo.scenes.news import with_news
from canopy_agent.demo.scenes.scene import WORD, Scene, scene_named

if TYPE_CHECKING:
    from canopy_agent.demo.requests import ModelRequest
    from canopy_agent.demo.rules import Steps

__all__ = ["Scene", "demo_script", "scene_list", "welcome_text"]

_SCENES = (
    answer.SCENE,
    reading.SCENE,
    command.SCENE,
    editing.SCENE,
    question.SCENE,
    tree.SCENE,
    trouble.SCENE,
)
_CHOOSE = "Say one of these, in your own words if you like, or its number:"


def scene_list() -> tuple[Scene, ...]:
    """The scenes in the order in which a newcomer should meet them."""
    return _SCENES


def welcome_text() -> str:
    """The first message of the demo, in Markdown: what this is, and what can be said."""
    return (
        "# Welcome to Canopy\n\n"
        "This is the real Claude Code at work on a small sample project, the till of a fruit "
        "stand. Only the model is scripted: no account, no network, and nothing touches your "
        f"files.\n\n{_CHOOSE}\n\n{_rows()}\n"
    )


def demo_script() -> Script:
    """Everything the scripted model knows."""
    rules = [with_news(rule) for scene in _SCENES for rule in scene.rules]
    return Script(
        rules=rules,
        fallback=_fallback,
        title=_title,
        suggestion=_suggestion,
        usage=lambda request: Usage(input_tokens=max(1, request.size // 4)),
    )


def _rows() -> str:
    rows = enumerate(_SCENES, 1)
    return "\n".join(f"{at}. **{scene.example}**: {scene.description}" for at, scene in rows)


def _fallback(request: ModelRequest) -> Steps:
    if request.agent_id is not None:
        return [Pause(0.5), Text("I have done what I was asked to do, and have nothing to add.")]
    if request.results:
        told = (
            "I got what you said into my work. A real model would heed it; I am scripted, so this "
            "turn ends here. Agents in the background go on."
        )
    else:
        told = f"I am a scripted model and know only a few scenes. {_CHOOSE}\n\n{_rows()}\n"
    return [Pause(0.3), Text(told, delay=WORD)]


def _title(text: str) -> str:
    name = scene_named(text)
    return next((scene.title for scene in _SCENES if scene.name == name), title_of(text))


def _suggestion(request: ModelRequest) -> str:
    """The example of the scene after the one that was just played."""
    names = [scene.name for scene in _SCENES]
    name = scene_named(request.says)
    after = (names.index(name) + 1) % len(names) if name in names else 0
    return "try again" if name == "error" else _SCENES[after].example
