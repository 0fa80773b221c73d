"""`starfrost simulate`: many games between bots, with intervals."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from starfrost.cli.bars import bar, share_bar

if TYPE_CHECKING:
    from starfrost.lab.deals import Setup
    from starfrost.lab.simulate import Summary
    from starfrost.words import Words

__all__ = ["simulate"]


def simulate(
    game: Annotated[str, typer.Argument(help="dicy-cards or dice-stars.")],
    bots: Annotated[str, typer.Option(help="The bots, separated by commas; one alone plays Dice Stars solo.")],
    games: Annotated[int, typer.Option(help="How many games to play.")] = 1000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same games.")] = 0,
    jobs: Annotated[int, typer.Option(help="How many processes to use.")] = 1,
    swap_seats: Annotated[bool, typer.Option("--swap-seats", help="Rotate the seats on the same dice.")] = False,
    cards: Annotated[str | None, typer.Option(help="Dicy Cards: five cards, or the name of a mode.")] = None,
    mode: Annotated[str | None, typer.Option(help="Dicy Cards: glacial, interglacial, b, c or d.")] = None,
    goal: Annotated[int | None, typer.Option(help="Dicy Cards: the points that end the game.")] = None,
    solo_boxes: Annotated[int | None, typer.Option(help="Dice Stars solo: the size of the grid.")] = None,
    lang: Annotated[str, typer.Option(help="en, de, nl or es; otherwise as your system speaks.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Play many games between bots: wins, shared wins, scores and turns, with 95 % intervals."""
    from starfrost.lab.ready import make_ready
    from starfrost.lab.setups import setup
    from starfrost.lab.simulate import Simulation
    from starfrost.lab.simulate import simulate as run
    from starfrost.words import Words, language_from_environment

    w = Words(lang or language_from_environment())
    names = tuple(name.strip() for name in bots.split(","))
    table = setup(game, len(names), cards=cards, mode=mode, goal=goal, solo_boxes=solo_boxes)
    with share_bar(w("solving the cards"), quiet=as_json) as tell:
        make_ready(table, names, tell)
    plan = Simulation(table, names, games, seed, swap_seats)
    with bar(f"{game}: {' – '.join(names)}", games, quiet=as_json) as advance:
        summary = run(plan, jobs, advance)
    if as_json:
        print(json.dumps(summary.as_json()))
    else:
        _show(w, summary, table)


def _show(w: "Words", summary: "Summary", table: "Setup") -> None:
    from rich.console import Console
    from rich.table import Table

    from starfrost.words.numbers import count, decimal, percent

    cards = w("five cards drawn for every deal") if table.drawn else table.headers.get("cards", "")
    caption = w(
        "%(turns)s turns a game, %(seconds)s s",
        turns=decimal(w, summary.mean_turns, 1),
        seconds=decimal(w, summary.seconds, 1),
    )
    shown = Table(
        title=w("%(game)s, %(games)s games", game=summary.game, games=count(w, summary.games)),
        caption=f"{cards}; {caption}" if cards else caption,
    )
    shown.add_column(w("bot"))
    for heading in (w("wins"), w("shared"), w("win rate"), w("95 % interval"), w("mean score")):
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
