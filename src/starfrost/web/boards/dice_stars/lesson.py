"""The lesson of Dice Stars: chapters from the aim to the final score, and the solo game."""

from typing import Final

from starfrost.games.dice_stars import DiceStars
from starfrost.web.boards.dice_stars.check import QUESTIONS
from starfrost.web.boards.dice_stars.positions import position
from starfrost.web.views.lessons import Chapter, Lesson, Scene, Step
from starfrost.words import mark

TWO: Final = DiceStars(2)

AIM: Final = Chapter(
    "aim",
    mark("The aim, and your first dice"),
    Scene(TWO),
    (
        Step(
            mark(
                "You fill your sheet with the numbers of dice. In the end every row counts the sum of its numbers, "
                "and the highest total of the five rows wins. Columns count nothing of their own."
            )
        ),
        Step(
            mark(
                "Rows are numbers, 2 to 6; columns are colours. White spaces lie where they meet, and most rows go "
                "on with green bonus spaces. The stars on the right can double a row."
            )
        ),
        Step(
            mark(
                "14 dice are in the bag: 5 orange, 4 blue, 3 purple and 2 black. Each has one star and the numbers 2 "
                "to 6; orange has a second star instead of the 2."
            )
        ),
        Step(
            mark("A turn begins with a draw. The reserve in the middle is empty, so you must draw three."),
            mark("Draw three dice."),
            "draw 3",
            "* black5 blue5 orange3",
        ),
        Step(
            mark(
                "Take all dice of one number, all of one colour or all stars. Both 5s fill two spaces of row 5, from "
                "the left: the last gets their sum, 10, the other an X."
            ),
            mark("Choose 5 and take both dice."),
            "take 5",
            other={"take": mark("You may take that, but the two 5s write more points.")},
        ),
        Step(
            mark(
                "Row 5 counts 10. The dice you took go to the discard pile; the orange 3 stays in the reserve. Ben "
                "announces two dice and draws."
            ),
            then="2 draw 2; * blue4 purple*",
        ),
        Step(
            mark("Ben takes blue: the 4 goes into the topmost space of the blue column, in row 2."),
            then="2 take blue",
        ),
    ),
    mark("Draw, take, fill the sheet: that is a turn. Then the next player goes on with the dice that are left."),
)

COLOURS: Final = Chapter(
    "colours",
    mark("Colours, numbers and the draw"),
    Scene(
        TWO,
        position("draw", "orange3 purple*", "1/0/2/0", "///x 10/", ". . 4////"),
    ),
    (
        Step(
            mark(
                "Before you draw, you announce how many dice: 1, 2 or 3. More dice bring more points, but they fill "
                "more spaces, and what you leave is there for Ben."
            ),
            mark("Draw one die."),
            "draw 1",
            "* orange4",
            other={"draw": mark("You may announce any number from 1 to 3. In this lesson draw one die.")},
        ),
        Step(
            mark(
                "A colour fills its column from the top, one space for each die: an X in row 2, then 3 + 4 = 7 in "
                "row 3."
            ),
            mark("Choose orange and take both dice."),
            "take orange",
            other={"take": mark("That is allowed, but try out here how a colour with two dice is written.")},
        ),
        Step(
            mark("7 counts in row 3. For Ben there are only stars in the reserve, so he must draw three."),
            then="2 draw 3; * blue* black6 orange6",
        ),
        Step(mark("Ben takes both 6s: 12 in row 6."), then="2 take 6; 1 draw 3; * purple3 blue2 orange5"),
        Step(
            mark(
                "You had to draw three as well. The orange 5 lies alone: you may take it for its colour or for its "
                "number. In row 5 two spaces are filled; filled spaces are skipped."
            ),
            mark("Choose 5: it goes into the third space of row 5."),
            "take 5",
            other={
                "take orange": mark(
                    "For its colour, the 5 would go into row 4: rows 2 and 3 of that column are filled."
                ),
            },
        ),
    ),
    mark("Row 5 now counts 15. Only the rows count; a colour decides in which rows your dice are written."),
)

ROOM: Final = Chapter(
    "room",
    mark("Green spaces, and room for all dice"),
    Scene(
        TWO,
        position(
            "take",
            "purple2 blue2 black6 blue6 orange6",
            "1/1/1/2",
            "2 x 5 3/x . 8 ./4 x 9 ././x 12 . .",
            "x 6 . ./. 3 . ./x 8 . ././6 . . .",
        ),
    ),
    (
        Step(
            mark(
                "Three 6s lie in the reserve, but row 6 has only two empty spaces. You need an empty space for every "
                "die that you take, so the 6s are not offered."
            )
        ),
        Step(
            mark(
                "Row 2 has no white space left, but it goes on with green ones. They are filled from the left like "
                "the white ones and count the same."
            ),
            mark("Choose 2 and take both dice."),
            "take 2",
            "2 draw 1; * purple5",
            other={"take": mark("There is room for that too. But here look at the green spaces.")},
        ),
        Step(
            mark("An X and 4 in green: row 2 counts 14. Ben draws a purple 5. For him, the three 6s fit: 18 in row 6."),
            then="2 take 6",
        ),
    ),
    mark("Numbers can use white and green spaces, colours only the five white spaces of their column."),
)

STARS: Final = Chapter(
    "stars",
    mark("Stars"),
    Scene(
        TWO,
        position(
            "take",
            "black* purple* blue* orange5",
            "1/1/1/2",
            ". . . x/. . . 7//x 10/",
            ". . 4 .////x 12",
        ),
    ),
    (
        Step(
            mark(
                "Stars tick star boxes, in any rows you like, one box for each star. A row with all its boxes ticked "
                "counts double. With only some of them ticked, it counts nothing!"
            ),
            mark("Choose the stars, tick all three boxes of row 3, and take them."),
            "take stars 3 3 3",
            other={
                "take stars": mark(
                    "Then a row would have only some of its boxes ticked and count nothing. Row 3 has three boxes."
                ),
                "take": mark("That is allowed, but three stars at once are a rare chance."),
            },
        ),
        Step(
            mark(
                "Row 3 now counts 14 instead of 7, and whatever you still write there counts double as well. Ben "
                "draws one die: an orange star."
            ),
            then="2 keep; 2 draw 1; * orange*",
        ),
        Step(
            mark(
                "Ben takes it and ticks one of the six boxes of row 6: his 12 count nothing until all six are ticked."
            ),
            then="2 take stars 6; 1 keep; 1 draw 2; * blue* blue4",
        ),
        Step(
            mark(
                "If you take a colour, its stars come along. A star counts 0 there, but fills a space: an X in row "
                "2, then 4 + 0 = 4 in row 3, which is doubled."
            ),
            mark("Choose blue and take both dice."),
            "take blue",
            other={"take": mark("That is allowed, but here look at what a star does within a colour.")},
        ),
    ),
    mark("Row 3 now counts 22. Start a row's stars only if you believe that you can tick them all, or if it is empty."),
)

REFILL: Final = Chapter(
    "refill",
    mark("The bag is refilled"),
    Scene(
        TWO,
        position("refill", "purple2 blue2 orange5", "0/0/0/0", "x 4/x 7*3///", ". . 4 .////x 12*1"),
    ),
    (
        Step(
            mark(
                "Ben took a star. If the turn before took stars or drew the last die of the bag, all discarded dice "
                "go back into the bag."
            )
        ),
        Step(
            mark("You may also put the reserve back, all of it or nothing. But two 2s lie there."),
            mark("Keep the reserve."),
            "keep",
            other={"return": mark("You may put the reserve back, but then the two 2s are gone.")},
        ),
        Step(
            mark("You can never draw more dice than the bag holds. Now it holds eleven."),
            mark("Draw one die."),
            "draw 1",
            "* black2",
            other={"draw": mark("You may announce any number from 1 to 3. In this lesson draw one die.")},
        ),
        Step(
            mark("Three 2s! They fill three spaces of row 2, two white ones and a green one: X, X and 6."),
            mark("Choose 2 and take the dice."),
            "take 2",
            other={"take": mark("That is allowed, but three 2s write 6 points into row 2.")},
        ),
    ),
    mark("So watch what your take does for the next player: stars, and the last die, refill the bag."),
)

FULL: Final = "x 4 x 6 2/x 7 x 8/x 12 x 9 4/x 10 . 15/x 12 18 6"

PENALTY: Final = Chapter(
    "penalty",
    mark("The penalty"),
    Scene(
        TWO,
        position("draw", "blue4", "1/1/1/1", "x 4 x 6/x 7 x 8 3 x 6/x 12 x 9 x 8/x . x 15/x . 18 x", FULL),
    ),
    (
        Step(
            mark("Your sheet is almost full: of its white spaces only two purple ones are empty."),
            mark("Draw one die."),
            "draw 1",
            "* blue3",
            other={"draw": mark("You may announce any number from 1 to 3. In this lesson draw one die.")},
        ),
        Step(
            mark(
                "Blue is full, and so are rows 3 and 4: there is nothing that you may take. Then you write a "
                "penalty: you choose a colour or a number in the reserve, and the sum of its dice counts as minus "
                "points."
            )
        ),
        Step(
            mark("Blue would cost 7, the 4 costs 4. Stars cannot be chosen; a colour with nothing but stars costs 0."),
            mark("Choose the 3."),
            "penalty 3",
            other={"penalty": mark("You may choose that, but the 3 costs less.")},
        ),
        Step(
            mark(
                "A penalty is only allowed if nothing else is, and it ends the game with this round. Ben has one "
                "more turn."
            ),
            then="2 draw 1; * purple5",
        ),
        Step(mark("Ben takes the purple 5."), then="2 take 5"),
    ),
    mark("Rows minus the penalty: that is your total. Keep room for what may come."),
)

END: Final = Chapter(
    "end",
    mark("The last round and the final score"),
    Scene(
        TWO,
        position(
            "take",
            "purple6 orange6 blue*",
            "1/1/1/1",
            "x 4 x 6 2*2/x 7 x 8/x 12 x 9 4*1/x 10 x 15/x 12 . .",
            "x 5 x 4/x . 7 8*3/x 12 x 9/x 10 5 15 5/x 12 18 .",
        ),
    ),
    (
        Step(
            mark("You have two white spaces left, both in row 6, and two 6s lie in the reserve."),
            mark("Choose 6 and take both dice."),
            "take 6",
            other={"take": mark("That is allowed, but with both 6s you fill your last white spaces.")},
        ),
        Step(
            mark(
                "All your 20 white spaces are filled: that starts the last round. It is played to its end, so that "
                "everybody has had the same number of turns. Ben must draw three."
            ),
            then="2 draw 3; * purple3 orange4 blue5",
        ),
        Step(mark("Ben takes purple: 3 in row 3, which is doubled for him."), then="2 take purple"),
        Step(
            mark(
                "The final score, row by row. Row 2 is doubled: 24. Row 4 has one of four boxes ticked and counts "
                "nothing. Your total: 24 + 15 + 0 + 25 + 24 = 88. Ben has 131 and wins. With equal totals you would "
                "share the victory."
            )
        ),
    ),
    mark(
        "The highest total wins, not whoever fills the sheet first. Row 4 would have brought 25 points without its "
        "star."
    ),
)

SOLO: Final = Chapter(
    "solo",
    mark("Playing alone"),
    Scene(DiceStars(1), position("take", "black4 blue5 orange4 purple*", "0/0/1/1", "x 4/7/// 6", solo=6)),
    (
        Step(
            mark("Alone you play by the same rules, and you are also the next player."),
            mark("Choose 4 and take both dice."),
            "take 4",
            other={"take": mark("That is allowed too. Here take the two 4s and see what the rest costs.")},
        ),
        Step(
            mark(
                "After each turn, what is left in the reserve ticks boxes of the solo grid: one for every 5 points "
                "or part of 5. Stars that are left double that. A blue 5 and a star are left: twice 5 is 10, so two "
                "boxes are ticked, eight in all. Stars alone would have cost one box, an empty reserve none."
            )
        ),
        Step(
            mark(
                "When the last of the 30 boxes is ticked, you have lost. Otherwise the game ends as usual, and you "
                "win with more than 5 points for every ticked box: now that is more than 40, and it grows."
            )
        ),
    ),
    mark("The size of the grid can be chosen when you set up the game; 30 is a ruling of this project."),
)

LESSON: Final = Lesson(
    (AIM, COLOURS, ROOM, STARS, REFILL, PENALTY, END, SOLO),
    QUESTIONS,
    {
        "take": mark("The rules allow that, but this chapter goes on another way."),
        "draw": mark("You may announce any number from 1 to 3. In this lesson draw one die."),
    },
)
