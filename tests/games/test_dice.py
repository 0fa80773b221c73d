"""Six-sided dice as multisets."""

from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starfrost.errors import NotationError
from starfrost.games.dice import FACES, dice_text, parse_dice, remove, rolls, subsets

SIX = st.text(alphabet=FACES, min_size=1, max_size=6)


@pytest.mark.parametrize("number", range(7))
def test_rolls_are_multisets_with_exact_weights(number: int) -> None:
    counted: dict[str, int] = {}
    for ordered in product(FACES, repeat=number):
        counted[dice_text(ordered)] = counted.get(dice_text(ordered), 0) + 1
    assert dict(rolls(number)) == counted
    assert sum(weight for _, weight in rolls(number)) == 6**number


def test_462_rolls_of_six() -> None:
    assert len(rolls(6)) == 462
    assert dict(rolls(6))["654321"] == 720


@given(SIX)
def test_subsets_are_all_different_selections_once(text: str) -> None:
    table = dice_text(text)
    found = subsets(table)
    expected = {dice_text(chosen) for number in range(1, len(table) + 1) for chosen in combinations(table, number)}
    assert set(found) == expected
    assert len(found) == len(expected)
    assert found[0] == table


@given(SIX, st.data())
def test_removed_dice_and_kept_dice_make_the_table(text: str, data: st.DataObject) -> None:
    table = dice_text(text)
    chosen = data.draw(st.sampled_from(subsets(table)))
    kept = remove(table, chosen)
    assert dice_text(kept + chosen) == table
    assert kept == dice_text(kept)


@given(SIX)
def test_dice_are_read_in_any_order(text: str) -> None:
    assert parse_dice(text) == parse_dice(text[::-1]) == dice_text(text)


@pytest.mark.parametrize("text", ["", "7", "0", "66x", "6 6", "１", "-1", "\n"])
def test_what_is_no_dice_is_refused(text: str) -> None:
    with pytest.raises(NotationError, match="expected digits from 1 to 6"):
        parse_dice(text)
