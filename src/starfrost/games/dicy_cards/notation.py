"""How actions and positions of Dicy Cards are written and read.

A position is one line: whose turn, what it waits for, the dice, then `score:cards` for every seat with a 1 for each
active card in the game's order, then the seats still to choose, for example `1 freeze - 24:01111 0:11111 >2`.
"""

from starfrost.errors import NotationError
from starfrost.games.dice import dice_text, parse_dice
from starfrost.games.dicy_cards.cards import CARDS, CARDS_IN_A_GAME
from starfrost.games.dicy_cards.state import Action, Phase, State

__all__ = ["expected", "parse_action", "parse_position", "position_text"]

_PHASES = {phase.name.lower(): phase for phase in Phase}


def _card(text: str) -> str:
    if text not in CARDS:
        raise NotationError(f"There is no card '{text}'; expected one of {', '.join(CARDS)}.")
    return text


def parse_action(text: str) -> Action:
    """Read a decision or a roll, dice in any order. Raises NotationError."""
    match text.split():
        case ["skip"]:
            return Action("skip")
        case ["reroll", dice, "freeze", card]:
            return Action("reroll", _card(card), parse_dice(dice))
        case ["score", card, dice]:
            return Action("score", _card(card), parse_dice(dice))
        case ["freeze" | "reset" as verb, card]:
            return Action(verb, _card(card))
        case [dice] if dice.isdigit():
            return Action("roll", "", parse_dice(dice))
    raise NotationError(
        f"'{text}' is no action of Dicy Cards; expected 'score CARD DICE', 'reroll DICE freeze CARD', 'skip', "
        "'freeze CARD', 'reset CARD' or rolled dice such as '665211'."
    )


def expected(state: State, cards: tuple[str, ...]) -> str:
    """Say in words what may happen next."""

    def listed(mask: int) -> str:
        return ", ".join(card for index, card in enumerate(cards) if mask >> index & 1)

    match state.phase:
        case Phase.ROLL:
            return "a roll of six dice"
        case Phase.REROLL:
            return f"a roll of {6 - len(state.dice)} dice"
        case Phase.FREEZE | Phase.RESET:
            seat = state.affected[0]
            freezing = state.phase is Phase.FREEZE
            mask = state.active[seat] if freezing else ~state.active[seat]
            return f"seat {seat + 1} to {'freeze' if freezing else 'reset'} one of {listed(mask)}"
        case Phase.ACT if not state.active[state.seat]:
            return f"seat {state.seat + 1} to skip, since no card is active"
        case Phase.ACT:
            active = listed(state.active[state.seat])
            return f"seat {state.seat + 1} to score or freeze one of {active} with dice among {state.dice}, or to skip"
        case _:
            return "no further event, since the game is over"


def position_text(state: State) -> str:
    """Write a position on one line."""
    seats = (
        f"{score}:" + "".join(str(active >> index & 1) for index in range(CARDS_IN_A_GAME))
        for score, active in zip(state.scores, state.active, strict=True)
    )
    affected = [">" + ",".join(str(seat + 1) for seat in state.affected)] if state.affected else []
    return " ".join([str(state.seat + 1), state.phase.name.lower(), state.dice or "-", *seats, *affected])


def parse_position(text: str, seats: int) -> State:
    """Read a position for a number of seats. Raises NotationError."""
    words = text.split()
    affected: tuple[int, ...] = ()
    try:
        if words[-1].startswith(">"):
            affected = tuple(int(seat) - 1 for seat in words.pop()[1:].split(","))
        turn, phase_name, dice, *rows = words
        phase, seat = _PHASES[phase_name], int(turn) - 1
        scores = tuple(int(row.split(":")[0]) for row in rows)
        active = tuple(int(row.split(":")[1][::-1], 2) for row in rows)
        widths = {len(row.split(":")[1]) for row in rows}
    except (KeyError, IndexError, ValueError):
        raise _no_position(text) from None
    state = State(phase, seat, "" if dice == "-" else dice_text(dice), scores, active, affected)
    if len(rows) != seats or widths != {CARDS_IN_A_GAME} or min(scores) < 0 or not _is_sound(state):
        raise _no_position(text)
    return state


def _is_sound(state: State) -> bool:
    """Check that the dice and the seats to choose fit what the position waits for."""
    dice_fit = {
        Phase.ACT: len(state.dice) == 6 or (not state.dice and not state.active[state.seat]),
        Phase.REROLL: len(state.dice) < 6,
    }.get(state.phase, not state.dice)
    all_active = (1 << CARDS_IN_A_GAME) - 1
    needs_choice = state.phase in (Phase.FREEZE, Phase.RESET)
    barred = 0 if state.phase is Phase.FREEZE else all_active
    others = [(state.seat + step) % len(state.scores) for step in range(1, len(state.scores))]
    return (
        0 <= state.seat < len(state.scores)
        and dice_fit
        and set(state.dice) <= set("123456")
        and (state.phase is not Phase.ROLL or state.active[state.seat] != 0)
        and bool(state.affected) is needs_choice
        and list(state.affected) == [seat for seat in others if seat in state.affected]
        and all(state.active[seat] != barred for seat in state.affected)
    )


def _no_position(text: str) -> NotationError:
    return NotationError(
        f"'{text}' is no position of Dicy Cards for this table; expected one such as '1 act 665211 24:01111 0:11111'."
    )
