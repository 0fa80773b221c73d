"""The codes of actions and the tolerance of the solver."""

from typing import Final

from starfrost.games.dicy_cards import CARDS_IN_A_GAME
from starfrost.games.dicy_cards.solver.lattice import FACES

NEAR: Final = 1e-12
"""Values closer than this count as equal when an action is chosen."""

SKIP: Final = CARDS_IN_A_GAME
"""The code of a skip; a card's own number is the code of scoring it."""

REROLL: Final = SKIP + 1
"""The code of a reroll for the first card; the other cards follow."""

STOP: Final = len(FACES)
"""The code for keeping these dice; smaller codes are the numbers of a step down."""
