"""`starfrost train`: train the learned bots by self-play, in a checkout of the project."""

from pathlib import Path
from typing import Annotated

import typer

from starfrost.cli.checkout import from_checkout
from starfrost.cli.help import explained
from starfrost.errors import mark
from starfrost.games.registry import GAMES


@explained(game=lambda w: w("The game to train for: %(games)s.", games=w.one_of(GAMES)))
def train(
    game: Annotated[str, typer.Argument()],
    players: Annotated[
        str, typer.Option(help=mark("Numbers of players, separated by commas; default: all that can be trained."))
    ] = "",
    minutes: Annotated[str, typer.Option(help=mark("Minutes for each of them, or one number for all."))] = "2",
    out: Annotated[
        Path, typer.Option(help=mark("Where weights, checkpoints and curves go."), metavar=mark("FOLDER"))
    ] = Path("training"),
    resume: Annotated[bool, typer.Option("--resume", help=mark("Continue from the saved checkpoints."))] = False,
    seed: Annotated[int, typer.Option(help=mark("The seed of the random numbers."))] = 0,
    hidden: Annotated[str, typer.Option(help=mark("Sizes of the two hidden layers, such as 512,128."))] = "",
    sets: Annotated[
        int | None, typer.Option(help=mark("Sets of cards to learn with, the modes first; default: 48."))
    ] = None,
    pictures: Annotated[bool, typer.Option("--pictures", help=mark("Only draw the curves."))] = False,
) -> None:
    """Run `starfrost train`."""
    from_checkout("train").train(
        game, players, minutes, out, resume=resume, seed=seed, hidden=hidden, sets=sets, pictures=pictures
    )
