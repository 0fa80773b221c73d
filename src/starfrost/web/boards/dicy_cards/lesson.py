"""The lesson of Dicy Cards: chapters from the aim to a whole short game."""

from typing import Final

from starfrost.games.dicy_cards import MODES, DicyCards
from starfrost.web.boards.dicy_cards.check import QUESTIONS
from starfrost.web.views.lessons import ROLL, Chapter, Lesson, Scene, Step
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
                "Everybody plays with the same five cards and six shared dice. Cards score points. When somebody has "
                "100 or more, the round is played to its end, and then the highest score wins."
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
            other={
                "score": mark("That would score too, but less than Two pairs."),
                "reroll": mark("You may roll again, but it has a price. The next chapter is about it."),
            },
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
    mark("Roll again"),
    Scene(GLACIAL, "1 act 655433 20:11110 20:10111"),
    (
        Step(
            mark(
                "No sixes needs all six dice without a 6. You may roll any dice again and keep the rest; but each "
                "time you must first freeze one of your active cards."
            ),
            mark("Tap the 6, then the card Odds, and roll again."),
            "reroll 6 freeze odds",
            "* 5",
            other={
                "score": mark("You could score that now, but there is more to win here."),
                "reroll": mark("Roll only the 6, and do not freeze No sixes: you want to score with it."),
            },
        ),
        Step(
            mark("A 5! The other dice stayed as they were. Odds is frozen, although it has scored nothing."),
            mark("Score 25 with No sixes."),
            "score no-sixes 555433",
            "* 655331",
        ),
        Step(
            mark("Ben rolls 6 5 5 3 3 1. He freezes Straight and rolls the 6 again."),
            then="2 reroll 6 freeze straight; * 1",
        ),
        Step(mark("Ben gets a 1, and all his dice are odd: 18 points with Odds."), then="2 score odds 553311"),
    ),
    mark("You may roll again as long as you have an active card. But a card frozen for a roll cannot score."),
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
                "You may use fewer dice than you could. Straight could take 5 4 3 2 1 and bring you past 100, but "
                "say you do not want this to be the last round yet."
            ),
            mark("Tap the dice 5, 4 and one 3, then Straight, and score 12 with these."),
            "score straight 543",
            "* 644221",
            other={
                "score straight": mark("These dice fit, but here use exactly 5, 4 and 3."),
                "reroll": mark(
                    "No need to roll again: with the dice picked, tap Straight and then the button that scores."
                ),
            },
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
    mark("Neighbours freeze, neighbours reset, others freeze: the card says it, and whoever is affected chooses."),
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
                "With four players, the one opposite is no neighbour: only Three lowest reaches everybody. With two "
                "players, the other one is both neighbours, but is affected only once. Ben scores Three lowest: 1 1 "
                "2."
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
                "Only Straight is active, and 6, 4 and 2 are no sequence. Skipping scores nothing, but resets all "
                "your frozen cards. Every other player resets one."
            ),
            mark("Skip this turn."),
            "skip",
            other={"reroll": mark("You could freeze Straight and roll again, but then no card is left to score with.")},
        ),
        Step(
            mark(
                "All five cards are active again; so would be any that you had frozen for rolls in this turn. Ben "
                "resets one of his frozen cards: No sixes."
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
            mark("Now all cards of Ben are frozen as his turn begins. Then no dice are rolled: he can only skip."),
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
                "at random. B, C and D are sets that this project chose. Or you pick any five: Custom."
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
        Step(mark("Ben has 5 3 3 1 1 for Odds: 13 points make 106 to 106."), then="2 score odds 53311"),
        Step(
            mark(
                "A tie! Then whoever has more active cards wins: you have four, Ben has one. You win. If that were "
                "equal too, you would share the victory."
            )
        ),
    ),
    mark("The highest score after the last round wins, not whoever reaches 100 first."),
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
            "* 664421",
        ),
        Step(
            mark("Two pairs is worth 20 points."),
            mark("Choose Two pairs and score."),
            "score two-pairs 6644",
            "* 553211",
        ),
        Step(mark("Ben rolls 5 5 3 2 1 1 and scores 10 with Any two."), then="2 score any-two 55"),
        Step(
            mark("Because of its effect you must freeze a card. Any two usually scores least."),
            mark("Freeze Any two."),
            "freeze any-two",
            "* 655441",
        ),
        Step(
            mark("You have rolled 6 5 5 4 4 1. Only the 6 keeps No sixes from scoring."),
            mark("Tap the 6, then the card Odds, and roll again."),
            "reroll 6 freeze odds",
            "* 4",
            other={"reroll": mark("Roll only the 6, and do not freeze No sixes: you want to score with it.")},
        ),
        Step(mark("A 4!"), mark("Score 23 with No sixes."), "score no-sixes 554441", "* 553311"),
        Step(mark("Ben has only odd dice and scores 18 with Odds."), then="2 score odds 553311; * 663311"),
        Step(
            mark("Only Straight is left, and 6, 3 and 1 are no sequence."),
            mark("Skip this turn."),
            "skip",
            "2 reset any-two; * 543221",
            other={"reroll": mark("You could freeze Straight and roll again, but then no card is left to score with.")},
        ),
        Step(
            mark("Your cards are all active again, and Ben has reset Any two. He scores 17 with No sixes."),
            then="2 score no-sixes 543221; * 554331",
        ),
        Step(
            mark("You have 43 points; 21 more make 64 and start the last round."),
            mark("Score 21 with No sixes."),
            "score no-sixes 554331",
            "* 643311",
        ),
        Step(mark("Ben has one more turn: 8 points with Two pairs."), then="2 score two-pairs 3311"),
    ),
    mark("You win 64 to 53. Score, freeze, roll again, skip: that is the whole game."),
)

LESSON: Final = Lesson(
    (AIM, AGAIN, FEWER, AFFECT, NEIGHBOURS, SKIP, MORE, END, GAME),
    QUESTIONS,
    {
        "score": mark("The rules allow that, but this chapter goes on another way."),
        "reroll": mark("You may roll again, but it costs a card, and here you do not need it."),
        "skip": mark("You may always skip, but a skip scores nothing."),
        "freeze": mark("The choice would be yours. In this lesson freeze the card that is named."),
    },
)
