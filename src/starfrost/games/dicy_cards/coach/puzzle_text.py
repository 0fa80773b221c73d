"""A puzzle of Dicy Cards as text: the position, and what it teaches."""

from collections.abc import Sequence

from starfrost.coach.columns import wrapped
from starfrost.coach.puzzles import Puzzle
from starfrost.games.dice import remove
from starfrost.games.dicy_cards import Phase, options
from starfrost.games.dicy_cards.coach.puzzles import PAIR_CARDS, active_cards, most_points
from starfrost.games.dicy_cards.words import card_name
from starfrost.words import Words
from starfrost.words.numbers import percent


def question(w: Words, puzzle: Puzzle) -> list[str]:
    """Describe the position: scores, cards, dice, and who has to decide."""
    state, game, names = puzzle.state, puzzle.game, puzzle.players
    lines = [w("Goal: %(goal)s points.", goal=game.goal)]
    for seat, name in enumerate(names):
        active = active_cards(game, state, seat)
        frozen = [card for card in game.cards if card not in active]
        lines.append(w.plural("%(name)s has %(n)s point.", "%(name)s has %(n)s points.", state.scores[seat], name=name))
        lines += wrapped("  " + w("Active: %(cards)s", cards=_listed(w, active)), "    ")
        lines += wrapped("  " + w("Frozen: %(cards)s", cards=_listed(w, frozen)), "    ")
    if state.dice:
        lines.append(w("The dice: %(dice)s", dice=" ".join(state.dice)))
    name = names[puzzle.seat]
    if state.phase is Phase.FREEZE:
        return [*lines, w("%(name)s must freeze a card. Which one?", name=name)]
    if state.phase is Phase.RESET:
        return [*lines, w("%(name)s must reset a card. Which one?", name=name)]
    return [*lines, w("%(name)s is to play. What is best?", name=name)]


def _listed(w: Words, cards: Sequence[str]) -> str:
    return ", ".join(card_name(w, card) for card in cards) or w("none")


def lesson(w: Words, puzzle: Puzzle, theme: str) -> str:
    """Return a sentence or two on why the answer is best, from the point of view of a theme."""
    state, answer, worst = puzzle.state, puzzle.answer, puzzle.choices[-1]
    active = active_cards(puzzle.game, state, puzzle.seat)
    most, big = most_points(active, state.dice)
    card = card_name(w, answer.card) if answer.card else ""
    scored = dict(options(answer.card, state.dice))[answer.dice] if answer.verb == "score" else 0
    kept = " ".join(remove(state.dice, answer.dice))
    match theme:
        case "skip-now":
            return w.plural(
                "A skip resets the frozen card. At most %(points)s points are on offer, and scoring them would freeze "
                "one card more: fewer scores and fewer rerolls in the turns to come.",
                "A skip resets all %(n)s frozen cards. At most %(points)s points are on offer, and scoring them would "
                "freeze one card more: fewer scores and fewer rerolls in the turns to come.",
                len(puzzle.game.cards) - len(active),
                points=most,
            )
        case "freeze-the-odd-one":
            return w(
                "Every active card can still score or pay for a reroll. %(card)s will be missed least; without "
                "%(other)s the chance would be %(worth)s.",
                card=card,
                other=card_name(w, worst.action.card),
                worth=percent(w, worst.value),
            )
        case "wake-the-right-card":
            return w(
                "The card that is reset can score in the very next turn. %(card)s helps most there; with %(other)s "
                "instead the chance would be %(worth)s.",
                card=card,
                other=card_name(w, worst.action.card),
                worth=percent(w, worst.value),
            )
        case "keep-for-the-straight":
            return w(
                "The dice %(kept)s are (almost) a sequence: many rolls turn them into a long straight, and "
                "%(card)s is the cheapest card to pay for the reroll.",
                kept=kept,
                card=card,
            )
        case "keep-the-pairs":
            return w(
                "Equal dice are hard to roll and easy to keep: %(kept)s stay for %(cards)s, and only the others are "
                "rerolled.",
                kept=kept,
                cards=w.all_of(card_name(w, one) for one in active if one in PAIR_CARDS and one != answer.card),
            )
        case "score-now":
            return w(
                "%(points)s points are there now. A reroll costs a card and rarely gains enough: even the best one "
                "wins only %(worth)s.",
                points=scored,
                worth=percent(w, max(choice.value for choice in puzzle.choices if choice.action.verb == "reroll")),
            )
        case "score-the-last-card":
            return w(
                "%(points)s points are there now. With the last card frozen the next turn can only be a skip, "
                "unless a card is reset before; but skipping right away wins only %(worth)s.",
                points=scored,
                worth=percent(w, puzzle.choices[1].value),
            )
        case "roll-on":
            return w(
                "Up to %(points)s points could be scored at once. Rerolling costs %(card)s, but what it can bring "
                "is worth more here.",
                points=most,
                card=card,
            )
        case "save-the-big-card":
            return w(
                "%(big)s would score %(most)s points, but then it is frozen. It is kept for a later turn, and "
                "%(card)s scores now.",
                big=card_name(w, big),
                most=most,
                card=card,
            )
        case _:
            return w(
                "Only the result counts now: %(points)s points make a tie, and then whoever has more active cards "
                "wins.",
                points=state.scores[1 - puzzle.seat] - state.scores[puzzle.seat],
            )
