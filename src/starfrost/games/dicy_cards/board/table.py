"""A Dicy Cards position as a page shows it."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from starfrost.boards.board import Position
from starfrost.boards.seats import Lane
from starfrost.games.dicy_cards import Action, DicyCards, State, card_of, options
from starfrost.games.dicy_cards.board.pictures import Mini, mini
from starfrost.games.dicy_cards.cards import DICE
from starfrost.games.dicy_cards.words import effect_hint, effect_of
from starfrost.table.moves import Move
from starfrost.words import Words


class Die(NamedTuple):
    """A die in the tray."""

    place: int
    value: str
    fresh: bool = False
    counts: bool = False
    """Whether it belongs to what was just scored."""


@dataclass(frozen=True)
class CardView(Mini):
    """A card in front of a player."""

    effect: str
    reach: str
    """Whom the effect reaches and what they do, as the rules name it; empty without one."""
    frozen: bool
    choosable: bool
    points: int | None
    """What the best selection scores now; None when the card cannot score these dice or nobody may score."""
    why: str
    button: str
    label: str
    """The whole card in words, for a screen reader."""


class Chip(NamedTuple):
    """A small card."""

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
    mark: str
    """Where the question points in the reader's first game: `here`, `up` at the dice or `down` at the cards."""
    ask: str
    """What the player must do: roll, act, freeze, reset or nothing."""
    can_score: bool
    can_reroll: bool
    can_skip: bool
    skip: str
    """The text of the button that skips."""
    skip_costs: str
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


def _tray(past: Sequence[Move]) -> tuple[list[str], list[int]]:
    """Return the dice of the last rolls in their places, and the places of the last roll.

    A die that is rolled again comes back to its place, and the others stay where they lie.
    """
    tray: list[str] = []
    places: list[int] = []
    for move in past:
        verb, _, dice = move.action
        if verb == "reroll" and not Counter(dice) - Counter(tray):
            places = []
            for value in dice:
                places.append(max(i for i, shown in enumerate(tray) if shown == value and i not in places))
        elif verb == "roll":
            if len(places) != len(dice) or len(dice) == DICE:
                tray, places = list(dice), list(range(len(dice)))
            for place, value in zip(sorted(places), dice, strict=True):
                tray[place] = value
        else:
            places = []
    return tray, places


def _dice(position: Position, before: State | None, last: Action | None) -> tuple[tuple[Die, ...], bool]:
    """Lay out the tray; between turns it has the dice of the last turn."""
    shown, rest, counted = position.state.dice, False, ""
    if not shown and before is not None and before.dice and last is not None:
        shown, rest, counted = before.dice, True, last.dice if last.verb == "score" else ""
    tray, places = _tray(position.past)
    if Counter(tray) != Counter(shown):
        # What was rolled before is not known.
        tray, places = list(shown), []
    left = Counter(counted)
    dice = []
    for place, value in enumerate(tray):
        fresh = not rest and position.outcome is not None and place in places
        dice.append(Die(place, value, fresh, counts=left[value] > 0))
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
        return w("Score with a card, or tap dice to reroll them.")
    return {
        "": "",
        "roll": w("Your turn. Roll all six dice."),
        "freeze": w("Which of your cards do you freeze?"),
        "reset": w("Which of your frozen cards do you reset? It becomes active again."),
    }[ask]


def _first_turns(w: Words, position: Position, ask: str) -> tuple[str, str]:
    """Return what the first turns of a first game teach: where it points, and a sentence."""
    turns = position.own_deeds("score", "skip")
    if ask == "roll" and not turns:
        return "here", w(
            "Score points with your cards. The round in which somebody reaches %(goal)s is the last.",
            goal=position.game.goal,
        )
    if ask == "act" and not turns:
        return "down", w("Each card shows what it scores with these dice. Tap one, then the large button.")
    if ask == "act" and turns == 1:
        return "up", w("Want better dice? Tap those that you reroll, then a card: it freezes for that.")
    return "", ""


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
    dice, rest = _dice(position, before, last)
    worth = scoring
    if not position.legal and acting == owner:
        # Whoever watches sees what the cards are worth, too.
        worth = {action.card for action in game.legal_actions(state) if action.verb == "score"}
    ways = {card: options(game.kind(card), state.dice) for card in game.cards if card in worth}
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
    mark, question = _first_turns(w, position, ask) if position.first and (scoring or ask == "roll") else ("", "")
    question = question or _question(w, ask, stuck=not scoring and not freezing)
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
        mark=mark,
        ask=ask,
        can_score=bool(scoring),
        can_reroll=bool(freezing),
        can_skip="skip" in cards_by_verb,
        **_skip(w, sum(card.frozen for card in cards)),
        picking=_picking(w, game, ways, best, question) if ask == "act" else {},
        last=position.last_turn,
    )


@lru_cache(maxsize=4000)
def _card(w: Words, kind: str, ask: str, *, frozen: bool, choosable: bool, best: tuple[str, int | None]) -> CardView:
    """Lay out a card; `best` is the selection that scores most, and its points."""
    face = mini(w, kind)
    selection, points = best
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
        effect=effect_hint(w, kind),
        reach=effect_of(kind),
        frozen=frozen,
        choosable=choosable,
        points=points,
        why=_sum_text(kind, selection) if selection else "",
        button=button,
        label=", ".join(label) + ". " + face.text,
    )


def _skip(w: Words, frozen: int) -> dict[str, str]:
    """Return what the button that skips says, and what skipping does."""
    if not frozen:
        return {
            "skip": w("Skip without resetting a card"),
            "skip_costs": w(
                "Skip: none of your cards is frozen, so only the others gain. Every other player resets one."
            ),
        }
    return {
        "skip": w.plural("Skip and reset one card", "Skip and reset %(n)s cards", frozen),
        "skip_costs": w("Skip: reset all your frozen cards. Every other player resets one."),
    }


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
