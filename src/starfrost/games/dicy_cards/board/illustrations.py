"""The drawings, the summary and the worked example of the rules of Dicy Cards."""

import re
from typing import Final

from markupsafe import Markup

from starfrost.boards.lessons import Scene
from starfrost.boards.rules import Illustrations, Point
from starfrost.games.dicy_cards import CARDS, MODES, DicyCards
from starfrost.words import mark

# The turns of T1 to T4 in mode C; Ben's turns between them are not shown.
THREE_TURNS: Final = Scene(
    DicyCards(2, MODES["c"].cards),
    events="""
        * 665211; 1 score double-pair 66
        * 654321; 2 score straight 654321
        * 554421; 1 reroll 21 freeze distinct-fours; * 63; 1 reroll 6 freeze forty-minus; * 4; 1 score no-sixes 554443
        * 654321; 2 score distinct-fours 654321
        * 644321; 1 score straight 4321
    """,
)

ILLUSTRATIONS: Final = Illustrations(
    # A digit is a die, in brackets a picked one; + is an active card, - a frozen one, @ a seat (x: out of reach).
    figures={
        "D2": "6 5 4 3 2 1",
        "D4": "+odds -odds",
        "D5": " ".join(f"+{card}" for card in MODES["glacial"].cards),
        "T2": "-odds (2) (1) > 6 3",
        "T4": "6 6 3 3 > +two-pairs =18 > -two-pairs",
        "T5": "-any-two -odds -straight > +any-two +odds +straight",
        "T9": "@2 @1 @4 @3x",
        "E1": "=100 > @1 @2 @3",
        **{f"C{number}": f"+{card}" for number, card in enumerate(CARDS, 1)},
    },
    summary=(
        (
            mark("The aim"),
            (
                Point(
                    mark("Have the highest score at the end of the round in which somebody reaches 100 points."),
                    ("E1", "E2"),
                ),
            ),
        ),
        (
            mark("Your turn"),
            (
                Point(mark("Roll all six dice."), ("T1",)),
                Point(
                    mark("As often as you like: freeze one active card and reroll any dice; the others stay."),
                    ("T2",),
                ),
                Point(
                    mark(
                        "Then score with one active card: choose dice that fit it, add the points, carry out its "
                        "effect; the card freezes."
                    ),
                    ("T4",),
                ),
                Point(mark("Or skip: reset all your frozen cards; every other player resets one."), ("T5",)),
                Point(
                    mark("With all cards frozen at the start of your turn you can only skip, without rolling."), ("T7",)
                ),
            ),
        ),
        (
            mark("Effects"),
            (
                Point(mark("Any two: each neighbour freezes an active card."), ("C1",)),
                Point(mark("Sixes: each neighbour resets a frozen card."), ("C6",)),
                Point(mark("Three lowest: everybody else freezes an active card."), ("C8",)),
                Point(
                    mark(
                        "Every affected player chooses one of their own cards, and must do so if they "
                        "have one that fits."
                    ),
                    ("T8",),
                ),
                Point(
                    mark("Neighbours sit to your left and right. With two players the other is affected once."), ("T9",)
                ),
            ),
        ),
        (
            mark("A tie"),
            (Point(mark("Whoever has more active cards wins; if that is equal too, the victory is shared."), ("E2",)),),
        ),
    ),
    examples={6: THREE_TURNS},
)

# Two or more dice, as a text writes them.
DICE: Final = re.compile(r"(?<![\d,.:−-])\b[1-6](?:\s[1-6])+\b(?![\d,.]\d)")


def with_dice(html: Markup) -> Markup:
    """Draw the dice that a text lists."""

    def drawn(found: re.Match[str]) -> str:
        values = found[0].split()
        dice = "".join(f'<span class="pip"><svg><use href="#i-d{value}"/></svg></span>' for value in values)
        return f'<span class="fig in" role="img" aria-label="{" ".join(values)}">{dice}</span>'

    return Markup(DICE.sub(drawn, html))
