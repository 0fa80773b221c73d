"""What the lessons teach: every clause of the rules that a player needs, and the step that teaches it.

The clauses are those of the rules as this project was given them. Each is mapped to a chapter, a step in it (0 is the
closing text) and words of that step.
"""

import re

import pytest

from starfrost.boards import board_of
from starfrost.words import rules

TAUGHT: dict[str, dict[str, tuple[str, int, str]]] = {
    "dicy-cards": {
        "D1 clockwise, who begins": ("neighbours", 1, "play clockwise"),
        "D1 ruling: the host chooses who begins": ("neighbours", 0, "chooses who begins"),
        "D2 six shared dice": ("aim", 1, "six shared dice"),
        "D3 five cards, the same for everybody": ("aim", 1, "the same five cards"),
        "D4 active and frozen": ("aim", 4, "is frozen now"),
        "D5 Glacial": ("more", 4, "Glacial"),
        "D6 Interglacial": ("more", 4, "draws five at random"),
        "D7 modes B, C and D, a ruling": ("more", 4, "three fixed sets"),
        "D8 Custom": ("more", 4, "pick any five"),
        "C1 any-two": ("effects", 1, "each of your neighbours freezes one active card"),
        "C2 no-sixes": ("aim", 5, "all six dice if none shows a 6"),
        "C3 odds": ("fewer", 1, "any number of odd dice"),
        "C4 straight": ("fewer", 1, "two to six dice in sequence"),
        "C5 two-pairs": ("fewer", 1, "two different pairs"),
        "C6 sixes": ("effects", 5, "each neighbour resets one frozen card"),
        "C7 double-pair": ("more", 1, "counts them twice"),
        "C8 three-lowest": ("effects", 3, "everybody else freezes one active card"),
        "C9 distinct-fours": ("more", 2, "4 points for each"),
        "C10 distinct-sum": ("more", 2, "five at most, and counts their sum"),
        "C11 forty-minus": ("more", 3, "40 minus their sum"),
        "C12 same-fives": ("more", 3, "5 points for each"),
        "T1 roll all six": ("aim", 2, "a roll of all six dice"),
        "T2 freeze a card to reroll": ("again", 1, "freeze one of your active cards"),
        "T2 a card frozen for a reroll does not score": ("again", 0, "cannot score"),
        "T2 again and again": ("again", 2, "once more in the same turn"),
        "T2 the last active card": ("skip", 1, "only a skip remains"),
        "T3 score or skip": ("aim", 0, "score with one active card, or skip"),
        "T4 a smaller selection is allowed": ("fewer", 2, "fewer dice than you could"),
        "T4 points, effect, then the card freezes": ("effects", 2, "First you get the points, then comes the effect"),
        "T4 the card freezes": ("effects", 3, "Your own card is frozen too"),
        "T5 a skip resets all own cards": ("skip", 2, "resets all your frozen cards"),
        "T5 also those frozen for rerolls": ("skip", 3, "Cards that you freeze for rerolls in a turn come back"),
        "T5 the others reset one": ("skip", 2, "Every other player resets one"),
        "T6 a skip is always allowed": ("skip", 0, "You may always skip"),
        "T7 all frozen: no roll": ("skip", 6, "no dice are rolled"),
        "T8 whoever is affected chooses": ("effects", 4, "You choose which"),
        "T8 must, if a card qualifies": ("effects", 4, "you must freeze a card, because you have an active one"),
        "T8 nothing qualifies, nothing happens": ("effects", 6, "does nothing"),
        "T9 neighbours with three players": ("neighbours", 1, "with three players that is everybody else"),
        "T9 two and four players": ("neighbours", 3, "is affected only once"),
        "T9 clockwise, everything public": ("neighbours", 2, "clockwise from your left"),
        "E1 the last round": ("end", 2, "the round is played to its end"),
        "E2 the highest score": ("end", 0, "The highest score after the last round wins"),
        "E2 tie-break": ("end", 4, "whoever has more active cards wins"),
        "E2 a shared victory": ("end", 4, "share the victory"),
    },
    "dice-stars": {
        "P1 alone": ("solo", 1, "Alone you play"),
        "P2 the dice": ("aim", 7, "5 orange, 4 blue, 3 purple and 2 black"),
        "P3 rows, columns, white, green": ("aim", 6, "columns are colours"),
        "P3 star boxes": ("stars", 1, "Row 3 has three boxes"),
        "P4 bag, reserve, discard pile": ("aim", 4, "go to the discard pile"),
        "S1 the refill": ("refill", 1, "all dice of the discard pile go back into the bag"),
        "S1 the reserve, all or nothing": ("refill", 2, "all of it or nothing"),
        "S1 returned": ("refill", 5, "Return the reserve"),
        "S2 announce a draw": ("colours", 1, "you say how many dice: 1, 2 or 3"),
        "S3 three if there is no number": ("colours", 3, "only stars in the reserve, so he must draw three"),
        "S4 no more than the bag holds": ("refill", 3, "never draw more dice than the bag holds"),
        "S5 take a colour, a number or stars": ("aim", 3, "all of one colour or all stars"),
        "S5 one die alone": ("colours", 5, "for its colour or its number"),
        "S6 the rest stays": ("aim", 0, "the dice that are left"),
        "F1 a colour": ("colours", 2, "fills its column from the top"),
        "F1 a star within a colour": ("stars", 4, "a star is worth 0 and ticks nothing, but it fills a space"),
        "F2 a number": ("aim", 3, "the last gets their sum, 10, the other an X"),
        "F2 an X": ("aim", 4, "An X scores nothing, but its space is used"),
        "F1 a number in another row": ("colours", 3, "a number need not be that of its row"),
        "F2 green spaces": ("room", 2, "continues with green ones"),
        "F3 stars": ("stars", 1, "one for each star"),
        "F3 free boxes": ("stars", 0, "Stars need free boxes"),
        "F4 filled spaces": ("colours", 5, "skips its two filled spaces"),
        "F5 room for all dice": ("room", 1, "an empty space for every die"),
        "F6 the penalty": ("penalty", 2, "lose as many points as its dice show"),
        "F6 ruling: no stars, 0 is possible": ("penalty", 3, "A colour that shows only stars costs 0"),
        "F6 only if nothing else is allowed": ("penalty", 4, "only allowed if nothing else is"),
        "G1 20 white spaces": ("aim", 1, "filled all 20 white spaces"),
        "G1 a penalty ends the game": ("penalty", 4, "ends the game with this round"),
        "G1 equal turns": ("end", 2, "the same number of turns"),
        "G2 a row is the sum": ("aim", 1, "scores the sum of its numbers"),
        "G2 columns count nothing": ("aim", 6, "score nothing themselves"),
        "G2 doubled": ("stars", 1, "is doubled"),
        "G2 partly ticked": ("stars", 1, "With only some of them ticked, it scores nothing"),
        "G3 the total": ("penalty", 0, "Rows minus the penalty"),
        "G3 the highest wins": ("end", 0, "The highest total wins"),
        "G3 ties": ("end", 4, "share the victory"),
        "L1 also the next player": ("solo", 1, "there for your own next turn"),
        "L2 what is left costs boxes": ("solo", 2, "the dice that you leave cost boxes"),
        "L2 only stars, nothing": ("solo", 2, "Stars alone cost one box"),
        "L3 the last box": ("solo", 3, "you have lost"),
        "L4 more than 5 points a box": ("solo", 3, "more than 5 points for every ticked box"),
        "L5 the size of the grid, a ruling": ("solo", 0, "choose the size of the grid"),
    },
}


@pytest.mark.parametrize("game", TAUGHT)
def test_every_clause_is_taught(game: str) -> None:
    named = {clause.split()[0] for clause in TAUGHT[game]}
    assert named == set(rules.page(game, "en").clauses)


@pytest.mark.parametrize(
    ("game", "clause"), [(game, clause) for game, table in TAUGHT.items() for clause in table], ids=lambda one: one
)
def test_the_step_says_it(game: str, clause: str) -> None:
    lesson = board_of(game).lesson
    assert lesson is not None
    name, at, words = TAUGHT[game][clause]
    chapter = next(chapter for chapter in lesson.chapters if chapter.id == name)
    said = chapter.end
    if at:
        step = chapter.steps[at - 1]
        said = " ".join([step.say, step.do, *step.other.values()])
    assert words in said


@pytest.mark.parametrize("game", TAUGHT)
def test_every_chapter_teaches_something(game: str) -> None:
    """A chapter that only repeats what others teach is the whole game at the end, or asks what is better."""
    lesson = board_of(game).lesson
    assert lesson is not None
    taught = {place[0] for place in TAUGHT[game].values()}
    assert {chapter.id for chapter in lesson.chapters} - taught <= {"game", "choice", "draw"}


def test_the_lessons_begin_with_the_aim() -> None:
    for game in TAUGHT:
        lesson = board_of(game).lesson
        assert lesson is not None
        assert re.search(r"highest (score|total) wins", lesson.chapters[0].steps[0].say)
