"""`starfrost simulate`: many games between bots, with intervals."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from starfrost.cli.bars import bar
from starfrost.cli.help import explained
from starfrost.cli.options import (
    AsJson,
    Cluster,
    Lang,
    Resume,
    game_options,
    variant_json,
    variant_told,
    with_options,
    words,
    workers_of,
)
from starfrost.errors import mark
from starfrost.games.registry import GAMES

if TYPE_CHECKING:
    from starfrost.games.setup import Setup
    from starfrost.lab.simulate import Summary
    from starfrost.words import Words


@explained(game=lambda w: w("The game: %(games)s.", games=w.one_of(GAMES)))
@with_options(game_options())
def simulate(
    game: Annotated[str, typer.Argument()],
    bots: Annotated[str, typer.Option(help=mark("The bots, separated by commas; one alone plays the solo game."))],
    options: Mapping[str, str | int],
    games: Annotated[int, typer.Option(help=mark("How many games to play."))] = 1000,
    seed: Annotated[int, typer.Option(help=mark("The same seed gives the same games."))] = 0,
    jobs: Annotated[int, typer.Option(help=mark("How many processes to use."))] = 1,
    swap_seats: Annotated[
        bool, typer.Option("--swap-seats", help=mark("Play every deal once in each seating."))
    ] = False,
    cluster: Cluster = "",
    resume: Resume = None,
    lang: Lang = "",
    as_json: AsJson = False,
) -> None:
    """Run `starfrost simulate`."""
    from starfrost.workers import one_thread

    one_thread()
    from starfrost.games.setup import Setup
    from starfrost.lab.deals import deal, make_ready
    from starfrost.lab.simulate import Simulation
    from starfrost.lab.simulate import simulate as run

    w = words(lang)
    names = tuple(name.strip() for name in bots.split(","))
    setup = Setup.of(game, len(names), **options)
    with bar(w("solving the cards"), quiet=as_json) as show:
        make_ready(setup, names, show)
    plan = Simulation(setup, names, games, seed, swap_seats)
    with bar(f"{game}: {' – '.join(names)}", games, quiet=as_json) as show:
        summary = run(plan, workers_of(jobs, cluster), show, resume)
    if as_json:
        print(json.dumps(summary.as_json() | variant_json(deal(setup, 0, 0))))
    else:
        _show(w, summary, setup)


def _show(w: "Words", summary: "Summary", setup: "Setup") -> None:
    from rich.console import Console
    from rich.table import Table

    from starfrost.lab.deals import deal
    from starfrost.words.numbers import count, decimal, percent
    from starfrost.words.registry import PLAIN, WORDS

    if setup.drawn and setup.mode:
        chosen = w(WORDS.get(setup.game, PLAIN).modes.get(setup.mode, (setup.mode,))[0])
    else:
        headers = deal(setup, 0, 0).headers()
        chosen = "; ".join(headers[name] for name in sorted(setup.kit.decided))
    chosen = "; ".join(filter(None, (variant_told(w, deal(setup, 0, 0)), chosen)))
    caption = w(
        "%(turns)s turns a game, %(seconds)s s",
        turns=decimal(w, summary.mean_turns, 1),
        seconds=decimal(w, summary.seconds, 1),
    )
    shown = Table(
        title=w("%(game)s, %(games)s games", game=summary.game, games=count(w, summary.games)),
        caption=f"{chosen}; {caption}" if chosen else caption,
    )
    shown.add_column(w("bot"))
    for heading in (w("wins"), w("shared"), w("win rate"), w("95% interval"), w("mean score")):
        shown.add_column(heading, justify="right")
    for player in summary.players:
        low, high = player.win_rate.interval
        shown.add_row(
            player.bot,
            count(w, player.wins),
            count(w, player.shared),
            percent(w, player.win_rate.mean, 1),
            f"{percent(w, low, 1)} – {percent(w, high, 1)}",
            decimal(w, player.mean_score, 1),
        )
    Console().print(shown)
    for player in summary.players:
        for reason, games in player.forfeits.items():
            print(
                w.plural(
                    "%(bot)s lost %(n)s game because of a fault: %(reason)s.",
                    "%(bot)s lost %(n)s games because of a fault: %(reason)s.",
                    games,
                    bot=player.bot,
                    reason=w(reason),
                )
            )
