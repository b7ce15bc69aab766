"""The scene of a question: two choices in a form, and a reply that uses the answers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from canopy_agent.demo.rules import Pause, Text, ToolUse, flow
from canopy_agent.demo.scenes.scene import WORD, Scene, said, went_well

if TYPE_CHECKING:
    from canopy_agent.demo.requests import ModelRequest
    from canopy_agent.demo.rules import Steps

LAYOUT = "Which layout should the receipt have?"
EXTRAS = "What else should be printed on it?"

_NARROW = "6 x apples      2.40\ndiscount       -0.80\nto pay          1.60"
_WIDE = (
    "fruit        pieces     price     total\n"
    "apples            6      0.40      2.40\n"
    "discount                          -0.80\n"
    "to pay                             1.60"
)
_EXTRA_ROWS = {
    "Date and time": "2 December, 14:03",
    "Tax number": "tax no. 12/345/6789",
    "A thank you": "Thank you, come again!",
}

QUESTIONS = [
    {
        "question": LAYOUT,
        "header": "Layout",
        "multiSelect": False,
        "options": [
            {
                "label": "Narrow roll",
                "description": "Fits the paper of a small till",
                "preview": _NARROW,
            },
            {
                "label": "Wide page",
                "description": "One column each for pieces and price",
                "preview": _WIDE,
            },
        ],
    },
    {
        "question": EXTRAS,
        "header": "Extras",
        "multiSelect": True,
        "options": [
            {"label": "Date and time", "description": "When the fruit was sold"},
            {"label": "Tax number", "description": "What an office wants to see"},
            {"label": "A thank you", "description": "What a customer wants to see"},
        ],
    },
]


def _ask(request: ModelRequest) -> Steps:
    if not request.offers("AskUserQuestion"):
        return [Pause(0.4), Text(_NO_FORMS)]
    return [
        Pause(0.4),
        Text("Two things are yours to decide before I draft the receipt."),
        ToolUse("AskUserQuestion", {"questions": QUESTIONS}),
    ]


def _draft(request: ModelRequest) -> Steps:
    outcome = request.last("AskUserQuestion")
    answers = dict(re.findall(r'"([^"]+)"="([^"]*)"', outcome.text)) if outcome else {}
    if not went_well(outcome) or not answers:
        return [Pause(0.4), Text("No answer is fine too: the receipt stays as it is.")]
    layout, extras = answers.get(LAYOUT, "as it is"), answers.get(EXTRAS, "")
    receipt = _WIDE if layout == "Wide page" else _NARROW
    rows = [row for label, row in _EXTRA_ROWS.items() if label in extras]
    example = "\n".join([receipt, *([""] if rows else []), *rows])
    chosen = f"- **Layout:** {layout}\n- **Extras:** {extras or 'none'}"
    return [
        Pause(0.6),
        Text(f"Thank you. This is what you chose:\n\n{chosen}\n\n```text\n{example}\n```\n"),
    ]


_NO_FORMS = """\
This client cannot show question forms, so I cannot ask you properly. I would have asked which \
layout the receipt should have, and what else should be printed on it.\
"""

SCENE = Scene(
    name="question",
    description="a form, and a reply that uses it",
    example="Ask me how the receipt should look",
    rules=flow(said("question"), _ask, _draft, delay=WORD),
)
