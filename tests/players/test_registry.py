"""The registry of bots: the bots of each game, and the error for an unknown bot."""

import subprocess
import sys
from pathlib import Path

import pytest

from starfrost.bots.registry import add_bots, all_bots, bots_for, bots_here, entries, make_bot
from starfrost.errors import UsageError
from starfrost.games.dice_stars import DiceStars
from starfrost.games.dicy_cards import DicyCards
from starfrost.games.registry import GAMES


def test_the_three_plain_bots_play_everything() -> None:
    for game in (DicyCards(), DicyCards(seats=4), DiceStars(seats=1), DiceStars(seats=3)):
        assert bots_for(game)[:3] == ("random", "greedy", "planner")


def test_an_unknown_bot_gets_a_sentence_that_lists_those_that_exist() -> None:
    with pytest.raises(UsageError, match=r"no bot 'genius' for dicy-cards with 3 players; choose from random, greedy"):
        make_bot("genius", DicyCards(seats=3))


def test_a_bot_for_the_lab_plays_where_it_is_named_and_is_offered_nowhere() -> None:
    game = DiceStars(2)
    assert make_bot("network", game).name == "network"
    assert "network" in bots_for(game, unlisted=True)
    assert "network" not in {*bots_for(game), *bots_here(game), *entries("dice-stars"), *all_bots()}
    with pytest.raises(UsageError, match="choose from random, greedy, planner, strong"):
        make_bot("wizard", game)
    with pytest.raises(UsageError, match="already a bot"):
        add_bots({"network": "tests.players.test_registry:Nothing"})


def test_every_bot_has_a_description_of_one_line() -> None:
    for game in GAMES:
        for entry in entries(game).values():
            assert entry.description
            assert "\n" not in entry.description


def test_a_light_bot_does_not_load_the_heavy_ones() -> None:
    program = (
        "import sys; from starfrost.games.dicy_cards import DicyCards; "
        "from starfrost.bots.registry import make_bot; make_bot('random', DicyCards()); "
        "sys.exit(any(name.split('.')[0] in ('numpy', 'numba', 'jax') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_the_page_about_the_bots_lists_them_all() -> None:
    page = (Path(__file__).parents[2] / "docs" / "bots.md").read_text(encoding="utf-8")
    for name in all_bots(unlisted=True):
        assert f"| `{name}` |" in page
        assert f"**{name}**" in page or name == "random"
