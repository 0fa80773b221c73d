"""The actions of seats and of chance, and their notation in records.

The tables below hold every action of a seat once, so an action is well formed if it is a key of a table.
"""

from functools import cache
from itertools import product
from typing import Final, NamedTuple

from starfrost.errors import NotationError
from starfrost.games.dice_stars.components import FACES, Dice, Faces, die_text, parse_die
from starfrost.games.dice_stars.sheet import LINES, ROWS, STAR_BOXES, Ticked


class Action(NamedTuple):
    """A decision of a seat, or a roll; `str` gives the record notation without the seat."""

    verb: str
    """keep, return, draw, take or penalty; roll for chance."""
    line: str = ""
    """What is taken: a colour, a number or `stars`."""
    number: int = 0
    """How many dice are drawn."""
    rows: tuple[int, ...] = ()
    """The rows in which stars are ticked, one entry per star, ascending."""
    dice: Dice = ()
    """The rolled dice, ascending."""

    def __str__(self) -> str:
        if self.verb == "roll":
            return " ".join(map(die_text, self.dice))
        if self.verb == "draw":
            return f"draw {self.number}"
        return " ".join([self.verb, *([self.line] if self.line else []), *map(str, self.rows)])


KEEP: Final = Action("keep")
RETURN: Final = Action("return")
DRAWS: Final = {Action("draw", number=number): number for number in (1, 2, 3)}
TAKES: Final = {Action("take", line): line for line in LINES}
PENALTIES: Final = {Action("penalty", line): line for line in LINES}


MOST_DICE: Final = 15
"""The most dice that a game can have: variants can add one."""


@cache
def all_star_takes(star_boxes: Ticked = STAR_BOXES) -> dict[Action, Ticked]:
    """Return every way of ticking star boxes, and how many boxes it ticks in each row."""
    takes: dict[Action, Ticked] = {}
    for a, b, c, d, e in product(*(range(boxes + 1) for boxes in star_boxes)):
        rows = (2,) * a + (3,) * b + (4,) * c + (5,) * d + (6,) * e
        if 0 < len(rows) <= MOST_DICE:
            takes[Action("take", "stars", rows=rows)] = (a, b, c, d, e)
    return takes


@cache
def star_takes(stars: int, ticked: Ticked, star_boxes: Ticked = STAR_BOXES) -> tuple[Action, ...]:
    """List the ways to tick one empty box per star, in any rows (F3, F5)."""
    left = [boxes - done for boxes, done in zip(star_boxes, ticked, strict=True)]
    ways: list[tuple[int, ...]] = [()]
    for label, boxes in zip(ROWS, left, strict=True):
        ways = [way + (label,) * n for way in ways for n in range(boxes + 1) if len(way) + n <= stars]
    return tuple(Action("take", "stars", rows=way) for way in sorted(ways) if stars and len(way) == stars)


def roll(dice: Dice) -> Action:
    """Return the chance event in which these dice are drawn and rolled."""
    return Action("roll", dice=tuple(sorted(dice)))


@cache
def _by_text(star_boxes: Ticked) -> dict[str, Action]:
    every = (KEEP, RETURN, *DRAWS, *TAKES, *PENALTIES, *all_star_takes(star_boxes))
    return {str(action): action for action in every}


def parse_action(text: str, star_boxes: Ticked = STAR_BOXES, faces: Faces = FACES) -> Action:
    """Parse an action or a roll, with rows and dice in any order. Raises NotationError."""
    words = text.split()
    if words[:2] == ["take", "stars"]:
        words[2:] = sorted(words[2:])
    action = _by_text(star_boxes).get(" ".join(words))
    if action is not None:
        return action
    if words and words[0] in {"keep", "return", "draw", "take", "penalty"}:
        raise NotationError(
            "%(text)s is not an action of Dice Stars: expected keep, return, draw 1 to 3, take "
            "or penalty with a colour or a number from 2 to 6, or take stars with a row for every star.",
            text=repr(text.strip()),
        )
    if not 1 <= len(words) <= 3:
        raise NotationError(
            "%(text)s is not a roll of Dice Stars: expected one to three dice such as orange* black4.",
            text=repr(text.strip()),
        )
    return roll(tuple(parse_die(word, faces) for word in words))
