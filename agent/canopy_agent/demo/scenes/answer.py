"""The scene of a streamed answer: thoughts first, then headings, a table, lists and code."""

from __future__ import annotations

from canopy_agent.demo.rules import Pause, Rule, Text, Thinking
from canopy_agent.demo.scenes.scene import WORD, Scene, said

THOUGHT = """\
The question is how a purchase becomes a receipt. Four small modules take part, so a table can say \
who does what. Two rules surprise people: prices are whole cents, and the big discount looks at \
what is left to pay. Then one example, from the code to what comes out.\
"""

ANSWER = """\
# From basket to receipt

A purchase passes through **four small modules**, and each of them has one job:

| module         | job                        | gives              |
|----------------|----------------------------|--------------------|
| `money.py`     | reads and prints prices    | whole cents        |
| `basket.py`    | keeps what is being bought | lines, a subtotal  |
| `discounts.py` | knows the two discounts    | cents to take off  |
| `receipt.py`   | prints the result          | 32 columns of text |

## Two rules worth knowing

1. **Prices are whole cents.** A float never gets in, so `0.1 + 0.2` has no chance to go wrong.
2. **Free pieces come first.** The big basket discount is judged by what is *left to pay*:
   - three for two is taken off line by line,
   - only then do ten percent come off, from 20.00 upwards.

## In code

Selling six apples takes three lines:

```python
from fruitstand.basket import Basket
from fruitstand.receipt import render

basket = Basket()
basket.add("apples", "0.40", 6)  # two of the six are free
print(render(basket))
```

The same from the command line, with a little more fruit:

```sh
python3 -m fruitstand | tail -n 2  # the discount, and what is to pay
```

> Do the discounts keep these promises? Say *run the tests* to find out.
"""

SCENE = Scene(
    name="answer",
    description="thoughts, a table, lists and code",
    example="Explain how the checkout works",
    rules=(
        Rule(
            said("answer"),
            [Pause(0.4), Thinking(THOUGHT, delay=0.012), Pause(0.3), Text(ANSWER)],
            delay=WORD,
        ),
    ),
)
