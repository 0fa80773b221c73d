"""Own mistakes as positions to practise: the same values and reasons as the coach's, written and read as a line."""

import json
from random import Random

import pytest

from starfrost.coach.analysis import analyse
from starfrost.coach.judge import Judge
from starfrost.coach.practice import COSTLY, positions
from starfrost.coach.registry import COACHES, PUZZLES
from starfrost.games.core import CHANCE, OVER, Game
from starfrost.games.dice_stars import DiceStars
from starfrost.games.dicy_cards import MODES, DicyCards
from starfrost.games.dicy_cards.coach.exact import ExactJudge
from starfrost.games.dicy_cards.solver.adviser import Adviser
from starfrost.games.dicy_cards.solver.sweep import solve
from starfrost.games.record import Event, Record, Replay, replay

GOAL = 16


def at_random(game: Game, seed: int, most: int = 10_000) -> Replay:
    """Play a game at random."""
    rng, state, events = Random(seed), game.start(), list[Event]()
    while (actor := game.actor(state)) != OVER and len(events) < most:
        action = game.sample(state, rng) if actor == CHANCE else rng.choice(game.legal_actions(state))
        events.append(Event(actor, action))
        state = game.apply(state, action)
    return replay(Record(game, tuple(f"P{seat}" for seat in range(game.seats)), tuple(events)))


@pytest.fixture(scope="module")
def judge() -> ExactJudge:
    game = DicyCards(2, MODES["glacial"].cards, GOAL)
    return ExactJudge(Adviser(game, solve(game.cards, GOAL)))


@pytest.mark.parametrize("kind", ["Dicy Cards", "Dice Stars"])
def test_mistakes_become_positions_with_what_was_played(judge: ExactJudge, kind: str) -> None:
    one: Judge = judge
    if kind == "Dice Stars":
        found = COACHES["dice-stars"].judge(DiceStars(2))
        assert found is not None
        one = found
    played = at_random(one.game, 1, 10_000 if kind == "Dicy Cards" else 24)
    analysis = analyse(one, played)
    practice = positions(one, played, analysis)
    costly = [moment for moment in analysis.moments if moment.loss >= COSTLY]
    assert {each.seat for each in practice} == {moment.seat for moment in costly}
    assert len(practice) == sum(min(2, sum(one.seat == seat for one in costly)) for seat in (0, 1))
    assert practice
    for each in practice:
        puzzle = PUZZLES[one.game.name].puzzle.from_line(one.game.name, json.loads(each.line))
        (moment,) = [
            moment
            for moment in costly
            if moment.seat == each.seat
            and one.game.position_text(played.states[moment.event]) == one.game.position_text(puzzle.state)
        ]
        assert each.id == puzzle.id
        assert puzzle.answer == moment.best
        assert puzzle.gap == pytest.approx(moment.loss)
        assert puzzle.is_right(moment.best)
        assert not puzzle.is_right(moment.action)
        # The reason is that of what was played.
        other, parts = puzzle.compared(moment.action)
        assert puzzle.kind(other) == puzzle.kind(moment.action)
        assert parts == puzzle.why[0]
        assert [part.part for part in parts] == [part.part for part in moment.parts if part.part != "later"][
            : len(parts)
        ]
        # Nobody's name is in it.
        assert "P0" not in each.line
