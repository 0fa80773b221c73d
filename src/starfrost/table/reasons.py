"""What a refusal says to people, in their language; programs read its code."""

from starfrost.errors import Refused
from starfrost.words import Words, mark

__all__ = ["REASONS", "reason"]

REASONS: dict[str, str] = {
    "stale": mark("The table has moved on. Have another look and try again."),
    "illegal": mark("The rules do not allow that here."),
    "not-your-turn": mark("It is somebody else's turn."),
    "not-your-seat": mark("This is not your seat."),
    "not-running": mark("No game is being played at this table now."),
    "not-waiting": mark("The game has already begun."),
    "not-over": mark("The game is not over yet."),
    "not-host": mark("Only who opened the table may do that."),
    "nothing-to-undo": mark("This move stands: only your own last move can be taken back, and never after dice fell."),
    "seat-taken": mark("Somebody sits there already."),
    "seat-reserved": mark("This seat is kept for somebody from the game before."),
    "no-free-seat": mark("Every seat at this table is taken."),
    "no-seat": mark("There is no such seat."),
    "no-invitation": mark("You need the invitation link to sit down at this table."),
    "no-table": mark("There is no such table."),
    "no-bot": mark("There is no such bot for this game."),
    "rematch-open": mark("A rematch is open already."),
    "bad-name": mark("Please choose a name of 1 to 24 characters that can be seen."),
    "bad-option": mark("A game cannot be set up like this."),
    "who": mark("Please say who you are first."),
    "slow-down": mark("That was too fast. Please wait a moment."),
    "storage": mark("This could not be stored just now. Please try again."),
    "busy": mark("Many moves reached this table at once. Please try again."),
    "cross-site": mark("This request came from another site and was refused."),
    "too-large": mark("That is too much at once."),
    "not-found": mark("There is nothing here."),
}

_OTHER = mark("That did not work.")


def reason(w: Words, refusal: Refused) -> str:
    """Say in words why something was refused."""
    return w(REASONS.get(refusal.code, _OTHER))
