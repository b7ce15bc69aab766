"""Print the receipt of an example basket."""

from fruitstand.basket import Basket
from fruitstand.receipt import render


def main() -> None:
    basket = Basket()
    basket.add("apples", "0.40", 6)
    basket.add("pears", "0.55", 2)
    basket.add("mango", "2.30")
    print(render(basket))


if __name__ == "__main__":
    main()
