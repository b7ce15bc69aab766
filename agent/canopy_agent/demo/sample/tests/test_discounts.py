import unittest

from fruitstand.basket import Basket, Line
from fruitstand.discounts import big_basket, three_for_two, total_discount


class DiscountTest(unittest.TestCase):
    def test_every_third_piece_is_free(self) -> None:
        self.assertEqual(three_for_two(Line("apples", 40, 2)), 0)
        self.assertEqual(three_for_two(Line("apples", 40, 7)), 80)

    def test_a_small_basket_pays_in_full(self) -> None:
        self.assertEqual(big_basket(1_999), 0)

    def test_a_big_basket_starts_at_twenty(self) -> None:
        self.assertEqual(big_basket(2_000), 200)

    def test_free_pieces_do_not_count_as_spending(self) -> None:
        basket = Basket()
        basket.add("pineapple", "8.00", 3)
        self.assertEqual(total_discount(basket), 800)
