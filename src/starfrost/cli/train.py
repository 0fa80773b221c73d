"""`starfrost train`: train the learned bots by self-play."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from starfrost.cli.help import explained
from starfrost.cli.options import listed, with_options, words
from starfrost.errors import MissingExtra, UsageError, mark, quoted
from starfrost.games.registry import GAMES
from starfrost.learning.registry import TRAINERS


@explained(game=lambda w: w("The game to train for: %(games)s.", games=w.one_of(TRAINERS)))
@with_options(
    (name, GAMES[game].title, kind, text)
    for game, kit in TRAINERS.items()
    for name, (kind, text) in kit.options.items()
)
def train(
    game: Annotated[str, typer.Argument()],
    options: Mapping[str, Any],
    players: Annotated[
        str, typer.Option(help=mark("Numbers of players, separated by commas; default: all that can be trained."))
    ] = "",
    minutes: Annotated[str, typer.Option(help=mark("Minutes for each of them, or one number for all."))] = "2",
    out: Annotated[
        Path, typer.Option(help=mark("Where weights, checkpoints and curves go."), metavar=mark("FOLDER"))
    ] = Path("training"),
    resume: Annotated[bool, typer.Option("--resume", help=mark("Continue from the saved checkpoints."))] = False,
    seed: Annotated[int, typer.Option(help=mark("The seed of the random numbers."))] = 0,
    pictures: Annotated[bool, typer.Option("--pictures", help=mark("Only draw the curves."))] = False,
) -> None:
    """Run `starfrost train`."""
    trainer = TRAINERS.get(game)
    if trainer is None:
        raise UsageError(
            "There is nothing to train for %(game)s; expected %(games)s.", game=repr(game), games=listed(TRAINERS)
        )
    known = {*trainer.options, *(("pictures",) if trainer.draw else ())}
    for name in (*options, *(("pictures",) if pictures else ())):
        if name not in known:
            raise UsageError("%(game)s has no option %(option)s.", name, game=game, option=quoted(name))
    if not pictures:
        trainer.run(players, minutes, out, resume, seed, **options)
    if trainer.draw is None:
        return
    try:
        print(f"Curves: {trainer.draw(out)}")
    except MissingExtra as missing:
        if pictures:
            raise
        # Without the extra for pictures there are no curves; the weights are saved.
        print(words().say(missing))
