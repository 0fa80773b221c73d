"""From what a person asks for to a set-up: modes, cards, goal and grid, checked before anything is played."""

from random import Random

from starfrost.errors import UsageError
from starfrost.games.dicy_cards import INTERGLACIAL, mode_cards, read_cards
from starfrost.lab.deals import Setup

__all__ = ["setup"]


def setup(
    game: str,
    seats: int,
    *,
    cards: str | None = None,
    mode: str | None = None,
    goal: int | None = None,
    solo_boxes: int | None = None,
) -> Setup:
    """Give the set-up; `cards` are five ids separated by spaces or commas, or the name of a mode.

    Raises UsageError for what does not exist or does not fit the game.
    """
    headers: dict[str, str] = {}
    drawn = False
    if game == "dicy-cards":
        if solo_boxes is not None:
            raise UsageError("A solo grid belongs to Dice Stars; Dicy Cards has none.")
        if cards is not None and mode is not None:
            raise UsageError("Expected either the cards or the mode, not both.")
        drawn = INTERGLACIAL in (text.strip().lower() for text in (cards, mode) if text is not None)
        if not drawn:
            five = (
                read_cards(cards, Random(0))
                if cards is not None
                else mode_cards((mode or "glacial").lower(), Random(0))
            )
            headers["cards"] = " ".join(five)
        if goal is not None:
            headers["goal"] = str(goal)
    else:
        if cards is not None:
            raise UsageError("Cards can be chosen for Dicy Cards only.")
        if mode is not None:
            raise UsageError("A mode can be chosen for Dicy Cards only.")
        if goal is not None:
            raise UsageError("A goal can be chosen for Dicy Cards only.")
        if solo_boxes is not None:
            if seats > 1:
                raise UsageError("A solo grid is for one player alone.")
            headers["solo-boxes"] = str(solo_boxes)
    table = Setup(game, seats, headers, drawn)
    table.deal(0, 0)
    return table
