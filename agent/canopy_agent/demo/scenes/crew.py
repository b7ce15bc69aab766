"""The subagents of the tree scene: what each is asked to do, and how it goes about it.

The prompts name a role (`Role: test writer.`), which is how the model tells who is asking.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_agent.demo.rules import AfterTurn, Pause, Text, ToolUse, When, flow
from canopy_agent.demo.scenes.command import TESTS
from canopy_agent.demo.scenes.editing import FIXED
from canopy_agent.demo.scenes.scene import (
    DISCOUNTS,
    line_of,
    list_files,
    read,
    search,
    went_well,
)

if TYPE_CHECKING:
    from canopy_agent.demo.requests import ModelRequest
    from canopy_agent.demo.rules import Rule, Step, Steps

REVIEWER = "discount reviewer"
WRITER = "test writer"
CHECKER = "docs checker"
COMMANDS = "command checker"
NEW_TESTS = "tests/test_receipt.py"


def _agent(role: str, description: str, work: str, *, background: bool) -> ToolUse:
    return ToolUse(
        "Agent",
        {
            "description": description,
            "prompt": f"Role: {role}.\n\n{work}",
            "subagent_type": "general-purpose",
            "run_in_background": background,
        },
    )


REVIEW = _agent(
    REVIEWER,
    "Review the discount rules",
    "Read fruitstand/discounts.py and its tests. Hold each rule against what its docstring and the "
    "README promise, above all at the limits. Report what does not hold, with file and line, in "
    "three sentences at most. Change nothing.",
    background=False,
)
WRITE = _agent(
    WRITER,
    "Write receipt tests",
    "fruitstand/receipt.py has no tests of its own. See how the other tests are written and add "
    f"{NEW_TESTS}: an empty basket, the discount row, the width of every row. Use unittest and "
    "nothing else. Report what the tests cover.",
    background=True,
)
CHECK = _agent(
    CHECKER,
    "Check the README",
    "Compare README.md with the code, claim by claim. Have the commands in it checked by an agent "
    "of its own. Report every claim that is not true, and change nothing.",
    background=True,
)
CHECK_COMMANDS = _agent(
    COMMANDS,
    "Check the README commands",
    "README.md lists three commands. Look into fruitstand/__main__.py and tell for each whether it "
    "does what the README says. Do not run anything.",
    background=False,
)

TEST_FILE = """\
import unittest

from fruitstand.basket import Basket
from fruitstand.receipt import WIDTH, render


class ReceiptTest(unittest.TestCase):
    def test_an_empty_basket_has_nothing_to_pay(self) -> None:
        self.assertEqual(render(Basket()).split()[-1], "0.00")

    def test_the_discount_has_its_own_row(self) -> None:
        basket = Basket()
        basket.add("apples", "0.40", 2)
        self.assertNotIn("discount", render(basket))
        basket.add("pears", "0.55", 3)
        self.assertIn("discount", render(basket))

    def test_every_row_fits_the_paper(self) -> None:
        basket = Basket()
        basket.add("pineapple", "3.20", 12)
        for row in render(basket).splitlines():
            self.assertEqual(len(row), WIDTH)
"""


def _reviewer() -> tuple[Rule, ...]:
    def look(request: ModelRequest) -> Steps:
        start = Text("I look for every place where the rules are used.")
        return [
            Pause(1.0),
            start,
            search(request, "three_for_two|big_basket", "fruitstand", "tests"),
        ]

    def read_both(_: ModelRequest) -> Steps:
        return [Pause(1.6), read(DISCOUNTS), read("tests/test_discounts.py")]

    def report(request: ModelRequest) -> Steps:
        if at := line_of(request, FIXED.strip()):
            told = (
                f"Both rules hold. The big basket (`discounts.py`, line {at}) begins at exactly "
                "20.00, as the docstring promises, and there is a test for it."
            )
        else:
            at = line_of(request, "subtotal > BIG_BASKET")
            told = (
                "Three for two holds. The big basket does not: the docstring promises ten percent "
                f"*from* 20.00, but `discounts.py`, line {at}, compares with `>`. "
                "A test for exactly 20.00 exists, and it fails."
            )
        return [Pause(2.0), Text(told)]

    return flow(When(agent=REVIEWER), look, read_both, report)


def _writer() -> tuple[Rule, ...]:
    def start(_: ModelRequest) -> Steps:
        return [Pause(1.2), Text("First what a receipt looks like."), read("fruitstand/receipt.py")]

    def look(request: ModelRequest) -> Steps:
        return [Pause(1.5), list_files(request, "tests")]

    def propose(request: ModelRequest) -> Steps:
        wait: tuple[Step, ...] = (AfterTurn(), Pause(2.0))
        if NEW_TESTS.rpartition("/")[2] in request.result_text:
            there = Text(f"`{NEW_TESTS}` is there already, so I only check that all tests pass.")
            return [*wait, there, ToolUse("Bash", TESTS)]
        plan = Text("Three cases matter: nothing bought, a discount, and rows that fit the paper.")
        new_file = {"file_path": "{cwd}/" + NEW_TESTS, "content": TEST_FILE}
        return [*wait, plan, ToolUse("Write", new_file)]

    def report(request: ModelRequest) -> Steps:
        return [Pause(1.5), Text(_writers_report(request))]

    return flow(When(agent=WRITER), start, look, propose, report)


def _writers_report(request: ModelRequest) -> str:
    wrote, ran = request.last("Write"), request.last("Bash")
    if wrote is not None and went_well(wrote):
        return (
            f"`{NEW_TESTS}` is written, with three tests: an empty basket has nothing to pay, the "
            "discount has a row only when there is one, and every row fits the paper."
        )
    if wrote is not None:
        return (
            "I was not allowed to write the file, so nothing has changed. It would have held three "
            "tests: the empty basket, the discount row, and the width of every row."
        )
    if ran is not None and "Ran " in ran.text:
        verdict = (
            "all pass" if not ran.is_error else "not all pass: the discount limit is still wrong"
        )
        return f"The receipt tests were there already. I ran everything, and {verdict}."
    return "The receipt tests were there already. I was not allowed to run them, so I stop here."


def _checker() -> tuple[Rule, ...]:
    def start(_: ModelRequest) -> Steps:
        return [Pause(1.5), Text("I take the README claim by claim."), read("README.md")]

    def compare(request: ModelRequest) -> Steps:
        return [Pause(1.8), search(request, "BIG_BASKET|// 3|WIDTH", "fruitstand")]

    def delegate(_: ModelRequest) -> Steps:
        found = Text("The table of discounts agrees with the code. The commands come next.")
        return [AfterTurn(), Pause(1.2), found, CHECK_COMMANDS]

    def report(request: ModelRequest) -> Steps:
        outcome = request.last("Agent")
        commands = outcome.report if outcome is not None and went_well(outcome) else _UNCHECKED
        told = f"The README tells the truth about the discounts and the modules. {commands}"
        return [Pause(1.5), Text(told)]

    return flow(When(agent=CHECKER), start, compare, delegate, report)


_UNCHECKED = "Its commands were not checked to the end."


def _command_checker() -> tuple[Rule, ...]:
    def start(_: ModelRequest) -> Steps:
        return [Pause(1.4), read("fruitstand/__main__.py")]

    def look(request: ModelRequest) -> Steps:
        return [Pause(1.6), search(request, "json|argparse|sys.argv", "fruitstand")]

    def report(_: ModelRequest) -> Steps:
        told = (
            "Two of its three commands do what it says. The third does not: it promises `--json`, "
            "but `__main__.py` reads no arguments at all."
        )
        return [Pause(1.5), Text(told)]

    return flow(When(agent=COMMANDS), start, look, report)


CREW_RULES = (*_reviewer(), *_writer(), *_checker(), *_command_checker())
