"""`starfrost play`: a game in the terminal, against bots or friends."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from starfrost.cli.options import Lang, game_options, listed, with_options, words
from starfrost.games.registry import GAMES


@with_options(game_options())
def play(
    options: Mapping[str, str | int],
    game: Annotated[str, typer.Argument(help=f"{listed(GAMES)}; asked for if left out.")] = "",
    players: Annotated[str, typer.Option(help='Who plays, such as "Anna,bot:planner"; people sit together.')] = "",
    first: Annotated[str, typer.Option(help="Who begins: a name, a number among the players, or random.")] = "",
    lang: Lang = "",
    seed: Annotated[str, typer.Option(help="The same seed rolls the same dice.")] = "",
    resume: Annotated[Path | None, typer.Option(help="Go on with a saved game.", metavar="FILE")] = None,
    save_dir: Annotated[Path | None, typer.Option(help="Where the record is saved.", metavar="FOLDER")] = None,
    no_color: Annotated[bool, typer.Option("--no-color", help="Draw without colours; so does NO_COLOR.")] = False,
) -> int:
    """Play in the terminal, against bots or with friends; every game is saved and can be resumed."""
    from starfrost.games.setup import Setup
    from starfrost.terminal import saves
    from starfrost.terminal.play import play as play_session
    from starfrost.terminal.screen import Closed, Screen
    from starfrost.terminal.setup import begin

    screen = Screen(words(lang).language, colour=not (no_color or os.environ.get("NO_COLOR")))
    if resume is not None:
        return play_session(screen, saves.resume(resume))
    try:
        session = begin(screen, game, players, Setup.of(game, 0, **options).options, seed, save_dir, first)
    except (Closed, KeyboardInterrupt):
        screen.say(screen.w("Nothing was started. See you soon!"))
        return 0
    return play_session(screen, session)
