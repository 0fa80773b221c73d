"""Explanations of what lies on a Dice Stars table, a sentence or two each; a tap shows them."""

from collections.abc import Mapping
from typing import Final

from starfrost.words import mark

HELP: Final[Mapping[str, tuple[str, str]]] = {
    "space": (
        mark("How spaces are filled"),
        mark("A number fills its row from the left, a colour its column from the top. The last space gets the sum."),
    ),
    "star": (
        mark("How stars count"),
        mark("A row with all its stars ticked is doubled. With only some of them ticked it scores nothing."),
    ),
    "sum": (
        mark("How a row scores"),
        mark("A row scores the sum of its numbers: doubled with all its stars ticked, nothing with only some of them."),
    ),
    "bag": (
        mark("About the bag"),
        mark("You draw from here. After a turn that took stars or drew the last die, discarded dice go back in."),
    ),
    "pile": (
        mark("About the discard pile"),
        mark("Dice that were taken lie here. After a turn that took stars or drew the last die, they go into the bag."),
    ),
    "penalty": (
        mark("About the penalty"),
        mark("Whoever can take nothing writes the dice of a colour or a number as minus points; it is the last round."),
    ),
    "solo": (
        mark("About the solo grid"),
        mark("Dice that you leave tick boxes. Every box raises the points that you need; the last box loses the game."),
    ),
}
"""What lies on the table: a title and a text each."""
