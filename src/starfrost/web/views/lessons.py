"""The first game of each kind: a record with prepared dice, and what to say at each decision of the learner.

A lesson keeps nothing: its address says how far it has come, and the rules play the record up to there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from starfrost.games.record import Replay, parse_record, replay
from starfrost.words import mark

__all__ = ["LESSONS", "Beat", "Lesson", "lesson"]

LEARNER: Final = 0


@dataclass(frozen=True)
class Beat:
    """What the learner is told at one decision: why, and what to do."""

    why: str
    do: str


DICY_CARDS: Final = """\
starfrost: 1
game: dicy-cards
players: Anna | Ben
cards: any-two no-sixes odds straight two-pairs
goal: 60

* 664421
1 score two-pairs 6644
* 553211
2 score any-two 55
1 freeze any-two
* 655441
1 reroll 6 freeze odds
* 4
1 score no-sixes 554441
* 553311
2 score odds 553311
* 663311
1 skip
2 reset any-two
* 543221
2 score no-sixes 543221
* 554331
1 score no-sixes 554331
* 643311
2 score two-pairs 3311
"""

DICE_STARS: Final = """\
starfrost: 1
game: dice-stars
players: Anna | Ben

1 draw 3
* black5 blue5 orange3
1 take 5
2 draw 2
* blue4 purple*
2 take blue
1 draw 1
* orange4
1 take orange
2 draw 3
* blue* black* orange6
2 take 6
1 draw 3
* purple2 blue2 orange5
1 take stars 3 3 3
2 keep
2 draw 1
* orange*
2 take stars 6
1 keep
1 draw 1
* black2
1 take 2
"""

BEATS: Final[Mapping[str, tuple[Beat, ...]]] = {
    "dicy-cards": (
        Beat(mark("You and a bot race to 60 points; in a whole game it is 100."), mark("Roll the six dice.")),
        Beat(
            mark("Each card shows what these dice would give. Two pairs counts 6 6 4 4: 20 points."),
            mark("Choose Two pairs and score."),
        ),
        Beat(
            mark(
                "Two pairs is frozen now: a card scores once. The bot has scored Any two, which makes you freeze a "
                "card too. You choose which."
            ),
            mark("Freeze Any two: it is worth the least."),
        ),
        Beat(mark("Three of your cards are still active."), mark("Roll the six dice.")),
        Beat(
            mark(
                "No sixes counts all six dice, but the 6 spoils it. You may roll dice again, as often as you like; "
                "each time freezes a card."
            ),
            mark("Tap the die 6, then the card Odds, and roll again."),
        ),
        Beat(mark("A 4! Odds was the price."), mark("Score 23 with No sixes.")),
        Beat(mark("Only Straight is left."), mark("Roll the six dice.")),
        Beat(
            mark(
                "Straight needs numbers in a row, and 6, 3 and 1 are none. A skip brings no points, but all your cards "
                "back; everybody else gets one back."
            ),
            mark("Skip this turn."),
        ),
        Beat(mark("All five cards are active again."), mark("Roll the six dice.")),
        Beat(
            mark("You have 43. Whoever reaches the goal ends the game once the round is finished."),
            mark("Score 21 with No sixes."),
        ),
    ),
    "dice-stars": (
        Beat(
            mark(
                "Fourteen dice are in the bag. With nothing but stars on the table, or nothing at all, one draws three."
            ),
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
    ),
}

ENDS: Final[Mapping[str, str]] = {
    "dicy-cards": mark("You win 64 to 53. Score, freeze, roll again, skip: now you know it all."),
    "dice-stars": mark(
        "That is how it goes. When somebody has filled all 20 white spaces, the round is finished, the rows are "
        "added up, and the highest total wins."
    ),
}

LESSONS: Final[Mapping[str, str]] = {"dicy-cards": DICY_CARDS, "dice-stars": DICE_STARS}


@dataclass(frozen=True)
class Lesson:
    """A prepared game, the places where the learner decides, and what is said there."""

    name: str
    played: Replay
    stops: tuple[int, ...]
    """for every beat the number of events that come before it"""
    beats: Sequence[Beat]
    end: str

    @property
    def game(self) -> Any:
        """Give the set-up of the game."""
        return self.played.record.game

    def step(self, number: int) -> int:
        """Give the number of events that come before beat `number` (from 0), or all of them at the end."""
        return self.stops[number] if number < len(self.stops) else len(self.played.states) - 1

    def taught(self, number: int) -> str:
        """Give the action that the learner is asked for at a beat, as a table's form names it."""
        event = self.played.record.events[self.stops[number]]
        return str(event.action) if event.seat == LEARNER else "roll"


def _is_stop(game: Any, state: Any) -> bool:
    return game.actor(state) == LEARNER or (bool(game.starts_turn(state)) and game.turn_of(state) == LEARNER)


@cache
def lesson(name: str) -> Lesson:
    """Play a lesson's record through."""
    played = replay(parse_record(LESSONS[name]))
    game = played.record.game
    stops = tuple(i for i, state in enumerate(played.states[:-1]) if _is_stop(game, state))
    return Lesson(name, played, stops, BEATS[name], ENDS[name])
