"""Does the coach teach? `python -m bench.teach [--modes glacial,b,c,d] [--lessons 100] [--games 100] [--goal 100]`.

A simulated pupil of two-player Dicy Cards, not a person. It sees what everybody sees on the table: points, cards, and
how many points a throw promises on average. Untaught it takes the most points of this turn. Then it plays games in
which the coach comments on its mistakes, and reads the English sentences on why another move was better, nothing else:
which part they name, how much it is worth, and the two moves. A part is worth what the sentences said of it, on
average, for as much of it as there was on the table (weights by least squares); it follows these rules of thumb.

For comparison a pupil of the same lessons is told how much better the other move was, and not why: it puts the whole
amount down to everything in which the moves differ. Prints what a decision costs each of them, and how often each beats
the untaught one, without the luck of the dice: on dice that nobody has seen in the lessons.
"""

import argparse
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from random import Random
from statistics import mean, stdev
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from starfrost.coach.judge import MISTAKE, judge_move
from starfrost.games.core import CHANCE, OVER
from starfrost.games.dice import remove
from starfrost.games.dicy_cards import GOAL, MODES, Action, Change, DicyCards, State, card_of, options
from starfrost.games.dicy_cards.bots.greedy import mean_points
from starfrost.games.dicy_cards.coach.exact import ExactJudge
from starfrost.games.dicy_cards.coach.reason_text import sentences
from starfrost.games.dicy_cards.solver import on_demand
from starfrost.games.dicy_cards.solver.adviser import Adviser
from starfrost.games.dicy_cards.solver.lattice import KEPT, MULTISETS, lattice
from starfrost.games.dicy_cards.solver.on_demand import in_order
from starfrost.words import Words

Seen = Mapping[str, float]
"""What a move does as a pupil sees it: how much there is of each thing."""

SPEAKS_OF: Final = {
    "points?": ("points",),
    "goal|last round": ("goal",),
    "kept instead|used up instead|helps more": ("card",),
    "more cards|cards that stay|cards used up": ("card", "no"),
    "other player": ("other",),
    "frozen cards?": ("back",),
    "dice": ("rolled",),
}
"""The things that a sentence speaks of: the first line counts whose words are in it."""
AGAINST: Final = re.compile("(?<!would )costs?|would be worth|speak for the other")
"""What a sentence says that speaks for the other move."""
RIDGE: Final = 1e-3


class Lesson(NamedTuple):
    """What a sentence says."""

    more: Seen
    """How much more there is of each thing that it speaks of after the better move."""
    worth: float
    """What that is worth, in per cent."""


class Table:
    """What everybody can see of a game: what a move brings, on average where dice decide."""

    def __init__(self, game: DicyCards) -> None:
        self.game = game
        texts = lattice().dice[KEPT:]
        self._best = [
            np.array([max((n for _, n in options(card, dice)), default=0) for dice in texts]) for card in game.cards
        ]
        self.mean = lru_cache(maxsize=None)(self._mean)
        self.reach = lru_cache(maxsize=4096)(self._reach)

    def _most(self, mask: int) -> NDArray[np.float64]:
        held = [best for place, best in enumerate(self._best) if mask >> place & 1]
        return np.max(held, axis=0).astype(float) if held else np.zeros(MULTISETS - KEPT)

    def _before(self, rolls: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the mean over a throw of the missing dice, by the dice kept."""
        found = np.concatenate([np.zeros(KEPT), rolls])
        for begin, end in reversed(list(pairwise(lattice().first[:-1]))):
            found[begin:end] = found[lattice().up[begin:end]].mean(axis=1)
        return found

    def _mean(self, mask: int) -> NDArray[np.float64]:
        return self._before(self._most(mask))

    def _reach(self, mask: int, need: int) -> NDArray[np.float64]:
        return self._before((self._most(mask) >= need).astype(float))

    def sees(self, state: State, action: Action) -> Seen:
        """Return what a move does."""
        game, seat = self.game, state.seat
        if action.verb in ("freeze", "reset"):
            return {f"card {action.card}": -1.0 if action.verb == "freeze" else 1.0}
        active, need = state.active[seat], game.goal - state.scores[seat]
        last = max(state.scores) >= game.goal
        if action.verb == "skip":
            return {"back": 5.0 - active.bit_count(), f"other {Change.RESET.name}": 1.0}
        seen = {f"card {action.card}": -1.0}
        if action.verb == "score":
            points = float(dict(options(action.card, state.dice))[action.dice])
            seen |= {"points": points, "goal": float(points >= need and not last)}
            change = card_of(action.card).effect.change
            return seen | ({f"other {change.name}": 1.0} if change else {})
        left = active ^ 1 << game.cards.index(action.card)
        kept = lattice().number[remove(state.dice, action.dice)]
        seen |= {"points": float(self.mean(left)[kept]), "no reroll": -1.0, "rolled": float(len(action.dice))}
        return seen | {"goal": 0.0 if last else float(self.reach(left, need)[kept])}


class Pupil:
    """A player who adds up what it sees, each thing with its worth."""

    def __init__(self, table: Table, rules: Seen | None = None) -> None:
        self.table = table
        # The untaught one takes points; of equal moves it keeps the card that brings more of them.
        self.rules = rules or {"points": 1.0, **{f"card {card}": mean_points(card) / 1e4 for card in table.game.cards}}

    def worth(self, state: State, action: Action) -> float:
        """Return what a move seems to be worth."""
        return sum(self.rules.get(thing, 0.0) * number for thing, number in self.table.sees(state, action).items())

    def choose(self, state: State) -> Action:
        """Return the move that seems best."""
        return max(self.table.game.legal_actions(state), key=lambda action: self.worth(state, action))


def read(said: str, more: Seen) -> Lesson:
    """Return what a sentence teaches about two moves; `more` is how much more the better one has of each thing."""
    things = next(things for words, things in SPEAKS_OF.items() if re.search(words, re.sub("“.+?”", "", said)))
    share = re.search(r"([\d.]+)%", said)
    assert share is not None, said
    worth = -float(share[1]) if AGAINST.search(said) else float(share[1])
    return Lesson({thing: number for thing, number in more.items() if thing.split()[0] in things}, worth)


def learnt(lessons: Sequence[Lesson]) -> Seen:
    """Return what each thing is worth: the weights that fit the lessons best, and zero where none spoke of it."""
    things = sorted({thing for lesson in lessons for thing in lesson.more})
    if not things:
        return {}
    seen = np.array([[lesson.more.get(thing, 0.0) for thing in things] for lesson in lessons])
    worth = np.array([lesson.worth for lesson in lessons])
    found = np.linalg.solve(seen.T @ seen + RIDGE * len(lessons) * np.eye(len(things)), seen.T @ worth)
    return dict(zip(things, map(float, found), strict=True))


def lessons_of(judge: ExactJudge, table: Table, state: State, action: Action) -> tuple[list[Lesson], list[Lesson]]:
    """Return what the coach's sentences on a mistake teach, and what the bare amount does; nothing if it is none."""
    found = judge_move(judge, state, action)
    if found.loss < MISTAKE:
        return [], []
    best = judge.game.parse_action(found.best)
    one, other = table.sees(state, best), table.sees(state, action)
    more = {thing: one.get(thing, 0.0) - other.get(thing, 0.0) for thing in {*one, *other}}
    said = sentences(Words("en"), judge.game, state, best, action, found.parts)
    return [read(sentence, more) for sentence in said], [Lesson(more, 100 * found.loss)]


def school(judge: ExactJudge, table: Table, wanted: int, rng: Random, *, why: bool) -> Pupil:
    """Return a pupil after so many mistakes of its own that the coach has commented on."""
    pupil, heard, mistakes, state = Pupil(table), list[Lesson](), 0, judge.game.start()
    while mistakes < wanted:
        actor = judge.game.actor(state)
        if actor == OVER:
            state, pupil = judge.game.start(), Pupil(table, learnt(heard))
        elif actor == CHANCE:
            state = judge.game.apply(state, judge.game.sample(state, rng))
        else:
            action = pupil.choose(state)
            told, bare = lessons_of(judge, table, state, action)
            heard += told if why else bare
            mistakes += bool(bare)
            state = judge.game.apply(state, action)
    return Pupil(table, learnt(heard))


class Found(NamedTuple):
    """What games of a pupil against another one showed."""

    share: float
    """Its share of victories, without the luck of the dice."""
    error: float
    """Half the 95% interval."""
    cost: float
    """What a decision cost it on average."""


def against(adviser: Adviser, one: Pupil, other: Pupil, games: int, rng: Random) -> Found:
    """Let two pupils play, who begin in turn."""
    shares, lost, decisions = [], 0.0, 0
    for number in range(games):
        seat, costs, state = number % 2, [0.0, 0.0], adviser.game.start()
        while (actor := adviser.game.actor(state)) != OVER:
            if actor == CHANCE:
                state = adviser.game.apply(state, adviser.game.sample(state, rng))
                continue
            values = {choice.action: choice.value for choice in adviser.action_values(state)}
            action = (one if actor == seat else other).choose(state)
            costs[actor] += max(values.values()) - values[action]
            decisions += actor == seat and len(values) > 1
            state = adviser.game.apply(state, action)
        shares.append(adviser.value(adviser.game.start(), seat) - costs[seat] + costs[1 - seat])
        lost += costs[seat]
    return Found(mean(shares), 1.96 * stdev(shares) / games**0.5, lost / decisions)


def main() -> None:
    """Teach pupils and let them play."""
    parser = argparse.ArgumentParser(prog="python -m bench.teach", description=__doc__)
    parser.add_argument("--modes", default="glacial,b,c,d")
    parser.add_argument("--lessons", type=int, default=100)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--goal", type=int, default=GOAL)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    print(
        f"{chosen.lessons} mistakes of simulated pupils explained, then {chosen.games} games to {chosen.goal} points\n"
    )
    print("mode     pupil             a decision costs   share against the untaught one")
    for mode in chosen.modes.split(","):
        cards = MODES[mode].cards
        judge = ExactJudge(
            Adviser(DicyCards(2, cards, chosen.goal), on_demand.ensure_solved(in_order(cards), chosen.goal))
        )
        table = Table(judge.game)
        reasons, amounts = (school(judge, table, chosen.lessons, Random(chosen.seed), why=why) for why in (True, False))
        for name, pupil in (("untaught", Pupil(table)), ("told how much", amounts), ("told why", reasons)):
            found = against(judge.adviser, pupil, Pupil(table), chosen.games, Random(chosen.seed + 1))
            share = f"{found.share:.1%} ± {found.error:.1%}" if name != "untaught" else "-"
            print(f"{mode:8} {name:15} {found.cost:17.2%}   {share:>30}", flush=True)
        rules = sorted(reasons.rules.items(), key=lambda rule: -abs(rule[1]))
        print("         what it has learnt, in %: " + ", ".join(f"{thing} {worth:.1f}" for thing, worth in rules))


if __name__ == "__main__":
    main()
