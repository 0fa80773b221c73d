"""Rare positions of Dice Stars that rules S4 and F6 are about."""

from starfrost.games.dice_stars import DiceStars, State
from starfrost.games.dice_stars.components import COLOURS, STAR, die
from starfrost.games.dice_stars.sheet import BLANK, LINE_MASK, ROW_SPACES, STAR_BOXES
from starfrost.games.dice_stars.turn import Phase


def only_stars(seats: int = 2) -> tuple[DiceStars, State]:
    """Return a game in which nothing can be taken and the only colour shows a star: the penalty is 0 (F6)."""
    game = DiceStars(seats)
    orange = COLOURS.index("orange")
    sheet = BLANK._replace(ticked=STAR_BOXES).fill(tuple(row[orange] for row in ROW_SPACES), 9)
    assert sheet.filled == LINE_MASK["orange"]
    start = game.start()
    state = start._replace(phase=Phase.TAKE, reserve=(die(orange, STAR),), sheets=(sheet, *start.sheets[1:]))
    return game, state


def nearly_empty_bag(held: int, *, forced: bool) -> tuple[DiceStars, State]:
    """Return a game whose bag holds one or two dice (S4); `forced` if the reserve shows no number (S3)."""
    game = DiceStars(2)
    reserve = () if forced else (die(0, 4),)
    return game, game.start()._replace(bag=(0, 0, 0, held), reserve=reserve)
