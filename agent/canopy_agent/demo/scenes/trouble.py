"""The scene of an error: the model is overloaded, and answers again when asked once more."""

from __future__ import annotations

from canopy_agent.demo.rules import ApiError, Pause, Rule, Text
from canopy_agent.demo.scenes.scene import WORD, Scene, said

MESSAGE = 'Overloaded, on purpose: this is the demo of an error. Say "try again" and it is over.'
RECOVERED = """\
It is over: the model answers again, and the session went on as if nothing had happened. \
Errors end a turn, never the conversation.\
"""

SCENE = Scene(
    name="error",
    description="an error, and the way out of it",
    example="Show me an error",
    rules=(
        Rule(said("error"), [Pause(0.3)], error=ApiError(529, MESSAGE)),
        Rule(said("again"), [Pause(0.4), Text(RECOVERED)], delay=WORD),
    ),
)
