"""A Dicy Cards position as a page shows it."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from starfrost.games.dicy_cards import Action, DicyCards, State, card_of, options
from starfrost.games.dicy_cards.cards import DICE
from starfrost.table.moves import Move
from starfrost.web.boards.board import Position
from starfrost.web.boards.dicy_cards.pictures import Mini, mini
from starfrost.web.views.rules import RulesClause, rules_clause
from starfrost.web.views.seats import Lane
from starfrost.words import Words
from starfrost.words.dicy_cards import effect_hint


@dataclass(frozen=True)
class Die:
    """A die in the tray."""

    value: str
    fresh: bool = False
    counts: bool = False
    """Whether it belongs to what was just scored."""


@dataclass(frozen=True)
class CardView(Mini):
    """A card in front of a player."""

    effect: str
    frozen: bool
    choosable: bool
    points: int | None
    """What the best selection scores now; None when the card cannot score these dice or nobody may score."""
    why: str
    button: str
    label: str
    """The whole card in words, for a screen reader."""
    clauses: tuple[RulesClause, ...]
    """The clauses on whom the card's effect reaches, with their rulings."""


@dataclass(frozen=True)
class Chip:
    """A small card. It can be hashed, so that the templates draw every hand once."""

    id: str
    name: str
    frozen: bool


@dataclass(frozen=True)
class DicyTable:
    """Everything that the Dicy Cards board shows."""

    goal: int
    lanes: tuple[Lane, ...]
    hands: tuple[tuple[Chip, ...], ...]
    """For every seat its cards."""
    dice: tuple[Die, ...]
    rest: bool
    """Whether the dice lie there from the turn before."""
    cards: tuple[CardView, ...]
    owner: int
    """Whose cards these are, from 1."""
    question: str
    ask: str
    """What the player must do: roll, act, freeze, reset or nothing."""
    can_score: bool
    can_reroll: bool
    can_skip: bool
    picking: Mapping[str, Any]
    last: bool
    """Whether no other turn follows this one (E1)."""


def _sum_text(kind: str, selection: str) -> str:
    """Return how the points of a selection come about, where there is room for it."""
    card, total = card_of(kind), sum(map(int, selection))
    if card.times == -1 and not card.per_die:
        return f"{card.fixed} − {total}"
    more = f" {'−' if card.fixed < 0 else '+'} {abs(card.fixed)}" if card.fixed else ""
    if not card.times and card.per_die:
        return f"{len(selection)} × {card.per_die}{more}"
    if card.per_die or card.times not in (1, 2) or card.least == DICE or len(selection) > 4:
        return " ".join(selection)
    return ("2 × ({})" if card.times == 2 else "{}").format(" + ".join(selection)) + more


def _dice(state: State, fresh: str, before: State | None, last: Action | None) -> tuple[tuple[Die, ...], bool]:
    """Lay out the tray: kept dice first, the dice just rolled after them; between turns the dice of the last turn."""
    shown, rest, counted = state.dice, False, ""
    if not shown and before is not None and before.dice and last is not None:
        shown, rest, counted = before.dice, True, last.dice if last.verb == "score" else ""
    new = "" if rest else fresh
    values = [(value, False) for value in (Counter(shown) - Counter(new)).elements()]
    values += [(value, True) for value in new if value in shown]
    left = Counter(counted)
    dice = []
    for value, is_new in values[:6]:
        dice.append(Die(value, is_new, counts=left[value] > 0))
        left[value] -= 1
    return tuple(dice), rest


def _last_turn(past: Sequence[Move]) -> tuple[Any, Any]:
    """Return the position before the decision that ended the last turn, and the decision."""
    for move in reversed(past):
        if move.action.verb in ("score", "skip"):
            return move.before, move.action
        if move.action.verb in ("roll", "reroll"):
            break
    return None, None


def _question(w: Words, ask: str, *, stuck: bool) -> str:
    if ask == "act":
        if stuck:
            return w("All your cards are frozen. Skip this turn to reset them all.")
        return w(
            "Tap a card to score it, tap dice to reroll them (that freezes a card), or skip to reset your frozen cards."
        )
    return {
        "": "",
        "roll": w("Your turn. Roll all six dice."),
        "freeze": w("Which of your cards do you freeze?"),
        "reset": w("Which of your frozen cards do you reset? It is active again then."),
    }[ask]


def dicy_table(w: Words, position: Position) -> DicyTable:
    """Lay out a position."""
    game: DicyCards = position.game
    state: State = position.state
    cards_by_verb: dict[str, set[str]] = defaultdict(set)
    for action in position.legal:
        cards_by_verb[action.verb].add(action.card)
    scoring, freezing = cards_by_verb.get("score", set()), cards_by_verb.get("reroll", set())
    choosing = cards_by_verb.get("freeze", set()) | cards_by_verb.get("reset", set())
    if position.may_roll:
        ask = "roll"
    else:
        ask = "act" if cards_by_verb.keys() & {"score", "skip", "reroll"} else next(iter(cards_by_verb), "")
    acting = position.acting
    owner = position.me if position.me is not None else acting if acting is not None else state.seat
    before, last = _last_turn(position.past)
    dice, rest = _dice(state, position.outcome.dice if position.outcome else "", before, last)
    ways = {card: options(game.kind(card), state.dice) for card in game.cards if card in scoring}
    best = {card: max(found, key=lambda way: way[1]) for card, found in ways.items()}
    cards = tuple(
        _card(
            w,
            game.kinds[i],
            ask,
            frozen=not state.active[owner] >> i & 1,
            choosable=card in scoring | choosing | freezing,
            best=best.get(card, ("", None)),
        )
        for i, card in enumerate(game.cards)
    )
    question = _question(w, ask, stuck=not scoring and not freezing)
    return DicyTable(
        goal=game.goal,
        lanes=position.lanes(game.goal),
        hands=tuple(
            tuple(Chip(card.id, card.name, not active >> i & 1) for i, card in enumerate(cards))
            for active in state.active
        ),
        dice=dice,
        rest=rest,
        cards=cards,
        owner=owner + 1,
        question=question,
        ask=ask,
        can_score=bool(scoring),
        can_reroll=bool(freezing),
        can_skip="skip" in cards_by_verb,
        picking=_picking(w, game, ways, best, question) if ask == "act" else {},
        last=position.last_turn,
    )


@lru_cache(maxsize=4000)
def _card(w: Words, kind: str, ask: str, *, frozen: bool, choosable: bool, best: tuple[str, int | None]) -> CardView:
    """Lay out a card; `best` is the selection that scores most, and its points."""
    face = mini(w, kind)
    selection, points = best
    effect = effect_hint(w, kind)
    label = [face.name, w("frozen") if frozen else w("active")]
    button = ""
    if ask == "freeze":
        button = w("Freeze %(card)s", card=face.name)
    elif ask == "reset":
        button = w("Reset %(card)s", card=face.name)
    elif points is not None:
        button = w("Score %(points)s with %(card)s", points=points, card=face.name)
        label.append(w.plural("one point now", "%(n)s points now", points))
    elif ask == "act" and not frozen:
        label.append(w("no points now"))
    return CardView(
        **vars(face),
        effect=effect,
        frozen=frozen,
        choosable=choosable,
        points=points,
        why=_sum_text(kind, selection) if selection else "",
        button=button,
        label=", ".join(label) + ". " + face.text,
        clauses=tuple(rules_clause("dicy-cards", w.language, clause) for clause in ("T8", "T9")) if effect else (),
    )


def _picking(
    w: Words,
    game: DicyCards,
    ways: Mapping[str, Sequence[tuple[str, int]]],
    best: Mapping[str, tuple[str, int]],
    question: str,
) -> Mapping[str, Any]:
    """Return what the script needs to follow picked dice: results of the rules and sentences."""
    return {
        "options": {name: dict(found) for name, found in ways.items()},
        "best": {
            name: {"dice": dice, "points": n, "why": _sum_text(game.kind(name), dice)}
            for name, (dice, n) in best.items()
        },
        "question": question,
        **_picking_words(w),
    }


@lru_cache(maxsize=16)
def _picking_words(w: Words) -> Mapping[str, Any]:
    card, counts = "{card}", range(1, 7)
    return {
        "score": w("Score %(points)s with %(card)s", points="{points}", card=card),
        "exactly": w("Score %(points)s with these", points="{points}"),
        "reroll": [
            "",
            *(
                w.plural("Roll one die again, freeze %(card)s", "Roll %(n)s dice again, freeze %(card)s", n, card=card)
                for n in counts
            ),
        ],
        "freeze": [
            "",
            *(
                w.plural("Tap the card to freeze for this die.", "Tap the card to freeze for these %(n)s dice.", n)
                for n in counts
            ),
        ],
        "picked": ["", *(w.plural("One die picked.", "%(n)s dice picked.", n) for n in counts)],
        "pick": w("Which card do you freeze?"),
    }
