"""`starfrost train`: teach the bot `strong` by self-play."""

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from starfrost.errors import MissingExtra, UsageError

__all__ = ["train"]


def train(
    game: Annotated[str, typer.Argument(help="What to learn: dice-stars.")],
    players: Annotated[str, typer.Option(help="Numbers of players, separated by commas.")] = "1,2,3,4",
    minutes: Annotated[str, typer.Option(help="Minutes for each of them, or one number for all.")] = "2",
    out: Annotated[Path, typer.Option(help="Where weights, checkpoints and curves go.")] = Path("training"),
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the checkpoints there.")] = False,
    seed: Annotated[int, typer.Option(help="Where the random numbers start.")] = 0,
    hidden: Annotated[str, typer.Option(help="Sizes of the two hidden layers, such as 512,128.")] = "",
    pictures: Annotated[bool, typer.Option("--pictures", help="Only draw the curves of earlier training.")] = False,
) -> None:
    """Learn Dice Stars by playing against oneself, on a GPU where JAX finds one."""
    if game != "dice-stars":
        raise UsageError(f"There is nothing to train for {game!r}; expected dice-stars.")
    from starfrost.vector.curves import draw

    if not pictures:
        if find_spec("jax") is None:
            raise MissingExtra("Training needs an optional install: pip install 'starfrost[vector]'.")
        from starfrost.vector.train import run

        run(players, minutes, out, resume, seed, hidden)
    try:
        print(f"Curves: {draw(out)}")
    except MissingExtra as missing:
        if pictures:
            raise
        print(missing)
