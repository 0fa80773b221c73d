"""A position of Dicy Cards in the fields of a form."""

from collections.abc import Sequence

from starfrost.boards.board import Form, form_number
from starfrost.errors import UsageError
from starfrost.games.dice import dice_text
from starfrost.games.dicy_cards import DicyCards, State
from starfrost.games.dicy_cards.cards import DICE


def fields_of(game: DicyCards, state: State) -> Sequence[tuple[str, str]]:
    """Return whose turn it is, the dice, and the points and the frozen cards of every seat."""
    fields = [("turn", str(state.seat + 1)), *(("die", die) for die in state.dice)]
    for seat, (score, active) in enumerate(zip(state.scores, state.active, strict=True), start=1):
        fields.append((f"score{seat}", str(score)))
        fields += [(f"frozen{seat}", card) for place, card in enumerate(game.cards) if not active >> place & 1]
    return fields


def read_position(form: Form, game: DicyCards) -> str:
    """Return the position that the fields describe, before the first roll of a turn or after a roll.

    Raises UsageError.
    """
    dice = [str(die) for die in form.getlist("die") if die]
    if len(dice) not in (0, DICE):
        raise UsageError("Enter all six dice, or none if they have not been rolled.")
    turn = form_number(form, "turn", 1, 1, game.seats)
    rows, frozen = [], False
    for seat in range(1, game.seats + 1):
        score = str(form.get(f"score{seat}") or 0).strip()
        if not (score.isdecimal() and score.isascii() and len(score) < 8):
            raise UsageError("Points must be a whole number.")
        if seat >= turn and int(score) >= game.goal:
            raise UsageError(
                "The round in which somebody reaches %(goal)s points is the last: whoever still has a turn in it "
                "must have fewer.",
                goal=game.goal,
            )
        cards = form.getlist(f"frozen{seat}")
        rows.append(f"{int(score)}:" + "".join("0" if card in cards else "1" for card in game.cards))
        frozen = frozen or (seat == turn and all(card in cards for card in game.cards))
    # T7: with all cards frozen no dice are rolled.
    phase = "act" if dice or frozen else "roll"
    return " ".join([str(turn), phase, dice_text("".join(dice)) or "-", *rows])
