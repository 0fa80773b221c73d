"""The lesson of Dicy Cards: chapters from the aim to a whole short game."""

from typing import Final

from starfrost.boards.lessons import ROLL, Chapter, Lesson, Scene, Step
from starfrost.games.dicy_cards import MODES, DicyCards
from starfrost.games.dicy_cards.board.check import QUESTIONS
from starfrost.words import mark

GLACIAL: Final = DicyCards()
EFFECTS: Final = MODES["d"].cards
OTHER_CARDS: Final = ("double-pair", "distinct-fours", "distinct-sum", "forty-minus", "same-fives")

AIM: Final = Chapter(
    "aim",
    mark("The aim, and your first points"),
    Scene(GLACIAL),
    (
        Step(
            mark(
                "Everybody plays with the same five cards and six shared dice. With the cards you score points. The "
                "round in which somebody reaches 100 is the last one. Then the highest score wins."
            )
        ),
        Step(
            mark("You begin, and you stay first for the whole game. Every turn starts with a roll of all six dice."),
            mark("Roll the dice."),
            ROLL,
            "* 664421",
        ),
        Step(
            mark("Each card shows what it would score now. Two pairs takes 6 6 4 4: 20 points."),
            mark("Choose Two pairs and score."),
            "score two-pairs 6644",
            other={"score": mark("That would score too, but less than Two pairs.")},
        ),
        Step(
            mark(
                "20 points for you. Two pairs is frozen now and cannot be used for the moment; your other four cards "
                "are still active. Now Ben plays."
            ),
            then="* 554321",
        ),
        Step(
            mark("Ben rolls 5 5 4 3 2 1. No sixes takes all six dice if none shows a 6: 20 points for him."),
            then="2 score no-sixes 554321",
        ),
    ),
    mark("That is a turn: roll, then do exactly one of two things: score with one active card, or skip."),
)

AGAIN: Final = Chapter(
    "again",
    mark("Reroll"),
    Scene(GLACIAL, "1 act 665433 20:11110 20:10111"),
    (
        Step(
            mark(
                "No sixes needs all six dice without a 6. You may reroll any dice and keep the rest. The price: first "
                "you freeze one of your active cards."
            ),
            mark("Tap both 6s, then the card Odds, and reroll."),
            "reroll 66 freeze odds",
            "* 62",
            other={"reroll": mark("Reroll only the 6s, and do not freeze No sixes: you want to score with it.")},
        ),
        Step(
            mark(
                "A 2, and a 6 again. You may reroll once more in the same turn, as often as you like, but every time "
                "it costs another card."
            ),
            mark("Tap the 6, then the card Straight, and reroll."),
            "reroll 6 freeze straight",
            "* 5",
            other={"reroll": mark("Reroll only the 6, and do not freeze No sixes: you want to score with it.")},
        ),
        Step(
            mark(
                "A 5! The other dice stayed as they were. Odds and Straight are frozen, although they scored nothing."
            ),
            mark("Score 22 with No sixes."),
            "score no-sixes 554332",
            "* 655331",
        ),
        Step(
            mark("Ben rolls 6 5 5 3 3 1. He freezes Straight and rerolls the 6."),
            then="2 reroll 6 freeze straight; * 1",
        ),
        Step(mark("Ben gets a 1, and all his dice are odd: 18 points with Odds."), then="2 score odds 553311"),
    ),
    mark("You may reroll as long as you have an active card. But a card frozen for a reroll cannot score."),
)

FEWER: Final = Chapter(
    "fewer",
    mark("You choose the dice"),
    Scene(GLACIAL, "1 act 543321 86:11110 70:11111"),
    (
        Step(
            mark(
                "Straight takes two to six dice in sequence, Odds any number of odd dice. You choose which; the "
                "others do not count. The dice must fit the card exactly: Any two takes two dice, Two pairs two "
                "different pairs."
            )
        ),
        Step(
            mark(
                "You may use fewer dice than you could, for example to stay below 100, so that the game goes on. "
                "Straight could take 5 4 3 2 1."
            ),
            mark("Tap the dice 5, 4 and one 3, then Straight, and score 12 with these."),
            "score straight 543",
            "* 644221",
            other={"score straight": mark("These dice fit, but here use exactly 5, 4 and 3.")},
        ),
        Step(
            mark(
                "98 points, and the game goes on. If you tap a card without picking dice, it takes the best ones. "
                "Ben has 4 4 2 2 for Two pairs: 12 points."
            ),
            then="2 score two-pairs 4422",
        ),
    ),
    mark("98 to 82, and the next round begins. Mostly you want all the points, but the choice is yours."),
)

AFFECT: Final = Chapter(
    "effects",
    mark("Three cards with effects"),
    Scene(DicyCards(2, EFFECTS), "1 act 665532 0:11111 0:11111"),
    (
        Step(
            mark("Three cards affect other players. Any two: each of your neighbours freezes one active card."),
            mark("Score 12 with Any two."),
            "score any-two 66",
        ),
        Step(
            mark(
                "First you get the points, then comes the effect. Ben must freeze an active card; he chooses Straight."
            ),
            then="2 freeze straight; * 655443",
        ),
        Step(
            mark(
                "Your own card is frozen too, as always. Ben's turn: Three lowest takes exactly the three lowest "
                "dice, 3 4 4. Its effect: everybody else freezes one active card."
            ),
            then="2 score three-lowest 443",
        ),
        Step(
            mark("Now you must freeze a card, because you have an active one. You choose which."),
            mark("Freeze Straight."),
            "freeze straight",
            "* 666421",
        ),
        Step(
            mark(
                "Sixes takes dice that show 6. Its effect helps the others: each neighbour resets one frozen card, "
                "which makes it active again."
            ),
            mark("Score 18 with Sixes."),
            "score sixes 666",
        ),
        Step(
            mark("Ben must reset a frozen card and chooses Three lowest. Whoever has no card that fits does nothing."),
            then="2 reset three-lowest",
        ),
    ),
    mark("Neighbours freeze, neighbours reset, others freeze: it is on the card. Each of them chooses their own card."),
)

NEIGHBOURS: Final = Chapter(
    "neighbours",
    mark("Neighbours with three players"),
    Scene(DicyCards(3, EFFECTS), "1 act 654421 30:11111 25:11111 28:10111"),
    (
        Step(
            mark(
                "Three players sit in a circle and play clockwise. Your neighbours are the players before and after "
                "you: with three players that is everybody else."
            ),
            mark("Score 11 with Any two."),
            "score any-two 65",
        ),
        Step(
            mark(
                "Both must freeze a card. They choose clockwise from your left: first Ben, then Cleo. All can see it."
            ),
            then="2 freeze straight; 3 freeze double-pair; * 652211",
        ),
        Step(
            mark(
                "With four players, the one opposite is not your neighbour: only Three lowest reaches everybody. "
                "With two players, the other player counts as both neighbours, but is affected only once. Ben scores "
                "Three lowest: 1 1 2."
            ),
            then="2 score three-lowest 211; 3 freeze any-two",
        ),
        Step(
            mark("Everybody else freezes a card: Cleo has chosen first, now it is up to you."),
            mark("Freeze Straight."),
            "freeze straight",
        ),
    ),
    mark("Whoever sets up a game chooses who begins; with a rematch everybody moves on by one seat."),
)

SKIP: Final = Chapter(
    "skip",
    mark("Skip and reset"),
    Scene(GLACIAL, "1 act 644222 43:00010 38:00100"),
    (
        Step(
            mark(
                "Only Straight is active, and 6, 4 and 2 do not make a sequence. You could freeze Straight and "
                "reroll. But whoever freezes the last active card has none left to score with: only a skip remains."
            )
        ),
        Step(
            mark(
                "A skip scores nothing, but it resets all your frozen cards: they are active again. Every other player "
                "resets one."
            ),
            mark("Skip this turn."),
            "skip",
        ),
        Step(
            mark(
                "All five cards are active again. Cards that you freeze for rerolls in a turn come back, too, if you "
                "skip it. Ben resets one of his frozen cards: No sixes."
            ),
            then="2 reset no-sixes; * 543221",
        ),
        Step(mark("It is Ben's turn, and he scores 17 with it."), then="2 score no-sixes 543221; * 655432"),
        Step(
            mark("Ben has only one active card left. You have rolled 6 5 5 4 3 2."),
            mark("Score 11 with Any two: Ben must freeze a card."),
            "score any-two 65",
            "2 freeze odds",
        ),
        Step(
            mark("All of Ben's cards are frozen as his turn begins. So no dice are rolled: he can only skip."),
            then="2 skip",
        ),
        Step(
            mark("Ben's skip lets you reset a card as well. You have only one frozen card."),
            mark("Reset Any two."),
            "reset any-two",
        ),
    ),
    mark("You may always skip. It costs you a turn, but brings all your cards back."),
)

MORE: Final = Chapter(
    "more",
    mark("Five more cards, and the modes"),
    Scene(DicyCards(2, OTHER_CARDS), "1 act 665211 0:11111 0:11111"),
    (
        Step(
            mark(
                "There are twelve kinds of card. Pair doubled takes exactly two dice of one value and counts them "
                "twice."
            ),
            mark("Score 24 with Pair doubled."),
            "score double-pair 66",
            "* 654221; 2 score distinct-fours 65421; * 643211",
        ),
        Step(
            mark(
                "Ben has scored 20 with All different ×4: five different dice, 4 points for each. Different values "
                "also takes different dice, five at most, and counts their sum."
            ),
            mark("Score 16 with Different values."),
            "score distinct-sum 64321",
            "* 533321; 2 score same-fives 333; * 322111",
        ),
        Step(
            mark(
                "Ben has scored 15 with All the same ×5: three dice of one value, 5 points for each. Forty minus "
                "takes all six dice and gives 40 minus their sum, so low dice are good."
            ),
            mark("Score 30 with Forty minus."),
            "score forty-minus 322111",
        ),
        Step(
            mark(
                "A game uses five of the twelve cards. Glacial is the set for a first game. Interglacial draws five "
                "at random. B, C and D are three fixed sets. Or you pick any five: Custom."
            )
        ),
    ),
    mark("With Any two, No sixes, Odds, Straight, Two pairs, Sixes and Three lowest, you know all twelve cards."),
)

END: Final = Chapter(
    "end",
    mark("The last round, and ties"),
    Scene(GLACIAL, "1 act 655432 86:11111 93:01100"),
    (
        Step(
            mark("You have 86 points, Ben has 93. The goal is 100."),
            mark("Score 20 with Straight."),
            "score straight 65432",
        ),
        Step(
            mark(
                "106! But the game is not over yet: the round is played to its end, so that everybody has had the "
                "same number of turns. It is the last round, and Ben has one more turn."
            ),
            then="* 533211",
        ),
        Step(mark("Ben has 5 3 3 1 1 for Odds: 13 points make it 106 to 106."), then="2 score odds 53311"),
        Step(
            mark(
                "A tie! Then whoever has more active cards wins: you have four, Ben has one. You win. If that were "
                "equal too, you would share the victory."
            )
        ),
    ),
    mark("The highest score after the last round wins, not whoever reaches 100 first."),
)

EVERYTHING: Final = ("score", "reroll", "skip")

CHOICE: Final = Chapter(
    "choice",
    mark("Points now, or a card?"),
    Scene(GLACIAL, "1 act 654332 20:11110 22:10111"),
    (
        Step(
            mark(
                "The question of every turn: score now, or pay a card for a reroll? Here Straight scores 20, and your "
                "dice have little to gain."
            ),
            mark("What would you do?"),
            "score straight 65432",
            other={
                "score straight": mark("The right card! Take all five dice of the sequence: 20 points."),
                "score": mark("Straight scores much more with these dice."),
                "reroll": mark("20 points is a lot for one turn. A reroll costs a card and will hardly bring more."),
                "skip": mark("Do not skip with four active cards and 20 points on the table."),
            },
            choice=EVERYTHING,
        ),
        Step(
            mark(
                "Right: 20 points is more than a turn usually brings. Now Straight would score 15. But without the "
                "6, No sixes would take all your dice."
            ),
            mark("Score 15 with Straight, or pay Odds to reroll the 6 and the 1?"),
            "reroll 61 freeze odds",
            "* 53",
            other={
                "score": mark("You can do better: if the new dice show no 6, No sixes scores far more than 15."),
                "reroll": mark(
                    "A good idea. Reroll the 6 and also the low 1, and freeze Odds, which these dice do not fit."
                ),
                "skip": mark("You have three active cards: use them before you skip."),
            },
            choice=EVERYTHING,
            scene=Scene(GLACIAL, "1 act 654441 40:01110 35:11000"),
        ),
        Step(mark("Now all dice are below 6."), mark("Score 25 with No sixes."), "score no-sixes 554443"),
        Step(
            mark("The last case: only Any two is active, and it would score 11. A skip brings all five cards back."),
            mark("Score 11 with Any two, or skip?"),
            "skip",
            other={
                "score": mark("11 points, but then all your cards are frozen: you must skip the next turn anyway."),
                "reroll": mark("If you freeze your only active card, you can only skip afterwards."),
            },
            choice=EVERYTHING,
            scene=Scene(GLACIAL, "1 act 653322 62:10000 42:11111"),
        ),
    ),
    mark(
        "Score when the dice fit. Pay a card when one or two dice spoil a lot. Skip before your last cards are wasted."
    ),
)

GAME: Final = Chapter(
    "game",
    mark("A whole short game"),
    Scene(DicyCards(goal=60)),
    (
        Step(
            mark("A whole game against Ben, but only to 60 points. All cards are active."),
            mark("Roll the dice."),
            ROLL,
            "* 665542",
        ),
        Step(
            mark("From now on you decide."),
            mark("Score with the card that brings most."),
            "score two-pairs 6655",
            "* 553211",
            choice=EVERYTHING,
        ),
        Step(mark("22 points! Ben rolls 5 5 3 2 1 1 and scores 10 with Any two."), then="2 score any-two 55"),
        Step(
            mark("Because of its effect you must freeze a card. Any two usually scores least."),
            mark("Freeze Any two."),
            "freeze any-two",
            "* 655441",
        ),
        Step(
            mark("You have rolled 6 5 5 4 4 1. Which die spoils No sixes? Odds can be spared."),
            mark("Pay Odds to reroll one die."),
            "reroll 6 freeze odds",
            "* 4",
            other={"reroll": mark("Reroll only the 6, and do not freeze No sixes: you want to score with it.")},
            choice=EVERYTHING,
        ),
        Step(
            mark("A 4!"),
            mark("Score 23 with No sixes."),
            "score no-sixes 554441",
            "* 553311",
            choice=EVERYTHING,
        ),
        Step(mark("Ben has only odd dice and scores 18 with Odds."), then="2 score odds 553311; * 663311"),
        Step(
            mark("Only Straight is left, and 6, 3 and 1 do not make a sequence."),
            mark("What is left to do?"),
            "skip",
            "2 reset any-two; * 543221",
            other={"reroll": mark("You could freeze Straight and reroll, but then no card is left to score with.")},
            choice=EVERYTHING,
        ),
        Step(
            mark("Your cards are all active again, and Ben has reset Any two. He scores 17 with No sixes."),
            then="2 score no-sixes 543221; * 554331",
        ),
        Step(
            mark("You have 45 points; 21 more make 66, and then this is the last round."),
            mark("Score 21 with No sixes."),
            "score no-sixes 554331",
            "* 643311",
            choice=EVERYTHING,
        ),
        Step(mark("Ben has one more turn: 8 points with Two pairs."), then="2 score two-pairs 3311"),
    ),
    mark("You win 66 to 53. Score, freeze, reroll, skip: that is the whole game."),
)

LESSON: Final = Lesson(
    (AIM, AGAIN, SKIP, FEWER, CHOICE, AFFECT, NEIGHBOURS, MORE, END, GAME),
    QUESTIONS,
    {
        "score": mark("You could do that. But here try what the lesson asks for."),
        "reroll": mark("You may reroll, but it costs a card, and here you do not need it."),
        "skip": mark("You may always skip, but a skip scores nothing."),
        "freeze": mark("The choice would be yours. In this lesson freeze the card that is named."),
    },
)
