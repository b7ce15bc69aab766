"""Prices are whole cents: nothing in here ever becomes a float."""


def as_cents(price: str) -> int:
    """The cents in a price such as "1.20" or "3"."""
    whole, _, cents = price.partition(".")
    return int(whole) * 100 + int(cents.ljust(2, "0"))


def as_text(cents: int) -> str:
    """The price as it is printed: 120 is "1.20"."""
    return f"{cents // 100}.{cents % 100:02d}"


def percent(cents: int, rate: int) -> int:
    """`rate` percent of an amount; half a cent is rounded up."""
    return (cents * rate + 50) // 100
