"""The coach of a device without a server: it would play what `planner` plays, and knows every legal action."""

from random import Random

import pytest

from starfrost.bots.registry import make_bot
from starfrost.coach.judge import Coach, advise, judge_move
from starfrost.games.core import CHANCE, OVER
from starfrost.games.registry import Part
from starfrost.games.setup import Setup

COACHES = Part[Coach]("planned")


@pytest.mark.parametrize(("name", "seats"), [("dicy-cards", 2), ("dice-stars", 2), ("dice-stars", 1)])
def test_it_would_play_what_planner_plays(name: str, seats: int) -> None:
    rng = Random(2)
    game = Setup(name, seats, {"mode": "glacial"} if name == "dicy-cards" else {}).make(rng)
    judge, bot, state = COACHES[name].judge(game), make_bot("planner", game), game.start()
    assert judge is not None
    seen, before = set(), []
    while (seat := game.actor(state)) != OVER:
        if seat == CHANCE:
            before.append(judge.value(state))
            state = game.apply(state, game.sample(state, rng))
            continue
        options, chosen = judge.options(state), bot.choose(game, state, Random(1))
        kind = str(chosen).split()[0]
        assert {one.action for one in options} == set(game.legal_actions(state))
        assert all(min(one.shares) >= 0 and (seats == 1 or sum(one.shares) == pytest.approx(1)) for one in options)
        if kind in ("take", "penalty", "score", "reroll", "skip") and len(options) > 1:
            # Draws are compared by samples, and who must freeze or reset a card goes by points.
            best = options[0].shares[seat]
            assert next(one for one in options if one.action == chosen).shares[seat] == pytest.approx(best, abs=1e-9)
            assert judge_move(judge, state, chosen).loss == 0
            assert advise(judge, state).chance == best
        seen.add(kind)
        # Sometimes another move, so that all kinds of positions come.
        state = game.apply(state, rng.choice(game.legal_actions(state)) if rng.random() < 0.2 else chosen)
    assert len(seen) >= 3
    assert all(0 <= min(shares) <= max(shares) <= 1 for shares in before)
    assert judge.value(state)[game.winners(state)[0] if game.winners(state) else 0] == float(bool(game.winners(state)))


def test_three_players_are_too_many() -> None:
    for name in COACHES:
        assert COACHES[name].judge(Setup(name, 3).make(Random(1))) is None
