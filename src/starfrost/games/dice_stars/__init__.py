"""The rules of Dice Stars (rulebook of 2016), clause by clause.

components  the dice and the bag                          P2, P4
sheet       the sheet, how it is filled, what it scores   P3, F1 to F5, G2, G3
actions     the actions, and their notation in records
turn        a turn, and the end of the game               S1 to S6, F6, G1, L2, L3
game        the setup as a `Game`                        P1, G3, L1, L4, L5
"""

from starfrost.games.dice_stars.actions import Action
from starfrost.games.dice_stars.components import COLOURS
from starfrost.games.dice_stars.game import SOLO_BOXES, DiceStars, preview
from starfrost.games.dice_stars.sheet import ROWS, STAR_BOXES, Sheet
from starfrost.games.dice_stars.turn import Phase, State

__all__ = ["COLOURS", "ROWS", "SOLO_BOXES", "STAR_BOXES", "Action", "DiceStars", "Phase", "Sheet", "State", "preview"]
