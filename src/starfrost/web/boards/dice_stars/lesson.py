"""The lesson of Dice Stars."""

from pathlib import Path
from typing import Final

from starfrost.web.views.lessons import Beat, Lesson
from starfrost.words import mark

RECORD: Final = Path(__file__).with_suffix(".sfr").read_text(encoding="utf-8")

BEATS: Final = (
    Beat(
        mark("Fourteen dice are in the bag. With nothing but stars on the table, or nothing at all, one draws three."),
        mark("Draw three dice."),
    ),
    Beat(
        mark(
            "Take all dice of one number or of one colour. Both 5s fill two spaces of row 5, from the left: "
            "a cross, then their sum."
        ),
        mark("Choose 5 and take both dice."),
    ),
    Beat(
        mark(
            "The bot took blue. What nobody takes stays in the reserve. More dice bring more points, but also fill "
            "more spaces."
        ),
        mark("Draw one die."),
    ),
    Beat(
        mark("A colour fills its column, from the top: a cross in row 2, then 3 + 4 = 7 in row 3."),
        mark("Choose orange and take both dice."),
    ),
    Beat(mark("Only stars lie in the reserve."), mark("Draw three dice.")),
    Beat(
        mark(
            "Stars tick star boxes in any rows. A row with all its stars counts double; with only some of them it "
            "counts nothing!"
        ),
        mark("Choose the stars, tick all three boxes of row 3, and take them."),
    ),
    Beat(
        mark(
            "Row 3 is doubled: 14. The bot took a star, so the bag was filled again. You may put the reserve "
            "back too, but two 2s lie there."
        ),
        mark("Keep the reserve."),
    ),
    Beat(mark("One more 2 would be good."), mark("Draw one die.")),
    Beat(
        mark("A third 2: a cross, a cross and 6 in row 2. Full spaces are passed over."),
        mark("Choose 2 and take the dice."),
    ),
)

LESSON: Final = Lesson(
    RECORD,
    BEATS,
    mark(
        "That is how it goes. When somebody has filled all 20 white spaces, the round is finished, the rows are "
        "added up, and the highest total wins."
    ),
)
