"""Compare batched bots with single ones: `python -m tests.batch.differ 100000 [BOT[/PLAYERS]…]`, decisions of each bot.

They are shared by the bot's numbers of players, because `strong` alone makes hardly a hundred a second.
Both play the same games. A different decision changes what comes after it, so equal scores, credits, turns and facts
of a game mean equal decisions, and a game that differs has a first decision that does. Ends with status 1 if more than
one decision in a thousand differs; standard error shows how far it is.
"""

import sys
from collections import Counter
from itertools import count
from math import ceil

from starfrost.batch.chance import BotRandom
from starfrost.games.setup import Setup
from starfrost.lab import deals
from starfrost.lab.deals import Player, make_ready, play_deals

TABLES = [
    *(("dicy-cards", bot, 2) for bot in ("planner", "perfect")),
    *(("dicy-cards", bot, seats) for bot in ("random", "greedy") for seats in (2, 3, 4)),
    *(("dicy-cards", "master", seats) for seats in (3, 4)),
    *(
        ("dice-stars", bot, seats)
        for bot in ("random", "greedy", "planner", "network", "strong")
        for seats in (1, 2, 3, 4)
    ),
]
GAMES = 64


def compare(game: str, bot: str, seats: int, decisions: int) -> tuple[int, int]:
    """Play until so many decisions were compared; return their number, and that of the games that differ."""
    setup, made = Setup(game, seats), Counter[str]()
    make_ready(setup, (bot,), lambda share: None)
    seating = [[Player(bot, (seat,)) for seat in range(seats)]]
    decide = BotRandom.next_decision

    def counted(lot: BotRandom) -> None:
        made["decisions"] += 1
        decide(lot)

    for first in count(0, GAMES):
        numbers = range(first, first + GAMES)
        assert deals.games_at_once(setup, (bot,) * seats) > 1
        at_once = play_deals(setup, 1, numbers, seating)
        BotRandom.next_decision = counted  # type: ignore[method-assign]
        singly = play_deals(setup, 1, numbers, seating, run=1)
        BotRandom.next_decision = decide  # type: ignore[method-assign]
        pairs = (*zip(at_once[:3], singly[:3], strict=True), (at_once.facts.counts, singly.facts.counts))
        made["differ"] += sum(any((one[at] != two[at]).any() for one, two in pairs) for at in range(GAMES))
        print(f"{game} {bot}, {seats} players: {made['decisions']:,}", file=sys.stderr, flush=True)
        if made["decisions"] >= decisions:
            return made["decisions"], made["differ"]
    raise AssertionError("count never ends")


def main() -> None:
    """Compare every bot, or those named, and print what was found."""
    chosen = [t for t in TABLES if not sys.argv[2:] or {t[1], f"{t[1]}/{t[2]}"} & set(sys.argv[2:])]
    tables = Counter((game, bot) for game, bot, _ in chosen)
    for game, bot, seats in chosen:
        found, differ = compare(game, bot, seats, ceil(int(sys.argv[1]) / tables[game, bot]))
        print(f"{game} {bot}, {seats} players: {found:,} decisions, {differ} differ", flush=True)
        if differ > found / 1000:
            sys.exit(1)


if __name__ == "__main__":
    main()
