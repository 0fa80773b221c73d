"""What the coach of any game is made of: a judge of positions, and what it says about one decision.

A judge knows the value of every action of a position, with an error that is 0 where the game is solved. Where it is
not, a network estimates them. A decision is then suspected if another action has a higher value by more than the
error: both are played on with the same dice, and only a confirmed difference is a loss.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol

from starfrost.errors import UsageError
from starfrost.words import Words

Shares = tuple[float, ...]
"""Every seat's share of the victory."""

SUSPECTED: Final = 0.004
"""The error of values by a network: the least difference that rollouts check."""
NOTICEABLE: Final = 0.0005
"""The least loss that a report shows as more than 0.0%."""
MISTAKE: Final = 0.01
"""The least loss that counts as a mistake."""


class Option(NamedTuple):
    """An action and every seat's share after it."""

    action: Any
    shares: Shares


class Difference(NamedTuple):
    """How much better one action is than another."""

    mean: Shares
    """The difference of every seat's share."""
    error: float
    """Half the 95% interval of the acting seat's difference; 0 if it is exact."""
    proved: bool
    """Whether the first action is better beyond doubt."""


class Part(NamedTuple):
    """A part of what one action is better than another."""

    part: str
    """Its name; a game's coach says which there are."""
    value: float
    """What this part adds to the value of the better action; negative if it speaks for the other one."""
    number: float = 0.0
    """How many of what the part is about the better action has more, such as points; the mean if dice decide that."""
    thing: str = ""
    """What the part is about, such as a card."""


Parts = tuple[Part, ...]
"""The parts of a difference, the greatest first; they add up to it."""


class Judge(Protocol):
    """The values of one game."""

    game: Any
    error: float
    """How far a value may be off; 0 if values are exact."""

    def value(self, state: Any) -> Shares:
        """Return the value of a position that waits for dice, or of an end."""

    def options(self, state: Any) -> list[Option]:
        """Return every legal action with its value, the best for the acting seat first."""

    def compare(self, state: Any, one: Any, other: Any) -> Difference:
        """Return how much better one action is; an estimate plays both on with the same dice until that is clear."""

    def parts(self, state: Any, better: Any, worse: Any, difference: float) -> Parts:
        """Split the difference that `compare` found for the acting seat."""


class Coach:
    """What there is to judge one game with; a game says what it has. Only `prepare` takes long."""

    reviews = True
    """Whether it judges whole games."""

    def is_exact(self, game: Any) -> bool:
        """Return whether exact values of this set-up are at hand."""
        return False

    def can_judge(self, game: Any) -> bool:
        """Return whether there is a judge for this set-up now, exact or estimating."""
        raise NotImplementedError

    def judge(self, game: Any) -> Judge | None:
        """Return the best judge that is at hand; None if there is none."""
        raise NotImplementedError

    def prepare(self, game: Any, progress: Callable[[float], None] | None = None) -> Judge:
        """Return the best judge, after working out here what it needs. Raises UsageError if there is none."""
        judge = self.judge(game)
        if judge is None:
            raise UsageError("The coach judges this game by networks that know only the official rules, not variants.")
        return judge

    def can_solve(self, game: Any) -> bool:
        """Return whether this machine can work out the exact values of this set-up, which are not at hand."""
        return False

    def solve(self, game: Any) -> int:
        """Start to work them out in the background; return how far that is, in per cent."""
        return 0

    # What a report says of the game

    def facts(self, game: Any) -> Mapping[str, Any]:
        """Return what the JSON of an analysis says of the set-up."""
        return {}

    def about(self, w: Words, game: Any) -> str:
        """Return the sentence on the set-up with which a report begins; empty for none."""
        return ""

    def reasons(self, w: Words, game: Any, state: Any, better: Any, worse: Any, parts: Parts) -> list[str]:
        """Return at most two sentences on the greatest parts; none if there is nothing to say."""
        return []

    def dice(self, state: Any) -> str:
        """Return the dice that a report shows with a decision; empty if its sentence says what matters."""
        return ""


class Checked(NamedTuple):
    """A decision and what the coach found about it."""

    best: Any
    loss: Shares
    """The gain of every seat if the best action had been taken; zeros if none is proved better."""
    error: float
    stake: float
    parts: Parts = ()
    """The parts of the acting seat's loss."""


def check(judge: Judge, state: Any, action: Any) -> Checked:
    """Judge a decision of the acting seat."""
    seat, options = judge.game.actor(state), judge.options(state)
    best = options[0]
    taken = next(option for option in options if option.action == action)
    nothing = (0.0,) * len(best.shares)
    stake = best.shares[seat] - min(option.shares[seat] for option in options)
    if taken is best or best.shares[seat] - taken.shares[seat] < judge.error:
        return Checked(action, nothing, 0.0, stake)
    found = judge.compare(state, best.action, action)
    if not found.proved:
        return Checked(action, nothing, found.error, stake)
    parts = judge.parts(state, best.action, action, found.mean[seat])
    return Checked(best.action, found.mean, found.error, max(stake, found.mean[seat]), parts)


@dataclass(frozen=True)
class Advice:
    """What the coach would do in a position."""

    best: str
    """The action, as records write it."""
    chance: float
    """The acting seat's winning chance then."""
    other: str
    """The best alternative, of another kind if there is one that is clearly worse; empty if there is only one move."""
    behind: float
    """How much worse that is; below `NOTICEABLE` they are equally good."""
    error: float
    """Half the 95% interval of `behind`; 0 if it is exact."""
    exact: bool
    parts: Parts = ()
    """The parts of `behind`."""


@dataclass(frozen=True)
class Verdict:
    """How good a move was."""

    best: str
    """The best action; the one taken if none is proved better."""
    loss: float
    """The winning chance lost."""
    chance: float
    """The winning chance after the move."""
    error: float
    """Half the 95% interval of the loss; 0 if it is exact or if nothing was suspected."""
    exact: bool
    only: bool
    """Whether there was nothing else to do."""
    parts: Parts = ()
    """The parts of the loss."""


def kind_of(action: Any) -> str:
    """Return the kind of a decision: the first word of its notation."""
    return str(action).split()[0]


def advise(judge: Judge, state: Any) -> Advice:
    """Return the best action of a position in which a seat acts, and how much better it is than another."""
    seat, options, exact = judge.game.actor(state), judge.options(state), not judge.error
    best = options[0]
    if len(options) == 1:
        return Advice(str(best.action), best.shares[seat], "", 0.0, 0.0, exact)
    other = options[1]
    if best.shares[seat] - other.shares[seat] >= NOTICEABLE:
        # That another kind of move is worse says more than that another choice of dice is.
        other = next((one for one in options[1:] if kind_of(one.action) != kind_of(best.action)), other)
    found = judge.compare(state, best.action, other.action)
    behind = found.mean[seat]
    if not exact and -behind > found.error:
        # Played on, the network's second choice is better.
        best, other, behind = other, best, -behind
    parts = judge.parts(state, best.action, other.action, behind) if behind >= max(NOTICEABLE, found.error) else ()
    return Advice(str(best.action), best.shares[seat], str(other.action), max(0.0, behind), found.error, exact, parts)


def judge_move(judge: Judge, state: Any, action: Any) -> Verdict:
    """Judge a decision of the acting seat."""
    seat, options = judge.game.actor(state), judge.options(state)
    found = check(judge, state, action)
    chance = next(option for option in options if option.action == action).shares[seat]
    return Verdict(
        str(found.best), found.loss[seat], chance, found.error, not judge.error, len(options) == 1, found.parts
    )
