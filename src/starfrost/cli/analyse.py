"""`starfrost analyse`: the loss of every decision of a record, and the luck of every roll."""

import json
from pathlib import Path
from typing import Annotated

import typer

from starfrost.cli.bars import bar
from starfrost.cli.options import AsJson, Lang, listed, variant_json, variant_told, words
from starfrost.errors import mark
from starfrost.workers import one_thread


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
    one_thread()
    from starfrost.coach.analysis import analyse as analysed
    from starfrost.coach.curve import curve_svg
    from starfrost.coach.registry import COACHES
    from starfrost.coach.report import report, worst_sentences

    game, names, w = played.record.game, played.record.players, words(lang)
    coach = COACHES.get(game.name)
    if coach is None:
        raise UsageError("The coach cannot judge %(file)s; it knows %(games)s.", file=file, games=listed(COACHES))
    with bar(w("solving"), quiet=as_json or coach.can_judge(game)) as show:
        judge = coach.prepare(game, show)
    found = analysed(judge, played, jobs=2)
    if svg is not None:
        drawn = curve_svg(w, names[0], found, worst_sentences(w, coach, played, found))
        try:
            svg.write_text(drawn, encoding="utf-8")
        except OSError as error:
            raise UsageError("%(file)s cannot be written: %(reason)s.", file=svg, reason=error.strerror) from None
    if as_json:
        print(json.dumps({"file": str(file), **coach.facts(game), **found.as_json(names), **variant_json(game)}))
    else:
        if line := variant_told(w, game):
            print(line)
        print("\n".join(report(w, coach, played, found)))
