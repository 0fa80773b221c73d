"""Dice Stars on the pages."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from starfrost.boards.board import Board, Face, Form, Position
from starfrost.boards.entry import Entry
from starfrost.coach.judge import Part
from starfrost.errors import UsageError
from starfrost.games.dice_stars import Action
from starfrost.games.dice_stars.board import editor
from starfrost.games.dice_stars.board.help import HELP
from starfrost.games.dice_stars.board.illustrations import ILLUSTRATIONS
from starfrost.games.dice_stars.board.lesson import LESSON
from starfrost.games.dice_stars.board.table import COLOUR_SHAPES, StarsTable, dice_kinds, stars_table
from starfrost.games.dice_stars.components import colour_of, face_of
from starfrost.games.dice_stars.sheet import ROWS
from starfrost.games.dice_stars.words import COLOUR_NAMES, STAR
from starfrost.table.moves import ROLL
from starfrost.words import Words, mark

__all__ = ["DiceStarsBoard"]


def _face(number: int) -> str:
    return str(number or STAR)


class DiceStarsBoard(Board):
    """Sheets, coloured dice and a night sky."""

    template = "dice_stars/board.html"
    below_template = "dice_stars/others.html"
    words_template = "dice_stars/words.html"
    sky_template = "dice_stars/sky.html"
    picture_template = "dice_stars/picture.html"
    preview_template = "dice_stars/preview.svg"
    setup_template = "dice_stars/setup.html"
    editor_template = "dice_stars/editor.html"
    templates = Path(__file__).parent / "templates"
    static = Path(__file__).parent / "static"
    sprite_template = "dice_stars/sprite.html"
    figures_template = "dice_stars/figures.html"
    style = "dice_stars.css"
    script = "dice_stars.js"
    emblem = crown = spark = "star"
    faces = (Face(STAR, "star", "star", mark("star")), *(Face(face) for face in "23456"))
    keys = (("Q … P", mark("choose what you take")),)
    lesson = LESSON
    illustrations = ILLUSTRATIONS
    help: ClassVar[Mapping[str, tuple[str, str]]] = HELP
    shapes: ClassVar[Mapping[str, str]] = COLOUR_SHAPES
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

    def read_form(self, form: Form, legal: Sequence[Any]) -> Any:
        """Return the action that a button, a line and ticked rows stand for. Raises UsageError if a part is missing."""
        do, line = str(form.get("do")), str(form.get("take") or "")
        if do not in ("take", "penalty"):
            return do
        if not line:
            raise UsageError("First choose what to take.")
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

    def lights(self, game: Any, state: Any, better: Any, worse: Any, part: Part) -> str:
        """Name the action that a part speaks for, the dice that the better one leaves, or the penalty."""
        of_part = {"penalty": "less", "dice left": f"leave {better.line}"}
        return f"{game.actor(state) + 1} {of_part.get(part.part, better if part.value > 0 else worse)}"

    def entry(self, w: Words, game: Any, state: Any) -> Entry:
        """Return what is asked for: the dice drawn from the bag, of colours that it still holds."""
        question = w.plural(
            "Draw one die from the bag, roll it and enter what it shows.",
            "Draw %(n)s dice from the bag, roll them and enter what they show.",
            state.draw,
        )
        return Entry(question, state.draw, dice_kinds(w, game, state.bag))

    def dice_of_position(self, w: Words, game: Any) -> Entry:
        kinds = dice_kinds(w, game, game.rules.dice)
        return Entry(w("Which dice are in the reserve?"), sum(game.rules.dice), kinds)

    def fields_of(self, game: Any, state: Any) -> Sequence[tuple[str, str]]:
        return editor.fields_of(state)

    def read_position(self, form: Form, game: Any) -> str:
        return editor.read_position(form, game)

    def dice(self, before: Any, outcome: Any) -> Iterable[tuple[str, Sequence[str]]]:
        faces = before.sheets[0].layout.faces
        return ((_face(face_of(die)), [_face(face) for face in faces[colour_of(die)]]) for die in outcome.dice)
