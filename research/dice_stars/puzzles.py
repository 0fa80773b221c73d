"""Find puzzles of Dice Stars by self-play: `python -m research.dice_stars.puzzles FOLDER`."""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from itertools import count as numbers
from pathlib import Path
from random import Random
from typing import Final

from research.puzzle_files import kept, write_all
from starfrost.coach.judge import Option
from starfrost.coach.puzzles import PLAYERS, Choice, Puzzle
from starfrost.errors import StarfrostError
from starfrost.games.core import CHANCE, OVER
from starfrost.games.dice_stars import DiceStars, State
from starfrost.games.dice_stars.coach.judge import StarsJudge
from starfrost.games.dice_stars.coach.puzzles import PUZZLES, StarsPuzzle, themes_of
from starfrost.games.record import Event
from starfrost.workers import Workers, map_ordered

GAP: Final = (0.03, 0.3)
"""The least and the greatest gap by the network: the answer is clearly best, but not obvious."""


def puzzle_at(
    judge: StarsJudge, events: Sequence[Event], state: State, options: Sequence[Option]
) -> StarsPuzzle | None:
    """Return the puzzle of a position, given its actions with the best first; None unless rollouts prove it."""
    game, seat, chosen = judge.game, state.seat, list(options[:2])
    for option in options[2:]:
        # Star takes that differ only in their rows would fill all places.
        kinds = [str(other.action).split()[:2] for other in chosen]
        if len(chosen) < 4 and str(option.action).split()[:2] not in kinds:
            chosen.append(option)
    answer = chosen[0]
    choices = [Choice(answer.action, round(answer.shares[seat], 6))]
    for option in chosen[1:]:
        found = judge.compare(state, answer.action, option.action)
        if not found.proved:
            return None
        choices.append(Choice(option.action, round(answer.shares[seat] - found.mean[seat], 6)))
    choices[1:] = sorted(choices[1:], key=lambda choice: -choice.value)
    return StarsPuzzle(
        game,
        state,
        PLAYERS[: game.seats],
        answer.action,
        round(choices[0].value - choices[1].value, 6),
        themes_of(game, state, answer.action),
        tuple(choices),
        _values(game, state, options, choices),
        tuple(events),
    )


def _values(game: DiceStars, state: State, options: Sequence[Option], choices: Sequence[Choice]) -> tuple[float, ...]:
    """Return the values of all legal actions, those of the choices as rollouts show them."""
    values = {option.action: option.shares[state.seat] for option in options} | dict(choices)
    return tuple(min(1.0, max(0.0, values[action])) for action in game.legal_actions(state))


def find_puzzles(game: DiceStars, rng: Random) -> Iterator[StarsPuzzle]:
    """Play a game by the network, with some random actions, and yield its positions that make a puzzle."""
    judge = StarsJudge(game)
    state, events = game.start(), list[Event]()
    while (actor := game.actor(state)) != OVER:
        if actor == CHANCE:
            action = game.sample(state, rng)
        else:
            options = judge.options(state)
            action = options[0].action
            if len(options) > 1 and GAP[0] <= options[0].shares[actor] - options[1].shares[actor] <= GAP[1]:
                undecided = 0.12 < options[0].shares[actor] < 0.95
                found = puzzle_at(judge, events, state, options) if undecided else None
                if found is not None:
                    yield found
            if rng.random() < 0.12:
                action = rng.choice(options[:6]).action
        events.append(Event(actor, action))
        state = game.apply(state, action)


def _of_game(seed: int, number: int) -> list[StarsPuzzle]:
    """Return at most two puzzles of a numbered game; table sizes alternate."""
    rng = Random(f"{seed} {number}")
    return list(islice(find_puzzles(DiceStars((2, 1, 3, 4)[number % 4]), rng), 2))


def _found(
    count: int, seed: int, known: Iterable[StarsPuzzle], workers: Workers | int = 1, resume: Path | None = None
) -> Iterator[StarsPuzzle]:
    """Yield the known puzzles, then new ones of as many games as it takes; the file `resume` keeps them."""

    def search(games: int) -> Iterator[list[StarsPuzzle]]:
        # The generator closes the processes when it is closed itself.
        yield from map_ordered(partial(_of_game, seed), numbers(games), workers, most=1)

    games = kept(resume, {"seed": seed}, StarsPuzzle, search)
    new = (puzzle for puzzles in games for puzzle in puzzles)
    yield from islice(chain(known, new), count)
    games.close()


def judged_again(puzzles: Iterable[Puzzle]) -> Iterator[StarsPuzzle]:
    """Judge positions by the present network; yield the puzzles that they still are."""
    for puzzle in puzzles:
        judge = StarsJudge(puzzle.game)
        options = judge.options(puzzle.state)
        if options[0].shares[puzzle.seat] - options[1].shares[puzzle.seat] >= GAP[0] / 2:
            found = puzzle_at(judge, puzzle.events or (), puzzle.state, options)
            if found is not None:
                yield found


def main() -> None:
    """Write puzzles into a folder, or into a file that ends in .jsonl."""
    parser = argparse.ArgumentParser(prog="python -m research.dice_stars.puzzles", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--cluster", default="", metavar="ADDRESS", help="search on a Ray cluster")
    parser.add_argument("--again", action="store_true", help="first judge the shipped ones again, with a new network")
    parser.add_argument("--resume", type=Path, metavar="FILE", help="keep what is found, and continue where it ends")
    chosen = parser.parse_args()
    known = judged_again(PUZZLES) if chosen.again else ()
    workers = Workers(chosen.jobs, chosen.cluster)
    try:
        write_all(chosen.folder, list(_found(chosen.count, chosen.seed, known, workers, chosen.resume)))
    except StarfrostError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
