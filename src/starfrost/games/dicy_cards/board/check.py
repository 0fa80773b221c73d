"""The final check of Dicy Cards: six positions. The rules judge every answer."""

from typing import Final

from starfrost.boards.lessons import Question, Scene
from starfrost.games.dicy_cards import MODES, DicyCards, Phase, State
from starfrost.words import mark

GLACIAL: Final = DicyCards()


def _points_without_help(game: DicyCards, before: State, after: State) -> int:
    return -1 if after.phase is Phase.RESET else after.scores[before.seat]


def _points_below_the_goal(game: DicyCards, before: State, after: State) -> int:
    return after.scores[before.seat] if after.scores[before.seat] < game.goal else -1


def _frozen_for_others(game: DicyCards, before: State, after: State) -> int:
    return len(after.affected) if after.phase is Phase.FREEZE else 0


def _active(game: DicyCards, before: State, after: State) -> int:
    return after.active[before.seat].bit_count()


def _kept_without_a_six(game: DicyCards, before: State, after: State) -> int:
    """Count the dice that a reroll keeps, if No sixes can still score afterwards."""
    can_score = after.active[before.seat] >> game.cards.index("no-sixes") & 1
    return len(after.dice) if after.phase is Phase.REROLL and can_score and "6" not in after.dice else -1


def _wins(game: DicyCards, before: State, after: State) -> int:
    return int(game.winners(after) == (before.seat,))


QUESTIONS: Final = (
    Question(
        Scene(DicyCards(2, ("any-two", "no-sixes", "odds", "straight", "sixes")), "1 act 666431 34:11111 41:00011"),
        mark("Score as many points as you can without giving Ben an active card back."),
        mark("Look at the effects: one card lets your neighbours reset a card."),
        mark("Sixes would score 18, but then Ben resets a card. Any two scores 12, and Ben must even freeze one."),
        _points_without_help,
    ),
    Question(
        Scene(GLACIAL, "1 act 543321 88:11111 85:11110"),
        mark("Score as many points as you can, but stay below 100, so that this is not the last round."),
        mark("You have 88, so you can use 11 points. You may use fewer dice than you could: pick the dice first."),
        mark("Odds with 5 3 3 gives 11 points: 99. You choose the dice, as long as they fit the card."),
        _points_below_the_goal,
    ),
    Question(
        Scene(DicyCards(4, MODES["d"].cards), "1 act 654321 40:11111 35:11111 52:11011 38:11110"),
        mark("Four players. Score with the card that makes the most other players freeze a card."),
        mark("With four players, one of the others is not your neighbour."),
        mark("Three lowest makes everybody else freeze a card; Any two only reaches your two neighbours."),
        _frozen_for_others,
    ),
    Question(
        Scene(GLACIAL, "1 act 644221 55:00010 61:01100"),
        mark("You want all five of your cards to be active in your next turn."),
        mark("Scoring and rerolling both freeze a card."),
        mark("A skip resets all your frozen cards. The price: no points, and everybody else resets a card."),
        _active,
    ),
    Question(
        Scene(GLACIAL, "1 act 665544 28:01101 30:11111"),
        mark("You want to score with No sixes. Reroll, but keep as many dice as you can."),
        mark("Which dice spoil No sixes? And which card must not be frozen?"),
        mark("Reroll both 6s, and freeze any card but No sixes: a frozen card cannot score."),
        _kept_without_a_six,
    ),
    Question(
        Scene(GLACIAL, "2 act 554211 104:10000 92:00111", learner=1),
        mark("The last turn of the last round is yours. Ben has 104 points and one active card. Win the game."),
        mark("Twelve points make a tie. What decides a tie?"),
        mark(
            "With 12 points it is 104 to 104, and then whoever has more active cards wins: you keep two, Ben has one."
        ),
        _wins,
    ),
)
