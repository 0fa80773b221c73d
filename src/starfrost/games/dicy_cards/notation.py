"""The notation of actions and positions of Dicy Cards.

A position is one line: the seat whose turn it is, the phase, the dice, `score:cards` for every seat (with a 1 for each
active card, in the game's order) and the seats still to choose, for example `1 freeze - 24:01111 0:11111 >2`.
"""

import re
from collections.abc import Collection

from starfrost.errors import NotationError, Phrase, quoted
from starfrost.games.dice import dice_text, parse_dice
from starfrost.games.dicy_cards.cards import CARDS, DICE
from starfrost.games.dicy_cards.effects import ALL_ACTIVE, CARDS_IN_A_GAME
from starfrost.games.dicy_cards.state import Action, Phase, State

_PHASES = {phase.name.lower(): phase for phase in Phase}
_FORM = re.compile(
    r"(?P<seat>[1-4]) (?P<phase>[a-z]+) (?P<dice>[1-6]{1,6}|-) "
    r"(?P<rows>[0-9]{1,7}:[01]{5}(?: [0-9]{1,7}:[01]{5})*)(?: >(?P<affected>[1-4](?:,[1-4])*))?"
)


def _card(text: str, cards: Collection[str]) -> str:
    if text not in cards:
        raise NotationError(
            "There is no card %(text)s; expected one of %(cards)s.", text=quoted(text), cards=", ".join(cards)
        )
    return text


def parse_action(text: str, cards: Collection[str] = CARDS) -> Action:
    """Parse a decision or a roll, with dice in any order; `cards` are those that exist. Raises NotationError."""
    match text.split():
        case ["skip"]:
            return Action("skip")
        case ["reroll", dice, "freeze", card]:
            return Action("reroll", _card(card, cards), parse_dice(dice))
        case ["score", card, dice]:
            return Action("score", _card(card, cards), parse_dice(dice))
        case ["freeze" | "reset" as verb, card]:
            return Action(verb, _card(card, cards))
        case [dice] if dice.isdigit():
            return Action("roll", "", parse_dice(dice))
    raise NotationError(
        "%(text)s is not an action of Dicy Cards; expected 'score CARD DICE', 'reroll DICE freeze CARD', 'skip', "
        "'freeze CARD', 'reset CARD' or rolled dice such as '665211'.",
        text=quoted(text),
    )


def expected(state: State, cards: tuple[str, ...]) -> Phrase:
    """Describe in words the events that are possible next."""

    def listed(mask: int) -> str:
        return ", ".join(card for index, card in enumerate(cards) if mask >> index & 1)

    match state.phase:
        case Phase.ROLL:
            return Phrase("a roll of six dice")
        case Phase.REROLL:
            return Phrase("a roll of %(dice)s dice", dice=DICE - len(state.dice))
        case Phase.FREEZE:
            seat = state.affected[0]
            return Phrase("seat %(seat)s to freeze one of %(cards)s", seat=seat + 1, cards=listed(state.active[seat]))
        case Phase.RESET:
            seat = state.affected[0]
            return Phrase("seat %(seat)s to reset one of %(cards)s", seat=seat + 1, cards=listed(~state.active[seat]))
        case Phase.ACT if not state.active[state.seat]:
            return Phrase("seat %(seat)s to skip, since no card is active", seat=state.seat + 1)
        case Phase.ACT:
            return Phrase(
                "seat %(seat)s to score or freeze one of %(cards)s with dice among %(dice)s, or to skip",
                seat=state.seat + 1,
                cards=listed(state.active[state.seat]),
                dice=state.dice,
            )
        case _:
            return Phrase("no further event, since the game is over")


def position_text(state: State) -> str:
    """Return a position as one line of text."""
    seats = (
        f"{score}:" + "".join(str(active >> index & 1) for index in range(CARDS_IN_A_GAME))
        for score, active in zip(state.scores, state.active, strict=True)
    )
    affected = [">" + ",".join(str(seat + 1) for seat in state.affected)] if state.affected else []
    return " ".join([str(state.seat + 1), state.phase.name.lower(), state.dice or "-", *seats, *affected])


def parse_position(text: str, seats: int, goal: int) -> State:
    """Parse a position for a number of seats and a goal. Raises NotationError."""
    form = _FORM.fullmatch(" ".join(text.split()))
    if form is None or form["phase"] not in _PHASES:
        raise _no_position(text)
    rows = [row.split(":") for row in form["rows"].split()]
    state = State(
        _PHASES[form["phase"]],
        int(form["seat"]) - 1,
        "" if form["dice"] == "-" else dice_text(form["dice"]),
        tuple(int(score) for score, _ in rows),
        tuple(int(active[::-1], 2) for _, active in rows),
        tuple(int(seat) - 1 for seat in (form["affected"] or "").split(",") if seat),
    )
    if len(rows) != seats or state.seat >= seats or not (_is_sound(state) and _ends_in_time(state, goal)):
        raise _no_position(text)
    return state


def _is_sound(state: State) -> bool:
    """Return whether dice, cards and the seats to choose fit the phase."""
    own = state.active[state.seat]
    others = [(state.seat + step) % len(state.scores) for step in range(1, len(state.scores))]
    if list(state.affected) != [seat for seat in others if seat in state.affected]:
        return False
    match state.phase:
        case Phase.ACT:
            fits = len(state.dice) == DICE or (not state.dice and not own)
        case Phase.ROLL:
            fits = not state.dice and own != 0
        case Phase.REROLL:
            fits = len(state.dice) < DICE and own != ALL_ACTIVE
        case Phase.FREEZE:
            fits = not state.dice and own != ALL_ACTIVE and all(state.active[seat] for seat in state.affected)
        case Phase.RESET:
            fits = not state.dice and all(state.active[seat] != ALL_ACTIVE for seat in state.affected)
        case Phase.OVER:
            fits = not state.dice
    return fits and bool(state.affected) is (state.phase in (Phase.FREEZE, Phase.RESET))


def _ends_in_time(state: State, goal: int) -> bool:
    """Return whether E1 holds: a seat that has reached the goal did so in this round, or the game is over."""
    if state.phase is Phase.OVER:
        return state.seat == len(state.scores) - 1 and max(state.scores) >= goal
    scored = state.seat + (state.phase in (Phase.FREEZE, Phase.RESET))
    return all(score < goal for score in state.scores[scored:])


def _no_position(text: str) -> NotationError:
    return NotationError(
        "%(text)s is not a position of Dicy Cards for this table; expected one such as '1 act 665211 24:01111 "
        "0:11111'.",
        text=quoted(text),
    )
