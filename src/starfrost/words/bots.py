"""The bots in words: the names that people see, and one line on how each of them plays."""

from collections.abc import Mapping, Sequence
from typing import Final

from starfrost.words.catalogue import Words, mark

BOT_NAMES: Final[Mapping[str, str]] = {
    "random": mark("Easy bot"),
    "greedy": mark("Quick bot"),
    "planner": mark("Clever bot"),
    "strong": mark("Strong bot"),
    "perfect": mark("Perfect bot"),
    "master": mark("Master bot"),
}

STAND_IN: Final = "planner"
"""The bot that others play like until their cards are solved."""

BOT_TEXTS: Final[Mapping[str, str]] = {
    "random": mark("plays at random; good for a first game"),
    "greedy": mark("always takes the most points"),
    "planner": mark("plans its whole turn"),
    "strong": mark("looks ahead, hard to beat"),
    "perfect": mark("plays two-player games without a mistake"),
    "master": mark("our strongest player"),
}


def bot_name(w: Words, bot: str) -> str:
    """Return the name of a bot that people see; its id if it has none."""
    return w(BOT_NAMES[bot]) if bot in BOT_NAMES else bot


def bot_text(w: Words, bot: str, description: str) -> str:
    """Return one line on how a bot plays; the description of its entry if we have no line."""
    return w(BOT_TEXTS.get(bot, description))


def usual_bot(bots: Sequence[str]) -> str:
    """Return the bot that is offered first: one that plays sensibly and fast."""
    return "greedy" if "greedy" in bots else bots[0]
