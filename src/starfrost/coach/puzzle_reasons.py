"""Why the answer of a puzzle is the best action: what there is to learn, theme by theme, from the position itself."""

from collections.abc import Callable
from typing import Final

from starfrost.coach.puzzles import Puzzle
from starfrost.games.dice import remove
from starfrost.games.dicy_cards import options
from starfrost.words import Words
from starfrost.words.dicy_cards import card_name
from starfrost.words.numbers import percent

__all__ = ["lesson"]

_PAIRS: Final = ("two-pairs", "double-pair", "same-fives")


def _name(puzzle: Puzzle) -> str:
    return puzzle.record.players[puzzle.seat]


def _active(puzzle: Puzzle) -> list[str]:
    return [card for place, card in enumerate(puzzle.game.cards) if puzzle.state.active[puzzle.seat] >> place & 1]


def _most(puzzle: Puzzle) -> tuple[int, str]:
    """Give the most points on offer and the card that offers them."""
    offers = [(points, card) for card in _active(puzzle) for _, points in options(card, puzzle.state.dice)]
    return max(offers, default=(0, ""))


def _kept(puzzle: Puzzle) -> str:
    return " ".join(remove(puzzle.state.dice, puzzle.answer.dice))


def _skip(w: Words, puzzle: Puzzle) -> str:
    frozen = len(puzzle.game.cards) - len(_active(puzzle))
    return w.plural(
        "A skip resets the frozen card. At most %(points)s points are on offer, and scoring them would freeze one card "
        "more: fewer scores and fewer rerolls in the turns to come.",
        "A skip resets all %(n)s frozen cards. At most %(points)s points are on offer, and scoring them would freeze "
        "one card more: fewer scores and fewer rerolls in the turns to come.",
        frozen,
        points=_most(puzzle)[0],
    )


def _freeze(w: Words, puzzle: Puzzle) -> str:
    worst = puzzle.choices[-1]
    return w(
        "Every active card is a score and a reroll to come. %(card)s is the one that %(name)s will miss least; without "
        "%(other)s the chance would be %(worth)s.",
        card=card_name(w, puzzle.answer.card),
        name=_name(puzzle),
        other=card_name(w, worst.action.card),
        worth=percent(w, worst.value),
    )


def _wake(w: Words, puzzle: Puzzle) -> str:
    worst = puzzle.choices[-1]
    return w(
        "The card that is reset can score in the very next turn. %(card)s helps %(name)s most there; with %(other)s "
        "instead the chance would be %(worth)s.",
        card=card_name(w, puzzle.answer.card),
        name=_name(puzzle),
        other=card_name(w, worst.action.card),
        worth=percent(w, worst.value),
    )


def _straight(w: Words, puzzle: Puzzle) -> str:
    return w(
        "The dice %(kept)s lie in a row, or nearly so: many rolls make a long straight of them, and %(card)s is the "
        "cheapest card to pay for the reroll.",
        kept=_kept(puzzle),
        card=card_name(w, puzzle.answer.card),
    )


def _pairs(w: Words, puzzle: Puzzle) -> str:
    served = [card_name(w, card) for card in _active(puzzle) if card in _PAIRS and card != puzzle.answer.card]
    return w(
        "Equal dice are hard to roll and easy to keep: %(kept)s stay for %(cards)s, and only the others are "
        "rolled again.",
        kept=_kept(puzzle),
        cards=w.all_of(served),
    )


def _score(w: Words, puzzle: Puzzle) -> str:
    points = dict(options(puzzle.answer.card, puzzle.state.dice))[puzzle.answer.dice]
    reroll = max(choice.value for choice in puzzle.choices if choice.action.verb == "reroll")
    return w(
        "%(points)s points are there now. A reroll costs a card and seldom brings enough more: the best one wins only "
        "%(worth)s.",
        points=points,
        worth=percent(w, reroll),
    )


def _last_card(w: Words, puzzle: Puzzle) -> str:
    return w(
        "%(points)s points are there now. With the last card frozen the next turn can only be a skip, unless a card is "
        "reset before; but to skip at once wins only %(worth)s.",
        points=dict(options(puzzle.answer.card, puzzle.state.dice))[puzzle.answer.dice],
        worth=percent(w, puzzle.choices[1].value),
    )


def _roll_on(w: Words, puzzle: Puzzle) -> str:
    return w(
        "Up to %(points)s points could be taken at once. Rolling again costs %(card)s, but what it can bring is worth "
        "more here.",
        points=_most(puzzle)[0],
        card=card_name(w, puzzle.answer.card),
    )


def _save(w: Words, puzzle: Puzzle) -> str:
    most, big = _most(puzzle)
    return w(
        "%(big)s would score %(most)s points, but then it is frozen. %(name)s keeps it for a later turn and scores "
        "with %(card)s.",
        big=card_name(w, big),
        most=most,
        name=_name(puzzle),
        card=card_name(w, puzzle.answer.card),
    )


def _last(w: Words, puzzle: Puzzle) -> str:
    state, seat = puzzle.state, puzzle.seat
    return w(
        "Only the result counts now: %(points)s points make a tie, which more active cards win.",
        points=state.scores[1 - seat] - state.scores[seat],
    )


_LESSONS: Final[dict[str, Callable[[Words, Puzzle], str]]] = {
    "skip-now": _skip,
    "freeze-the-odd-one": _freeze,
    "wake-the-right-card": _wake,
    "keep-for-the-straight": _straight,
    "keep-the-pairs": _pairs,
    "score-now": _score,
    "score-the-last-card": _last_card,
    "roll-on": _roll_on,
    "save-the-big-card": _save,
    "last-turn": _last,
}


def lesson(w: Words, puzzle: Puzzle, theme: str) -> str:
    """Say in a sentence or two what a puzzle teaches under one of its themes."""
    return _LESSONS[theme](w, puzzle)
