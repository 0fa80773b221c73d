"""The packed engine of Dice Stars: 1 to 4 seats, all rules, elementwise over any batch shape.

A state is 6 + 3 * seats uint32 words. Actions are fixed numbers (see `docs/vector.md`):

0, 1        keep or return the reserve
2-4         draw 1, 2 or 3 dice
5-8, 9-13   take a colour (black, purple, blue, orange) or a number (2 to 6)
14-17, 18-22  write a colour or a number as a penalty
23 + code   take the stars; code = a2 + 3 (a3 + 4 (a4 + 5 (a5 + 6 a6))), with a boxes ticked in each row
"""

from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np

from starfrost.games.dice_stars import SOLO_BOXES, DiceStars
from starfrost.games.dice_stars.variant import OFFICIAL as OFFICIAL_RULES
from starfrost.games.dice_stars.variant import Rules
from starfrost.games.dice_stars.vector import sheet as stars_sheet
from starfrost.games.dice_stars.vector.sheet import BOXES, OFFICIAL, Print, Sheet, printed
from starfrost.vector.arrays import U32, Array, module_of, nibble_sum, nth_bit, popcount, where
from starfrost.vector.chance import CHANCE, POLICY, below, words
from starfrost.vector.game import VectorGame, choose, stack, victory_shares

KEEP, RETURN, DRAW_DICE, COLOUR, NUMBER, PENALTY, STARS = 0, 1, 2, 5, 9, 14, 23
"""The first action of each kind."""

REFILL, DRAW, REFILLED, TAKE, OVER = 0, 1, 2, 4, 5
"""The phases between steps, numbered as in the reference engine; a step includes the roll."""

ALL_DICE = 0x5432
"""Two black, three purple, four blue and five orange dice, one nibble per colour."""

_SUMS = (0, 2, 3, 4, 5, 6)


class StarsState(NamedTuple):
    """A position; discarded dice are those in neither bag nor reserve."""

    meta: Array
    """Bits 0-15: the bag, one nibble per colour; 16-18: the phase; 19-20: the seat whose turn it is."""
    solo: Array
    """The ticked boxes of the solo grid."""
    reserve: tuple[Array, Array, Array, Array]
    """One word per colour with one nibble per face: star, 2, 3, 4, 5, 6."""
    sheets: tuple[Sheet, ...]
    """The sheets clockwise from the seat whose turn it is."""


class Options(NamedTuple):
    """The takes and penalties of the acting seat."""

    colours: tuple[Array, ...]
    """The number of dice of each colour."""
    faces: tuple[Array, ...]
    """The number of dice that show a star, 2, 3, 4, 5, 6."""
    takes: Array
    """Ten bits: the colours, numbers and stars that fit (S5, F5)."""
    penalties: Array
    """Nine bits: the colours and numbers in the reserve, if nothing fits (F6)."""
    boxes: tuple[Array, ...]
    """The empty star boxes of each row."""


def phase_of(state: StarsState) -> Array:
    """Return the phase."""
    return (state.meta >> U32(16)) & U32(7)


def seat_of(state: StarsState) -> Array:
    """Return the seat whose turn it is."""
    return (state.meta >> U32(19)) & U32(3)


def held(reserve: tuple[Array, ...]) -> Array:
    """Count the reserve by colour, one nibble per colour."""
    return sum((nibble_sum(word) << U32(4 * c) for c, word in enumerate(reserve[1:], 1)), nibble_sum(reserve[0]))


def options(state: StarsState, shape: Print = OFFICIAL) -> Options:
    """Return what fits on the acting seat's sheet."""
    reserve, sheet = state.reserve, state.sheets[0]
    colours = tuple(nibble_sum(word) for word in reserve)
    by_face = reserve[0] + reserve[1] + reserve[2] + reserve[3]
    faces = tuple((by_face >> U32(4 * face)) & U32(15) for face in range(6))
    boxes = tuple(U32(most) - done for most, done in zip(shape.boxes, stars_sheet.ticked(sheet), strict=True))
    takes = penalties = reserve[0] & U32(0)
    counts = [*colours, *faces[1:], faces[0]]
    room = [stars_sheet.column_empty(sheet, c, shape) for c in range(4)]
    room += [stars_sheet.row_empty(sheet, row, shape) for row in range(5)]
    room.append(boxes[0] + boxes[1] + boxes[2] + boxes[3] + boxes[4])
    for i, (count, free) in enumerate(zip(counts, room, strict=True)):
        takes = takes | where((count > 0) & (count <= free), U32(1 << i), U32(0))
        if i < 9:
            penalties = penalties | where(count > 0, U32(1 << i), U32(0))
    return Options(colours, faces, takes, where(takes == 0, penalties, U32(0)), boxes)


def draw_limits(state: StarsState) -> tuple[Array, Array]:
    """Return the minimum and the maximum number of dice to draw (S2-S4)."""
    reserve = state.reserve
    bag = nibble_sum(state.meta & U32(0xFFFF))
    most = where(bag < U32(3), bag, U32(3))
    any_number = ((reserve[0] | reserve[1] | reserve[2] | reserve[3]) & U32(0xFFFFF0)) != 0
    return where(any_number, U32(1), most), most


def return_reserve(state: StarsState, shape: Print = OFFICIAL) -> StarsState:
    """Put the whole reserve back into the bag (S1)."""
    nothing = state.solo & U32(0)
    meta = (state.meta & U32(0x7FF80000)) | U32(shape.dice | REFILLED << 16)
    return state._replace(meta=meta, reserve=(nothing, nothing, nothing, nothing))


def keep_reserve(state: StarsState) -> StarsState:
    """Keep the reserve (S1)."""
    return state._replace(meta=(state.meta & U32(0xFFF8FFFF)) | U32(REFILLED << 16))


def draw_dice(state: StarsState, count: Array, dice: tuple[Array, Array, Array]) -> StarsState:
    """Move the first `count` of these dice (8 * colour + face index) from the bag to the reserve (S2)."""
    meta = (state.meta & U32(0xFFF8FFFF)) | U32(TAKE << 16)
    reserve = list(state.reserve)
    for i, die in enumerate(dice):
        colour = die >> U32(3)
        one = where(count > U32(i), U32(1), U32(0))
        meta = meta - (one << (U32(4) * colour))
        shown = one << (U32(4) * (die & U32(7)))
        for c in range(4):
            reserve[c] = reserve[c] + where(colour == U32(c), shown, U32(0))
    return state._replace(meta=meta, reserve=(reserve[0], reserve[1], reserve[2], reserve[3]))


def face_sum(faces: Array) -> Array:
    """Add up the dice in a word with one nibble per face; a star counts 0 (F1)."""
    total = U32(0)
    for face in range(1, 6):
        total = total + ((faces >> U32(4 * face)) & U32(15)) * U32(_SUMS[face])
    return total


def take_dice(state: StarsState, action: Array, rows: tuple[Array, ...], shape: Print = OFFICIAL) -> StarsState:
    """Take dice or write a penalty (S5, F1-F6); `rows` is the number of boxes that a star take ticks in each row."""
    sheet = state.sheets[0]
    is_stars = action >= U32(STARS)
    is_penalty = (action >= U32(PENALTY)) & ~is_stars
    line = where(is_penalty, action - U32(PENALTY), action - U32(COLOUR))
    is_number = line >= U32(4)
    number = line - U32(4)
    chosen = state.reserve[0]
    for c in range(1, 4):
        chosen = where(line == U32(c), state.reserve[c], chosen)
    by_face = state.reserve[0] + state.reserve[1] + state.reserve[2] + state.reserve[3]
    face_shift = where(is_stars, U32(0), U32(4) * (number + U32(1)) & U32(31))
    same = (by_face >> face_shift) & U32(15)
    count = where(is_number, same, nibble_sum(chosen))

    points = where(is_number, same * (number + U32(2)), face_sum(chosen))
    filled = stars_sheet.fill(sheet, is_number, where(is_number, number, line) & U32(7), count, points, shape)
    plain = ~(is_stars | is_penalty)
    boxes = rows[0] << U32(16)
    for row in range(1, 5):
        boxes = boxes + (rows[row] << U32(16 + 3 * row))
    marks = where(is_stars, sheet.marks + boxes, sheet.marks + ((points + U32(1)) << U32(8)))
    sheet = Sheet(
        where(plain, filled.spaces, sheet.spaces),
        where(plain, filled.sums, sheet.sums),
        where(plain, filled.marks, marks),
    )
    by_colour = ~is_number & ~is_stars
    gone = ~(U32(15) << face_shift)
    reserve = tuple(
        where(by_colour, where(line == U32(c), U32(0), word), word & gone) for c, word in enumerate(state.reserve)
    )
    return state._replace(sheets=(sheet, *state.sheets[1:]), reserve=reserve)


def boxes_for(reserve: tuple[Array, ...], shape: Print = OFFICIAL) -> Array:
    """Return the boxes of the solo grid to tick for the dice left over (L2)."""
    any_die = reserve[0] | reserve[1] | reserve[2] | reserve[3]
    total = face_sum(reserve[0] + reserve[1] + reserve[2] + reserve[3])
    twice = where((any_die & U32(15)) != 0, total + total, total)
    if shape.box_points == 5:
        # (n + 4) // 5 as one multiplication, exact for n up to 168.
        started = ((twice + U32(4)) * U32(52429)) >> U32(18)
    else:
        started = (twice + U32(shape.box_points - 1)) // U32(shape.box_points)
    return where(total == 0, where(any_die != 0, U32(1), U32(0)), started)


def next_turn(state: StarsState, took_stars: Array, solo_boxes: int, shape: Print = OFFICIAL) -> StarsState:
    """End the turn: solo grid (L2), end of the game (G1, L3), refill (S1), next seat."""
    seats = len(state.sheets)
    seat = seat_of(state)
    reserve = state.reserve
    last = seat == U32(seats - 1)
    ends = stars_sheet.is_full(state.sheets[0], shape) | stars_sheet.has_penalty(state.sheets[0])
    for sheet in state.sheets[1:]:
        ends = ends | stars_sheet.is_full(sheet, shape) | stars_sheet.has_penalty(sheet)
    over = ends & last
    solo = state.solo
    any_die = reserve[0] | reserve[1] | reserve[2] | reserve[3]
    if seats == 1:
        solo = solo + boxes_for(reserve, shape)
        solo = where(solo > U32(solo_boxes), U32(solo_boxes), solo)
        over = over | (solo == U32(solo_boxes))
    bag = state.meta & U32(0xFFFF)
    refill = (took_stars | (bag == 0)) & ~over
    new_bag = where(refill, U32(shape.dice) - held(reserve), bag)
    phase = where(refill & (any_die != 0), U32(REFILL), U32(DRAW))
    phase = where(over, U32(OVER), phase)
    following = where(over, seat, where(last, U32(0), seat + U32(1)))
    sheets = state.sheets
    if seats > 1:
        rotated = (*state.sheets[1:], state.sheets[0])
        sheets = choose(over, state.sheets, rotated)
    return StarsState(new_bag | (phase << U32(16)) | (following << U32(19)), solo, reserve, sheets)


def rows_of(code: Array, star_boxes: tuple[int, ...] = BOXES) -> tuple[Array, ...]:
    """Return the number of boxes that the code of a star take ticks in each row."""
    rows = []
    for most in star_boxes[:4]:
        rest = code // U32(most + 1)
        rows.append(code - rest * U32(most + 1))
        code = rest
    return (*rows, code)


def code_of(rows: tuple[Array, ...], star_boxes: tuple[int, ...] = BOXES) -> Array:
    """Return the code of a star take."""
    code = rows[4]
    for row, most in reversed(list(zip(rows[:4], star_boxes[:4], strict=True))):
        code = code * U32(most + 1) + row
    return code


def random_ticks(boxes: tuple[Array, ...], stars: Array, random: Array) -> tuple[Array, ...]:
    """Return how many boxes of each row a random way to tick `stars` of the free `boxes` ticks."""
    left, later, rows = stars, sum(boxes[1:], boxes[0]), []
    for row, free in enumerate(boxes[:4]):
        later = later - free
        low = where(left > later, left - later, U32(0))
        high = where(left < free, left, free)
        # Each row uses seven bits of the random word, enough for at most seven choices.
        here = low + ((((random >> U32(7 * row)) & U32(127)) * (high - low + U32(1))) >> U32(7))
        rows.append(here)
        left = left - here
    return (*rows, left)


@cache
def allocations(star_boxes: tuple[int, ...] = BOXES) -> np.ndarray:
    """List every way to tick boxes, by code: shape (2520, 5) on the official sheet."""
    reverse = product(*(range(most + 1) for most in reversed(star_boxes)))
    return np.array([way[::-1] for way in reverse], dtype=U32)


@cache
def star_words(star_boxes: tuple[int, ...]) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
    """Return the ways to tick boxes as sets of actions (`legal_words`): by the stars, and by each row's empty boxes.

    No star means no way.
    """
    table = allocations(star_boxes)
    length = -(-(STARS + len(table)) // 32)

    def words(ways: np.ndarray) -> np.ndarray:
        bits = np.zeros((len(ways), 32 * length), bool)
        bits[:, STARS : STARS + len(table)] = ways
        return np.packbits(bits, axis=-1, bitorder="little").view("<u4").astype(U32)

    stars = np.arange(16)[:, None]
    by_boxes = tuple(words(table[:, row] <= np.arange(most + 1)[:, None]) for row, most in enumerate(star_boxes))
    return words((table.sum(1) == stars) & (stars > 0)), by_boxes


class VectorStars(VectorGame[StarsState]):
    """Dice Stars for batches."""

    name = "dice-stars"
    actions = STARS + 2520

    def __init__(self, seats: int = 2, solo_boxes: int = SOLO_BOXES, rules: Rules = OFFICIAL_RULES) -> None:
        game = DiceStars(seats, solo_boxes, rules)  # Raises UsageError.
        self.seats, self.solo_boxes, self.rules = game.seats, game.solo_boxes, rules
        self.shape = printed(rules)
        self.actions = STARS + len(allocations(self.shape.boxes))
        self.observation_size = 37 + (11 + sum(self.shape.sizes)) * seats

    def __repr__(self) -> str:
        variant = f", rules={self.rules}" if self.rules != OFFICIAL_RULES else ""
        return f"VectorStars(seats={self.seats}, solo_boxes={self.solo_boxes}{variant})"

    def init(self, key: Array) -> StarsState:
        """Return the start: all dice in the bag, all sheets blank; only the shape of the key matters."""
        nothing = words(key, CHANCE)[0] & U32(0)
        return self.blank(nothing)

    def blank(self, nothing: Array) -> StarsState:
        """Return the start in the shape of an array of zeros."""
        sheet = Sheet(nothing, nothing, nothing)
        meta = nothing | U32(self.shape.dice | DRAW << 16)
        return StarsState(meta, nothing, (nothing,) * 4, (sheet,) * self.seats)

    def roll(self, state: StarsState, key: Array) -> tuple[Array, Array, Array]:
        """Draw three dice from the bag one by one and roll them: 8 * colour + face index (0 is a star)."""
        first, second, third, _ = words(key, CHANCE)
        return self.roll_with(state, (first, second, third))

    def roll_with(self, state: StarsState, chance: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        """Draw and roll three dice by three random words, one per die."""
        bag = state.meta & U32(0xFFFF)
        left = nibble_sum(bag)
        dice = []
        for word in chance:
            die, bag = self.pull(bag, *below(word, left, 6))
            dice.append(die)
            left = left - U32(1)
        return dice[0], dice[1], dice[2]

    def pull(self, bag: Array, index: Array, face: Array) -> tuple[Array, Array]:
        """Take a die out of a bag by its number and show a face; return it (8 * colour + face index) and the bag."""
        first = bag & U32(15)
        second = first + ((bag >> U32(4)) & U32(15))
        third = second + ((bag >> U32(8)) & U32(15))
        one = U32(1)
        colour = where(index >= first, one, one - one)
        colour = where(index >= second, U32(2), colour)
        colour = where(index >= third, U32(3), colour)
        return (colour << U32(3)) | self._face(colour, face), bag - (one << (U32(4) * colour))

    def _face(self, colour: Array, face: Array) -> Array:
        """Return what the n-th face of a die shows, as the index of its face."""
        one = U32(1)
        if self.shape.faces == OFFICIAL.faces:
            # An orange die has a second star in place of the 2 (P2).
            return where((colour == U32(3)) & (face == one), one - one, face)
        packed = U32(self.shape.faces[0])
        for other in range(1, 4):
            packed = where(colour == U32(other), U32(self.shape.faces[other]), packed)
        return (packed >> (U32(4) * face)) & U32(15)

    def step_with(self, state: StarsState, action: Array, dice: tuple[Array, Array, Array]) -> StarsState:
        """Return the state after a legal action; a draw uses as many of the three dice as it announces."""
        action = action.astype(U32)
        drawn = draw_dice(state, action - U32(DRAW_DICE - 1), dice)
        is_stars = action >= U32(STARS)
        shape = self.shape
        rows = rows_of(where(is_stars, action - U32(STARS), U32(0)), shape.boxes)
        taken = next_turn(take_dice(state, action, rows, shape), is_stars, self.solo_boxes, shape)
        refilled = choose(action == U32(RETURN), return_reserve(state, shape), keep_reserve(state))
        early = choose(action < U32(DRAW_DICE), refilled, drawn)
        return choose(action < U32(COLOUR), early, taken)

    def over(self, state: StarsState) -> Array:
        return phase_of(state) == U32(OVER)

    def actor(self, state: StarsState) -> Array:
        return seat_of(state)

    def legal_words(self, state: StarsState) -> Array:
        xp = module_of(state.meta)
        phase = phase_of(state)
        can = options(state, self.shape)
        fewest, most = draw_limits(state)
        refill, take = phase == U32(REFILL), phase == U32(TAKE)
        draw = (phase == U32(DRAW)) | (phase == U32(REFILLED))
        head = where(refill, U32(3), U32(0))
        for n in (1, 2, 3):
            can_draw = draw & (fewest <= U32(n)) & (most >= U32(n))
            head = head | where(can_draw, U32(1 << (DRAW_DICE + n - 1)), U32(0))
        lines = ((can.takes & U32(511)) << U32(COLOUR)) | (can.penalties << U32(PENALTY))
        head = head | where(take, lines, U32(0))
        stars = where(take & ((can.takes >> U32(9)) != 0), can.faces[0], U32(0))
        by_stars, by_boxes = star_words(self.shape.boxes)
        ways = xp.asarray(by_stars)[stars]
        for free, sets in zip(can.boxes, by_boxes, strict=True):
            ways = ways & xp.asarray(sets)[free]
        return ways | xp.concatenate([head[..., None], xp.zeros_like(ways[..., 1:])], axis=-1)

    def observe(self, state: StarsState, seat: Array | None = None) -> Array:
        """Return a seat's view: phase, own seat, seats until the turn, grid, bag, reserve, 41 numbers per sheet."""
        phase, turn = phase_of(state), seat_of(state)
        seat = turn if seat is None else seat.astype(U32)
        ahead = self.wrap(seat + U32(self.seats) - turn)
        parts = [where(phase == U32(p), U32(1), U32(0)) for p in (REFILL, DRAW, REFILLED, TAKE, OVER)]
        parts += [seat, self.wrap(U32(self.seats) - ahead), state.solo & U32(0xFF), (state.solo >> U32(8)) & U32(0xFF)]
        parts += [(state.meta >> U32(4 * c)) & U32(15) for c in range(4)]
        parts += [(word >> U32(4 * face)) & U32(15) for word in state.reserve for face in range(6)]
        words = [self.rotate([sheet[i] for sheet in state.sheets], ahead) for i in range(3)]
        for sheet in map(Sheet, *words):
            parts += [(sheet.spaces >> U32(bit)) & U32(1) for bit in range(sum(self.shape.sizes))]
            parts += [*stars_sheet.row_sums(sheet), *stars_sheet.ticked(sheet), (sheet.marks >> U32(8)) & U32(0xFF)]
        return stack(parts).astype("uint8")

    def scores(self, state: StarsState) -> Array:
        return stack(self.in_seat_order(self._scores(state), seat_of(state)))

    def _scores(self, state: StarsState) -> list[Array]:
        """Return the points in the order of the state's sheets, with the handicap."""
        scores = [stars_sheet.score(sheet, self.shape) for sheet in state.sheets]
        if not any(self.shape.bonus):
            return scores
        bonus = [
            where(state.meta >= U32(0), np.int32(points), np.int32(0)) for points in self.shape.bonus[: self.seats]
        ]
        return [score + more for score, more in zip(scores, self.rotate(bonus, seat_of(state)), strict=True)]

    def rewards(self, state: StarsState) -> Array:
        """Return the shares of victory: the highest totals (G3), or the solo player who beats the grid (L3, L4)."""
        scores = self._scores(state)
        return stack(self.in_seat_order(self.shares(state, scores), seat_of(state)))

    def shares(self, state: StarsState, scores: list[Array]) -> list[Array]:
        """Return the shares of victory in the order of the state's sheets."""
        if self.seats == 1:
            won = (state.solo < U32(self.solo_boxes)) & (scores[0] > self.shape.box_points * state.solo.astype("int32"))
            return [where(self.over(state) & won, np.float32(1), np.float32(0))]
        return victory_shares(self.over(state), scores)

    def random_action(self, state: StarsState, key: Array) -> Array:
        """Return a random action: a number to draw, a line to take, and the stars of each row, row by row."""
        first, second, third, _ = words(key, POLICY)
        phase = phase_of(state)
        can = options(state, self.shape)
        fewest, most = draw_limits(state)
        (draw,) = below(first, most - fewest + U32(1))
        kinds = where(can.takes != 0, can.takes, can.penalties)
        (nth,) = below(second, popcount(kinds))
        kind = nth_bit(kinds, nth, 16)
        star_code = code_of(random_ticks(can.boxes, can.faces[0], third), self.shape.boxes)
        take = where(kind == U32(9), U32(STARS) + star_code, U32(COLOUR) + kind)
        take = where(can.takes != 0, take, U32(PENALTY) + kind)
        action = where(phase == U32(TAKE), take, U32(DRAW_DICE - 1) + fewest + draw)
        return where(phase == U32(REFILL), first >> U32(31), action)
