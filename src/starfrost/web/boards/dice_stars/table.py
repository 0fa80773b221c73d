"""A Dice Stars position as a page shows it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from starfrost.games.dice_stars import COLOURS, Action, DiceStars, Sheet, State, preview
from starfrost.games.dice_stars.components import colour_of, face_of
from starfrost.games.dice_stars.sheet import ROW_SPACES, ROWS, STAR_BOXES, multiplier, row_score
from starfrost.games.dice_stars.view import sheet_view
from starfrost.web.boards.board import Position
from starfrost.web.boards.dice_stars.help import Help, board_help
from starfrost.web.views.seats import Lane, lanes
from starfrost.words import Words
from starfrost.words.dice_stars import COLOUR_NAMES, STAR

__all__ = ["COLOUR_SHAPES", "Choice", "Die", "Place", "Row", "SheetView", "Space", "StarsTable", "stars_table"]

COLOUR_SHAPES: Final = {"black": "square", "purple": "triangle", "blue": "circle", "orange": "diamond"}
"""Every colour carries a shape, so that colour never stands alone."""


@dataclass(frozen=True)
class Die:
    """A die lying face up."""

    colour: str
    face: str
    name: str
    fresh: bool = False

    @property
    def shape(self) -> str:
        """The shape of the die's colour."""
        return COLOUR_SHAPES[self.colour]


@dataclass(frozen=True)
class Place:
    """A bag or a pile: how many dice, and their colours."""

    count: int
    colours: tuple[str, ...]
    name: str


@dataclass(frozen=True)
class Preview:
    """What a choice would write in a space, or make of a row."""

    line: str
    value: str
    kind: str = ""


@dataclass(frozen=True)
class Space:
    """A space of the sheet: white, green or a star box."""

    kind: str
    name: str
    value: str = ""
    previews: tuple[Preview, ...] = ()


@dataclass(frozen=True)
class Row:
    """A row of the sheet with what it scores, and what it would score after each choice."""

    label: int
    spaces: tuple[Space, ...]
    score: int
    kind: str
    after: tuple[Preview, ...]
    ladder: str
    """The row's score with 0, 1, 2… more stars, for the script."""
    note: str


@dataclass(frozen=True)
class SheetView:
    """A player's sheet."""

    seat: int
    name: str
    you: bool
    turn: bool
    rows: tuple[Row, ...]
    total: int
    penalty: int | None


@dataclass(frozen=True)
class Choice:
    """A take or a penalty that the rules allow."""

    line: str
    verb: str
    name: str
    sum: str
    sentence: str
    button: str
    best: bool
    stars: int = 0


@dataclass(frozen=True)
class StarsTable:
    """Everything that the Dice Stars board shows."""

    phase: str
    lanes: tuple[Lane, ...]
    bag: Place
    discard: Place
    reserve: tuple[Die, ...]
    sheet: SheetView
    others: tuple[SheetView, ...]
    choices: tuple[Choice, ...]
    draws: tuple[tuple[int, str], ...]
    refill: bool
    question: str
    solo: tuple[int, int] | None
    """Ticked boxes and boxes of the solo grid."""
    help: tuple[Help, ...]
    """What explains itself on a tap."""


def _die(w: Words, shown: int, fresh: bool = False) -> Die:
    colour = COLOURS[colour_of(shown)]
    face = str(face_of(shown) or STAR)
    name = w("%(colour)s star", colour=w(COLOUR_NAMES[colour])) if face == STAR else f"{w(COLOUR_NAMES[colour])} {face}"
    return Die(colour, face, name, fresh)


def _place(counts: Sequence[int], name: str) -> Place:
    return Place(sum(counts), tuple(c for c, n in zip(COLOURS, counts, strict=True) for _ in range(n)), name)


def _reserve(w: Words, state: State, drawn: tuple[int, ...]) -> tuple[Die, ...]:
    """Lay out the reserve: dice that were there first, the dice just drawn after them."""
    new = list(drawn)
    old = []
    for shown in state.reserve:
        if shown in new:
            new.remove(shown)
        else:
            old.append(shown)
    fresh = [shown for shown in drawn if shown in state.reserve]
    return tuple(_die(w, shown) for shown in old) + tuple(_die(w, shown, True) for shown in fresh)


def _row_kind(times: int, ticked: int) -> str:
    return "twice" if times == 2 else "zero" if not times else "once"


def _sheet(
    w: Words, sheet: Sheet, seat: int, name: str, *, you: bool, turn: bool, takes: Mapping[str, Mapping[str, Any]]
) -> SheetView:
    seen = sheet_view(sheet)
    rows = []
    for i, row in enumerate(seen["rows"]):
        label = ROWS[i]
        spaces = []
        for place, value in enumerate(row["spaces"]):
            kind = "white" if place < 4 else "green"
            where = w(COLOUR_NAMES[COLOURS[place]]) if place < 4 else w("bonus")
            previews = tuple(
                Preview(line, "×" if space["value"] == "X" else str(space["value"]))
                for line, seen_take in takes.items()
                for space in seen_take["spaces"]
                if space["row"] == label and space["place"] == place
            )
            text = "" if value is None else "×" if value == "X" else str(value)
            spaces.append(Space(kind, w("Row %(row)s, %(place)s", row=label, place=where), text, previews))
        ticked = sheet.ticked[i]
        for box in range(STAR_BOXES[i]):
            spaces.append(
                Space("star", w("Star %(n)s of row %(row)s", n=box + 1, row=label), "★" if box < ticked else "")
            )
        after = []
        for line, seen_take in takes.items():
            if any(space["row"] == label for space in seen_take["spaces"]):
                times = multiplier(sheet, i)
                after.append(Preview(line, str(seen_take["rows"][i]), _row_kind(times, ticked)))
        ladder = []
        for more in range(STAR_BOXES[i] - ticked + 1):
            ticks = [0, 0, 0, 0, 0]
            ticks[i] = more
            starred = sheet.tick((ticks[0], ticks[1], ticks[2], ticks[3], ticks[4]))
            ladder.append(f"{row_score(starred, i)}:{_row_kind(multiplier(starred, i), ticked + more)}")
        times = row["multiplier"]
        note = w("doubled") if times == 2 else w("counts nothing") if not times else ""
        rows.append(
            Row(label, tuple(spaces), row["score"], _row_kind(times, ticked), tuple(after), " ".join(ladder), note)
        )
    assert len(ROW_SPACES) == len(rows)
    return SheetView(seat + 1, name, you, turn, tuple(rows), seen["total"], seen["penalty"])


def _line_name(w: Words, line: str) -> str:
    return w("stars") if line == "stars" else w(COLOUR_NAMES[line]) if line in COLOURS else line


def _sum_text(dice: Sequence[int]) -> str:
    numbers = [str(face_of(shown)) if face_of(shown) else "★" for shown in sorted(dice, key=lambda d: -face_of(d))]
    total = sum(face_of(shown) for shown in dice)
    return f"{' + '.join(numbers)} = {total}" if len(numbers) > 1 else numbers[0]


def _sentence(w: Words, line: str, seen: Mapping[str, Any], sheet: Sheet) -> str:
    last = seen["spaces"][-1]
    row = ROWS.index(last["row"])
    values = {"value": last["value"], "row": last["row"], "score": seen["rows"][row]}
    times = multiplier(sheet, row)
    if times == 2:
        return w("%(value)s lands in row %(row)s, which is doubled and would score %(score)s.", **values)
    if times == 0:
        return w("%(value)s lands in row %(row)s, which counts nothing until all its stars are ticked.", **values)
    return w("%(value)s lands in row %(row)s, which would then score %(score)s.", **values)


def _choices(
    w: Words, game: DiceStars, state: State, legal: Sequence[Action]
) -> tuple[tuple[Choice, ...], dict[str, Mapping[str, Any]]]:
    sheet = state.sheets[state.seat]
    found: list[tuple[int, Choice]] = []
    takes: dict[str, Mapping[str, Any]] = {}
    seen_stars = False
    for action in legal:
        line = action.line
        if line == "stars":
            if seen_stars:
                continue
            seen_stars = True
            stars = len(action.rows)
            sentence = w.plural(
                "Tick one star box. A row with all its stars counts double, with only some of them nothing.",
                "Tick %(n)s star boxes. A row with all its stars counts double, with only some of them nothing.",
                stars,
            )
            button = w.plural("Tick one star", "Tick %(n)s stars", stars)
            found.append((-1000, Choice(line, action.verb, w("stars"), "★" * stars, sentence, button, False, stars)))
            continue
        dice = [d for d in state.reserve if (COLOURS[colour_of(d)] == line or str(face_of(d)) == line)]
        total = sum(face_of(d) for d in dice)
        name = _line_name(w, line)
        change = preview(game, state, action)
        if action.verb == "penalty":
            sentence = w("Nothing fits on your sheet: these dice become %(n)s minus points.", n=total)
            button = w("Write a penalty of %(n)s", n=total)
            found.append((-total, Choice(line, action.verb, name, _sum_text(dice), sentence, button, False)))
            continue
        takes[line] = change
        if line in COLOURS:
            button = w("Take %(colour)s, write %(n)s", colour=name, n=total)
        else:
            button = w("Take every %(number)s, write %(n)s", number=line, n=total)
        found.append(
            (
                change["gain"],
                Choice(line, action.verb, name, _sum_text(dice), _sentence(w, line, change, sheet), button, False),
            )
        )
    best = max(range(len(found)), key=lambda i: found[i][0], default=-1)
    choices = tuple(Choice(**{**choice.__dict__, "best": i == best}) for i, (_gain, choice) in enumerate(found))
    return choices, takes


def stars_table(w: Words, position: Position) -> StarsTable:
    """Lay out a position."""
    game: DiceStars = position.game
    state: State = position.state
    legal: Sequence[Action] = position.legal
    me, names, actor = position.me, position.names, position.acting
    shown = me if me is not None else state.seat
    choices, takes = _choices(w, game, state, [a for a in legal if a.verb in ("take", "penalty")])
    draws = tuple((a.number, w.plural("Draw one die", "Draw %(n)s dice", a.number)) for a in legal if a.verb == "draw")
    refill = any(a.verb == "return" for a in legal)
    sheets = [
        _sheet(w, sheet, i, names[i], you=i == me, turn=i == actor, takes=takes if i == state.seat else {})
        for i, sheet in enumerate(state.sheets)
    ]
    if refill:
        question = w("The bag was filled again. Keep the dice in the reserve, or put them back into the bag too?")
    elif len(draws) == 1 and draws[0][0] == 3:
        question = w("No number lies in the reserve, so you draw three dice.")
    elif draws:
        question = w("How many dice do you draw from the bag?")
    elif choices and choices[0].verb == "penalty":
        question = w("Nothing fits any more. Choose the dice that hurt least.")
    elif choices:
        question = w("What do you take? Tap a choice to see where it lands.")
    else:
        question = ""
    scores = game.scores(state)
    notes = [_progress(w, sheet) for sheet in state.sheets]
    return StarsTable(
        phase=state.phase.name.lower(),
        lanes=lanes(names, scores, max(150, *scores), turn=actor, seats=position.seats, notes=notes),
        bag=_place(state.bag, w("Bag")),
        discard=_place(state.discard, w("Discard pile")),
        reserve=_reserve(w, state, position.outcome.dice if position.outcome else ()),
        sheet=sheets[shown],
        others=tuple(sheet for i, sheet in enumerate(sheets) if i != shown),
        choices=choices,
        draws=draws,
        refill=refill,
        question=question,
        solo=(state.solo, game.solo_boxes) if game.solo_boxes else None,
        help=board_help(w),
    )


def _progress(w: Words, sheet: Sheet) -> str:
    left = sum(1 for row in ROW_SPACES for space in row[:4] if sheet.spaces[space] == -1)
    return w.plural("one white space left", "%(n)s white spaces left", left)
