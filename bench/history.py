"""How much time of the server the pages need with many games, daily games and answers to puzzles in the database.

    python -m bench.history [--games 100000] [--own 3000] [--keep FILE]

It fills a SQLite file with finished games, of which one guest has `--own`, and asks the app itself, without a network,
for each page. It prints the processor time of all threads, and beside it the time on the clock, which depends on what
else the machine does. The log of a finished game holds only its first events: no measured page reads the rest. With
`--keep` the file stays, and a second run uses it again.
"""

import argparse
import asyncio
import json
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import httpx

from starfrost.bots.registry import entries
from starfrost.coach.registry import PUZZLES
from starfrost.games.registry import GAMES
from starfrost.table import Guest, Settings, TableService
from starfrost.table.results import PEOPLE, Result
from starfrost.web.app import calm_collector, create_app
from starfrost.web.logs import configure_logs

PAGES = (
    *("/", "/me", "/me?game={game}", "/me/games", "/me/games?number={last}", "/me/games?game={game}&against={bot}"),
    *("/puzzles", "/puzzles?game={game}", "/daily", "/atlas"),
)
GUESTS = 2000
ROUNDS = 25
DAYS, ANSWERED = 50, 25
"""Days that every guest has played, and puzzles that every guest has answered."""
LIMIT = 100.0
"""Milliseconds that a page may take."""


def invented(rng: Random, number: int, guests: list[str], now: float) -> list[Result]:
    """Return the results of a game with invented scores; the first seat is the first guest's."""
    game = rng.choice(list(GAMES))
    kit = GAMES[game]
    seats = rng.choice([seats for seats in kit.seats if seats > 1])
    bot = rng.choice(list(entries(game)))
    people = min(seats, len(guests))
    others = [bot] * (seats > people) + [PEOPLE] * (people > 1)
    scores = [rng.randint(40, 110) for _ in range(seats)]
    best = max(scores)
    share = 1 / scores.count(best)
    at = now - rng.random() * 3e7
    return [
        Result(
            f"bench{number:015d}",
            seat + 1,
            guests[seat] if seat < people else None,
            None if seat < people else bot,
            f"Guest {guests[seat][-4:]}" if seat < people else bot,
            game,
            next(iter(kit.modes), None),
            seats,
            "+".join(sorted(others)) if seat < people else PEOPLE,
            True,
            score,
            score - max(scores[:seat] + scores[seat + 1 :]),
            share if score == best else 0.0,
            rng.randint(8, 20),
            at,
        )
        for seat, score in enumerate(scores)
    ]


def fill(path: Path, me: str, games: int, own: int) -> None:
    """Write finished games into the database."""
    rng = Random(7)
    others = [f"{number:016x}" for number in range(GUESTS)]
    now = time.time()
    judged = json.dumps({"score": [9, 0.02], "reroll": [7, 0.05], "take": [9, 0.03]})

    def rows() -> Iterator[list[Result]]:
        for number in range(games):
            mine = number % max(1, games // own) == 0 and number // max(1, games // own) < own
            guests = [me] if mine else [rng.choice(others)]
            if rng.random() < 0.2:
                guests.append(rng.choice(others))
            yield invented(rng, number, guests, now)

    with sqlite3.connect(path) as database:
        database.execute("PRAGMA synchronous=OFF")
        for results in rows():
            first = results[0]
            table, host = first.table_id, first.guest
            key = ("over", "none", 0, f"i{table}", None, first.at - 600)
            database.execute("INSERT INTO tables VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (table, host, *key))
            log = [(table, 1, first.at - 600, "open", host, None, "{}")]
            log += [
                (table, n + 2, first.at - 599, "join", result.guest, None, "{}")
                for n, result in enumerate(results)
                if result.guest
            ]
            database.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)", log)
            level = [(rng.gauss(1800, 100), 60.0) if result.guest else (None, None) for result in results]
            coach = [
                ("exact", rng.random(), rng.gauss(0, 0.1), judged) if result.guest else (None,) * 4
                for result in results
            ]
            database.executemany(
                f"INSERT INTO results VALUES ({', '.join('?' * 21)})",
                [(*result, *level[i], *coach[i]) for i, result in enumerate(results)],
            )
        fill_days(database, [me, *others[: GUESTS // 2]], now)
        fill_puzzles(database, [me, *others], now)
    database.close()


def fill_days(database: sqlite3.Connection, guests: list[str], now: float) -> None:
    """Write the daily games of all guests, today's included."""
    rng = Random(8)
    for ago in range(DAYS):
        at = now - 86400 * ago
        day = f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d}"
        for game in (name for name, kit in GAMES.items() if kit.daily):
            rows = [
                (
                    day,
                    game,
                    guest,
                    f"day{ago}",
                    f"{ago}-{game[:6]}-{n}",
                    at,
                    at,
                    rng.random() < 0.5,
                    rng.randint(40, 150),
                )
                for n, guest in enumerate(guests)
            ]
            database.executemany(
                "INSERT INTO daily_attempts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [(*row, str(row[-1]), json.dumps([5] * 20)) for row in rows],
            )


def fill_puzzles(database: sqlite3.Connection, guests: list[str], now: float) -> None:
    """Write answers of all guests to the first puzzles of every game."""
    for game in GAMES:
        found = PUZZLES.get(game)
        for n, puzzle in enumerate(list(found.entries)[:ANSWERED] if found else ()):
            database.executemany(
                "INSERT INTO puzzle_attempts VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [(guest, puzzle, game, "skip", n % 2, now - n, 1500.0, 90.0) for guest in guests],
            )


async def somebody(settings: Settings) -> tuple[Guest, str]:
    """Make the database and one guest."""
    service = TableService(settings)
    await service.start()
    try:
        return await service.new_guest("Anna")
    finally:
        await service.stop()


async def measure(settings: Settings, token: str, own: int) -> bool:
    """Ask for each page and print what it takes; return whether all are fast enough."""
    configure_logs("error")
    app = create_app(settings)
    calm_collector()
    game = next(iter(GAMES))
    facts: dict[str, Any] = {"game": game, "last": -(-own // 30), "bot": next(iter(entries(game)))}
    fast = True
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://bench.test") as client:
            client.headers["authorization"] = f"Bearer {token}"
            for page in PAGES:
                address, used, taken = page.format(**facts), [], []
                for _ in range(ROUNDS):
                    began, spent = time.perf_counter(), time.process_time()
                    answer = await client.get(address)
                    used.append(1000 * (time.process_time() - spent))
                    taken.append(1000 * (time.perf_counter() - began))
                    answer.raise_for_status()
                fast = fast and median(used) < LIMIT
                print(
                    f"{address:42} median {median(used):5.1f} ms   slowest {max(used[1:]):5.1f} ms   "
                    f"first {used[0]:5.1f} ms   on the clock {median(taken):5.1f} ms"
                )
    return fast


def main() -> None:
    """Fill a database and measure."""
    parser = argparse.ArgumentParser(description="Time the pages of a guest's history.")
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--own", type=int, default=3000)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = options.keep or Path(folder) / "tables.db"
        token_file = path.with_suffix(".token")
        limits = {"moves_per_second": 0.0, "opens_per_minute": 0.0, "requests_per_second": 0.0}
        settings = Settings(database=str(path), log_level="error", **limits)
        if not token_file.exists():
            guest, token = asyncio.run(somebody(settings))
            began = time.perf_counter()
            fill(path, guest.id, options.games, options.own)
            token_file.write_text(token, encoding="utf-8")
            size = path.stat().st_size / 1e6
            print(f"{options.games} games written in {time.perf_counter() - began:.0f} s, {size:.0f} MB")
        print(f"pages of a guest with {options.own} of {options.games} games")
        if not asyncio.run(measure(settings, token_file.read_text(encoding="utf-8"), options.own)):
            raise SystemExit(f"A page takes more than {LIMIT:.0f} ms.")


if __name__ == "__main__":
    main()
