"""The lesson of Dice Stars: chapters from the aim to the final score, and the solo game."""

from typing import Final

from starfrost.boards.lessons import Chapter, Lesson, Scene, Step
from starfrost.games.dice_stars import DiceStars
from starfrost.games.dice_stars.board.check import QUESTIONS
from starfrost.games.dice_stars.board.positions import position
from starfrost.words import mark

TWO: Final = DiceStars(2)
DRAW_ONE: Final = mark("You may draw any number from 1 to 3. In this lesson draw one die.")

AIM: Final = Chapter(
    "aim",
    mark("The aim, and your first dice"),
    Scene(TWO),
    (
        Step(
            mark(
                "You fill your sheet with the numbers of dice. Each of the five rows scores the sum of its numbers. "
                "The game ends when somebody has filled all 20 white spaces; the highest total wins."
            )
        ),
        Step(
            mark(
                "Every turn begins with a draw from the bag. The reserve, in the middle, is empty: then you must draw "
                "three."
            ),
            mark("Draw three dice."),
            "draw 3",
            "* black5 blue5 orange3",
            points_at="reserve",
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
                "Row 5 scores 10. An X scores nothing, but its space is used. The dice that you took go to the discard "
                "pile; the orange 3 stays in the reserve. Ben draws two."
            ),
            then="2 draw 2; * blue4 purple*",
            points_at="pile",
        ),
        Step(
            mark("Ben takes blue: his 4 goes into the topmost space of the blue column. That is in row 2."),
            then="2 take blue",
        ),
        Step(
            mark(
                "So rows are numbers, and columns are colours, which score nothing themselves. Most rows go on with "
                "green bonus spaces. The stars on the right can double a row."
            )
        ),
        Step(
            mark(
                "The dice: 5 orange, 4 blue, 3 purple and 2 black. Each has one star and the numbers 2 to 6; orange "
                "has a second star instead of the 2."
            ),
            points_at="bag",
        ),
    ),
    mark(
        "Draw, take, fill the sheet: that is a turn. Then the next player carries on with the dice that are left. "
        "Whoever sets up a game chooses who begins."
    ),
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
                "Before you draw, you say how many dice: 1, 2 or 3. More dice may score more. But they need more "
                "spaces, and what you leave is there for Ben."
            ),
            mark("Draw one die."),
            "draw 1",
            "* orange4",
            other={"draw": DRAW_ONE},
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
            mark(
                "The 7 scores in row 3: a number need not be that of its row. For Ben there are only stars in the "
                "reserve, so he must draw three."
            ),
            then="2 draw 3; * blue* black6 orange6",
        ),
        Step(mark("Ben takes both 6s: 12 in row 6."), then="2 take 6; 1 draw 3; * purple3 blue2 orange5"),
        Step(
            mark(
                "You had to draw three too: only stars were left. The orange 5 is the only orange die and the only 5, "
                "so you may take it for its colour or its number. Row 5 skips its two filled spaces."
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
    mark("Row 5 now scores 15. Only rows score; a colour decides in which rows your dice are written."),
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
                "There are three 6s in the reserve, but row 6 has only two empty spaces. You need an empty space for "
                "every die that you take, so you cannot choose the 6s."
            )
        ),
        Step(
            mark(
                "Row 2 has no white space left, but it continues with green ones. They are filled from the left like "
                "the white ones and score the same."
            ),
            mark("Choose 2 and take both dice."),
            "take 2",
            "2 draw 1; * purple5",
            other={"take": mark("There is room for that too. But here look at the green spaces.")},
        ),
        Step(
            mark(
                "An X and a 4 in green: row 2 scores 14. Ben draws a purple 5. For him, the three 6s fit: 18 in row 6."
            ),
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
                "With stars you tick free star boxes, one for each star, in any rows you like. A row with all its "
                "boxes ticked is doubled. With only some of them ticked, it scores nothing!"
            ),
            mark("Choose the stars, tick all three boxes of row 3, and take them."),
            "take stars 3 3 3",
            other={
                "take stars": mark(
                    "Then a row would have only some of its boxes ticked and score nothing. Row 3 has three boxes."
                ),
                "take": mark("That is allowed, but three stars at once are a rare chance."),
            },
        ),
        Step(
            mark(
                "Row 3 now scores 14 instead of 7, and whatever you still write there is doubled as well. Ben draws "
                "one die: an orange star."
            ),
            then="2 keep; 2 draw 1; * orange*",
        ),
        Step(
            mark(
                "Ben takes it and ticks one of the six boxes of row 6: his 12 score nothing until all six are ticked."
            ),
            then="2 take stars 6; 1 keep; 1 draw 2; * blue* blue4",
        ),
        Step(
            mark(
                "If you take a colour, its stars come along. There a star is worth 0 and ticks nothing, but it fills a "
                "space: an X in row 2, then 4 + 0 = 4 in row 3, which is doubled."
            ),
            mark("Choose blue and take both dice."),
            "take blue",
            other={"take": mark("That is allowed, but here look at what a star does within a colour.")},
        ),
    ),
    mark(
        "Row 3 now scores 22. Stars need free boxes: you must tick one for each star that you take. And be careful "
        "with rows that you cannot finish: until all boxes are ticked they score nothing."
    ),
)

REFILL: Final = Chapter(
    "refill",
    mark("The bag is refilled"),
    Scene(TWO, position("refill", "purple2 blue2 orange5", "0/0/0/0", "x 4/x 7*3///", ". . 4 .////x 12*1")),
    (
        Step(
            mark(
                "Ben has taken a star. When somebody takes stars, or draws the last die of the bag, all dice of the "
                "discard pile go back into the bag before the next turn."
            ),
            points_at="pile",
        ),
        Step(
            mark("You may also return the reserve, all of it or nothing. But it holds two 2s that you can use."),
            mark("Keep the reserve."),
            "keep",
            other={"return": mark("You may return the reserve, but then the two 2s are gone.")},
            choice=("keep", "return"),
            points_at="reserve",
        ),
        Step(
            mark("You can never draw more dice than the bag holds. Now it holds eleven."),
            mark("Draw one die."),
            "draw 1",
            "* black2",
            other={"draw": DRAW_ONE},
        ),
        Step(
            mark("Three 2s! They fill three spaces of row 2, two white ones and a green one: X, X and 6."),
            mark("Choose 2 and take the dice."),
            "take 2",
            other={"take": mark("That is allowed, but three 2s put 6 points in row 2.")},
        ),
        Step(
            mark(
                "Another game: the bag has been refilled. Row 6 and your blue column are full, so the blue 6 is no use "
                "to you."
            ),
            mark("Return the reserve to the bag."),
            "return",
            other={"keep": mark("You may keep the 6, but it fits nowhere on your sheet.")},
            choice=("keep", "return"),
            scene=Scene(
                TWO, position("refill", "blue6", "0/0/0/0", "x 4 x/x 7 x/x 8 4/x 10 5/x 12 x 18", ". . 4 .////x 12*1")
            ),
            points_at="reserve",
        ),
        Step(
            mark("Now the reserve is empty: as at the beginning, you must draw three."),
            mark("Draw three dice."),
            "draw 3",
            "* black2 purple2 orange*",
        ),
    ),
    mark("So watch what your take does for the next player: stars, and the last die, refill the bag."),
)

DRAW: Final = Chapter(
    "draw",
    mark("How many dice?"),
    Scene(
        TWO,
        position(
            "draw",
            "black6 blue6 orange6 purple2",
            "1/1/1/1",
            "x 4 x 6/x 7 x 8/x 12 x 9/x 10 x 15/. . . .",
            "x 4 x 6/x 7 x 8/x 12 . ./x 10 . ./6 . . .",
        ),
    ),
    (
        Step(
            mark(
                "The question of every turn: how many dice? First look at the reserve. Three 6s fit into your empty "
                "row 6 and would score 18."
            ),
            mark("How many dice do you draw?"),
            "draw 1",
            "* blue3",
            other={"draw": mark("You have what you want already. What you draw now you leave for Ben: draw one.")},
            points_at="reserve",
        ),
        Step(
            mark("Right: when the dice that you want are already there, draw few."),
            mark("Choose 6 and take the dice."),
            "take 6",
            other={"take": mark("That is allowed, but the three 6s score 18.")},
        ),
        Step(
            mark(
                "And here? There is only a blue 2, and it fits nowhere: row 2 and your blue column are full. If you "
                "can take nothing at all, you lose points and this round is the last."
            ),
            mark("How many dice do you draw?"),
            "draw 3",
            "* black3 orange3 purple6",
            other={"draw": mark("The fewer dice, the greater the danger that none of them fits. Draw three.")},
            scene=Scene(
                TWO,
                position(
                    "draw",
                    "blue2",
                    "1/1/1/1",
                    "x 4 x 6 x x 6 8/x . x 8/x 12 x 9/x 10 x ./x . x 12",
                    "x 4 x 6/x 7 5 ./x 12 . 12/x 10 . 15/x . 12 12",
                ),
            ),
            points_at="reserve",
        ),
    ),
    mark("Draw many dice when you need something that fits, few when it is already there: Ben gets what you leave."),
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
            other={"draw": DRAW_ONE},
        ),
        Step(
            mark(
                "Blue is full, and so are rows 3 and 4: there is nothing that you may take. Then you write a "
                "penalty: you choose a colour or a number in the reserve, and lose as many points as its dice show."
            )
        ),
        Step(
            mark("Blue would cost 7, the 4 costs 4. You cannot choose stars. A colour that shows only stars costs 0."),
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
            mark("You have two white spaces left, both in row 6, and there are two 6s in the reserve."),
            mark("Choose 6 and take both dice."),
            "take 6",
            other={"take": mark("That is allowed, but with both 6s you fill your last white spaces.")},
        ),
        Step(
            mark(
                "All your 20 white spaces are filled, so this is the last round. It is played to its end: everybody "
                "has the same number of turns. Ben must draw three."
            ),
            then="2 draw 3; * purple3 orange4 blue5",
        ),
        Step(mark("Ben takes purple: 3 in row 3, which is doubled for him."), then="2 take purple"),
        Step(
            mark(
                "The final score, row by row. Row 2 is doubled: 24. Row 4 has one of four boxes ticked and scores "
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
    Scene(DiceStars(1), position("take", "black4 blue6 orange4 purple*", "0/0/1/1", "x 4/7/// 6", solo=6)),
    (
        Step(
            mark(
                "Alone you play by the same rules. There is no other player: what you leave in the reserve is "
                "there for your own next turn."
            ),
            mark("Choose 4 and take both dice."),
            "take 4",
            other={"take": mark("That is allowed too. Here take the two 4s and see what the rest costs.")},
        ),
        Step(
            mark(
                "After each turn the dice that you leave cost boxes of the solo grid. Add up their numbers. Is there a "
                "star among them? Then double the sum. Here: twice 6 is 12, which costs 3 boxes, 9 in all. Stars alone "
                "cost one box, an empty reserve none."
            ),
            table=(
                (mark("sum"), "1–5", "6–10", "11–15", "16–20"),
                (mark("boxes"), "1", "2", "3", "4"),
            ),
            points_at="reserve",
        ),
        Step(
            mark(
                "When the last of the 30 boxes is ticked, you have lost. Otherwise the game ends as usual. To win you "
                "need more than 5 points for every ticked box: now more than 45, and it grows."
            )
        ),
    ),
    mark("You choose the size of the grid when you set up the game. 30 boxes make it hard, more boxes make it easier."),
)

GAME: Final = Chapter(
    "game",
    mark("A whole short game"),
    Scene(
        TWO,
        position(
            "draw",
            "",
            "1/1/1/1",
            "x 4 x 6/x 7 x 8/x 12 . ./x 10 . ./x 12 x 12",
            "x 4 x 6/x 7 . ./x 12 x 9/x 10 . ./. . . .",
        ),
    ),
    (
        Step(
            mark("Play the end of a game against Ben. Four white spaces are left for you. The reserve is empty."),
            mark("Begin your turn."),
            "draw 3",
            "* blue4 orange4 purple*",
        ),
        Step(
            mark("Now you decide."),
            mark("Take what scores most."),
            "take 4",
            "2 draw 3; * black6 blue6 orange6",
            other={"take stars": mark("One star finishes no row: that row would score nothing for now.")},
        ),
        Step(
            mark("8 points in row 4. Ben had to draw three, because there was only a star. He takes the three 6s: 18."),
            then="2 take 6; 1 draw 3; * blue5 orange3 purple2",
        ),
        Step(
            mark("You had to draw three again. Row 4 is full; row 5 has two white spaces."),
            mark("Take the number that scores most."),
            "take 5",
            "2 draw 1; * orange5",
            other={"take blue": mark("That would write the same 5. Here take it for its number.")},
        ),
        Step(
            mark("Ben draws the last die of the bag and takes orange: an X in row 3, and 3 + 5 = 8 in row 5."),
            then="2 take orange",
        ),
        Step(
            mark("The bag was empty, so it has been refilled. The reserve holds a purple 2 and a star."),
            mark("Keep the reserve, so that you may draw as few dice as you like."),
            "keep",
            other={"return": mark("Then the reserve is empty, and you must draw three.")},
            choice=("keep", "return"),
        ),
        Step(
            mark("One white space is left: in row 5, in the orange column."),
            mark("Draw two dice."),
            "draw 2",
            "* black5 orange4",
            other={"draw": mark("One die may not fit, and three leave more for Ben. Here draw two.")},
        ),
        Step(
            mark("A 5 and an orange 4: either of them fits."),
            mark("Fill the last space with the better one."),
            "take 5",
            "2 draw 1; * blue3",
        ),
        Step(
            mark("All your white spaces are filled: it is the last round. Ben draws a blue 3 and takes it."),
            then="2 take blue",
        ),
    ),
    mark("You win 89 to 77. Draw, take, fill: that is the whole game."),
)

LESSON: Final = Lesson(
    (AIM, COLOURS, ROOM, STARS, REFILL, PENALTY, DRAW, END, SOLO, GAME),
    QUESTIONS,
    {
        "take": mark("You could do that. But here try what the lesson asks for."),
        "draw": DRAW_ONE,
    },
)
