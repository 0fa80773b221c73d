"""`starfrost train`: teach the bots `strong` and `master` by self-play."""

from pathlib import Path
from typing import Annotated

import typer

from starfrost.errors import MissingExtra, UsageError

__all__ = ["train"]


def train(
    game: Annotated[str, typer.Argument(help="What to learn: dice-stars or dicy-cards.")],
    players: Annotated[str, typer.Option(help="Numbers of players, separated by commas; all that learn if none.")] = "",
    minutes: Annotated[str, typer.Option(help="Minutes for each of them, or one number for all.")] = "2",
    out: Annotated[Path, typer.Option(help="Where weights, checkpoints and curves go.")] = Path("training"),
    resume: Annotated[bool, typer.Option("--resume", help="Go on from what is there.")] = False,
    seed: Annotated[int, typer.Option(help="Where the random numbers start.")] = 0,
    hidden: Annotated[str, typer.Option(help="Dice Stars: sizes of the two hidden layers, such as 512,128.")] = "",
    sets: Annotated[int, typer.Option(help="Dicy Cards: sets of cards to learn with, the modes first.")] = 48,
    pictures: Annotated[bool, typer.Option("--pictures", help="Dice Stars: only draw the curves.")] = False,
) -> None:
    """Learn by playing against oneself, on a GPU where JAX finds one: Dice Stars, or Dicy Cards with three and four."""
    if game not in ("dice-stars", "dicy-cards"):
        raise UsageError("There is nothing to train for %(game)s; expected dice-stars or dicy-cards.", game=repr(game))
    if game == "dicy-cards":
        if hidden or pictures:
            raise UsageError("--hidden and --pictures are for dice-stars.")
        from starfrost.learning.dicy_cards.train import run as run_several

        run_several(players or "3,4", minutes, out, resume, seed, sets)
        return
    from starfrost.learning.curves import draw

    if not pictures:
        from starfrost.learning.dice_stars.train import run

        run(players or "1,2,3,4", minutes, out, resume, seed, hidden)
    try:
        print(f"Curves: {draw(out)}")
    except MissingExtra as missing:
        if pictures:
            raise
        from starfrost.words import Words, language_from_environment

        print(Words(language_from_environment()).say(missing))
