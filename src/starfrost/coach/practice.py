"""Positions to practise: the costliest decisions of a game, as puzzles of one's own."""

from dataclasses import replace
from typing import Any, Final, NamedTuple

from starfrost.coach.analysis import Analysis, Moment, analyse
from starfrost.coach.judge import Judge
from starfrost.coach.puzzles import PLAYERS, Choice, Puzzle
from starfrost.coach.reasons import told
from starfrost.coach.registry import COACHES, PUZZLES
from starfrost.errors import MissingExtra
from starfrost.games.record import Replay, parse_record, replay

COSTLY: Final = 0.05
"""The least loss of a decision that is worth practising."""
_MOST: Final = 2
"""The most positions of one player's game."""
_CHOICES: Final = 4


class Practice(NamedTuple):
    """A position to practise."""

    seat: int
    id: str
    line: str
    """The position as a line of a file of puzzles."""


def ask_practice(record: str) -> tuple[Analysis, tuple[Practice, ...]] | None:
    """Judge every event of a record, and return what its players can practise; None if nobody can judge it."""
    played = replay(parse_record(record))
    coach = COACHES.get(played.record.game.name)
    try:
        judge = coach.judge(played.record.game) if coach is not None else None
        if judge is None:
            return None
        found = analyse(judge, played)
        return found, tuple(positions(judge, played, found))
    except MissingExtra:
        return None


def positions(judge: Judge, played: Replay, found: Analysis) -> list[Practice]:
    """Return the costliest decisions of every player as positions to practise, if the game has puzzles."""
    kit = PUZZLES.get(played.record.game.name)
    costly = sorted((moment for moment in found.moments if moment.loss >= COSTLY), key=lambda moment: -moment.loss)
    chosen = [
        moment
        for seat in range(played.record.game.seats)
        for moment in [one for one in costly if one.seat == seat][:_MOST]
    ]
    puzzles = [(moment.seat, _puzzle(kit.puzzle, judge, played, moment)) for moment in chosen] if kit else []
    return [Practice(seat, puzzle.id, puzzle.line()) for seat, puzzle in puzzles]


def _puzzle(kind: type[Puzzle], judge: Judge, played: Replay, moment: Moment) -> Puzzle:
    """Return a decision as a puzzle, whose second choice is what was played."""
    game: Any = played.record.game
    state = played.states[moment.event]
    values = {option.action: option.shares[moment.seat] for option in judge.options(state)}
    # What games played on have shown counts, where the values are estimates.
    values[moment.action] = values[moment.best] - moment.loss
    bare = kind(game, state, PLAYERS[: game.seats], moment.best, moment.loss, (), ())
    choices = [Choice(action, values[action]) for action in (moment.best, moment.action)]
    kinds = {bare.kind(choice.action) for choice in choices}
    for action in sorted(values, key=lambda action: -values[action]):
        if bare.kind(action) not in kinds and len(choices) < _CHOICES:
            kinds.add(bare.kind(action))
            choices.append(Choice(action, values[action]))
    puzzle = kind(
        game,
        state,
        PLAYERS[: game.seats],
        moment.best,
        moment.loss,
        (),
        tuple(choices),
        tuple(values[action] for action in game.legal_actions(state)),
    ).reasoned(judge)
    return replace(puzzle, why=(told(moment.parts), *puzzle.why[1:]))
