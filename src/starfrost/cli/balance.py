"""`starfrost balance`: equal bots, by seat, table size and option."""

import json
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from starfrost.cli.bars import bar
from starfrost.cli.help import explained
from starfrost.cli.options import AsJson, Cluster, crew_of, game_options, with_options
from starfrost.errors import UsageError, mark
from starfrost.games.registry import GAMES

if TYPE_CHECKING:
    from starfrost.lab.balance import Balance


@explained(game=lambda w: w("The game: %(games)s.", games=w.one_of(GAMES)))
@with_options(game_options())
def balance(
    game: Annotated[str, typer.Argument()],
    options: Mapping[str, str | int],
    bot: Annotated[str, typer.Option(help=mark("The bot in every seat."))] = "planner",
    players: Annotated[str, typer.Option(help=mark("Table sizes, separated by commas; default: all."))] = "",
    sweep: Annotated[str, typer.Option(help=mark("Try the values of an option, such as goal=60..140..10."))] = "",
    games: Annotated[int, typer.Option(help=mark("How many games to play."))] = 1000,
    seed: Annotated[int, typer.Option(help=mark("The same seed gives the same games."))] = 0,
    jobs: Annotated[int, typer.Option(help=mark("How many processes to use."))] = 1,
    cluster: Cluster = "",
    html: Annotated[Path | None, typer.Option(help=mark("Write a report with charts to this file."))] = None,
    csv: Annotated[Path | None, typer.Option(help=mark("Write every game to this file, a line for each seat."))] = None,
    as_json: AsJson = False,
) -> None:
    """Run `starfrost balance`."""
    from starfrost.pool import one_thread

    one_thread()
    from random import Random

    from starfrost.games.setup import Setup
    from starfrost.lab.balance import Table, measure, swept
    from starfrost.lab.balance_report import report
    from starfrost.lab.deals import make_ready
    from starfrost.lab.simulate import check_numbers
    from starfrost.players.registry import bots_for, make_bot

    check_numbers(games, jobs)
    try:
        sizes = [int(size) for size in players.split(",")] if players else list(GAMES[game].seats)
    except ValueError:
        raise UsageError("%(text)s is no list of table sizes: expected one such as 2,3.", text=players) from None
    tried = [(f"{name}={value}", {name: value}) for name, value in swept(sweep)] if sweep else [("", {})]
    results: list[Balance] = []
    with ExitStack() as stack:
        rows = stack.enter_context(csv.open("w", encoding="utf-8")) if csv is not None else None
        if rows is not None:
            rows.write("players,option,game,turns,seat,score,credit\n")
        for size in sizes:
            for label, extra in tried:
                setup = Setup.of(game, size, **{**options, **extra})
                made = setup.make_exactly(Random(0))
                if not players and bot not in bots_for(made):
                    continue
                make_bot(bot, made)
                with bar(f"{game} {size} {label}", quiet=as_json) as show:
                    make_ready(setup, (bot,), show)
                with bar(f"{game} {size} {label}", games, quiet=as_json) as show:

                    def write(numbers: range, found: Any, size: int = size, label: str = label) -> None:
                        if rows is not None:
                            for at, number in enumerate(numbers):
                                for seat in range(size):
                                    score, credit = found.scores[at, 0, seat], found.credits[at, 0, seat]
                                    turns = found.turns[at, 0]
                                    rows.write(f"{size},{label},{number},{turns},{seat + 1},{score},{credit:g}\n")

                    table = Table(setup, bot, seed)
                    results.append(measure(table, label, games, crew_of(jobs, cluster), show, write))
    if not results:
        raise UsageError("%(bot)s plays at none of these tables.", bot=bot)
    if html is not None:
        html.write_text(report(f"{game}: {bot}", results), encoding="utf-8")
    if as_json:
        print(json.dumps({"game": game, "bot": bot, "tables": [result.as_json() for result in results]}))
    else:
        _show(results)


def _show(results: "list[Balance]") -> None:
    from rich.console import Console
    from rich.table import Table

    shown = Table()
    for heading in ("players", "seat", "wins", "95 % interval", "score", "turns"):
        shown.add_column(heading, justify="right")
    for result in results:
        for at, seat in enumerate(result.seats, 1):
            low, high = seat.win_rate.interval
            name = f"{result.players} {result.option}".strip() if at == 1 else ""
            shown.add_row(
                name,
                str(at),
                f"{100 * seat.win_rate.mean:.1f} %",
                f"{100 * low:.1f} – {100 * high:.1f} %",
                f"{seat.mean_score:.1f}",
                f"{result.mean_turns:.1f}" if at == 1 else "",
            )
    Console().print(shown)
