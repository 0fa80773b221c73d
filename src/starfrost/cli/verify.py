"""`starfrost verify`: prove a game's dice from its record alone."""

from pathlib import Path
from typing import Annotated

import typer

from starfrost.errors import RecordError
from starfrost.games.record import read_file

__all__ = ["verify"]


def verify(
    files: Annotated[list[Path], typer.Argument(help="Records of online games (.sfr).", metavar="FILE…")],
) -> int:
    """Prove that no die was rigged; exit status 1 if any record does not prove it."""
    from starfrost.table.proof import prove

    failed = 0
    for file in files:
        try:
            proof = prove(read_file(file))
        except RecordError as error:
            failed += 1
            print(f"{file}:{error.line}: {error}")
            continue
        made = f"{proof.players} by players" + (
            f", {proof.made_by_server} by the server" if proof.made_by_server else ""
        )
        end = "" if proof.finished else ", up to where the game was left"
        print(
            f"{file}: every die proven: {proof.rolls} rolls follow from the sealed seed and the contributions"
            f" ({made}){end}."
        )
    return 1 if failed else 0
