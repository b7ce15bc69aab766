"""What somebody is about to buy."""

from dataclasses import dataclass, field

from fruitstand.money import as_cents


@dataclass(frozen=True)
class Line:
    """Some pieces of one fruit."""

    fruit: str
    price: int
    quantity: int

    @property
    def total(self) -> int:
        return self.price * self.quantity


@dataclass
class Basket:
    """The lines in the order in which they were added."""

    lines: list[Line] = field(default_factory=list)

    def add(self, fruit: str, price: str, quantity: int = 1) -> None:
        self.lines.append(Line(fruit, as_cents(price), quantity))

    @property
    def subtotal(self) -> int:
        return sum(line.total for line in self.lines)
