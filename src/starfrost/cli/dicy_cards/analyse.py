"""`starfrost analyse`: the loss of every decision of a record, and the luck of every roll."""

import json
from pathlib import Path
from typing import Annotated

import typer

from starfrost.cli.dicy_cards.solve import solved
from starfrost.cli.options import AsJson, Lang, words
from starfrost.errors import mark


def analyse(
    file: Annotated[
        Path, typer.Argument(help=mark("A record of a two-player game of Dicy Cards (.sfr)."), metavar=mark("FILE"))
    ],
    svg: Annotated[
        Path | None, typer.Option(help=mark("Save the curve of the winning chance as an SVG picture."))
    ] = None,
    lang: Lang = "",
    as_json: AsJson = False,
) -> None:
    """Run `starfrost analyse`."""
    from starfrost.coach.analysis import analyse as judge
    from starfrost.coach.curve import curve_svg
    from starfrost.coach.report import report, worst_sentences
    from starfrost.errors import RecordError, UsageError
    from starfrost.games.dicy_cards import DicyCards
    from starfrost.games.record import decode, parse_record, replay
    from starfrost.solver.adviser import Adviser

    try:
        played = replay(parse_record(decode(file.read_bytes())))
    except OSError as error:
        raise UsageError("%(file)s cannot be read: %(reason)s.", file=file, reason=error.strerror) from None
    except RecordError as error:
        raise UsageError("%(file)s, line %(line)s: %(fault)s", file=file, line=error.line, fault=error) from None
    game = played.record.game
    if not isinstance(game, DicyCards):
        raise UsageError("The coach can only judge two-player Dicy Cards; %(file)s is a Dice Stars record.", file=file)
    if game.seats != 2:
        raise UsageError(
            "The coach can only judge two-player Dicy Cards; %(file)s is a record of %(seats)s players.",
            file=file,
            seats=game.seats,
        )
    w = words(lang)
    found = judge(Adviser(game, solved(w, game.cards, game.goal, quiet=as_json)), played)
    if svg is not None:
        try:
            drawn = curve_svg(w, played.record.players[0], found, worst_sentences(w, played, found))
            svg.write_text(drawn, encoding="utf-8")
        except OSError as error:
            raise UsageError("%(file)s cannot be written: %(reason)s.", file=svg, reason=error.strerror) from None
    if as_json:
        facts = {"file": str(file), "cards": list(game.cards), "goal": game.goal}
        print(json.dumps(facts | found.as_json(played.record.players)))
    else:
        print("\n".join(report(w, played, found)))
