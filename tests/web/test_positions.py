"""Any position: set up by taps, held by its link, valued by the coach, played on; and the same from a record."""

import re
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from playwright.sync_api import expect
from starlette.datastructures import MultiDict

from starfrost.boards import board_of
from starfrost.coach.asking import ask_values, set_up
from starfrost.errors import UsageError
from starfrost.games.core import CHANCE, OVER
from starfrost.games.dicy_cards import MODES, DicyCards
from starfrost.games.dicy_cards.solver import on_demand
from starfrost.games.dicy_cards.solver.adviser import Adviser
from starfrost.games.setup import Setup
from starfrost.words import Words
from tests.games.records import GOOD
from tests.web.player import Player

MakePlayer = Callable[..., Player]
SMALL = {"width": 320, "height": 568}
GOAL = 35


def positions(game: Any, seed: int) -> list[Any]:
    """Return the positions of a random game that the editor can set up: before a turn, and where a seat acts."""
    rng, state, found = Random(seed), game.start(), []
    while (actor := game.actor(state)) != OVER:
        legal = game.legal_actions(state)
        if game.position_text(state).split()[game.name == "dicy-cards"] in ("roll", "act", "draw", "take"):
            found.append(state)
        if actor == CHANCE:
            action = game.sample(state, rng)
        else:
            verb = rng.choice(sorted({str(one).split()[0] for one in legal}))
            action = rng.choice([one for one in legal if str(one).startswith(verb)])
        state = game.apply(state, action)
    return found


@pytest.mark.parametrize(
    ("game", "seats"), [("dicy-cards", 2), ("dicy-cards", 4), ("dice-stars", 1), ("dice-stars", 3)]
)
def test_the_fields_hold_every_position(game: str, seats: int) -> None:
    made, board = Setup(game, seats).make(Random(1)), board_of(game)
    for state in positions(made, 5):
        text = made.position_text(state)
        if text.startswith("roll"):
            continue
        fields = MultiDict(board.fields_of(made, state))
        assert made.parse_position(board.read_position(fields, made)) == state, text


WRONG = {
    "dicy-cards": [
        ([("die", "6")] * 5, "Enter all six dice, or none if they have not been rolled."),
        ([("score1", "-3")], "Points must be a whole number."),
        (
            [("turn", "1"), ("score2", "100")],
            "The round in which somebody reaches 100 points is the last: whoever still has a turn in it must have "
            "fewer.",
        ),
    ],
    "dice-stars": [
        (
            [("die", "black2"), ("die", "black3"), ("pile-black", "1")],
            "Reserve and discard pile hold more dice of a colour than there are.",
        ),
        ([("space1", "seven")], "A space holds an x, a number up to 30, or nothing."),
        (
            [
                ("phase", "draw"),
                *(
                    (f"pile-{colour}", n)
                    for colour, n in zip(("black", "purple", "blue", "orange"), "2345", strict=True)
                ),
            ],
            "Before a draw the bag cannot be empty: an empty bag first gets the discard pile back.",
        ),
    ],
}


@pytest.mark.parametrize("game", WRONG)
def test_a_position_that_cannot_be_is_refused_in_one_sentence(game: str) -> None:
    made, board = Setup(game, 2).make(Random(1)), board_of(game)
    for fields, sentence in WRONG[game]:
        with pytest.raises(UsageError) as caught:
            board.read_position(MultiDict(fields), made)
        assert Words("en").say(caught.value) == sentence


def test_the_values_are_those_of_the_coach() -> None:
    game = DicyCards(2, MODES["glacial"].cards, GOAL)
    adviser = Adviser(game, on_demand.ensure_solved(game.cards, GOAL))
    position = "2 act 665211 24:01111 30:11110"
    state = game.parse_position(position)
    found = ask_values(set_up(game), True, position)
    assert found is not None
    assert found.exact
    assert dict(found.options) == {str(one.action): one.value for one in adviser.action_values(state)}
    assert found.shares[1] == found.options[0][1] == max(value for _, value in found.options)
    before = ask_values(set_up(game), True, "1 roll - 0:11111 0:11111")
    assert before is not None
    assert (before.options, sum(before.shares)) == ((), pytest.approx(1))


def test_what_would_perfect_do_in_front_of_a_real_table(player: MakePlayer, site: str) -> None:
    on_demand.ensure_solved(MODES["glacial"].cards, GOAL)
    one = player(viewport=SMALL, has_touch=True, errors=False)
    page = one.open(f"/position/dicy-cards?seats=2&goal={GOAL}").page
    taps = 0
    for die in "665211":
        page.locator(f"[data-die='{die}']").tap()
        taps += 1
    page.locator("[name=score1]").fill("24")
    page.locator("[name=score2]").fill("30")
    page.locator("[name=frozen1][value=odds]").tap()
    page.locator("[name=turn][value='2']").tap()
    page.locator("#evaluate").tap()
    # Six dice, one frozen card, whose turn it is, the button, and two numbers of two digits with a tap into each.
    assert taps + 3 + 2 * 3 == 15
    expect(page.locator("#choices li").first).to_contain_text("best")
    expect(page.locator("#coach-note")).to_contain_text("Player 2")
    expect(page.locator(".shares b")).to_have_count(2)
    assert "at=2+act+665211+24:11011+30:11111" in page.url
    # The link holds it, in any language.
    shown = page.locator("#choices .worth").all_inner_texts()
    assert page.locator(".link input").input_value() == page.url
    page.goto(f"{page.url}&lang=de")
    assert [
        text.replace(",", ".").replace("\N{NO-BREAK SPACE}", "")
        for text in page.locator("#choices .worth").all_inner_texts()
    ] == shown
    # On a wide window the answer comes first, and nothing lies over it.
    page.set_viewport_size({"width": 1280, "height": 720})
    answer, board = (page.locator(one).bounding_box() for one in ("#answer", ".board"))
    assert answer
    assert board
    assert answer["y"] + answer["height"] <= board["y"]
    page.set_viewport_size(SMALL)
    # The editor holds it, too, and says in one sentence what cannot be.
    page.goto(f"{site}/position/dicy-cards?seats=2&goal={GOAL}&at=2+act+665211+24:11011+30:11111")
    page.locator("#editor summary").click()
    expect(page.locator("[name=frozen1]:checked")).to_have_value("odds")
    page.locator("[data-entry-back]").click()
    page.locator("#evaluate").click()
    expect(page.locator("[role=alert]")).to_have_text("Enter all six dice, or none if they have not been rolled.")
    expect(page.locator("[name=score2]")).to_have_value("30")
    page.go_back()
    page.locator("#play-on").click()
    one.my_turn()
    expect(page.locator(".lane .score")).to_have_text([re.compile("^24"), re.compile("^30")])
    record = page.request.get(f"{site}/api/tables/{one.table}/record").text()
    assert record.startswith("starfrost: 1-position\n")


def test_a_position_of_dice_stars_needs_no_script(player: MakePlayer) -> None:
    one = player(viewport=SMALL, java_script_enabled=False)
    page = one.open("/position/dice-stars?seats=1").page
    for n, die in enumerate(("blue4", "orange*", "black4")):
        page.locator("[name=die]").nth(n).select_option(die)
    page.locator("[name=pile-purple]").select_option("2")
    page.locator("[name=space1]").nth(0).fill("7")
    page.locator("[name=space1]").nth(1).fill("x")
    page.locator("[name=star1]").nth(2).check(force=True)
    page.locator("#evaluate").click()
    while page.locator("[data-again]").count():
        page.reload()
    expect(page.locator("#values-title .tag")).to_have_text("Estimate")
    expect(page.locator("#choices")).to_contain_text("Player 1")
    expect(page.locator("#place-bag .count")).to_have_text("9")
    expect(page.locator(".sheet .cell").first).to_have_text("7")
    # Another number of players is another page.
    page.locator("#other-setup summary").click()
    page.locator("[name=seats][value='3']").check(force=True)
    page.locator("#set-up").click()
    expect(page.locator("[name=turn]")).to_have_count(3)


def test_the_position_of_a_record(player: MakePlayer) -> None:
    one = player(java_script_enabled=False, errors=False)
    page = one.open("/position/dice-stars").page
    page.locator("#from-record summary").click()
    unfinished = GOOD[: GOOD.index("* 665211\n1 score straight")].replace("result: 3 25\nwinners: 2\n", "")
    page.locator("[name=record]").fill(unfinished + "* 665211\n")
    page.locator("#from").click()
    expect(page.locator(".lane .score")).to_have_text([re.compile("^0"), re.compile("^3")])
    assert "at=1+act+665211+0:" in page.url
    page.locator("#from-record summary").click()
    page.locator("[name=record]").fill(unfinished.replace("* 63", "* 666"))
    page.locator("#from").click()
    expect(page.locator("[role=alert]")).to_have_text("Line 10: Expected a roll of 2 dice; found '* 666'.")
