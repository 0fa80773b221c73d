"""Find the puzzles of Dice Stars: `python -m bench.stars_puzzles FILE [--count 240] [--seed N] [--games 1024]`.

A name that ends in .jsonl makes one file, as Starfrost ships them; any other is a folder of records.

Positions of self-play whose best action rollouts of a round prove (`games.dice_stars.coach.puzzles`) are played to
the end of the game after the answer and after the network's next three actions, on the same dice. It is kept if
the answer wins more often than each of them beyond doubt. It runs on JAX, best on a GPU.
"""

import argparse
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from bench.stars import WEIGHTS, policy_of
from research.dice_stars.census import rollouts
from research.dice_stars.puzzles import find_puzzles
from research.puzzle_files import write_all
from research.with_jax import jax, jnp
from starfrost.games.dice_stars import Action, DiceStars, Phase, State
from starfrost.games.dice_stars.coach.judge import StarsJudge
from starfrost.games.dice_stars.coach.puzzles import StarsPuzzle
from starfrost.games.dice_stars.vector.engine import VectorStars
from starfrost.games.dice_stars.vector.reference import pack
from starfrost.vector.arrays import U32

NEXT = 3
"""The actions that are played besides the answer."""
SURE = 1.96
PER_GAME = 2
TABLES = (2, 1, 3, 4)


def start_of(game: DiceStars, state: State, action: Action) -> tuple[State, int]:
    """Return where rollouts of an action start: a position of the packed engine, and the announced draw or 0."""
    after = game.apply(state, action)
    return (state, after.draw) if after.phase is Phase.ROLL else (after, 0)


def won_after(game: DiceStars, policy: Any, state: State, actions: list[Action], games: int, seed: int) -> np.ndarray:
    """Return what the acting seat won after each action, one row an action; columns have the same dice."""
    starts = [start_of(game, state, action) for action in actions]
    packed = jax.tree.map(lambda word: jnp.repeat(jnp.asarray(word), games), pack([position for position, _ in starts]))
    draw = jnp.repeat(jnp.array([draw for _, draw in starts], U32), games)
    ids = jnp.tile(jnp.arange(games, dtype=U32) * U32(2654435761) ^ U32(seed), len(actions))
    shares = rollouts(VectorStars(game.seats), policy, packed, draw, ids)
    return np.asarray(shares, np.float64)[:, state.seat].reshape(len(actions), games)


def confirmed(puzzle: StarsPuzzle, policy: Any, games: int, seed: int) -> bool:
    """Return whether the answer wins more often than the network's next actions, beyond doubt."""
    ranked = [option.action for option in StarsJudge(puzzle.game).options(puzzle.state)]
    others = [action for action in ranked if action != puzzle.answer][:NEXT]
    # Always as many actions, so that one program serves all positions.
    others += others[-1:] * (NEXT - len(others))
    won = won_after(puzzle.game, policy, puzzle.state, [puzzle.answer, *others], games, seed)
    apart = won[0] - won[1:]
    return bool((apart.mean(axis=1) > SURE * apart.std(axis=1, ddof=1) / np.sqrt(games)).all())


def main() -> None:
    """Write confirmed puzzles, at most two per game; table sizes alternate."""
    parser = argparse.ArgumentParser(prog="python -m bench.stars_puzzles", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=240)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--games", type=int, default=1024, help="games after each action")
    chosen = parser.parse_args()
    kept: list[StarsPuzzle] = []
    policies = {seats: policy_of(WEIGHTS, seats) for seats in TABLES}
    game = tried = 0
    while len(kept) < chosen.count:
        seats = TABLES[game % len(TABLES)]
        for found in islice(find_puzzles(DiceStars(seats), Random(f"{chosen.seed} {game}")), PER_GAME):
            tried += 1
            if len(kept) < chosen.count and confirmed(found, policies[seats], chosen.games, chosen.seed + tried):
                kept.append(found)
        game += 1
    write_all(chosen.folder, kept)
    print(f"{len(kept)} puzzles of {tried} in {game} games")


if __name__ == "__main__":
    main()
