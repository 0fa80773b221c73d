"""The comparison of a seat's takes by its own outlook, the others' outlooks and the dice that it leaves."""

from math import sqrt
from typing import Final, NamedTuple

from starfrost.games.dice_stars import Action, State
from starfrost.games.dice_stars.actions import PENALTIES, TAKES, all_star_takes, star_takes
from starfrost.games.dice_stars.bots.evaluation import Evaluation, Outlook, chance_above, finished
from starfrost.games.dice_stars.components import COLOURS, Dice
from starfrost.games.dice_stars.sheet import Sheet, first_spaces
from starfrost.games.dice_stars.turn import line_count, line_sum, solo_boxes_for, star_count, tally

UNLIMITED: Final = 99.0
"""More turns than any game has."""


class Option(NamedTuple):
    """A take and the sheet's outlook after it."""

    action: Action
    outlook: Outlook


class Reach:
    """The outlooks that a seat's sheet can reach with one take."""

    def __init__(self, evaluation: Evaluation, sheet: Sheet, limit: float) -> None:
        self.evaluation = evaluation
        self.sheet = sheet
        self.limit = limit
        self._filled: dict[tuple[str, int, int], Outlook | None] = {}
        self._starred: dict[int, Option | None] = {}

    def options(self, reserve: Dice) -> list[Option]:
        """List the takes from a reserve for which the sheet has room; of the ways to tick stars, only the best."""
        counted = tally(reserve)
        found = []
        for action, line in TAKES.items():
            count = line_count(counted, line)
            if count:
                outlook = self._fill(line, count, line_sum(counted, line))
                if outlook is not None:
                    found.append(Option(action, outlook))
        stars = star_count(counted)
        if stars:
            option = self._tick(stars)
            if option is not None:
                found.append(option)
        return found

    def penalties(self, reserve: Dice) -> list[Option]:
        """List the penalties that the reserve offers (F6)."""
        counted = tally(reserve)
        return [
            Option(action, self.evaluation.outlook(self.sheet.punish(line_sum(counted, line)), self.limit))
            for action, line in PENALTIES.items()
            if line_count(counted, line)
        ]

    def _fill(self, line: str, count: int, value: int) -> Outlook | None:
        key = (line, count, value)
        if key not in self._filled:
            spaces = first_spaces(self.sheet.layout.line_mask[line] & ~self.sheet.filled, count)
            self._filled[key] = self.evaluation.outlook(self.sheet.fill(spaces, value), self.limit) if spaces else None
        return self._filled[key]

    def _tick(self, stars: int) -> Option | None:
        if stars not in self._starred:
            boxes = self.sheet.layout.stars
            ways, ticks = star_takes(stars, self.sheet.ticked, boxes), all_star_takes(boxes)
            outlooks = [self.evaluation.outlook(self.sheet.tick(ticks[way]), self.limit) for way in ways]
            best = max(range(len(ways)), key=lambda index: outlooks[index].points, default=None)
            self._starred[stars] = None if best is None else Option(ways[best], outlooks[best])
        return self._starred[stars]


class Weighing:
    """The takes of one turn, compared by the chance to win."""

    def __init__(self, evaluation: Evaluation, state: State, solo_grid: int) -> None:
        self.weights = evaluation.weights
        self.solo, self.solo_grid = state.solo, solo_grid
        self.box_points = state.sheets[0].layout.box_points
        me, sheets = state.seat, state.sheets
        ending = any(map(finished, sheets))
        # The round, counted from this one, in which each seat can finish the game; earlier seats have already played.
        rounds = [max(0.5, evaluation.turns_to_finish(sheet) - (seat >= me)) for seat, sheet in enumerate(sheets)]

        def limit(seat: int, ending: bool) -> float:
            others = [end for other, end in enumerate(rounds) if other != seat]
            return (0.0 if ending else min(others, default=UNLIMITED)) + (seat > me)

        self.reach = Reach(evaluation, sheets[me], limit(me, ending))
        following = (me + 1) % len(sheets)
        self.next = Reach(evaluation, sheets[following], limit(following, ending))
        self.next_points = evaluation.outlook(sheets[following], self.next.limit).points
        self._gifts: dict[Dice, float] = {}
        # The points of every other seat, the next one first: if the game goes on, and if this round is the last.
        order = [(me + step) % len(sheets) for step in range(1, len(sheets))]
        self.theirs = [
            [evaluation.outlook(sheets[seat], limit(seat, last)).points for seat in order] for last in (ending, True)
        ]
        self.last_seat = me == len(sheets) - 1

    def best_take(self, reserve: Dice) -> tuple[float, Action]:
        """Return the best take from a reserve, or the best penalty, and the chance to win after it."""
        options = self.reach.options(reserve) or self.reach.penalties(reserve)
        hopes = [(self._chance(outlook, 0.0, 0), index) for index, (_, outlook) in enumerate(options)]
        hopes.sort(reverse=True)
        best, choice = -1.0, options[0].action
        for hope, index in hopes:
            # The dice left over never help, so the remaining options cannot be better.
            if hope <= best:
                break
            action, outlook = options[index]
            chance = self.chance(reserve, action, outlook)
            if chance > best:
                best, choice = chance, action
        return best, choice

    def chance(self, reserve: Dice, action: Action, outlook: Outlook) -> float:
        """Estimate the chance to win after a take that leaves the sheet with this outlook."""
        left = _left(reserve, action)
        if left and self.solo_grid:
            boxes = solo_boxes_for(left, self.box_points)
            # After stars the reserve can be put back; otherwise the dice left over can cost boxes again.
            again = 0.0 if action.rows else self.weights.gift * boxes
            return self._chance(outlook, again, boxes)
        return self._chance(outlook, self._gift(left) if left else 0.0, 0)

    def _gift(self, left: Dice) -> float:
        """Estimate the gain of the next seat from the dice left over."""
        if left not in self._gifts:
            best = max((outlook.points for _, outlook in self.next.options(left)), default=0.0)
            self._gifts[left] = self.weights.gift * max(0.0, best - self.next_points)
        return self._gifts[left]

    def _chance(self, mine: Outlook, gift: float, boxes: int) -> float:
        """Estimate the chance to win with this outlook; a small weight on the points breaks ties."""
        weights = self.weights
        if self.solo_grid:
            ticked = self.solo + boxes
            expected = ticked + (weights.boxes * mine.turns + gift if mine.turns else 0.0)
            spread = sqrt(mine.turns + 0.05)
            room = chance_above(self.solo_grid - 0.5 - expected, 1.2 * spread) if ticked < self.solo_grid else 0.0
            margin = mine.points - self.box_points * expected - 0.5
            return room * chance_above(margin, weights.swing * spread) + 1e-4 * margin
        spread = weights.swing * sqrt(mine.turns + (0.02 if self.last_seat else 0.5))
        chance = 1.0
        harm = gift
        margin = 0.0
        for theirs in self.theirs[mine.turns == 0.0]:
            margin = mine.points - theirs - harm
            chance *= chance_above(margin, spread)
            harm = 0.0
        return chance + 1e-4 * margin


def _left(reserve: Dice, action: Action) -> Dice:
    """Return the reserve after a take or a penalty."""
    if action.line == "stars":
        return tuple([shown for shown in reserve if shown & 7])
    if action.line in COLOURS:
        colour = COLOURS.index(action.line)
        return tuple([shown for shown in reserve if shown >> 3 != colour])
    face = int(action.line)
    return tuple([shown for shown in reserve if shown & 7 != face])
