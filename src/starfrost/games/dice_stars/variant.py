"""The rules of Dice Stars that a variant can change: the sheet, the dice, the solo grid, points at the start.

`Rules` is one immutable value; a game receives it with its setup, and the default is the official game. What concerns
a sheet is in its `Layout`, so a position carries its rules.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from starfrost.errors import Phrase
from starfrost.games.dice_stars.actions import MOST_DICE
from starfrost.games.dice_stars.components import ALL_DICE, COLOURS, FACES, STAR, Bag, Faces
from starfrost.games.dice_stars.sheet import BOX_POINTS, GREEN_SPACES, STAR_BOXES, Layout, Ticked, layout
from starfrost.games.variants import Fields, Variant, named

MOST_SOLO_BOXES: Final = 999_999
MOST_GREEN: Final = 4
"""The most green spaces of a row."""

MOST_GREEN_IN_ALL: Final = 12
"""The most green spaces of a sheet: with the twenty white ones, as many as a word of the vector engine has bits."""

MOST_STARS: Final = 7
"""The most star boxes of a row."""

MOST_IN_A_ROW: Final = 8
"""The most green spaces and star boxes of a row together, so that a sheet fits a page."""

MOST_OF_A_COLOUR: Final = 9
MOST_POINTS: Final = 999
_STAR_TEXT: Final = "*"


@dataclass(frozen=True)
class Rules:
    """The rules of a game besides its seats and the size of its solo grid."""

    green: Ticked = GREEN_SPACES
    stars: Ticked = STAR_BOXES
    dice: Bag = ALL_DICE
    faces: Faces = FACES
    box_points: int = BOX_POINTS
    handicap: tuple[int, ...] = ()
    """The points that each seat has from the start; 0 for seats beyond."""
    variant: Variant | None = None
    """The variant; None for the official rules."""

    def layouts(self, seats: int) -> tuple[Layout, ...]:
        """Return the sheets of the seats."""
        return tuple(
            layout(self.green, self.stars, self.dice, self.faces, self.box_points, bonus)
            for bonus in (*self.handicap, *(0,) * seats)[:seats]
        )


OFFICIAL: Final = Rules()


def read(fields: Fields) -> Rules:
    """Read the keys of a rules file. Raises UsageError."""
    fields.choice("game", ["dice-stars"])
    rows = range(5, 6)
    green = fields.numbers("green", rows, 0, MOST_GREEN)
    if green and sum(green) > MOST_GREEN_IN_ALL:
        raise fields.refusal("green", Phrase("at most %(most)s green spaces in all rows", most=MOST_GREEN_IN_ALL))
    stars = fields.numbers("stars", rows, 0, MOST_STARS)
    if max(map(sum, zip(green or GREEN_SPACES, stars or STAR_BOXES, strict=True))) > MOST_IN_A_ROW:
        expected = Phrase("at most %(most)s green spaces and star boxes together in a row", most=MOST_IN_A_ROW)
        raise fields.refusal("stars" if stars else "green", expected)
    handicap = fields.numbers("handicap", range(1, 5), 0, MOST_POINTS)
    solo_boxes = fields.number("solo-boxes", 1, MOST_SOLO_BOXES)
    box_points = fields.number("box-points", 1, MOST_POINTS)
    dice, faces = list(ALL_DICE), list[tuple[int, ...]](FACES)
    for colour, table in fields.tables("dice", COLOURS).items():
        at = COLOURS.index(colour)
        count = table.number("number", 0, MOST_OF_A_COLOUR)
        dice[at] = dice[at] if count is None else count
        faces[at] = _faces(table) or faces[at]
        table.finish()
    if not 3 <= sum(dice) <= MOST_DICE:
        expected = Phrase("3 to %(most)s dice of all colours together", most=MOST_DICE)
        raise fields.refusal("dice", expected, sum(dice))
    given: Mapping[str, Any] = {
        "green": green,
        "stars": stars,
        "handicap": handicap,
        "solo-boxes": solo_boxes,
        "box-points": box_points,
        "dice": _described(dice, faces),
    }
    rules = {key: value for key, value in given.items() if value is not None}
    options = {} if solo_boxes is None else {"solo-boxes": str(solo_boxes)}
    return Rules(
        _five(green or GREEN_SPACES),
        _five(stars or STAR_BOXES),
        (dice[0], dice[1], dice[2], dice[3]),
        tuple(faces),
        box_points or BOX_POINTS,
        handicap or (),
        named(fields, "dice-stars", rules, options),
    )


def _five(numbers: tuple[int, ...]) -> Ticked:
    a, b, c, d, e = numbers
    return a, b, c, d, e


def _faces(table: Fields) -> tuple[int, ...]:
    """Read the six faces of a colour; empty if they are not given."""
    value = table.anything("faces")
    if value is None:
        return ()
    allowed = (_STAR_TEXT, 2, 3, 4, 5, 6)
    if not isinstance(value, list) or len(value) != 6 or not all(face in allowed for face in value):
        raise table.refusal("faces", Phrase('a list of six faces, each "*" or a number from 2 to 6'))
    return tuple(sorted(STAR if face == _STAR_TEXT else face for face in value))


def _described(dice: list[int], faces: list[tuple[int, ...]]) -> dict[str, Any] | None:
    """Return the changed dice as `read` understands them."""
    changed = {
        colour: {"number": dice[at], "faces": [face or _STAR_TEXT for face in faces[at]]}
        for at, colour in enumerate(COLOURS)
        if (dice[at], faces[at]) != (ALL_DICE[at], FACES[at])
    }
    return changed or None
