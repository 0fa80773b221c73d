"""`starfrost replay`: read records, check every line, say how each game stands."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from starfrost.errors import RecordError
from starfrost.games.record import Replay, parse_record, read_file
from starfrost.games.record import replay as replay_record

__all__ = ["replay"]


def replay(
    files: Annotated[list[Path], typer.Argument(help="Records to read (.sfr).", metavar="FILE…")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a file, each on one line.")] = False,
) -> int:
    """Read records and check every event; exit status 1 if any record is faulty."""
    faulty = 0
    for file in files:
        try:
            played = replay_record(parse_record(read_file(file)))
        except RecordError as error:
            faulty += 1
            fault = {"file": str(file), "ok": False, "line": error.line, "error": str(error)}
            print(json.dumps(fault) if as_json else f"{file}:{error.line}: {error}")
        else:
            print(json.dumps(_facts(file, played)) if as_json else _sentence(file, played))
    return 1 if faulty else 0


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
    }


def _sentence(file: Path, played: Replay) -> str:
    record = played.record
    standings = ", ".join(f"{name} {score}" for name, score in zip(record.players, played.scores, strict=True))
    winners = " and ".join(record.players[seat] for seat in played.winners) or "nobody"
    end = f"won by {winners}" if played.finished else "unfinished"
    return f"{file}: {record.game.name}, {end}; {standings}; {played.turns} turns."
