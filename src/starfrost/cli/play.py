"""`starfrost play`: a game in the terminal, against bots or friends."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from starfrost.cli.help import explained
from starfrost.cli.options import Lang, game_options, with_options, words
from starfrost.errors import mark
from starfrost.games.registry import GAMES

if TYPE_CHECKING:
    from starfrost.terminal.screen import Screen


@explained(game=lambda w: w("The game: %(games)s; you are asked if you leave it out.", games=w.one_of(GAMES)))
@with_options(game_options())
def play(
    options: Mapping[str, str | int],
    game: Annotated[str, typer.Argument()] = "",
    players: Annotated[
        str, typer.Option(help=mark('Who plays, such as "Anna,bot:planner"; people sit together.'))
    ] = "",
    first: Annotated[str, typer.Option(help=mark("Who begins: a name, a number among the players, or random."))] = "",
    lang: Lang = "",
    seed: Annotated[str, typer.Option(help=mark("The same seed rolls the same dice."))] = "",
    resume: Annotated[Path | None, typer.Option(help=mark("Continue a saved game."), metavar=mark("FILE"))] = None,
    save_dir: Annotated[
        Path | None, typer.Option(help=mark("Where the record is saved."), metavar=mark("FOLDER"))
    ] = None,
    daily: Annotated[
        str, typer.Option(help=mark("Play the daily game of the server at this address."), metavar=mark("ADDRESS"))
    ] = "",
    join: Annotated[
        str, typer.Option(help=mark("Take a seat at a table of friends, by its link."), metavar=mark("ADDRESS"))
    ] = "",
    plain: Annotated[
        bool, typer.Option("--ascii", help=mark("Draw with ASCII alone; so do LC_ALL=C and TERM=dumb."))
    ] = False,
    no_color: Annotated[bool, typer.Option("--no-color", help=mark("Draw without colours; so does NO_COLOR."))] = False,
) -> int:
    """Run `starfrost play`."""
    from starfrost.games.setup import Setup, read_variant
    from starfrost.games.variants import RULES
    from starfrost.terminal import saves
    from starfrost.terminal.play import play as play_session
    from starfrost.terminal.screen import Closed, Screen
    from starfrost.terminal.setup import begin

    screen = Screen(words(lang).language, colour=not (no_color or os.environ.get("NO_COLOR")), plain=plain)
    if daily or join:
        return _play_at_server(screen, daily, join, game, players, save_dir)
    if resume is not None:
        return play_session(screen, saves.resume(resume))
    if not game and RULES in options:
        game = read_variant(str(options[RULES])).game
    try:
        session = begin(screen, game, players, Setup.of(game, 0, **options).options, seed, save_dir, first)
    except (Closed, KeyboardInterrupt):
        screen.say(screen.w("No game started. See you soon!"))
        return 0
    return play_session(screen, session)


def _play_at_server(screen: "Screen", daily: str, link: str, game: str, players: str, folder: Path | None) -> int:
    """Play the daily game of a server, or at a table of friends; `players` is the name of the person here."""
    from starfrost.terminal.play import play as play_session
    from starfrost.terminal.remote import Server, daily_session, friends_session
    from starfrost.terminal.screen import Closed

    try:
        if link:
            session = friends_session(screen, link, players, folder)
        else:
            session = daily_session(screen, Server(daily), game, players, folder)
    except (Closed, KeyboardInterrupt):
        screen.say(screen.w("No game started. See you soon!"))
        return 0
    return play_session(screen, session)
