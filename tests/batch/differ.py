"""Compare batched bots with single ones: `python -m tests.batch.differ 100000 [BOT[/PLAYERS]…]`, decisions of each bot.

They are shared by the bot's numbers of players, because `strong` alone makes hardly a hundred a second.
Both play the same games, and a device of JAX too where it can. A different decision changes what comes after it, so
equal scores, credits, turns and facts of a game mean equal decisions. Ends with status 1 at the first game that
differs; standard error shows how far it is.
"""

import sys
from collections import Counter
from itertools import count
from math import ceil

from starfrost.batch.chance import Lot
from starfrost.batch.registry import BATCHES
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
FEW = {"strong": 8, "planner": 64, "perfect": 64, "master": 16}
"""The games that a device plays of bots that are slow there without a GPU."""


def compare(game: str, bot: str, seats: int, decisions: int) -> int:
    """Play until so many decisions were compared; return their number, or -1 if a game differs."""
    setup, made = Setup(game, seats), Counter[str]()
    make_ready(setup, (bot,), lambda share: None)
    seating = [[Player(bot, (seat,)) for seat in range(seats)]]
    decide, device = Lot.next_decision, BATCHES[game].device
    on_device = device.bots if device else ()

    def counted(lot: Lot) -> None:
        made["decisions"] += 1
        decide(lot)

    for first in count(0, GAMES):
        numbers = range(first, first + GAMES)
        assert deals.games_at_once(setup, (bot,) * seats) > 1
        at_once = play_deals(setup, 1, numbers, seating, fewest=1)
        Lot.next_decision = counted  # type: ignore[method-assign]
        singly = play_deals(setup, 1, numbers, seating, fewest=1 << 40)
        Lot.next_decision = decide  # type: ignore[method-assign]
        found = [singly]
        if bot in on_device and (bot not in FEW or not first):
            found.append(play_deals(setup, 1, numbers[: FEW.get(bot)], seating, fewest=1, device="cpu"))
        for other in found:
            pairs = (*zip(at_once[:3], other[:3], strict=True), (at_once.facts.counts, other.facts.counts))
            if any(one[: len(two)].tolist() != two.tolist() for one, two in pairs):
                return -1
        print(f"{game} {bot}, {seats} players: {made['decisions']:,}", file=sys.stderr, flush=True)
        if made["decisions"] >= decisions:
            return made["decisions"]
    raise AssertionError("count never ends")


def main() -> None:
    """Compare every bot, or those named, and print what was found."""
    chosen = [t for t in TABLES if not sys.argv[2:] or {t[1], f"{t[1]}/{t[2]}"} & set(sys.argv[2:])]
    tables = Counter((game, bot) for game, bot, _ in chosen)
    for game, bot, seats in chosen:
        found = compare(game, bot, seats, ceil(int(sys.argv[1]) / tables[game, bot]))
        if found < 0:
            sys.exit(f"{game} {bot}, {seats} players: a game differs")
        print(f"{game} {bot}, {seats} players: {found:,} decisions, all equal", flush=True)


if __name__ == "__main__":
    main()
