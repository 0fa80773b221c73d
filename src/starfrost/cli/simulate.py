"""`starfrost simulate`: many games between bots, with intervals."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from starfrost.cli.bars import bar, share_bar

if TYPE_CHECKING:
    from starfrost.lab.deals import Setup
    from starfrost.lab.simulate import Summary

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
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Play many games between bots: wins, shared wins, scores and turns, with 95 % intervals."""
    from starfrost.lab.ready import make_ready
    from starfrost.lab.setups import setup
    from starfrost.lab.simulate import Simulation
    from starfrost.lab.simulate import simulate as run

    names = tuple(name.strip() for name in bots.split(","))
    table = setup(game, len(names), cards=cards, mode=mode, goal=goal, solo_boxes=solo_boxes)
    with share_bar("solving the cards", quiet=as_json) as tell:
        make_ready(table, names, tell)
    plan = Simulation(table, names, games, seed, swap_seats)
    with bar(f"{game}: {' – '.join(names)}", games, quiet=as_json) as advance:
        summary = run(plan, jobs, advance)
    if as_json:
        print(json.dumps(summary.as_json()))
    else:
        _show(summary, table)


def _show(summary: "Summary", table: "Setup") -> None:
    from rich.console import Console
    from rich.table import Table

    cards = "five cards drawn for every deal" if table.drawn else table.headers.get("cards", "")
    caption = f"{summary.mean_turns:.1f} turns a game, {summary.seconds:.1f} s"
    shown = Table(title=f"{summary.game}, {summary.games:,} games", caption=f"{cards}; {caption}" if cards else caption)
    for heading in ("bot", "wins", "shared", "win rate", "95 % interval", "mean score"):
        shown.add_column(heading, justify="left" if heading == "bot" else "right")
    for player in summary.players:
        low, high = player.win_rate.interval
        shown.add_row(
            player.bot,
            f"{player.wins:,}",
            f"{player.shared:,}",
            f"{player.win_rate.mean:.1%}",
            f"{low:.1%} – {high:.1%}",
            f"{player.mean_score:.1f}",
        )
    Console().print(shown)
