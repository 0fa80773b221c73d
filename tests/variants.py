"""Rules of their own that the tests play, and games with them."""

from random import Random
from typing import Any

from starfrost.games.core import Game
from starfrost.games.setup import Setup, read_variant

GENEROUS_ODDS = """
game = "dicy-cards"
name = "Generous odds"
cards = ["no-sixes", "odds", "straight", "double-pair", "forty-minus"]

[card.odds]
points = "sum + 3"
effect = "neighbours reset"
"""

LUCKY = """
game = "dicy-cards"
name = "Lucky numbers"
goal = 40
cards = ["any-two", "lucky-twins", "three-lowest", "low-run", "four-lowest"]
handicap = [0, 4, 2]
dice = [1, 2, 3, 4, 6, 6]

[card.lucky-twins]
dice = "2-4"
values = [1, 4, 6]
pattern = "alike"
points = "3 * dice + 2 * sum - 1"
effect = "others freeze"

[card.low-run]
values = [1, 2, 3, 4]
pattern = "consecutive"
points = "sum*2"

[card.four-lowest]
dice = "3-4"
pattern = "lowest"
points = "30 - sum"
effect = "others reset"
"""

EVERY_DIE = """
game = "dicy-cards"
name = "Every die"
goal = 60
cards = ["two-twins", "low-six", "spread", "sixes", "any-two"]

[card.two-twins]
pattern = "two pairs"
values = [2, 3, 4, 5]
points = "dice + 5"

[card.low-six]
dice = "all"
values = [1, 2, 3, 4]

[card.spread]
dice = "3-5"
pattern = "different"
values = [1, 3, 5, 6]
points = 9
effect = "neighbours freeze"

[card.any-two]
effect = "none"
"""

FULL_HOUSE = """
game = "dicy-cards"
name = "Full house"
goal = 70
cards = ["full-house", "big", "odds", "even", "capped"]

[card.full-house]
dice = 5
when = "values == 2 and alike == 3"
points = "30 + sum"
effect = "neighbours freeze"

[card.big]
when = "sum >= 20 or sixes == 2"

[card.even]
dice = "1-4"
when = "sum % 2 == 0 and not fives > 1"
points = "sum // 2 + 1"

[card.capped]
dice = "2-4"
points = "max(3, min(12, 2 * highest - lowest))"
"""

WIDE_SHEET = """
game = "dice-stars"
name = "Wide sheet"
green = [4, 3, 3, 1, 1]
stars = [1, 2, 3, 4, 7]
handicap = [0, 7, 3]
"""

STARRY_DICE = """
game = "dice-stars"
name = "Starry dice"
green = [0, 1, 2, 3, 4]
stars = [3, 0, 2, 2, 2]
handicap = [5]
solo-boxes = 40
box-points = 4

[dice.orange]
number = 6
faces = ["*", "*", "*", 4, 5, 6]

[dice.black]
number = 1
faces = [2, 2, 2, 6, 6, "*"]
"""

CARD_VARIANTS = (GENEROUS_ODDS, LUCKY, EVERY_DIE, FULL_HOUSE)
STAR_VARIANTS = (WIDE_SHEET, STARRY_DICE)


def game_of(rules: str, seats: int = 2, **options: str | int) -> Game[Any, Any]:
    """Return the game of a rules file."""
    return Setup.of(read_variant(rules).game, seats, rules=rules, **options).make(Random(0))
