"""`starfrost site`: the games as files that any web space serves."""

from pathlib import Path
from typing import Annotated

import typer

from starfrost.cli.options import Lang, words
from starfrost.errors import mark


def site(
    folder: Annotated[Path, typer.Argument(help=mark("The folder to write into."), metavar=mark("FOLDER"))],
    lang: Lang = "",
) -> int:
    """Run `starfrost site`."""
    from starfrost.here.site import write_site

    w = words(lang)
    size = write_site(folder, w.language)
    print(
        w(
            "%(folder)s has everything (%(size)s MB): any web space with https can serve it, under any address, and so "
            "can python -m http.server -d %(folder)s on this machine.",
            folder=folder,
            size=round(size / 1e6),
        )
    )
    return 0
