"""The scene of the subagent tree: one agent in front, two that go on after the turn has ended.

The main agent's side: it launches, sums up, and answers each notice that an agent has finished.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_agent.demo.rules import Pause, Rule, Text, Thinking, When, flow
from canopy_agent.demo.scenes.crew import CHECK, CREW_RULES, REVIEW, WRITE
from canopy_agent.demo.scenes.news import news
from canopy_agent.demo.scenes.scene import WORD, Scene, said

if TYPE_CHECKING:
    from canopy_agent.demo.requests import ModelRequest
    from canopy_agent.demo.rules import Steps

THOUGHT = """\
Three parts of the review do not need each other. The discount rules come first, because money is \
at stake: I wait for that one. The tests and the README can go on behind.\
"""
PLAN = """\
I split the review among three agents:

1. **Review the discount rules**: I wait for this one.
2. **Write receipt tests**: in the background.
3. **Check the README**: in the background, with an agent of its own for the commands.
"""
MEANWHILE = """\
The other two go on in the background. You need not wait: open them in the tree, or type something \
else. I will come back as each of them finishes, and one may ask you for permission.\
"""


def _launch(_: ModelRequest) -> Steps:
    return [Pause(0.4), Thinking(THOUGHT, delay=0.012), Text(PLAN), WRITE, CHECK, REVIEW]


def _sum_up(request: ModelRequest) -> Steps:
    front = next(
        (one for one in request.conversation.since if one.input.get("run_in_background") is False),
        None,
    )
    if front is None or front.is_error or front.report == front.text:
        review = "The review of the discount rules was stopped before it came to a result."
    else:
        review = f"The discount rules are reviewed. {front.report}"
    return [Pause(0.8), Text(f"{review}\n\n{MEANWHILE}")]


def _follow_up(request: ModelRequest) -> Steps:
    return [Pause(0.5), Text(news(request))]


SCENE = Scene(
    name="tree",
    description="two go on after the turn, one asks",
    example="Review the project with a team of agents",
    rules=(
        Rule(When(notified=""), _follow_up, delay=WORD),
        *CREW_RULES,
        *flow(said("tree"), _launch, _sum_up, delay=WORD),
    ),
)
