"""What the pages need to know of a game. A game's own board overrides some of it.

The defaults are enough to play: a plain board with the scores and one button for each legal action, and a set-up form
made from the options that the game declares.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Protocol, overload

from markupsafe import Markup

from starfrost.boards.entry import Entry, Key, Kind
from starfrost.boards.lessons import Lesson
from starfrost.boards.rules import Illustrations, Point
from starfrost.boards.seats import Lane, look_of
from starfrost.coach.judge import Part
from starfrost.games.core import CHANCE, OVER
from starfrost.games.kit import MODE, GameKit, Option
from starfrost.games.registry import GAMES
from starfrost.games.variants import Variant
from starfrost.table.moves import Move
from starfrost.table.view import SeatView
from starfrost.words import Words, rules
from starfrost.words.registry import PLAIN, WORDS
from starfrost.words.story import narrate, tell


class Form(Protocol):
    """The fields of a form or of an address."""

    @overload
    def get(self, name: str, /) -> Any: ...

    @overload
    def get(self, name: str, default: Any, /) -> Any:
        """Return the value of a field, the last one if there are several."""

    def getlist(self, name: str, /) -> Sequence[Any]:
        """Return every value of a field."""


@dataclass(frozen=True)
class Position:
    """A position of a game as one reader sees it."""

    game: Any
    state: Any
    names: Sequence[str]
    seats: Sequence[SeatView]
    me: int | None
    """The reader's seat, from 0; None for a watcher."""
    legal: Sequence[Any] = ()
    """The actions that the reader may take; empty if it is not the reader's turn."""
    may_roll: bool = False
    """Whether the reader may roll the dice that start a turn."""
    past: Sequence[Move] = ()
    """The last moves up to here."""
    first: bool = False
    """Whether this is the reader's first game, in which the board says what to do."""

    def own_deeds(self, *verbs: str) -> int:
        """Return how many of the last moves were decisions of the reader with one of these verbs."""
        return sum(move.seat == self.me and move.action.verb in verbs for move in self.past)

    @property
    def acting(self) -> int | None:
        """The seat that acts or for which chance acts, from 0; None when the game is over."""
        actor = self.game.actor(self.state)
        return None if actor == OVER else actor if actor >= 0 else int(self.game.turn_of(self.state))

    @property
    def outcome(self) -> Any:
        """The last event if that was an outcome of chance; None otherwise."""
        last = self.past[-1] if self.past else None
        return last.action if last is not None and self.game.actor(last.before) == CHANCE else None

    @property
    def last_round(self) -> bool:
        """Whether the last round is being played."""
        return GAMES[self.game.name].last_round(self.game, self.state) is not None

    @property
    def last_turn(self) -> bool:
        """Whether no other turn follows this one."""
        return self.last_round and self.game.turn_of(self.state) == self.game.seats - 1

    def lanes(self, goal: int, notes: Sequence[str] = ()) -> tuple[Lane, ...]:
        """Return one lane for each seat."""
        scores, acting = self.game.scores(self.state), self.acting
        return tuple(
            Lane(
                number=i + 1,
                look=look_of(self.seats, i + 1),
                name=self.names[i],
                score=scores[i],
                share=max(0.0, min(100.0, round(100 * scores[i] / max(goal, 1), 1))),
                turn=acting == i,
                you=seat.yours,
                bot=seat.kind == "bot",
                present=seat.present or seat.kind == "bot",
                note=notes[i] if notes else "",
                stand_in=seat.away is not None,
                program=seat.program,
            )
            for i, seat in enumerate(self.seats)
        )


@dataclass(frozen=True)
class Face:
    """A face of the game's dice, for statistics: its text, and the drawing that shows it if there is one."""

    text: str
    icon: str = ""
    style: str = ""
    """The style class of the drawing."""
    name: str = ""
    """What the drawing shows, if the text does not say it."""


def form_number(form: Form, name: str, default: int, low: int, high: int) -> int:
    """Return a number of a form, moved into its limits; the default if it is missing or not a number."""
    try:
        return min(high, max(low, int(str(form.get(name, default)))))
    except ValueError:
        return default


class Board:
    """How a game looks on the pages, and what its forms mean."""

    # Templates, in the folder `templates` of this package or of the board's own distribution.
    template: ClassVar[str] = "plain/board.html"
    below_template: ClassVar[str] = ""
    """What is shown of a position beside the board, and on a phone below it: nothing that a decision needs."""
    words_template: ClassVar[str] = "plain/words.html"
    """The position as text and tables, inside the form of the table in words."""
    sky_template: ClassVar[str] = "parts/mountains.html"
    picture_template: ClassVar[str] = "plain/picture.html"
    """The picture on the start page."""
    preview_template: ClassVar[str] = "plain/preview.svg"
    """The drawing in the pictures of link previews, a box of 440 by 440 points: of `t` if that is not None."""
    setup_template: ClassVar[str] = "plain/setup.html"
    editor_template: ClassVar[str] = "plain/editor.html"
    """The fields of a position, as they stand in `given`."""
    lobby_template: ClassVar[str] = ""
    """What the waiting room shows of the set-up, if anything."""
    sprite_template: ClassVar[str] = ""
    """The drawings that the other templates use again and again, if there are any."""
    figures_template: ClassVar[str] = "plain/figures.html"
    """The drawings of the rules page: macros `figure` and `stage`."""
    templates: ClassVar[Path | None] = None
    """A folder with the board's own templates."""
    static: ClassVar[Path | None] = None
    """A folder with the board's own style sheets in `css` and scripts in `js`; these may import the pages' own."""
    style: ClassVar[str] = ""
    """The style sheet, by its name in `css`, if there is one."""
    script: ClassVar[str] = ""
    """The script, by its name in `js`, if there is one."""

    # Drawings of the sprite.
    emblem: ClassVar[str] = "mark"
    crown: ClassVar[str] = "mark"
    """Shown above the result."""
    spark: ClassVar[str] = "mark"
    """Falls over the result of a winner."""

    can_skip: ClassVar[bool] = False
    """Whether a turn can be skipped, by a button with the id `skip`."""
    keys: ClassVar[tuple[tuple[str, str], ...]] = ()
    """The keys of the board and what each does: 1 to 9 are its picks, the letters from Q to P its choices."""

    faces: ClassVar[tuple[Face, ...]] = ()
    """The faces that the statistics of a finished game count; empty for no statistics."""
    lesson: ClassVar[Lesson | None] = None
    illustrations: ClassVar[Illustrations] = Illustrations({}, ())
    links: ClassVar[tuple[tuple[str, str], ...]] = ()
    """The addresses and titles of pages of the game's own, for the start page and the rules."""

    def __init__(self, kit: GameKit) -> None:
        self.kit = kit
        self.id = kit.id
        self.title = kit.title

    def summary(self, w: Words, game: Any = None) -> Sequence[tuple[str, Sequence[Point]]]:
        """Return the rules on one page, in words of the reader: the rulebook's, or those that a game plays by."""
        return [
            (w(title), [Point(w(point.text), point.clauses) for point in points])
            for title, points in self.illustrations.summary
        ]

    @cached_property
    def has_rules(self) -> bool:
        """Whether the rules of the game can be read here."""
        return rules.has_page(self.id)

    def illustrate(self, html: Markup) -> Markup:
        """Return a part of the rules with drawings in place of some words, such as dice for their values."""
        return html

    def invitation(self, w: Words) -> str:
        """Return a sentence about the game for the start page."""
        text = WORDS.get(self.id, PLAIN).invitation
        return w(text) if text else ""

    def subtitle(self, w: Words, game: Any) -> str:
        """Return what is special about the set-up of a table, besides its mode; empty if nothing is."""
        return ""

    def lobby(self, w: Words, game: Any) -> Any:
        """Return what `lobby_template` shows as `setup`."""
        return None

    def progress(self, w: Words, game: Any, bots: Iterable[str]) -> str:
        """Return a note on bots that prepare while the game runs; empty if there is none."""
        return ""

    # The board.

    def facts(self, w: Words, position: Position) -> Sequence[tuple[str, str]]:
        """Return what the plain board shows besides the scores: a label and a value each."""
        return ()

    def goal(self, position: Position) -> int:
        """Return the score at the end of the plain board's lanes."""
        goal = self.kit.option("goal")
        return goal.number(position.game.headers()) if goal else max(100, *position.game.scores(position.state))

    def button(self, w: Words, position: Position, action: Any) -> str:
        """Return the text of an action's button on the plain board."""
        return tell(w, position.game, position.state, action, position.names)

    def option(self, w: Words, position: Position, action: Any) -> tuple[str, str]:
        """Return a legal action as the table in words lists it: the heading above it, if any, and what it does."""
        return "", narrate(w, position.game, position.state, action, position.names)

    def draw(self, w: Words, position: Position) -> Any:
        """Return what the board's template shows as `t`."""
        roll = [("roll", w("Roll the dice"))] if position.may_roll else []
        buttons = [*roll, *((str(action), self.button(w, position, action)) for action in position.legal)]
        return {
            "lanes": position.lanes(self.goal(position)),
            "facts": self.facts(w, position),
            "question": w("Your turn") if buttons else "",
            "buttons": buttons,
        }

    def read_form(self, form: Form, legal: Sequence[Any]) -> Any:
        """Return the action that the board's form stands for, or its notation.

        Raises UsageError if a part is missing. Whether the rules allow the action is decided when it is played.
        """
        return str(form.get("do"))

    def lights(self, game: Any, state: Any, better: Any, worse: Any, part: Part) -> str:
        """Return what the script's `light` takes for a part of why one action is better; empty to light nothing."""
        return ""

    def entry(self, w: Words, game: Any, state: Any) -> Entry:
        """Return what is asked for where chance acts and people roll real dice: one of its outcomes."""
        outcomes = [str(outcome) for outcome, _ in game.chance_outcomes(state)]
        keys = tuple(Key(text, text, text) for text in outcomes)
        return Entry(w("Roll the dice and enter what they show."), 1, (Kind(keys, 1),))

    # Setting up a position.

    def dice_of_position(self, w: Words, game: Any) -> Entry | None:
        """Return the dice that the editor of positions asks for; None for none."""
        return None

    def fields_of(self, game: Any, state: Any) -> Sequence[tuple[str, str]]:
        """Return what the fields of the editor of positions hold for a position."""
        return [("at", game.position_text(state))]

    def read_position(self, form: Form, game: Any) -> str:
        """Return the position, in its notation, that the fields of the editor describe. Raises UsageError."""
        return str(form.get("at") or "")

    # Setting up.

    def form_options(self) -> Sequence[Option]:
        """Return the options that the plain set-up form offers: those that are numbers."""
        return [option for option in self.kit.options if option.most]

    def setup(self, w: Words) -> Mapping[str, Any]:
        """Return what `setup_template` shows besides the board itself and `given`, what was entered so far."""
        return {"modes": [(name, WORDS.get(self.id, PLAIN).modes.get(name, (name,))[0]) for name in self.kit.modes]}

    def read_setup(self, form: Form) -> dict[str, str]:
        """Read the options of the game from the set-up form. Raises UsageError."""
        found = {
            option.name: str(form_number(form, option.name, option.default, option.least, self.most(option)))
            for option in self.form_options()
        }
        if self.kit.modes and form.get(MODE):
            found[MODE] = str(form.get(MODE))
        return found

    def head_start(self, w: Words, form: Form) -> tuple[Variant, bool] | None:
        """Return the variant with a form's head start, and whether who gets it begins. Raises UsageError."""
        return None

    def ahead(self, game: Any) -> Sequence[int]:
        """Return the points that each seat of a game is ahead at the start; empty for none."""
        return ()

    def most(self, option: Option) -> int:
        """Return the largest number that a form offers for an option."""
        return option.most_in_form or option.most

    def bots_note(self, w: Words, bots: Sequence[str]) -> str:
        """Return the set-up form's note on bots that need preparation; empty if there is none."""
        return ""

    def bot_note(self, w: Words, bot: str, form: Form) -> str:
        """Return a note on what a bot that needs preparation knows of a set-up; empty if there is none."""
        return ""

    # After the game.

    def dice(self, before: Any, outcome: Any) -> Iterable[tuple[str, Sequence[str]]]:
        """Return the dice of an outcome of chance: the face that each shows, and the six faces that it has."""
        return ()

    def dice_of(self, game: Any, before: Any, outcome: Any) -> Iterable[tuple[str, Sequence[str]]]:
        """Return the same for a game whose rules say which faces its dice have."""
        return self.dice(before, outcome)
