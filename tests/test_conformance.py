"""The contract of all games and all bots: every set-up and every bot passes the same test; there are no exceptions."""

from collections.abc import Iterator
from random import Random

import pytest

from starfrost.bots.registry import all_bots, bots_for
from starfrost.games.dice_stars import DiceStars
from starfrost.games.dicy_cards import CARDS, MODES, DicyCards, interglacial
from starfrost.testing import AnyGame, check_bot, check_contract, check_samples, name_of


def set_ups() -> Iterator[AnyGame]:
    for cards in (*(mode.cards for mode in MODES.values()), interglacial(Random(6)), tuple(CARDS)[7:]):
        for seats in (2, 3, 4):
            yield DicyCards(seats=seats, cards=cards, goal=40)
    yield DicyCards()
    for seats in (1, 2, 3, 4):
        yield DiceStars(seats=seats)
    yield DiceStars(seats=1, solo_boxes=12)


SET_UPS = tuple(set_ups())


@pytest.mark.parametrize("game", SET_UPS, ids=name_of)
def test_every_set_up_keeps_the_contract(game: AnyGame) -> None:
    check_contract(game)


@pytest.mark.parametrize("game", SET_UPS, ids=name_of)
def test_samples_follow_the_weights(game: AnyGame) -> None:
    check_samples(game)


@pytest.mark.parametrize(
    ("game", "name"),
    [(game, name) for game in SET_UPS for name in bots_for(game, unlisted=True)],
    ids=lambda value: value if isinstance(value, str) else name_of(value),
)
def test_every_bot_answers_with_legal_actions_and_the_same_ones_again(game: AnyGame, name: str) -> None:
    check_bot(game, name)


def test_every_bot_is_met_above() -> None:
    assert {name for game in SET_UPS for name in bots_for(game, unlisted=True)} == set(all_bots(unlisted=True))
