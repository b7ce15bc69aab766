"""What is taken off a basket before it is paid."""

from fruitstand.basket import Basket, Line
from fruitstand.money import percent

BIG_BASKET = 2_000  # cents
BIG_BASKET_RATE = 10  # percent


def three_for_two(line: Line) -> int:
    """Every third piece of the same fruit is free."""
    return line.quantity // 3 * line.price


def big_basket(subtotal: int) -> int:
    """Ten percent off, from 20.00 upwards."""
    if subtotal > BIG_BASKET:
        return percent(subtotal, BIG_BASKET_RATE)
    return 0


def total_discount(basket: Basket) -> int:
    """Both discounts; the big basket is judged by what is left to pay."""
    free = sum(three_for_two(line) for line in basket.lines)
    return free + big_basket(basket.subtotal - free)
