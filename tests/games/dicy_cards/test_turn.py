"""The clauses T1 to T9: a turn, and what it does to others."""

import pytest

from starfrost.errors import IllegalAction
from starfrost.games.core import CHANCE
from starfrost.games.dice import rolls
from starfrost.games.dicy_cards import ALL_ACTIVE, MODES, DicyCards, Phase, State
from tests.games.table import options, play

GLACIAL = DicyCards(2)
TOUCHY = {seats: DicyCards(seats, MODES["d"].cards) for seats in (2, 3, 4)}
"""Mode D: any-two sixes three-lowest straight double-pair."""


def lay(position: str, game: DicyCards = GLACIAL) -> State:
    return game.parse_position(position)


def refused(game: DicyCards, state: State, *events: str) -> None:
    for event in events:
        with pytest.raises(IllegalAction, match="is not allowed here; expected"):
            play(game, state, event)


def test_T1_a_turn_starts_with_all_six_dice() -> None:
    state = GLACIAL.start()
    assert GLACIAL.actor(state) == CHANCE
    assert GLACIAL.legal_actions(state) == ()
    refused(GLACIAL, state, "66521", "6652111", "skip", "score odds 5")
    rolled = play(GLACIAL, state, "125661")
    assert (rolled.phase, rolled.dice, GLACIAL.actor(rolled)) == (Phase.ACT, "665211", 0)


def test_T2_freeze_one_active_card_and_reroll_chosen_dice() -> None:
    state = lay("1 act 554421 0:11111 0:11111")
    rolling = play(GLACIAL, state, "reroll 21 freeze odds")
    assert (rolling.phase, rolling.dice, rolling.active) == (Phase.REROLL, "5544", (0b11011, ALL_ACTIVE))
    assert GLACIAL.actor(rolling) == CHANCE
    assert [roll.dice for roll, _ in GLACIAL.chance_outcomes(rolling)] == [dice for dice, _ in rolls(2)]
    assert sum(weight for _, weight in GLACIAL.chance_outcomes(rolling)) == 36
    refused(GLACIAL, rolling, "6", "654", "skip")
    again = play(GLACIAL, rolling, "63")
    assert again.dice == "655443"
    assert GLACIAL.actor(again) == 0


def test_T2_as_often_as_there_are_active_cards() -> None:
    state = lay("1 act 554421 0:11111 0:11111")
    for count, card in enumerate(GLACIAL.cards, 1):
        state = play(GLACIAL, state, f"reroll {state.dice[0]} freeze {card}", "1")
        assert state.active[0].bit_count() == 5 - count
        refused(GLACIAL, state, f"reroll {state.dice[0]} freeze {card}")


def test_T2_any_dice_on_the_table_but_no_others_and_not_none() -> None:
    state = lay("1 act 554421 0:00100 0:11111")
    rerolls = [action for action in GLACIAL.legal_actions(state) if action.verb == "reroll"]
    # Up to two fives, two fours, a two and a one, but not nothing.
    assert len(rerolls) == 3 * 3 * 2 * 2 - 1
    assert {action.card for action in rerolls} == {"odds"}
    refused(GLACIAL, state, "reroll 6 freeze odds", "reroll 22 freeze odds", "reroll 21 freeze straight")
    assert play(GLACIAL, state, "reroll 554421 freeze odds").dice == ""


def test_T3_one_score_or_skip_ends_the_turn() -> None:
    state = lay("1 act 554421 0:11111 0:11111")
    verbs = {action.verb for action in GLACIAL.legal_actions(state)}
    assert verbs == {"score", "reroll", "skip"}
    for ending in ("score odds 55", "skip"):
        after = play(GLACIAL, state, ending)
        assert (after.phase, after.seat, after.dice) == (Phase.ROLL, 1, "")
        refused(GLACIAL, after, "skip", "score straight 21")


def test_T4_score_adds_the_points_and_freezes_the_card() -> None:
    state = lay("2 act 554421 7:11111 10:11011")
    after = play(GLACIAL, state, "score two-pairs 5544")
    assert after.scores == (7, 28)
    assert after.active == (ALL_ACTIVE, 0b01011)
    refused(GLACIAL, state, "score odds 55", "score two-pairs 554", "score straight 5421", "score no-sixes 55442")
    refused(GLACIAL, state, "score sixes 6", "freeze any-two", "reset odds", "554421")


def test_T4_a_smaller_selection_is_the_players_right() -> None:
    state = lay("1 act 555431 0:11111 0:11111")
    assert play(GLACIAL, state, "score odds 1").scores == (1, 0)
    assert play(GLACIAL, state, "score straight 43").scores == (7, 0)


def test_T4_the_effect_comes_with_the_score() -> None:
    state = lay("1 act 554421 0:11111 0:11111")
    after = play(GLACIAL, state, "score any-two 55")
    assert (after.phase, after.affected, after.active[0]) == (Phase.FREEZE, (1,), 0b11110)
    assert GLACIAL.actor(after) == 1
    assert GLACIAL.turn_of(after) == 0


def test_T5_skip_resets_all_own_cards_also_those_frozen_this_turn() -> None:
    state = play(GLACIAL, lay("1 act 554421 0:10110 0:11111"), "reroll 1 freeze odds", "1", "skip")
    assert state.active == (ALL_ACTIVE, ALL_ACTIVE)
    assert (state.phase, state.seat) == (Phase.ROLL, 1)


def test_T5_then_every_other_seat_with_a_frozen_card_resets_one_of_its_choice() -> None:
    game = TOUCHY[4]
    state = lay("2 act 554421 9:01101 0:10110 9:11111 9:00000", game)
    state = play(game, state, "skip")
    assert (state.phase, state.affected) == (Phase.RESET, (3, 0))
    assert options(game, state) == [f"reset {card}" for card in game.cards]
    state = play(game, state, "reset three-lowest")
    assert game.actor(state) == 0
    assert options(game, state) == ["reset any-two", "reset straight"]
    refused(game, state, "reset sixes", "freeze sixes", "skip")
    state = play(game, state, "reset straight")
    assert state.active == (0b11110, ALL_ACTIVE, ALL_ACTIVE, 0b00100)
    assert (state.phase, state.seat) == (Phase.ROLL, 2)


def test_T6_skipping_is_always_allowed() -> None:
    for position in ("1 act 554421 0:11111 0:11111", "1 act 666666 0:10000 0:11111", "1 act - 0:00000 0:11111"):
        assert "skip" in options(GLACIAL, lay(position))


def test_T6_it_is_the_only_action_when_no_card_is_active() -> None:
    state = lay("1 act 554421 0:00000 0:11111")
    assert options(GLACIAL, state) == ["skip"]
    refused(GLACIAL, state, "score odds 5", "reroll 1 freeze odds")


def test_T7_all_cards_frozen_no_dice_are_rolled() -> None:
    state = play(GLACIAL, lay("1 act 554421 0:00010 0:00000"), "score straight 21")
    assert (state.phase, state.seat, state.dice, GLACIAL.actor(state)) == (Phase.ACT, 1, "", 1)
    assert GLACIAL.starts_turn(state)
    assert options(GLACIAL, state) == ["skip"]
    assert GLACIAL.chance_outcomes(state) == ()
    refused(GLACIAL, state, "554421", "score odds 5")
    state = play(GLACIAL, state, "skip", "reset odds")
    assert (state.phase, state.seat) == (Phase.ROLL, 0)


def test_T7_a_card_frozen_by_another_can_be_the_last() -> None:
    state = play(GLACIAL, lay("1 act 554421 0:11111 0:00001"), "score any-two 55", "freeze two-pairs")
    assert (state.phase, state.seat, state.dice) == (Phase.ACT, 1, "")


def test_T8_the_affected_seat_chooses_and_must() -> None:
    state = play(GLACIAL, lay("1 act 554421 0:11111 0:01010"), "score any-two 21")
    assert options(GLACIAL, state) == ["freeze no-sixes", "freeze straight"]
    refused(GLACIAL, state, "skip", "freeze odds", "reset odds", "654321")
    assert play(GLACIAL, state, "freeze straight").active == (0b11110, 0b00010)


def test_T8_also_when_only_one_card_qualifies() -> None:
    state = play(GLACIAL, lay("1 act 554421 0:11111 0:01000"), "score any-two 21")
    assert options(GLACIAL, state) == ["freeze no-sixes"]


def test_T8_must_also_for_sixes() -> None:
    game = TOUCHY[2]
    state = play(game, lay("1 act 666521 0:11111 0:01111", game), "score sixes 6")
    assert options(game, state) == ["reset any-two"]


def test_T8_nothing_happens_if_none_qualifies() -> None:
    game = TOUCHY[2]
    for position, event in (
        ("1 act 666521 0:11111 0:00000", "score any-two 66"),
        ("1 act 666521 0:11111 0:00000", "score three-lowest 521"),
        ("1 act 666521 0:11111 0:11111", "score sixes 66"),
        ("1 act 666521 0:00011 0:11111", "skip"),
    ):
        state = play(game, lay(position, game), event)
        assert (state.seat, state.affected) == (1, ())
        assert state.phase is (Phase.ROLL if state.active[1] else Phase.ACT)


@pytest.mark.parametrize(
    ("seats", "turn", "event", "affected"),
    [
        (2, 1, "score any-two 66", [2]),
        (2, 2, "score sixes 66", [1]),
        (2, 2, "score three-lowest 521", [1]),
        (3, 1, "score any-two 66", [2, 3]),
        (3, 2, "score sixes 66", [3, 1]),
        (3, 3, "score three-lowest 521", [1, 2]),
        (4, 1, "score any-two 66", [2, 4]),
        (4, 2, "score any-two 66", [3, 1]),
        (4, 3, "score sixes 6", [4, 2]),
        (4, 4, "score sixes 6", [1, 3]),
        (4, 2, "score three-lowest 521", [3, 4, 1]),
        (4, 4, "score three-lowest 521", [1, 2, 3]),
        (4, 3, "skip", [4, 1, 2]),
    ],
)
def test_T9_affected_seats_choose_clockwise_from_the_left(
    seats: int, turn: int, event: str, affected: list[int]
) -> None:
    game = TOUCHY[seats]
    state = play(game, lay(f"{turn} act 666521 " + " ".join(["0:11110"] * seats), game), event)
    asked = []
    while state.affected:
        asked.append(game.actor(state) + 1)
        assert game.turn_of(state) == turn - 1
        state = game.apply(state, game.legal_actions(state)[0])
    assert asked == affected
    assert state.seat == turn % seats


def test_T9_everything_is_public() -> None:
    state = lay("1 freeze - 24:01111 0:11111 >2")
    views = [dict(GLACIAL.view(state, seat)) for seat in (None, 0, 1)]
    assert [view.pop("you") for view in views] == [None, 1, 2]
    assert views[0] == views[1] == views[2]
    assert views[0]["affected"] == [2]
    assert views[0]["seats"][0] == {"score": 24, "active": list(GLACIAL.cards[1:])}
