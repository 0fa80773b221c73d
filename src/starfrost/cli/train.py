"""`starfrost train`: train the learned bots by self-play."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from starfrost.cli.options import listed, with_options, words
from starfrost.errors import MissingExtra, UsageError, quoted
from starfrost.games.registry import GAMES
from starfrost.learning.registry import TRAINERS


@with_options(
    (name, GAMES[game].title, kind, text)
    for game, kit in TRAINERS.items()
    for name, (kind, text) in kit.options.items()
)
def train(
    game: Annotated[str, typer.Argument(help=f"What to learn: {listed(TRAINERS)}.")],
    options: Mapping[str, Any],
    players: Annotated[str, typer.Option(help="Numbers of players, separated by commas; all that learn if none.")] = "",
    minutes: Annotated[str, typer.Option(help="Minutes for each of them, or one number for all.")] = "2",
    out: Annotated[Path, typer.Option(help="Where weights, checkpoints and curves go.")] = Path("training"),
    resume: Annotated[bool, typer.Option("--resume", help="Go on from what is there.")] = False,
    seed: Annotated[int, typer.Option(help="Where the random numbers start.")] = 0,
    pictures: Annotated[bool, typer.Option("--pictures", help="Only draw the curves.")] = False,
) -> None:
    """Learn by playing against oneself, on a GPU where JAX finds one."""
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
