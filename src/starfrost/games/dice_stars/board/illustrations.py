"""The drawings, the summary and the worked example of the rules of Dice Stars."""

from typing import Final

from starfrost.boards.lessons import Scene
from starfrost.boards.rules import Illustrations, Point
from starfrost.games.dice_stars import DiceStars
from starfrost.games.dice_stars.board.positions import position
from starfrost.words import mark

THREE_TURNS: Final = Scene(
    DiceStars(2),
    position("draw", "black4 orange*", "0/1/1/1", "x 4/3//x 10/", ". . 5////x 6"),
    """
        1 draw 2; * blue5 blue4; 1 take blue
        2 draw 1; * purple4; 2 take 4
        1 draw 3; * black* orange* purple3; 1 take stars 3 3 3
        2 keep; 2 draw 1; * purple2; 2 take purple
        1 draw 3; * orange3 blue3 black6; 1 take 3
    """,
)

ILLUSTRATIONS: Final = Illustrations(
    # A die, as a record writes it; w and g are a white and a green space, S is a ticked star box, B a solo box.
    figures={
        "P2": "orange* orange* orange3 orange4 orange5 orange6; blue* blue2 blue3 blue4 blue5 blue6",
        "P3": "w w w w g g g s s s",
        "S2": "bag > blue5 orange*",
        "S5": "blue5 blue4 | black4 blue4 | orange* purple*",
        "S6": "blue5 blue4 > pile",
        "F1": "blue5 blue* > wx w5",
        "F2": "black4 blue4 > wx w8 g g",
        "F3": "orange* purple* > S S s",
        "F6": "blue5 > =−5",
        "G2": "wx w9 w6 s s s =15; wx w9 w6 S s s =0; wx w9 w6 S S S =30",
        "L2": "blue6 purple* > B B B",
    },
    summary=(
        (
            mark("The aim"),
            (
                Point(
                    mark("Get the highest total of your five rows. Columns themselves score nothing."),
                    ("G3",),
                ),
            ),
        ),
        (
            mark("Your turn"),
            (
                Point(
                    mark(
                        "If the previous turn took stars or drew the last die from the bag, the discard pile goes "
                        "back into the bag; you may also return the whole reserve."
                    ),
                    ("S1",),
                ),
                Point(mark("Announce 1, 2 or 3 dice, draw and roll them."), ("S2",)),
                Point(mark("With no number in the reserve you must draw three."), ("S3",)),
                Point(mark("Take all dice of one colour, all of one number or all stars."), ("S5",)),
            ),
        ),
        (
            mark("Your sheet"),
            (
                Point(
                    mark("A colour fills its column from the top: the sum in the last space, X in the others."), ("F1",)
                ),
                Point(mark("A number fills its row from the left, white and green spaces."), ("F2",)),
                Point(
                    mark(
                        "Tick one star box for each star, in any rows. A row with all its boxes ticked is "
                        "doubled; with only some ticked it scores 0."
                    ),
                    ("F3", "G2"),
                ),
                Point(mark("You need room for every die that you take."), ("F5",)),
                Point(mark("If nothing fits: write the sum of a colour or a number as minus points."), ("F6",)),
            ),
        ),
        (
            mark("The end"),
            (
                Point(
                    mark(
                        "The game ends with the round in which somebody fills all 20 white spaces or writes a "
                        "penalty. Equal totals share the victory."
                    ),
                    ("G1", "G3"),
                ),
            ),
        ),
        (
            mark("Solo"),
            (
                Point(
                    mark(
                        "After each turn add up the dice left in the reserve, and double the sum if a star is left "
                        "too. Tick one box for every 5 points, rounded up: a 6 and a star are 12 points, 3 boxes. If "
                        "only stars are left, tick one. You win with more than 5 points for every ticked box, unless "
                        "the grid is full first."
                    ),
                    ("L2", "L4"),
                ),
            ),
        ),
    ),
    examples={3: THREE_TURNS},
)
