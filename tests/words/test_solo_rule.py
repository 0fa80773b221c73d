"""The solo rule (L2) of Dice Stars as people read it: every text's example says what the rules compute."""

import re

import pytest

from starfrost.boards import board_of
from starfrost.games.dice_stars import State
from starfrost.words import LANGUAGES, Words, rules

DOUBLES = re.compile(r"doubl|twice|doppel|doppl|zweimal|verdubbel|twee keer|dobl", re.IGNORECASE)
A_SUM = re.compile(r"\b(sum|summe|som|suma)\b|\b(twice|zweimal|twee keer|doble de) 6\b", re.IGNORECASE)


def _turn() -> tuple[State, State]:
    """Return the position before and after the take of the lesson's solo chapter."""
    lesson = board_of("dice-stars").lesson
    assert lesson is not None
    solo = next(chapter for chapter in lesson.chapters if chapter.id == "solo")
    return solo.stops[0].states[-1], solo.stops[1].states[-1]


def _texts(language: str) -> dict[str, str]:
    """Return the step of the lesson, the point of the summary, and the clause with the example of the rules."""
    w, board = Words(language), board_of("dice-stars")
    assert board.lesson is not None
    (step,) = [step for one in board.lesson.chapters if one.id == "solo" for step in one.steps if step.table]
    (point,) = [one for _, points in board.illustrations.summary for one in points if "L2" in one.clauses]
    page = rules.page("dice-stars", language).text
    clause = page[page.index("[L2]") + 4 : page.index("[L3]")]
    example = page[page.index("(`solo-boxes`)") :].split("\n\n")[1]
    return {"lesson": w(step.say), "summary": w(point.text), "rules": f"{clause} {example}"}


def test_the_example_tells_the_sum_from_the_boxes() -> None:
    """Twice the boxes of a 6 would be four; a 5 would cost two boxes either way."""
    before, after = _turn()
    assert [die & 7 for die in after.reserve if die & 7] == [6]
    assert len(after.reserve) == 2
    assert (after.solo - before.solo, after.solo) == (3, 9)
    assert board_of("dice-stars").illustrations.figures["L2"] == "blue6 purple* > B B B"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("where", ["lesson", "summary", "rules"])
def test_the_example_is_what_the_rules_compute(language: str, where: str) -> None:
    before, after = _turn()
    boxes, points = after.solo - before.solo, 2 * sum(die & 7 for die in after.reserve)
    text = _texts(language)[where]
    # The example names the die first; the number of boxes follows the points.
    example = text[text.index("6") :]
    numbers = [int(number) for number in re.findall(r"\d+", example)]
    assert numbers[0] == points // 2
    said = re.search(r"\b(\d+) (?:box|Kästchen|vakje|casilla)", example)
    assert said is not None
    assert int(said[1]) == boxes
    assert points in numbers[: numbers.index(boxes)]
    if where == "lesson":
        assert after.solo in numbers[numbers.index(boxes) :]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("where", ["lesson", "summary", "rules"])
def test_the_sum_is_doubled(language: str, where: str) -> None:
    sentences = re.split(r"[.;]\s|: ", _texts(language)[where])
    doubling = [one for one in sentences if DOUBLES.search(one)]
    assert doubling
    assert all(A_SUM.search(one) for one in doubling), doubling
