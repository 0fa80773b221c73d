"""A Dice Stars position as a page shows it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple

from starfrost.boards.board import Position
from starfrost.boards.entry import Key, Kind
from starfrost.boards.seats import Lane
from starfrost.games.dice_stars import COLOURS, Action, DiceStars, Sheet, State, preview
from starfrost.games.dice_stars.components import Faces, colour_of, die, face_of
from starfrost.games.dice_stars.sheet import NO_PENALTY, ROWS, Layout, factor, multiplier, total
from starfrost.games.dice_stars.view import written
from starfrost.games.dice_stars.words import COLOUR_NAMES, STAR, solo_lost, solo_note
from starfrost.words import Words

COLOUR_SHAPES: Final = {"black": "square", "purple": "triangle", "blue": "circle", "orange": "diamond"}
"""Every colour has a shape, so that nobody needs to tell colours apart."""

LINES: Final = (*COLOUR_SHAPES, "stars", *"23456")
"""Everything that can be taken, in the order of the page."""

KINDS: Final = ("zero", "once", "twice")
"""The style of a row by its multiplier."""


class Die(NamedTuple):
    """A die lying face up."""

    colour: str
    face: str
    name: str
    faces: str
    """The six faces that a die of this colour has."""
    fresh: bool = False


@dataclass(frozen=True)
class Place:
    """A bag or a pile: how many dice, and their colours."""

    count: int
    colours: tuple[str, ...]
    name: str


class Preview(NamedTuple):
    """What a choice would write in a space, or what a row would then score."""

    line: str
    value: str
    kind: str = ""


class Space(NamedTuple):
    """A space of the sheet: white, green or a star box."""

    kind: str
    value: str
    previews: tuple[Preview, ...] = ()
    name: str = ""
    """The name of a star box."""


class Row(NamedTuple):
    """A row of the sheet with what it scores, and what it would score after each choice."""

    label: int
    spaces: tuple[Space, ...]
    score: int
    kind: str
    after: tuple[Preview, ...]
    ladder: str
    """The row's score with 0, 1, 2… more stars, for the script."""
    note: str


class SheetView(NamedTuple):
    """A player's sheet."""

    look: int
    """The colour and shape of the seat, from 1."""
    name: str
    rows: tuple[Row, ...]
    total: int
    penalty: int | None
    width: int
    """The bonus spaces and star boxes of the widest row."""


class Choice(NamedTuple):
    """A take or a penalty that the rules allow."""

    line: str
    verb: str
    name: str
    sum: str
    sentence: str
    button: str
    gain: str
    """What the total would change by."""
    short: str
    """The sum, or the number of stars, alone where there is no room for more."""
    stars: int = 0
    row: str = ""
    """The row that it fills."""
    loses: bool = False
    """Whether it loses the solo game at once."""


@dataclass(frozen=True)
class StarsTable:
    """Everything that the Dice Stars board shows."""

    lanes: tuple[Lane, ...]
    bag: Place
    discard: Place
    reserve: tuple[Die, ...]
    sheet: SheetView
    others: tuple[SheetView, ...]
    choices: tuple[Choice, ...]
    takes: tuple[tuple[str, Choice | None], ...]
    """Every line with the choice that takes it, if there is one."""
    draws: tuple[tuple[int, str], ...]
    refill: bool
    question: str
    mark: str
    """Where the question points in the reader's first game: `here`, or `up` at the choices."""
    solo: tuple[int, int, int] | None
    """Ticked boxes and boxes of the solo grid, and the points of a box."""
    last: bool
    """Whether no other turn follows this one."""


@lru_cache(maxsize=1000)
def _die(w: Words, shown: int, faces: Faces, fresh: bool = False) -> Die:
    colour = COLOURS[colour_of(shown)]
    face = str(face_of(shown) or STAR)
    name = w("%(colour)s star", colour=w(COLOUR_NAMES[colour])) if face == STAR else f"{w(COLOUR_NAMES[colour])} {face}"
    return Die(colour, face, name, " ".join(str(face or STAR) for face in faces[colour_of(shown)]), fresh)


def dice_kinds(w: Words, game: DiceStars, bag: Sequence[int]) -> tuple[Kind, ...]:
    """Return the dice that can be drawn from a bag, colour by colour."""
    found = []
    for colour, (name, left) in enumerate(zip(COLOURS, bag, strict=True)):
        dice = [_die(w, die(colour, face), game.rules.faces) for face in sorted(set(game.rules.faces[colour]))]
        keys = tuple(
            Key(f"{name}{one.face}".replace(STAR, "*"), one.face, one.name, "star" if one.face == STAR else "")
            for one in dice
        )
        if left:
            found.append(Kind(keys, left, w(COLOUR_NAMES[name]), f"sd {name}", COLOUR_SHAPES[name]))
    return tuple(found)


def _place(counts: Sequence[int], name: str) -> Place:
    return Place(sum(counts), tuple(c for c, n in zip(COLOURS, counts, strict=True) for _ in range(n)), name)


def _reserve(w: Words, state: State, drawn: tuple[int, ...]) -> tuple[Die, ...]:
    """Lay out the reserve: dice that were there first, the dice just drawn after them."""
    old = (Counter(state.reserve) - Counter(drawn)).elements()
    fresh = [shown for shown in drawn if shown in state.reserve]
    faces = state.sheets[0].layout.faces
    return tuple(_die(w, shown, faces) for shown in old) + tuple(_die(w, shown, faces, True) for shown in fresh)


def _text(value: object) -> str:
    return "" if value is None else "×" if value == "X" else str(value)


@lru_cache(maxsize=4000)
def _sheet(w: Words, sheet: Sheet, look: int, name: str) -> SheetView:
    """Lay out a sheet."""
    rows = tuple(
        _row(w, sheet.layout, i, sheet.spaces[spaces.start : spaces.stop], sheet.ticked[i])
        for i, spaces in enumerate(sheet.layout.row_spaces)
    )
    penalty = None if sheet.penalty == NO_PENALTY else sheet.penalty
    return SheetView(look, name, rows, total(sheet), penalty, max(len(row.spaces) - 4 for row in rows))


@lru_cache(maxsize=4000)
def _row(w: Words, layout: Layout, row: int, values: Sequence[int], ticked: int) -> Row:
    """Lay out a row: of those of a sheet most stay as they were."""
    label, boxes = ROWS[row], layout.stars[row]
    spaces = [Space("white" if place < 4 else "green", _text(written(value))) for place, value in enumerate(values)]
    for box in range(boxes):
        star = w("Star %(n)s of row %(row)s", n=box + 1, row=label)
        spaces.append(Space("star", STAR if box < ticked else "", name=star))
    points = sum(value for value in values if value > 0)
    scores = [(points * factor(layout, row, stars), KINDS[factor(layout, row, stars)]) for stars in range(boxes + 1)]
    score, kind = scores[ticked]
    ladder = " ".join(f"{more}:{style}" for more, style in scores[ticked:])
    note = {"twice": w("doubled"), "zero": w("scores 0"), "once": ""}[kind]
    return Row(label, tuple(spaces), score, kind, (), ladder, note)


def _with_previews(shown: SheetView, takes: Mapping[str, Mapping[str, Any]]) -> SheetView:
    """Add what every take would write, and what the rows would then score."""
    rows = list(shown.rows)
    for line, take in takes.items():
        for space in take["spaces"]:
            i, place = ROWS.index(space["row"]), space["place"]
            row = rows[i]
            spaces = list(row.spaces)
            spaces[place] = spaces[place]._replace(
                previews=(*spaces[place].previews, Preview(line, _text(space["value"])))
            )
            after = Preview(line, str(take["rows"][i]), row.kind)
            later = row.after if any(one.line == line for one in row.after) else (*row.after, after)
            rows[i] = row._replace(spaces=tuple(spaces), after=later)
    return shown._replace(rows=tuple(rows))


def _sum_text(dice: Sequence[int]) -> str:
    faces = sorted(map(face_of, dice), reverse=True)
    text = " + ".join(str(face or STAR) for face in faces)
    return f"{text} = {sum(faces)}" if len(faces) > 1 else text


def _sentence(w: Words, change: Mapping[str, Any], sheet: Sheet) -> str:
    last = change["spaces"][-1]
    row = ROWS.index(last["row"])
    values = {"value": last["value"], "row": last["row"], "score": change["rows"][row]}
    times = multiplier(sheet, row)
    if times == 2:
        return w("%(value)s goes in row %(row)s, which is doubled and would score %(score)s.", **values)
    if times == 0:
        return w("%(value)s goes in row %(row)s, which scores 0 until all its stars are ticked.", **values)
    return w("%(value)s goes in row %(row)s, which would then score %(score)s.", **values)


def _penalty(w: Words, points: int, *, last: bool) -> tuple[str, str]:
    """Return the sentence and the button of a penalty, which ends the game unless it is the last round already."""
    if points:
        sentence = w("Nothing fits on your sheet: these dice cost you %(n)s points.", n=points)
    else:
        sentence = w("Nothing fits on your sheet. These dice show only stars: a penalty of 0 points.")
    if last:
        return sentence, w("Write a penalty of %(n)s", n=points)
    ends = w("A penalty ends the game with this round.")
    return f"{sentence} {ends}", w("Write a penalty of %(n)s, end the game", n=points)


def _signed(gain: int) -> str:
    return f"+{gain}" if gain > 0 else f"−{-gain}" if gain else "±0"


def _star_gain(w: Words, game: DiceStars, state: State, ways: Sequence[Action]) -> str:
    """Return the least and the most that ticking stars gains."""
    before = total(state.sheets[state.seat])
    gains = [total(game.apply(state, way).sheets[state.seat]) - before for way in ways]
    low, high = _signed(min(gains)), _signed(max(gains))
    return low if low == high else w("%(low)s to %(high)s", low=low, high=high)


def _choices(
    w: Words, game: DiceStars, state: State, legal: Sequence[Action], *, last: bool
) -> tuple[list[Choice], dict[str, Mapping[str, Any]]]:
    """Return every choice, and the preview of every take."""
    found: list[Choice] = []
    takes: dict[str, Mapping[str, Any]] = {}
    actions: dict[str, Action] = {}
    for action in legal:
        # The ways to tick stars are one choice; the boxes tell them apart.
        actions.setdefault(action.line, action)
    for line, action in actions.items():
        loses = solo_lost(game, state, action)
        if line == "stars":
            stars = len(action.rows)
            sentence = w.plural(
                "Tick one star box. A row with all its stars ticked is doubled; with only some ticked it scores 0.",
                "Tick %(n)s star boxes. A row with all its stars ticked is doubled; with only some ticked it scores 0.",
                stars,
            )
            button = w.plural("Tick one star", "Tick %(n)s stars", stars)
            sentence = f"{sentence} {solo_note(w, game, state, action)}".rstrip()
            gained = _star_gain(w, game, state, [way for way in legal if way.line == line])
            short = str(stars)
            name = w("stars")
            found.append(
                Choice(line, action.verb, name, STAR * stars, sentence, button, gained, short, stars, loses=loses)
            )
            continue
        dice = [die for die in state.reserve if line in (COLOURS[colour_of(die)], str(face_of(die)))]
        points = sum(map(face_of, dice))
        name, filled = w(COLOUR_NAMES[line]) if line in COLOURS else line, ""
        if action.verb == "penalty":
            gained = _signed(-points)
            sentence, button = _penalty(w, points, last=last)
        else:
            takes[line] = preview(game, state, action)
            filled = w("row %(row)s", row=takes[line]["spaces"][-1]["row"])
            gained = _signed(takes[line]["gain"])
            sentence = _sentence(w, takes[line], state.sheets[state.seat])
            sentence = f"{sentence} {solo_note(w, game, state, action)}".rstrip()
            if line in COLOURS:
                button = w("Take %(colour)s, write %(n)s", colour=name, n=points)
            else:
                button = w("Take all %(number)ss, write %(n)s", number=line, n=points)
        short = str(points)
        summed = _sum_text(dice)
        found.append(Choice(line, action.verb, name, summed, sentence, button, gained, short, row=filled, loses=loses))
    return found, takes


def _first_turns(w: Words, position: Position, draws: Sequence[Any], takes: Mapping[str, Any]) -> tuple[str, str]:
    """Return what the first turns of a first game teach: where it points, and a sentence."""
    turns = position.own_deeds("take", "penalty")
    if draws and not turns:
        return "here", w("Fill your sheet: each row scores the sum of its numbers. First draw dice from the bag.")
    if takes and not turns:
        return "up", w("Take all dice of one colour or number. Tap a choice to see where it goes on your sheet.")
    if len(draws) > 1 and turns == 1:
        return "here", w(
            "More dice may score more, but they need more spaces, and what you leave is for the next player."
        )
    return "", ""


def stars_table(w: Words, position: Position) -> StarsTable:
    """Lay out a position."""
    game: DiceStars = position.game
    state: State = position.state
    legal: Sequence[Action] = position.legal
    shown = position.me if position.me is not None else state.seat
    choices, takes = _choices(
        w, game, state, [a for a in legal if a.verb in ("take", "penalty")], last=position.last_round
    )
    draws = tuple((a.number, w.plural("Draw one die", "Draw %(n)s dice", a.number)) for a in legal if a.verb == "draw")
    refill = any(a.verb == "return" for a in legal)
    lanes = position.lanes(max(150, *game.scores(state)), [_spaces_left(w, sheet) for sheet in state.sheets])
    sheets = [_sheet(w, sheet, lane.look, lane.name) for sheet, lane in zip(state.sheets, lanes, strict=True)]
    sheets[state.seat] = _with_previews(sheets[state.seat], takes)
    if refill:
        question = w("The discard pile is back in the bag. Keep the dice in the reserve, or return them too?")
    elif len(draws) == 1 and draws[0][0] == 3:
        question = w("There is no number in the reserve, so you must draw three dice.")
    elif draws:
        # S4: a bag with fewer than three dice limits the draw.
        held = sum(state.bag)
        few = w.plural("The bag holds only one die.", "The bag holds only %(n)s dice.", held) if held < 3 else ""
        ask = w("How many dice do you draw from the bag?") if len(draws) > 1 else ""
        question = f"{few} {ask}".strip()
    elif choices and choices[0].verb == "penalty":
        question = w("Nothing fits any more. Choose the dice that cost you least.")
    else:
        question = w("What do you take? Tap a choice to see where it goes.") if choices else ""
    mark, taught = _first_turns(w, position, draws, takes) if position.first else ("", "")
    by_line = {choice.line: choice for choice in choices}
    question = taught or question
    return StarsTable(
        lanes=lanes,
        bag=_place(state.bag, w("Bag")),
        discard=_place(state.discard, w("Discard pile")),
        reserve=_reserve(w, state, position.outcome.dice if position.outcome else ()),
        sheet=sheets[shown],
        others=tuple(sheet for i, sheet in enumerate(sheets) if i != shown),
        choices=tuple(choices),
        takes=tuple((line, by_line.get(line)) for line in LINES),
        draws=draws,
        refill=refill,
        question=question,
        mark=mark,
        solo=(state.solo, game.solo_boxes, game.rules.box_points) if game.solo_boxes else None,
        last=position.last_turn,
    )


@lru_cache(maxsize=4000)
def _spaces_left(w: Words, sheet: Sheet) -> str:
    left = sum(1 for row in sheet.layout.row_spaces for space in row[:4] if sheet.spaces[space] == -1)
    return w.plural("one white space left", "%(n)s white spaces left", left)
