"""The lesson of Dicy Cards."""

from pathlib import Path
from typing import Final

from starfrost.web.views.lessons import Beat, Lesson
from starfrost.words import mark

RECORD: Final = Path(__file__).with_suffix(".sfr").read_text(encoding="utf-8")

BEATS: Final = (
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
)

LESSON: Final = Lesson(RECORD, BEATS, mark("You win 64 to 53. Score, freeze, roll again, skip: now you know it all."))
