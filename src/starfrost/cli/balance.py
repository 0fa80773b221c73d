"""`starfrost balance`: equal bots, by seat, table size and option."""

import json
import shlex
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from starfrost.cli.bars import bar
from starfrost.cli.help import explained
from starfrost.cli.options import AsJson, Cluster, Lang, Resume, game_options, with_options, words, workers_of
from starfrost.errors import UsageError, mark
from starfrost.games.registry import GAMES

if TYPE_CHECKING:
    from starfrost.lab.balance import Balance, Trial
    from starfrost.words import Words

SWEEP: Final = mark(
    "Try the values of an option, such as goal=60..140..10, or of a number in the rules, such as "
    "card.odds.points=sum + 1..6; may be given several times."
)
BLOCKS: Final = " ▁▂▃▄▅▆▇█"
FEW: Final = 4
"""Up to so many tables the terminal shows everything about each; of more, only the results."""


@explained(game=lambda w: w("The game: %(games)s.", games=w.one_of(GAMES)))
@with_options(game_options())
def balance(
    game: Annotated[str, typer.Argument()],
    options: Mapping[str, str | int],
    bot: Annotated[str, typer.Option(help=mark("The bot in every seat."))] = "planner",
    against: Annotated[
        str, typer.Option(help=mark("Also play the bot against this weaker one: how much skill decides."))
    ] = "",
    players: Annotated[str, typer.Option(help=mark("Table sizes, separated by commas; default: all."))] = "",
    sweep: Annotated[list[str] | None, typer.Option(help=SWEEP)] = None,
    games: Annotated[int, typer.Option(help=mark("How many games to play."))] = 1000,
    seed: Annotated[int, typer.Option(help=mark("The same seed gives the same games."))] = 0,
    jobs: Annotated[int, typer.Option(help=mark("How many processes to use."))] = 1,
    cluster: Cluster = "",
    resume: Resume = None,
    html: Annotated[Path | None, typer.Option(help=mark("Write a report with charts to this file."))] = None,
    csv: Annotated[Path | None, typer.Option(help=mark("Write every game to this file, a line for each seat."))] = None,
    parquet: Annotated[Path | None, typer.Option(help=mark("The same as a Parquet file; needs PyArrow."))] = None,
    lang: Lang = "",
    as_json: AsJson = False,
) -> None:
    """Run `starfrost balance`."""
    from starfrost.workers import one_thread

    one_thread()
    from starfrost.lab.balance import Study, measure, with_skill
    from starfrost.lab.balance_report import report
    from starfrost.lab.deals import make_ready
    from starfrost.lab.game_files import csv_file, parquet_file
    from starfrost.lab.simulate import check_numbers

    w = words(lang)
    check_numbers(games, jobs)
    workers = workers_of(jobs, cluster)
    if resume is not None and (csv is not None or parquet is not None):
        raise UsageError("--resume keeps sums, not games: leave out --csv and --parquet.")
    tables = _tables(game, options, bot, players, sweep or [], seed, against)
    with ExitStack() as stack:
        files = [stack.enter_context(csv_file(csv))] if csv is not None else []
        if parquet is not None:
            files.append(stack.enter_context(parquet_file(parquet, _facts(tables, games))))
        for table in tables:
            with bar(w("solving the cards"), quiet=as_json) as show:
                make_ready(table.setup, (bot,), show)

        def write(rows: Any, number: int) -> None:
            for file in files:
                file.write(rows, number)

        study = Study(tuple(tables), games, bool(files))
        with bar(f"{game}: {bot}", games * len(tables), quiet=as_json) as show:
            results = measure(study, workers, show, resume=resume, write=write)
    if against:
        with bar(f"{game}: {bot} – {against}", len(results), quiet=as_json) as show:
            for done, result in enumerate(results, 1):
                results[done - 1] = with_skill(result, games, seed, workers) if result.players > 1 else result
                show(done)
    if html is not None:
        command = shlex.join(["starfrost", *sys.argv[1:]])
        try:
            html.write_text(report(w, game, bot, seed, results, command), encoding="utf-8")
        except OSError as error:
            raise UsageError("%(file)s cannot be written: %(reason)s.", file=html, reason=error.strerror) from error
    if as_json:
        print(json.dumps({"game": game, "bot": bot, "tables": [result.as_json() for result in results]}))
    else:
        _show(w, results, tip=html is None)


def _tables(
    game: str, options: Mapping[str, str | int], bot: str, players: str, sweeps: list[str], seed: int, against: str
) -> "list[Trial]":
    """Return the tables to play at: every size with every combination of the swept values. Raises UsageError."""
    from random import Random

    from starfrost.bots.registry import bots_for, make_bot
    from starfrost.games.setup import Setup
    from starfrost.lab.balance import Trial
    from starfrost.lab.sweeps import check_sweeps, trials

    try:
        sizes = [int(size) for size in players.split(",")] if players else list(GAMES[game].seats)
    except ValueError:
        raise UsageError("%(text)s is not a list of table sizes: expected one such as 2,3.", text=players) from None
    tables = []
    tried = trials(game, options, sweeps)
    if sizes:
        check_sweeps(game, sizes[-1], tried)
    for size in sizes:
        for trial in tried:
            setup = Setup.of(game, size, **trial.options)
            made = setup.make_exactly(Random(0))
            if players or bot in bots_for(made, unlisted=True):
                make_bot(bot, made)
                if against:
                    make_bot(against, made)
                tables.append(Trial(setup, bot, seed, trial.label, trial.value, against))
    if not tables:
        raise UsageError("%(bot)s plays at none of these tables.", bot=bot)
    return tables


def _facts(tables: "list[Trial]", games: int) -> dict[str, Any]:
    """Return what a file of games says about its run; the rules by their digest."""
    from starfrost import __version__

    variants = [table.setup.variant for table in tables]
    return {
        "version": __version__,
        "game": tables[0].setup.game,
        "bot": tables[0].bot,
        "seed": tables[0].seed,
        "games": games,
        "tables": [
            {**table.setup.options, "players": table.setup.seats, "option": table.option}
            | ({"rules": variant.digest} if variant else {})
            for table, variant in zip(tables, variants, strict=True)
        ],
        "rules": {variant.digest: json.loads(variant.text) for variant in variants if variant},
    }


def _show(w: "Words", results: "list[Balance]", *, tip: bool) -> None:
    from rich.console import Console
    from rich.table import Table

    from starfrost.lab.verdict import names_of, values_of, verdicts
    from starfrost.words.numbers import decimal, percent

    swept = any(result.option for result in results)
    names = names_of(results) if swept else []
    shown = Table(title=", ".join(names) or None)
    if swept:
        shown.add_column(w("value"), overflow="fold")
    for heading in (w("players"), w("seat"), w("win rate"), w("95% interval"), w("mean score"), w("turns")):
        shown.add_column(heading, justify="right", no_wrap=True)
    for result in results:
        for at, seat in enumerate(result.seats, 1):
            low, high = seat.win_rate.interval
            first = at == 1
            shown.add_row(
                *([", ".join(values_of(names, result.option)) if first else ""] if swept else []),
                str(result.players) if first else "",
                str(at),
                percent(w, seat.win_rate.mean, 1),
                f"{percent(w, low, 1)} – {percent(w, high, 1)}",
                decimal(w, seat.mean_score, 1),
                decimal(w, result.mean_turns, 1) if first else "",
            )
    console = Console()
    console.print(shown)
    for sentence in verdicts(w, results):
        console.print(sentence, highlight=False)
    if len(results) <= FEW:
        for result in results:
            _show_more(w, console, result)
    elif tip:
        print(w("--html FILE writes a report with the scores, the turns and the part of each card or row."))


def _show_more(w: "Words", console: Any, result: "Balance") -> None:
    """Show the spread of scores and turns, and what the seats did."""
    from rich.table import Table

    from starfrost.lab.balance_report import bins_of, facts_of, title_of
    from starfrost.words.numbers import decimal

    console.print(f"\n{title_of(w, result)}", style="bold", highlight=False)
    for name, counts in ((w("final scores"), result.scores), (w("turns"), result.turns)):
        bins = bins_of(counts).counts
        line = "".join(BLOCKS[-(-number * 8 // max(bins))] for number in bins)
        console.print(f"{name}: {min(counts)} {line} {max(counts)}", highlight=False)
    groups = facts_of(w, result)
    if groups:
        shown = Table()
        shown.add_column("")
        for heading in (w("every seat"), w("winners")):
            shown.add_column(heading, justify="right")
        for kind, rows in groups.items():
            shown.add_section()
            if len(rows) > 1:
                shown.add_row(kind, "", "", style="bold")
            for label, mean, winners in rows:
                shown.add_row(f"  {label}" if len(rows) > 1 else kind, decimal(w, mean, 2), decimal(w, winners, 2))
        console.print(shown)
