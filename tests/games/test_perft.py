"""The tree below named positions, compared with goldens and with a brute-force walk independent of the engines."""

from random import Random

import pytest

from starfrost.games.core import OVER
from starfrost.games.dicy_cards import CARDS, MODES
from starfrost.games.registry import GAMES, make_game
from tests.games.perft import NAIVE, Named, divide, naive_table, perft, read_golden, walk

NAMED = [named for name in NAIVE for named in read_golden(name)]


@pytest.mark.parametrize("named", NAMED, ids=lambda named: f"{named.game.name}: {named.name}")
def test_the_engine_counts_what_the_golden_says(named: Named) -> None:
    state = named.game.parse_position(named.position)
    for depth, count in enumerate(named.counts, start=1):
        assert perft(named.game, state, depth) == count, f"depth {depth}\n{divide(named, depth)}"


@pytest.mark.parametrize("named", NAMED, ids=lambda named: f"{named.game.name}: {named.name}")
def test_a_brute_force_walk_counts_the_same(named: Named) -> None:
    table = naive_table(named)
    for depth, count in enumerate(named.counts, start=1):
        assert walk(NAIVE[named.game.name], table, depth) == count, f"depth {depth}\n{divide(named, depth)}"


ALL_CARDS = tuple(CARDS)
SETS = [*(mode.cards for mode in MODES.values()), ALL_CARDS[3:8], ALL_CARDS[7:]]
TABLES = [
    *(("dice-stars", seats, {"solo-boxes": "60"}) for seats in GAMES["dice-stars"].seats),
    *(("dicy-cards", seats, {"cards": " ".join(cards), "goal": "40"}) for seats in (2, 3, 4) for cards in SETS),
]


@pytest.mark.parametrize(("name", "seats", "headers"), TABLES)
def test_whole_games_agree_with_brute_force(name: str, seats: int, headers: dict[str, str]) -> None:
    rng, naive = Random(seats), NAIVE[name]
    game = make_game(name, seats, headers)
    state = game.start()
    while game.actor(state) != OVER:
        text = game.position_text(state)
        table = naive.read(text, game.headers())
        actions = game.legal_actions(state)
        if actions:
            assert sorted(map(str, actions)) == sorted(naive.events(table)), text
            verb = rng.choice(sorted({action.verb for action in actions}))
            action = rng.choice([action for action in actions if action.verb == verb])
        else:
            action = game.sample(state, rng)
        state = game.apply(state, action)
        following = naive.after(table, str(action))
        assert naive.same(following, naive.read(game.position_text(state), game.headers())), f"{text}\n{action}"
        assert list(game.scores(state)) == naive.scores(following)
    assert [seat + 1 for seat in game.winners(state)] == naive.winners(following)
