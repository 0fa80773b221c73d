"""Dice Stars on the pages."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from starlette.datastructures import FormData

from starfrost.errors import UsageError
from starfrost.games.dice_stars import Action
from starfrost.games.dice_stars.components import colour_of, face_of
from starfrost.games.dice_stars.sheet import ROWS
from starfrost.table import ROLL
from starfrost.web.boards.board import Board, Face, Position
from starfrost.web.boards.dice_stars.illustrations import ILLUSTRATIONS
from starfrost.web.boards.dice_stars.lesson import LESSON
from starfrost.web.boards.dice_stars.table import COLOUR_SHAPES, StarsTable, stars_table
from starfrost.words import Words, mark
from starfrost.words.dice_stars import COLOUR_NAMES, STAR

__all__ = ["DiceStarsBoard"]


def _face(number: int) -> str:
    return str(number or STAR)


class DiceStarsBoard(Board):
    """Sheets, coloured dice and a night sky."""

    template = "dice_stars/board.html"
    words_template = "dice_stars/words.html"
    sky_template = "dice_stars/sky.html"
    picture_template = "dice_stars/picture.html"
    preview_template = "dice_stars/preview.svg"
    setup_template = "dice_stars/setup.html"
    sprite_template = "dice_stars/sprite.html"
    figures_template = "dice_stars/figures.html"
    style = "dice_stars.css"
    script = "dice_stars.js"
    emblem = crown = spark = "star"
    faces = (Face(STAR, "star", "star", mark("star")), *(Face(face) for face in "23456"))
    keys = (("Q … P", mark("choose what you take")),)
    lesson = LESSON
    illustrations = ILLUSTRATIONS
    shapes: ClassVar[Mapping[str, str]] = COLOUR_SHAPES
    lines: ClassVar = (*COLOUR_SHAPES, "stars", *"23456")
    """Everything that can be taken, in the order of the page."""
    colours: ClassVar[Mapping[str, str]] = COLOUR_NAMES

    def invitation(self, w: Words) -> str:
        return w("Draw dice, take a colour, a number or the stars, and fill your sheet for the highest total.")

    def die_of(self, sign: str) -> tuple[str, str]:
        """Return the colour and the face that a sign of a drawing stands for; empty if it is no die."""
        colour = sign.rstrip("*23456")
        return (colour, sign[len(colour) :].replace("*", STAR)) if colour in COLOUR_SHAPES else ("", "")

    def subtitle(self, w: Words, game: Any) -> str:
        return w("Solo") if game.solo_boxes else ""

    def draw(self, w: Words, position: Position) -> StarsTable:
        return stars_table(w, position)

    def read_form(self, form: FormData, legal: Sequence[Any]) -> Any:
        """Return the action that a button, a line and ticked rows stand for. Raises UsageError if a part is missing."""
        do, line = str(form.get("do")), str(form.get("take") or "")
        if do not in ("take", "penalty"):
            return do
        if not line:
            raise UsageError("Choose what you take first.")
        if line != "stars":
            return Action(do, line)
        rows = sorted(int(str(row)) for row in form.getlist("row") if row in {str(row) for row in ROWS})
        ways = [action for action in legal if action is not ROLL and action.line == "stars"]
        need = len(ways[0].rows) if ways else 0
        if len(rows) != need:
            raise (
                UsageError("Tick exactly one star box.")
                if need == 1
                else UsageError("Tick exactly %(n)s star boxes.", n=need)
            )
        return Action(do, line, rows=tuple(rows))

    def dice(self, before: Any, outcome: Any) -> Iterable[tuple[str, Sequence[str]]]:
        faces = before.sheets[0].layout.faces
        return ((_face(face_of(die)), [_face(face) for face in faces[colour_of(die)]]) for die in outcome.dice)
