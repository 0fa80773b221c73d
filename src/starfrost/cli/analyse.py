"""`starfrost analyse`: the loss of every decision of a record, and the luck of every roll."""

import json
from pathlib import Path
from typing import Annotated

import typer

from starfrost.cli.options import AsJson, Lang, listed, variant_json, variant_told, words
from starfrost.cli.registry import JUDGES
from starfrost.errors import mark


def analyse(
    file: Annotated[Path, typer.Argument(help=mark("The record of a game (.sfr)."), metavar=mark("FILE"))],
    svg: Annotated[
        Path | None, typer.Option(help=mark("Save the curve of the winning chance as an SVG picture."))
    ] = None,
    lang: Lang = "",
    as_json: AsJson = False,
) -> None:
    """Run `starfrost analyse`."""
    from starfrost.errors import RecordError, UsageError
    from starfrost.games.record import decode, parse_record, replay

    try:
        played = replay(parse_record(decode(file.read_bytes())))
    except OSError as error:
        raise UsageError("%(file)s cannot be read: %(reason)s.", file=file, reason=error.strerror) from None
    except RecordError as error:
        raise UsageError("%(file)s, line %(line)s: %(fault)s", file=file, line=error.line, fault=error) from None
    judge = JUDGES.get(played.record.game.name)
    if judge is None:
        raise UsageError("The coach cannot judge %(file)s; it knows %(games)s.", file=file, games=listed(JUDGES))
    w = words(lang)
    judged = judge(w, file, played, as_json)
    if svg is not None:
        try:
            svg.write_text(judged.svg(), encoding="utf-8")
        except OSError as error:
            raise UsageError("%(file)s cannot be written: %(reason)s.", file=svg, reason=error.strerror) from None
    if as_json:
        print(json.dumps({"file": str(file), **judged.facts, **variant_json(played.record.game)}))
    else:
        if line := variant_told(w, played.record.game):
            print(line)
        print("\n".join(judged.lines()))
