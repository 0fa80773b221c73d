"""The value of a position of Dice Stars to a seat: the outlook of every sheet, and the chance to win with it.

The outlook of a sheet is its expected total at the end. It is based on a *plan*: the rows that the player wants to
double. For a plan the evaluation estimates

- the turns it takes: star turns for the boxes still empty in the plan's rows, filling turns for the white spaces; the
  game may end earlier, when another seat finishes (`limit`);
- the points of the empty spaces: a number per space, by row, for as many spaces as there are turns left to fill;
- the chance that the stars come in time.

A planned row counts twice with that chance and nothing otherwise; a row without stars counts once; a row with some
stars that is not in the plan counts nothing. The value of the sheet is that of its best plan. So a star in an empty
row has value, a row with only some of its stars has none unless there is time to complete it, a column's sum is better
placed in a row that will be doubled, and crossing out spaces of such a row is expensive.
"""

from functools import cache
from math import erf, exp, pow
from typing import Final, NamedTuple

from starfrost.games.dice_stars.sheet import NO_PENALTY, ROWS, Layout, Sheet, row_sum, total

# A larger cache would make clearing it the slowest part of a decision.
_REMEMBERED: Final = 10_000


class Weights(NamedTuple):
    """The parameters of the evaluation."""

    white: tuple[float, float, float, float, float]
    """Expected points of an empty white space, by row."""
    green: tuple[float, float, float, float, float]
    """Expected points of an empty green space, by row."""
    bend: float
    """The last spaces are hard to fill: the turns for n white spaces are `n ** bend` times `filling` or `pace`."""
    filling: float
    """The factor that counts only turns that fill spaces."""
    pace: float
    """The factor that counts all turns of another seat, before its own pace is known."""
    habit: float
    """The number of turns after which a seat's own pace has the same weight as `pace`."""
    stars: float
    """Boxes ticked in a turn that takes stars."""
    supply: float
    """Stars that a seat can get in a turn, on average, if it wants them."""
    luck: float
    """The spread of that number of stars."""
    retreat: float
    """The remaining share of a planned row without stars, if the stars do not come."""
    gift: float
    """The share of the best take left in the reserve that the next seat gains; solo, of boxes ticked again."""
    swing: float
    """The spread of the points of one more turn."""
    boxes: float
    """Solo boxes ticked in a turn."""


# An evolution strategy found the solo weights: small random changes of all weights at once, each tried in a few dozen
# games, and a step towards the better ones. The weights for several seats differ in three numbers, set by hand after
# trials of a hundred games against `greedy` and against the previous weights.
WEIGHTS: Final = Weights(
    white=(2.5, 3.7, 3.5, 4.2, 4.8),
    green=(0.43, 1.1, 2.0, 1.7, 0.0),
    bend=0.66,
    filling=1.7,
    pace=2.1,
    habit=2.8,
    stars=2.3,
    supply=0.8,
    luck=1.7,
    retreat=0.9,
    gift=0.4,
    swing=6.7,
    boxes=1.0,
)
"""The weights for two to four seats."""

SOLO_WEIGHTS: Final = WEIGHTS._replace(filling=1.42, supply=0.61, retreat=0.0)
"""The weights for the solo game."""


@cache
def _spaces_of_rows(layout: Layout) -> tuple[tuple[int, int], ...]:
    """Return the white and the green spaces of each row as bits."""
    rows = [layout.line_mask[str(label)] for label in ROWS]
    return tuple((row & layout.white, row & ~layout.white) for row in rows)


class Outlook(NamedTuple):
    """The expected end of a sheet."""

    points: float
    turns: float


class Evaluation:
    """An evaluation with its weights and a cache of sheets."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self._seen: dict[tuple[Sheet, float], Outlook] = {}

    def outlook(self, sheet: Sheet, limit: float) -> Outlook:
        """Estimate a sheet's total at the end, with at most `limit` more turns."""
        key = (sheet, limit)
        found = self._seen.get(key)
        if found is None:
            if len(self._seen) >= _REMEMBERED:
                self._seen.clear()
            found = self._seen[key] = self._best_plan(sheet, limit)
        return found

    def _best_plan(self, sheet: Sheet, limit: float) -> Outlook:
        if limit <= 0 or finished(sheet):
            return Outlook(total(sheet), 0.0)
        weights = self.weights
        # A partial plan: stars still needed; points and expected points of the rows to double and of the other rows.
        plans = [(0, 0.0, 0.0, 0.0, 0.0)]
        open_white = 0
        bonus, stars = sheet.layout.bonus, sheet.layout.stars
        for row, (white_spaces, green_spaces) in enumerate(_spaces_of_rows(sheet.layout)):
            points = row_sum(sheet, row)
            white = (white_spaces & ~sheet.filled).bit_count()
            green = (green_spaces & ~sheet.filled).bit_count()
            open_white += white
            hope = white * weights.white[row] + green * weights.green[row]
            need = stars[row] - sheet.ticked[row]
            if not need:
                plans = [(n, dp, dh, p + 2 * points, h + 2 * hope) for n, dp, dh, p, h in plans]
                continue
            sure = 0.0 if sheet.ticked[row] else weights.retreat
            gain = 2.0 - sure
            doubled = [
                (n + need, dp + gain * points, dh + gain * hope, p + sure * points, h + sure * hope)
                for n, dp, dh, p, h in plans
            ]
            if not sheet.ticked[row]:
                plans = [(n, dp, dh, p + points, h + hope) for n, dp, dh, p, h in plans]
            plans += doubled
        filling_turns = weights.filling * pow(open_white, weights.bend)
        best = Outlook(-1.0, 0.0)
        for missing, doubled_points, doubled_hope, sure_points, sure_hope in plans:
            star_turns = missing / weights.stars
            turns = min(filling_turns + star_turns, limit)
            if star_turns > turns:
                continue
            share = (turns - star_turns) / filling_turns
            chance = 1.0 / (1.0 + exp((missing - weights.supply * turns) / weights.luck)) if missing else 1.0
            expected = bonus + sure_points + share * sure_hope + chance * (doubled_points + share * doubled_hope)
            if expected > best.points:
                best = Outlook(expected, turns)
        return best

    def turns_to_finish(self, sheet: Sheet) -> float:
        """Estimate the turns that a seat needs for its white spaces, from its turns so far."""
        weights = self.weights
        # Every take that fills spaces writes one number; the other takes tick stars.
        played = sum(value >= 0 for value in sheet.spaces) + sum(sheet.ticked) / weights.stars
        usual = weights.pace * pow(20, weights.bend)
        left = weights.pace * pow((sheet.layout.white & ~sheet.filled).bit_count(), weights.bend)
        return left * (played + weights.habit) / (usual - left + weights.habit)


def finished(sheet: Sheet) -> bool:
    """Return whether a sheet ends the game after this round (G1)."""
    return sheet.penalty != NO_PENALTY or not sheet.layout.white & ~sheet.filled


def chance_above(mean: float, spread: float) -> float:
    """Return the chance that a normal variable is above 0."""
    return 0.5 * (1.0 + erf(mean / (spread * 1.4142135623730951)))
