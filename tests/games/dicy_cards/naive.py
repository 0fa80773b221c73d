"""A second, naive implementation of Dicy Cards by brute force; it shares no code with the engine.

It reads positions and writes actions in the text forms, and knows the rules from the rulebook alone. A selection is
legal if its dice can be put in an order that fits the card's description, so every order is tried.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise, permutations, product

Dice = tuple[int, ...]

# What a card wants of dice laid out in some order, next to the six on the table.
FITS: dict[str, Callable[[Dice, Dice], bool]] = {
    "any-two": lambda row, six: len(row) == 2,
    "no-sixes": lambda row, six: len(row) == 6 and max(row) < 6,
    "odds": lambda row, six: all(die in (1, 3, 5) for die in row),
    "straight": lambda row, six: len(row) > 1 and all(after == before + 1 for before, after in pairwise(row)),
    "two-pairs": lambda row, six: len(row) == 4 and row[0] == row[1] and row[2] == row[3] and row[1] != row[2],
    "sixes": lambda row, six: all(die == 6 for die in row),
    "double-pair": lambda row, six: len(row) == 2 and row[0] == row[1],
    "three-lowest": lambda row, six: list(row) == sorted(six)[:3],
    "distinct-fours": lambda row, six: all(row.count(die) == 1 for die in row),
    "distinct-sum": lambda row, six: len(row) < 6 and all(row.count(die) == 1 for die in row),
    "forty-minus": lambda row, six: len(row) == 6,
    "same-fives": lambda row, six: all(die == row[0] for die in row),
}
POINTS: dict[str, Callable[[Dice], int]] = {
    "double-pair": lambda row: sum(row) + sum(row),
    "distinct-fours": lambda row: sum(4 for _ in row),
    "forty-minus": lambda row: 40 - sum(row),
    "same-fives": lambda row: sum(5 for _ in row),
}


def digits(dice: Dice) -> str:
    """Return dice as text, highest first."""
    return "".join(str(die) for die in sorted(dice, reverse=True))


@cache
def rows(six: Dice) -> frozenset[Dice]:
    """List every ordered selection from the dice."""
    return frozenset(row for number in range(1, 7) for row in permutations(six, number))


@cache
def selections(card: str, six: Dice) -> dict[str, int]:
    """Return the points of every selection that fits a card."""
    count = POINTS.get(card, sum)
    return {digits(row): count(row) for row in rows(six) if FITS[card](row, six)}


@cache
def rolled(number: int) -> list[str]:
    """List every roll of a number of dice."""
    return sorted({digits(dice) for dice in product((1, 2, 3, 4, 5, 6), repeat=number)})


@dataclass
class Table:
    cards: list[str]
    goal: int
    phase: str
    seat: int
    dice: Dice
    points: list[int]
    frozen: list[set[str]]
    choosing: list[int] = field(default_factory=list)


def read(text: str, headers: Mapping[str, str]) -> Table:
    """Read a position of the game that the record headers set up."""
    cards = headers["cards"].split()
    seat, phase, dice, *rest = text.split()
    choosing = [int(number) for number in rest.pop()[1:].split(",")] if rest[-1].startswith(">") else []
    points = [int(row.split(":")[0]) for row in rest]
    frozen = [{card for card, sign in zip(cards, row.split(":")[1], strict=True) if sign == "0"} for row in rest]
    lying = () if dice == "-" else tuple(sorted(int(die) for die in dice))
    return Table(cards, int(headers["goal"]), phase, int(seat), lying, points, frozen, choosing)


def events(table: Table) -> list[str]:
    """List what the rules allow, chance included."""
    if table.phase in ("roll", "reroll"):
        return rolled(6 - len(table.dice))
    if table.phase == "act":
        usable = [card for card in table.cards if table.dice and card not in table.frozen[table.seat - 1]]
        scores = [f"score {card} {chosen}" for card in usable for chosen in selections(card, table.dice)]
        thrown = {digits(row) for row in rows(table.dice)} if usable else set()
        return [*scores, *(f"reroll {dice} freeze {card}" for card in usable for dice in thrown), "skip"]
    if table.choosing:
        frozen = table.frozen[table.choosing[0] - 1]
        return [f"{table.phase} {card}" for card in table.cards if (card in frozen) == (table.phase == "reset")]
    return []


def after(before: Table, event: str) -> Table:
    """Apply an event to a copy of the table."""
    table = replace(before, points=list(before.points), frozen=[set(cards) for cards in before.frozen])
    table.choosing = list(before.choosing)
    own = table.frozen[table.seat - 1]
    match event.split():
        case ["skip"]:
            own.clear()
            _ask(table, "reset", _others(table))
        case ["reroll", dice, "freeze", card]:
            own.add(card)
            kept = list(table.dice)
            for die in dice:
                kept.remove(int(die))
            table.phase, table.dice = "reroll", tuple(kept)
        case ["score", card, dice]:
            table.points[table.seat - 1] += selections(card, table.dice)[dice]
            own.add(card)
            others = _others(table)
            neighbours = [seat for seat in others if seat in (others[0], others[-1])]
            if card == "sixes":
                _ask(table, "reset", neighbours)
            else:
                touched = {"any-two": neighbours, "three-lowest": others}.get(card, [])
                _ask(table, "freeze", touched)
        case ["freeze" | "reset" as verb, card]:
            seat = table.choosing.pop(0)
            if verb == "freeze":
                table.frozen[seat - 1].add(card)
            else:
                table.frozen[seat - 1].remove(card)
            if not table.choosing:
                _next_turn(table)
        case [dice]:
            table.phase, table.dice = "act", tuple(sorted([*table.dice, *map(int, dice)]))
    return table


def _others(table: Table) -> list[int]:
    """List the other seats clockwise, from the left of the seat whose turn it is."""
    everybody = list(range(1, len(table.points) + 1))
    return everybody[table.seat :] + everybody[: table.seat - 1]


def _ask(table: Table, verb: str, touched: list[int]) -> None:
    table.phase, table.dice = verb, ()
    if verb == "freeze":
        table.choosing = [seat for seat in touched if len(table.frozen[seat - 1]) < 5]
    else:
        table.choosing = [seat for seat in touched if table.frozen[seat - 1]]
    if not table.choosing:
        _next_turn(table)


def _next_turn(table: Table) -> None:
    last = table.seat == len(table.points)
    if last and any(points >= table.goal for points in table.points):
        table.phase = "over"
        return
    table.seat = 1 if last else table.seat + 1
    table.phase = "act" if len(table.frozen[table.seat - 1]) == 5 else "roll"


def scores(table: Table) -> list[int]:
    """Return every seat's points."""
    return table.points


def winners(table: Table) -> list[int]:
    """List the winning seats of a finished game, from 1."""
    first = [seat for seat, points in enumerate(table.points, 1) if points == max(table.points)]
    fewest = min(len(table.frozen[seat - 1]) for seat in first)
    return [seat for seat in first if len(table.frozen[seat - 1]) == fewest]


def same(one: Table, other: Table) -> bool:
    """Compare tables."""
    return one == other
