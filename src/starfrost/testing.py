"""The contract of games and bots as tests: a game of another package calls these functions in its own tests.

    import pytest
    pytest.register_assert_rewrite("starfrost.testing")  # assertions then show their values
    from starfrost.testing import check_bot, check_contract, check_samples

They raise AssertionError where a game breaks the contract of `starfrost.games.core.Game`.
"""

from collections.abc import Iterator
from random import Random
from typing import Any

from starfrost.bots.registry import make_bot
from starfrost.errors import IllegalAction
from starfrost.games.core import CHANCE, OVER, Game
from starfrost.games.registry import make_game

__all__ = ["check_bot", "check_contract", "check_samples", "walk"]

AnyGame = Game[Any, Any]


def name_of(game: AnyGame) -> str:
    """Return a name for a set-up."""
    return " ".join((game.name, str(game.seats), *game.headers().values()))


def walk(game: AnyGame, rng: Random, bots: list[Any] | None = None) -> Iterator[tuple[Any, Any]]:
    """Play a game by bots, or at random without them; give every state and what happened there."""
    state = game.start()
    while (actor := game.actor(state)) != OVER:
        if actor == CHANCE:
            action = game.sample(state, rng)
        elif bots:
            action = bots[actor].choose(game, state, rng)
        else:
            action = rng.choice(game.legal_actions(state))
        yield state, action
        state = game.apply(state, action)
    yield state, None


def check_contract(game: AnyGame) -> None:
    """Play a few games: notation and positions round-trip, what is not allowed is refused, turns are fair."""
    rng = Random(11)
    again = make_game(game.name, game.seats, game.headers())
    assert again.headers() == game.headers()
    assert game.starts_turn(game.start())
    assert game.turn_of(game.start()) == 0
    for number in range(3):
        turns = [0] * game.seats
        for state, action in walk(game, rng):
            actor = game.actor(state)
            assert hash(state) == hash(game.parse_position(game.position_text(state)))
            assert game.parse_position(game.position_text(state)) == state
            assert "\n" not in game.position_text(state)
            legal, outcomes = game.legal_actions(state), game.chance_outcomes(state)
            assert legal == game.legal_actions(state)
            assert len(set(legal)) == len(legal)
            assert len(game.scores(state)) == game.seats
            assert 0 <= game.turn_of(state) < game.seats
            assert [type(key) for key in game.view(state, None)] == [str] * len(game.view(state, None))
            if action is None:
                assert actor == OVER
                _check_the_end(game, state)
                break
            assert game.winners(state) == ()
            assert game.parse_action(str(action)) == action
            if game.starts_turn(state):
                turns[game.turn_of(state)] += 1
                assert turns[game.turn_of(state)] == max(turns)
            if actor == CHANCE:
                assert legal == ()
                support = {outcome for outcome, _ in outcomes}
                assert len(support) == len(outcomes)
                assert all(isinstance(weight, int) and weight > 0 for _, weight in outcomes)
                assert all(game.sample(state, rng) in support for _ in range(20))
            else:
                assert 0 <= actor < game.seats
                assert legal
                assert outcomes == ()
                assert action in legal
                for option in legal:
                    assert game.parse_action(str(option)) == option
                    hash(game.apply(state, option))
            _check_refusals(game, state, number, rng)
        assert len(set(turns)) == 1


def _check_the_end(game: AnyGame, state: Any) -> None:
    winners, scores = game.winners(state), game.scores(state)
    assert game.legal_actions(state) == ()
    assert game.chance_outcomes(state) == ()
    assert list(winners) == sorted(set(winners))
    assert all(scores[seat] == max(scores) for seat in winners)
    assert winners or game.seats == 1
    for other, action in walk(game, Random(3)):
        if action is not None:
            _refusal(game, state, action)
        assert other is not None


def _refusal(game: AnyGame, state: Any, action: Any) -> str:
    """Return the sentence with which an action is refused."""
    try:
        game.apply(state, action)
    except IllegalAction as refusal:
        return str(refusal)
    raise AssertionError(f"{action} is not allowed in {game.position_text(state)}, but was not refused")


_ELSEWHERE: dict[str, list[Any]] = {}


def _check_refusals(game: AnyGame, state: Any, number: int, rng: Random) -> None:
    """Try a few actions and rolls from other positions of this set-up."""
    key = name_of(game)
    if key not in _ELSEWHERE:
        _ELSEWHERE[key] = [action for _, action in walk(game, Random(12)) if action is not None]
    allowed = {*game.legal_actions(state), *(outcome for outcome, _ in game.chance_outcomes(state))}
    for action in rng.sample(_ELSEWHERE[key], 5):
        if action in allowed:
            game.apply(state, action)
        else:
            assert str(action) in _refusal(game, state, action)


def check_samples(game: AnyGame) -> None:
    """Draw thousands of outcomes of one position: they follow their weights."""
    rng = Random(4)
    state = next(state for state, _ in walk(game, Random(2)) if game.actor(state) == CHANCE)
    outcomes = game.chance_outcomes(state)
    total = sum(weight for _, weight in outcomes)
    counts = dict.fromkeys((outcome for outcome, _ in outcomes), 0)
    draws = 4000
    for _ in range(draws):
        counts[game.sample(state, rng)] += 1
    # Pearson's statistic has the number of outcomes as its mean and twice that as its variance.
    surprise = sum(
        (counts[outcome] - draws * weight / total) ** 2 / (draws * weight / total) for outcome, weight in outcomes
    )
    assert abs(surprise - len(outcomes)) < 8 * (2 * len(outcomes)) ** 0.5 + 12


def check_bot(game: AnyGame, name: str) -> None:
    """Let a bot play itself: it answers with legal actions, and with the same ones again."""
    bot = make_bot(name, game, meanwhile=True)
    assert bot.name == name
    met = []
    for state, action in walk(game, Random(21), [bot] * game.seats):
        if game.actor(state) >= 0:
            assert action in game.legal_actions(state)
            met.append(state)
    fresh = make_bot(name, game, meanwhile=True)
    for state in Random(1).sample(met, min(12, len(met))):
        before = Random(8)
        assert bot.choose(game, state, Random(8)) == fresh.choose(game, state, before)
