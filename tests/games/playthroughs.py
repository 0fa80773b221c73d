"""Whole games written out for people: every event, what else was allowed, and what changed.

`python -m tests.games.playthroughs` plays them anew (random seats, fixed seeds) into `goldens/` of both games.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from starfrost.games.core import CHANCE, OVER, Game
from tests.games.dice_stars import playthroughs as stars
from tests.games.dicy_cards import playthroughs as cards

HERE = Path(__file__).parent


class Playthrough(NamedTuple):
    """A golden file, the game in it, the seed of its random seats, and the function that writes it."""

    file: Path
    game: Game[Any, Any]
    seed: int
    tell: Callable[[Any, Iterable[Any]], Iterator[str]]


ALL = [
    Playthrough(HERE / folder / "goldens" / f"{mode}.txt", game, seed, room.tell)
    for folder, room in (("dice_stars", stars), ("dicy_cards", cards))
    for mode, (game, seed) in room.MODES.items()
]


def random_events(game: Game[Any, Any], seed: int) -> Iterator[Any]:
    """Choose a random action: first a verb, so that rerolls do not dominate, then one of its actions."""
    rng, state = Random(seed), game.start()
    while game.actor(state) != OVER:
        if game.actor(state) == CHANCE:
            action = game.sample(state, rng)
        else:
            legal = game.legal_actions(state)
            verb = rng.choice(sorted({action.verb for action in legal}))
            action = rng.choice([action for action in legal if action.verb == verb])
        state = game.apply(state, action)
        yield action


def told(playthrough: Playthrough, events: Iterable[Any]) -> str:
    """Return a whole game as text."""
    return "".join(f"{line}\n" for line in playthrough.tell(playthrough.game, events))


if __name__ == "__main__":
    for playthrough in ALL:
        playthrough.file.write_text(told(playthrough, random_events(playthrough.game, playthrough.seed)))
