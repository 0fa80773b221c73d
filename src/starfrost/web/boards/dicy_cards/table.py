"""A Dicy Cards position as a page shows it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starfrost.games.dicy_cards import Action, DicyCards, State, options
from starfrost.table.moves import Move
from starfrost.web.boards.board import Position
from starfrost.web.boards.dicy_cards.pictures import PICTURES, Chip, Mark, chips
from starfrost.web.views.seats import Lane, lanes
from starfrost.words import Words
from starfrost.words.dicy_cards import card_hint, card_name, card_text, effect_hint
from starfrost.words.story import tell

__all__ = ["CardView", "DicyTable", "Die", "dicy_table"]


@dataclass(frozen=True)
class Die:
    """A die in the tray."""

    value: str
    place: int
    fresh: bool = False
    counts: bool = False
    """Whether it belongs to what was just scored."""


@dataclass(frozen=True)
class CardView:
    """A card in front of a player."""

    id: str
    name: str
    text: str
    hint: str
    effect: str
    picture: tuple[Mark, ...]
    frozen: bool
    choosable: bool
    chosen: bool
    points: int | None
    """What the best selection gives now; None when the card cannot score these dice or nobody is asked."""
    why: str
    button: str
    label: str
    """The whole card in words, for a screen reader."""


@dataclass(frozen=True)
class DicyTable:
    """Everything that the Dicy Cards board shows."""

    phase: str
    goal: int
    lanes: tuple[Lane, ...]
    hands: tuple[tuple[Chip, ...], ...]
    """For every seat its cards at a glance."""
    dice: tuple[Die, ...]
    rest: bool
    """Whether the dice lie there from the turn before."""
    cards: tuple[CardView, ...]
    owner: int
    """Whose cards these are, from 1."""
    question: str
    ask: str
    """What the player is asked for: roll, act, freeze, reset or nothing."""
    can_score: bool
    can_reroll: bool
    can_skip: bool
    picking: Mapping[str, Any]
    """What the script needs to follow picked dice: the points of every legal selection, and words."""


def _sum_text(card: str, selection: str) -> str:
    if card == "forty-minus":
        return f"40 − {sum(map(int, selection))}"
    if card in ("distinct-fours", "same-fives"):
        return f"{len(selection)} × {4 if card == 'distinct-fours' else 5}"
    if card == "no-sixes" or len(selection) > 4:
        return " ".join(selection)
    return ("2 × ({})" if card == "double-pair" else "{}").format(" + ".join(selection))


def _dice(state: State, fresh: str, before: State | None, last: Action | None) -> tuple[tuple[Die, ...], bool]:
    """Lay out the tray: kept dice first, the dice just rolled after them; between turns the dice of the last turn."""
    shown, rest, counted = state.dice, False, ""
    if not shown and before is not None and before.dice and last is not None:
        shown, rest, counted = before.dice, True, last.dice if last.verb == "score" else ""
    new, kept = list(fresh) if not rest else [], []
    for value in shown:
        if value in new:
            new.remove(value)
        else:
            kept.append(value)
    values = [(value, False) for value in kept] + [
        (value, True) for value in (fresh if not rest else "") if value in shown
    ]
    left = list(counted)
    dice = []
    for place, (value, is_new) in enumerate(values[:6]):
        counts = value in left
        if counts:
            left.remove(value)
        dice.append(Die(value, place, is_new, counts))
    return tuple(dice), rest


def _last_turn(past: Sequence[Move]) -> tuple[Any, Any]:
    """Return the position before the decision that ended the last turn, and the decision."""
    for move in reversed(past):
        if move.action.verb in ("score", "skip"):
            return move.before, move.action
        if move.action.verb in ("roll", "reroll"):
            break
    return None, None


def dicy_table(w: Words, position: Position) -> DicyTable:
    """Lay out a position."""
    game: DicyCards = position.game
    state: State = position.state
    legal: Sequence[Action] = position.legal
    verbs = {action.verb for action in legal}
    ask = "roll" if position.may_roll else "act" if verbs & {"score", "skip", "reroll"} else next(iter(verbs), "")
    acting = position.acting
    owner = position.me if position.me is not None else acting if acting is not None else state.seat
    before, last = _last_turn(position.past)
    dice, rest = _dice(state, position.outcome.dice if position.outcome else "", before, last)
    scoring = {action.card for action in legal if action.verb == "score"}
    choosing = {action.card for action in legal if action.verb in ("freeze", "reset")}
    freezing = {action.card for action in legal if action.verb == "reroll"}
    best: dict[str, tuple[str, int]] = {}
    points: dict[str, dict[str, int]] = {}
    for card in sorted(scoring, key=game.cards.index):
        ways = options(card, state.dice)
        points[card] = dict(ways)
        best[card] = max(ways, key=lambda way: way[1])
    top = max(best, key=lambda card: best[card][1], default="")
    only = next(iter(choosing)) if len(choosing) == 1 else ""
    cards = []
    for i, card in enumerate(game.cards):
        frozen = not state.active[owner] >> i & 1
        name = card_name(w, card)
        value = best[card][1] if card in best else None
        choosable = card in scoring | choosing | freezing
        why = _sum_text(card, best[card][0]) if card in best else ""
        if ask == "freeze":
            button = w("Freeze %(card)s", card=name)
        elif ask == "reset":
            button = w("Reset %(card)s", card=name)
        else:
            button = w("Score %(points)s with %(card)s", points=value, card=name) if value is not None else ""
        said = [name, w("frozen") if frozen else w("active")]
        if value is not None:
            said.append(w.plural("one point now", "%(n)s points now", value))
        elif ask == "act" and not frozen:
            said.append(w("no points now"))
        cards.append(
            CardView(
                id=card,
                name=name,
                text=card_text(w, card),
                hint=card_hint(w, card),
                effect=effect_hint(w, card),
                picture=PICTURES[card],
                frozen=frozen,
                choosable=choosable,
                chosen=card in (top, only),
                points=value,
                why=why,
                button=button,
                label=", ".join(said) + ". " + card_text(w, card),
            )
        )
    if ask == "roll":
        question = w("Your turn. Roll all six dice.")
    elif ask == "act" and not scoring and not freezing:
        question = w("All your cards are frozen. Skip this turn to reset them all.")
    elif ask == "act":
        question = w("Tap a card to score it. Or tap dice to roll them again.")
    elif ask == "freeze":
        question = w("Which of your cards do you freeze?")
    elif ask == "reset":
        question = w("Which of your cards do you reset?")
    else:
        question = ""
    # Whoever freezes or resets a card because of somebody else's turn is told why.
    reason = tell(w, game, before, last, position.names) if last and ask in ("freeze", "reset") else ""
    return DicyTable(
        phase=state.phase.name.lower(),
        goal=game.goal,
        lanes=lanes(position.names, state.scores, game.goal, turn=acting, seats=position.seats),
        hands=tuple(chips(w, game.cards, active) for active in state.active),
        dice=dice,
        rest=rest,
        cards=tuple(cards),
        owner=owner + 1,
        question=f"{reason} {question}".strip(),
        ask=ask,
        can_score=bool(scoring),
        can_reroll=bool(freezing),
        can_skip="skip" in verbs,
        picking=_picking(w, points, best, question) if ask == "act" else {},
    )


def _picking(
    w: Words, points: Mapping[str, Mapping[str, int]], best: Mapping[str, tuple[str, int]], question: str
) -> Mapping[str, Any]:
    """Return what the script needs to follow picked dice: data of the rules and sentences, no rule of its own."""
    card = "{card}"
    return {
        "options": points,
        "best": {
            name: {"dice": way[0], "points": way[1], "why": _sum_text(name, way[0])} for name, way in best.items()
        },
        "score": w("Score %(points)s with %(card)s", points="{points}", card=card),
        "exactly": w("Score %(points)s with these", points="{points}"),
        "reroll": [""]
        + [
            w.plural("Roll one die again, freeze %(card)s", "Roll %(n)s dice again, freeze %(card)s", n, card=card)
            for n in range(1, 7)
        ],
        "freeze": [""]
        + [
            w.plural("Tap the card to freeze for this die.", "Tap the card to freeze for these %(n)s dice.", n)
            for n in range(1, 7)
        ],
        "picked": [""] + [w.plural("One die picked.", "%(n)s dice picked.", n) for n in range(1, 7)],
        "pick": w("Which card do you freeze?"),
        "question": question,
    }
