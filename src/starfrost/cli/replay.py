"""`starfrost replay`: read records, check every line, print the standing of each game."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from starfrost.cli.options import variant_json, variant_told, words
from starfrost.errors import RecordError, UsageError, mark
from starfrost.games.record import Replay, parse_record, read_file
from starfrost.games.record import replay as replay_record
from starfrost.words import Words


def replay(
    files: Annotated[list[Path], typer.Argument(help=mark("Records to read (.sfr)."), metavar=mark("FILE…"))],
    as_json: Annotated[
        bool, typer.Option("--json", help=mark("Print one JSON object a file, each on one line."))
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help=mark("Watch the games in the terminal, event by event."))
    ] = False,
) -> int:
    """Run `starfrost replay`."""
    w = words()
    faulty = 0
    for file in files:
        try:
            played = replay_record(parse_record(read_file(file)))
        except RecordError as error:
            faulty += 1
            fault = {"file": str(file), "ok": False, "line": error.line, "error": str(error)}
            print(json.dumps(fault) if as_json else f"{file}:{error.line}: {w.say(error)}")
        else:
            if watch:
                _watch(w, file, played)
            print(json.dumps(_facts(file, played)) if as_json else _sentence(w, file, played))
    return 1 if faulty else 0


def _watch(w: Words, file: Path, played: Replay) -> None:
    from starfrost.terminal.registry import BOARDS
    from starfrost.terminal.screen import Screen
    from starfrost.terminal.watch import watch

    if played.record.game.name not in BOARDS:
        raise UsageError("There is no board of %(game)s in the terminal.", game=played.record.game.name)
    watch(Screen(w.language), file, played)


def _facts(file: Path, played: Replay) -> dict[str, Any]:
    return {
        "file": str(file),
        "ok": True,
        "game": played.record.game.name,
        "finished": played.finished,
        "scores": list(played.scores),
        "winners": [seat + 1 for seat in played.winners],
        "turns": played.turns,
        **played.record.game.extra_results(played.final),
        **variant_json(played.record.game),
    }


def _sentence(w: Words, file: Path, played: Replay) -> str:
    record = played.record
    facts: dict[str, object] = {
        "file": file,
        "game": ", ".join(filter(None, (record.game.name, variant_told(w, record.game)))),
        "winners": w.all_of(record.players[seat] for seat in played.winners),
        "standings": ", ".join(f"{name} {score}" for name, score in zip(record.players, played.scores, strict=True)),
        "turns": played.turns,
    }
    if not played.finished:
        return w("%(file)s: %(game)s, unfinished; %(standings)s; %(turns)s turns.", **facts)
    if not played.winners:
        return w("%(file)s: %(game)s, no winner; %(standings)s; %(turns)s turns.", **facts)
    return w("%(file)s: %(game)s, won by %(winners)s; %(standings)s; %(turns)s turns.", **facts)
