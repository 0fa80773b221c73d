"""The terminal's pictures in the README: drawn by the program itself from two saved games.

python -m bench.pictures            writes docs/pictures/terminal-*.svg
"""

import re
from io import StringIO
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

from starfrost.terminal import saves
from starfrost.terminal.play import Play
from starfrost.terminal.screen import Screen

FOLDER: Final = Path(__file__).parents[1] / "docs" / "pictures"
PICTURES: Final = {"terminal-dicy-cards": "en", "terminal-dice-stars": "en"}


def picture(name: str, language: str) -> str:
    """Draw the question that a saved game waits for, as a picture."""
    console = Console(
        file=StringIO(),
        record=True,
        width=80,
        height=24,
        force_terminal=True,
        color_system="truecolor",
        highlight=False,
    )
    play = Play(Screen(language, console=console), saves.resume(FOLDER / f"{name}.sfr"))
    play.seat = play.session.actor
    play.draw(play.table.menu(play.session.state))
    console.print(Text.assemble((f" {play.hint(False)}", "dim"), (" > ", "bold"), ("█", "blink")))
    svg = console.export_svg(title="starfrost play", theme=MONOKAI, unique_id=name)
    # No fonts from elsewhere: the reader's own monospaced one will do.
    svg = re.sub(r"\s*@font-face\s*{[^}]*}|\s*<!--.*?-->", "", svg)
    return re.sub(r"[ \t]+\n", "\n", svg.replace("Fira Code", "ui-monospace, Menlo, Consolas"))


def main() -> None:
    """Draw all pictures."""
    for name, language in PICTURES.items():
        path = FOLDER / f"{name}.svg"
        path.write_text(picture(name, language), encoding="utf-8")
        print(f"{path.relative_to(FOLDER.parents[1])}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
