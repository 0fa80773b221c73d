"""The final check of Dice Stars: six positions. The rules judge every answer."""

from typing import Final

from starfrost.boards.lessons import Question, Scene
from starfrost.games.dice_stars import DiceStars, Phase, State
from starfrost.games.dice_stars.board.positions import position
from starfrost.games.dice_stars.sheet import WHITE, multiplier, total
from starfrost.words import mark

TWO: Final = DiceStars(2)


def _total(game: DiceStars, before: State, after: State) -> int:
    return total(after.sheets[before.seat])


def _total_without_refill(game: DiceStars, before: State, after: State) -> int:
    return -1 if after.phase is Phase.REFILL else total(after.sheets[before.seat])


def _doubled(game: DiceStars, before: State, after: State) -> int:
    """Count the doubled rows; a row that counts nothing takes one away."""
    return sum(multiplier(after.sheets[before.seat], row) - 1 for row in range(5))


def _draws(game: DiceStars, before: State, after: State) -> int:
    return len(game.legal_actions(after))


def _wins(game: DiceStars, before: State, after: State) -> int:
    return int(game.winners(after) == (before.seat,))


def _green(game: DiceStars, before: State, after: State) -> int:
    return (after.sheets[before.seat].filled & ~WHITE).bit_count()


QUESTIONS: Final = (
    Question(
        Scene(TWO, position("take", "black4 blue4 orange* orange5", "0/1/1/1", "x 4/x 7 x 8*2///", "3 .////")),
        mark("Score as many points as you can, but do not let the bag be refilled for Ben."),
        mark("What refills the bag? Stars do, and so does the last die of the bag."),
        mark("The two 4s score 8 points. The star would double row 3, but the bag would be refilled for Ben."),
        _total_without_refill,
    ),
    Question(
        Scene(TWO, position("take", "purple* orange* blue3", "1/0/1/1", "x 5 x 4/x 7/x 12 9//", "x 6//x 12//")),
        mark("Take the stars and double a row with them."),
        mark("How many star boxes does each row have? A row with only some of them ticked scores nothing."),
        mark("Row 2 has two star boxes: with both ticked its 9 points become 18."),
        _doubled,
    ),
    Question(
        Scene(TWO, position("refill", "black3 blue* orange5", "0/0/0/0", "x 4/x 7///", "3 .////x 6*1")),
        mark("The bag has been refilled. You want to choose freely whether you draw 1, 2 or 3 dice."),
        mark("When must you draw three?"),
        mark("With numbers in the reserve you may draw 1, 2 or 3. With an empty reserve you must draw three."),
        _draws,
    ),
    Question(
        Scene(
            TWO, position("take", "purple2 blue2 orange3 black6", "0/1/1/1", "x 4 2 5 x 6 2/x 7 3 8/x 8//", "3 .////")
        ),
        mark("Write a number into a green space."),
        mark("Two 2s need two empty spaces in row 2. In which other row is the next empty space green?"),
        mark(
            "Row 3 has filled its white spaces, so the 3 goes into a green one. For the 2s, row 2 has too few spaces."
        ),
        _green,
    ),
    Question(
        Scene(
            TWO,
            position(
                "take",
                "blue5 blue3 orange5",
                "1/1/1/1",
                "x 4 x 6/x 7 x 8 3 x 6/x 12 x 9/x . x 15 5/x . 18 x",
                "3 .////x 6",
            ),
        ),
        mark("Nothing fits. Choose the smallest penalty."),
        mark("All dice of a colour add up, and so do all dice of a number."),
        mark("The 3 alone costs 3 points; blue would cost 8, the 5s 10, orange 5."),
        _total,
    ),
    Question(
        Scene(
            TWO,
            position(
                "take",
                "purple6 orange* black5",
                "1/1/1/1",
                "x 4 x 6/x 7 x 8/x 12 x 9/x 10 x 15/x 12 18 6",
                "x 4 x 6/x 7 x 8/x 12 x 9*3/x 10 5 15/x . 12 .",
                seat=2,
            ),
            learner=1,
        ),
        mark("Ben has filled his sheet with 107 points: this is the last turn of the game. Win it."),
        mark("Which of your rows scores nothing now?"),
        mark("The star ticks the last box of row 4: its 21 points become 42, and you have 109."),
        _wins,
    ),
)
