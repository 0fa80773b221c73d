"""The text of actions and positions, and what a watcher sees."""

import json

import pytest

from starfrost.errors import NotationError
from starfrost.games import dice_stars
from starfrost.games.dice_stars import Action, DiceStars, Phase
from starfrost.games.dice_stars.components import parse_die
from tests.games.dice_stars.table import SOLO, TWO, X, at, sheet
from tests.games.table import play


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("keep", "keep"),
        ("return", "return"),
        ("draw 3", "draw 3"),
        ("take blue", "take blue"),
        ("take  5 ", "take 5"),
        ("take stars 3 2 2", "take stars 2 2 3"),
        ("penalty orange", "penalty orange"),
        ("penalty 2", "penalty 2"),
        ("orange* black4 blue2", "black4 blue2 orange*"),
        ("blue6", "blue6"),
    ],
)
def test_actions_read_in_any_order_and_write_in_one(text: str, written: str) -> None:
    assert str(TWO.parse_action(text)) == written
    assert TWO.parse_action(written) == TWO.parse_action(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "draw",
        "draw 0",
        "draw 4",
        "draw two",
        "take",
        "take red",
        "take 1",
        "take 7",
        "take stars",
        "take stars 7",
        "take stars 2 2 2",
        "penalty",
        "penalty stars",
        "orange2",
        "blue1",
        "blue7",
        "blue",
        "4",
        "blue2 blue3 blue4 blue5",
        "keep it",
        "score odds 531",
        "take blue ⁴",
    ],
)
def test_what_is_no_action_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(NotationError, match="expected"):
        TWO.parse_action(text)


GOOD = TWO.position_text(at(Phase.TAKE, "blue3 orange*", sheet({(2, 0): X, (3, 0): 12}, "01000"), bag=(2, 3, 1, 1)))


def test_a_position_on_one_line() -> None:
    assert GOOD == (
        "take seat=1 bag=2/3/1/1 reserve=blue3,orange* draw=0 solo=0 "
        "sheets=x,.,.,.,.,.,.,.*0/12,.,.,.,.,.,.*1/.,.,.,.,.,.*0/.,.,.,.,.*0/.,.,.,.*0/-"
        "|.,.,.,.,.,.,.,.*0/.,.,.,.,.,.,.*0/.,.,.,.,.,.*0/.,.,.,.,.*0/.,.,.,.*0/-"
    )
    assert TWO.position_text(TWO.parse_position(GOOD)) == GOOD


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("take seat", "think seat"),
        ("take", "refill"),
        ("take", "refilled"),
        ("take", "roll"),
        ("take", "over"),
        ("seat=1", "seat=3"),
        ("seat=1", "seat=0"),
        ("bag=2/3", "bag=3/3"),
        ("blue3,", "blue7,"),
        ("draw=0", "draw=2"),
        ("solo=0", "solo=1"),
        ("sheets=x,", "sheets=31,"),
        ("sheets=x,", "sheets=x,x,"),
        ("*1/", "*4/"),
        ("*1/", "*/"),
        ("*0/-|", "*0/-5|"),
        ("*0/-|", "*0|"),
        ("*0/-|", "*0/5|"),
        ("|", "||"),
        (" solo=0", ""),
    ],
)
def test_a_position_that_cannot_be_is_refused(old: str, new: str) -> None:
    assert old in GOOD
    with pytest.raises(NotationError):
        TWO.parse_position(GOOD.replace(old, new, 1))


def test_a_position_belongs_to_a_number_of_seats() -> None:
    for other in (SOLO, DiceStars(3)):
        with pytest.raises(NotationError, match="seats"):
            other.parse_position(GOOD)


def test_the_view_is_ready_for_json_and_open_to_all() -> None:
    state = at(Phase.TAKE, "blue3 orange*", sheet({(2, 0): X, (3, 0): 12, (6, 1): 0}, "03000"), bag=(2, 3, 1, 1))
    view = json.loads(json.dumps(TWO.view(state, None)))
    assert view == json.loads(json.dumps(TWO.view(state, 1)))
    assert (view["phase"], view["turn"], view["actor"]) == ("take", 1, 1)
    assert view["bag"] == {"black": 2, "purple": 3, "blue": 1, "orange": 1}
    assert view["discard"] == {"black": 0, "purple": 0, "blue": 2, "orange": 3}
    assert view["reserve"][0] == {"die": "blue3", "colour": "blue", "face": 3}
    assert view["reserve"][1] == {"die": "orange*", "colour": "orange", "face": "*"}
    first = view["sheets"][0]
    assert first["rows"][0]["spaces"] == ["X", None, None, None, None, None, None, None]
    assert first["rows"][1]["score"] == 24
    assert first["rows"][1]["multiplier"] == 2
    assert first["rows"][4]["spaces"] == [None, 0, None, None]
    assert (first["penalty"], first["total"]) == (None, 24)
    assert "solo" not in view
    assert SOLO.view(SOLO.start(), 0)["solo"] == {"boxes": 30, "ticked": 0}
    assert SOLO.view(play(SOLO, SOLO.start(), "draw 3"), 0)["actor"] is None


def test_the_public_names() -> None:
    for name in dice_stars.__all__:
        assert hasattr(dice_stars, name)
    assert parse_die("orange*") == 24
    assert str(Action("draw", number=2)) == "draw 2"
