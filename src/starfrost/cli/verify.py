"""`starfrost verify`: prove the dice of a game from its record."""

from pathlib import Path
from typing import Annotated

import typer

from starfrost.cli.options import words
from starfrost.errors import RecordError, mark
from starfrost.games.record import read_file


def verify(
    files: Annotated[list[Path], typer.Argument(help=mark("Records of online games (.sfr)."), metavar=mark("FILE…"))],
) -> int:
    """Run `starfrost verify`."""
    from starfrost.fair.proof import prove

    w = words()
    failed = 0
    for file in files:
        try:
            proof = prove(read_file(file))
        except RecordError as error:
            failed += 1
            print(f"{file}:{error.line}: {w.say(error)}")
            continue
        end = "" if proof.finished else w(", up to where the game was left")
        if proof.daily:
            proven = w(
                "every die proven: %(rolls)s rolls follow from the sealed seed of the daily game of %(day)s",
                rolls=proof.rolls,
                day=proof.daily,
            )
            print(f"{file}: {proven}{end}.")
            continue
        made = [w("%(n)s by players", n=proof.players)]
        if proof.made_by_server:
            made.append(w("%(n)s by the server", n=proof.made_by_server))
        proven = w(
            "every die proven: %(rolls)s rolls follow from the sealed seed and the contributions (%(made)s)",
            rolls=proof.rolls,
            made=", ".join(made),
        )
        given = ""
        if proof.given:
            given = " " + w(
                "The first %(n)s events were given: their dice were rolled elsewhere and are not proven.", n=proof.given
            )
        print(f"{file}: {proven}{end}.{given}")
    return 1 if failed else 0
