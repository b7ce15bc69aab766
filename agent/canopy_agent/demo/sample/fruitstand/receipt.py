"""The receipt, as it is printed on a narrow roll of paper."""

from fruitstand.basket import Basket
from fruitstand.discounts import total_discount
from fruitstand.money import as_text

WIDTH = 32


def render(basket: Basket) -> str:
    """The whole receipt; the discount has a row only when there is one."""
    rows = [_row(f"{line.quantity} x {line.fruit}", line.total) for line in basket.lines]
    rows.append("-" * WIDTH)
    discount = total_discount(basket)
    if discount:
        rows.append(_row("discount", -discount))
    rows.append(_row("to pay", basket.subtotal - discount))
    return "\n".join(rows)


def _row(label: str, cents: int) -> str:
    price = as_text(abs(cents))
    sign = "-" if cents < 0 else ""
    return f"{label:<{WIDTH - 10}}{sign + price:>10}"
