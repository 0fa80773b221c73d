"""The seats that effects reach, the choices of affected seats, and the final ranking."""

import pytest

from starfrost.games.dicy_cards import Change, Effect, affected_seats, rank, result, turned_over


@pytest.mark.parametrize(
    ("active", "change", "expected"),
    [
        (0b00011, Change.FREEZE, (0b00010, 0b00001)),
        (0b01111, Change.RESET, (0b11111,)),
        (0, Change.FREEZE, (0,)),
        (31, Change.RESET, (31,)),
        (7, Change.NONE, (7,)),
    ],
)
def test_T8_turning_a_card_over(active: int, change: Change, expected: tuple[int, ...]) -> None:
    assert turned_over(active, change) == expected


@pytest.mark.parametrize(
    ("effect", "seat", "seats", "expected"),
    [
        (Effect.NONE, 0, 4, ()),
        (Effect.NEIGHBOURS_FREEZE, 1, 2, (0,)),
        (Effect.NEIGHBOURS_RESET, 1, 3, (2, 0)),
        (Effect.NEIGHBOURS_FREEZE, 1, 4, (2, 0)),
        (Effect.OTHERS_FREEZE, 1, 4, (2, 3, 0)),
        (Effect.OTHERS_RESET, 3, 4, (0, 1, 2)),
    ],
)
def test_T9_whom_an_effect_reaches(effect: Effect, seat: int, seats: int, expected: tuple[int, ...]) -> None:
    assert affected_seats(effect, seat, seats) == expected


def test_E2_points_then_active_cards_then_a_shared_victory() -> None:
    assert rank(101, 0) > rank(100, 5) > rank(100, 4) > rank(99, 5)
    assert [result(lead) for lead in (2, 0, -1)] == [1, 0.5, 0]
