import unittest

from fruitstand.basket import Basket
from fruitstand.money import as_cents, as_text


class BasketTest(unittest.TestCase):
    def test_an_empty_basket_costs_nothing(self) -> None:
        self.assertEqual(Basket().subtotal, 0)

    def test_lines_add_up(self) -> None:
        basket = Basket()
        basket.add("apples", "0.40", 6)
        basket.add("mango", "2.30")
        self.assertEqual(basket.subtotal, 470)


class MoneyTest(unittest.TestCase):
    def test_a_price_survives_the_round_trip(self) -> None:
        for price in ("0.05", "1.20", "13.00"):
            self.assertEqual(as_text(as_cents(price)), price)
