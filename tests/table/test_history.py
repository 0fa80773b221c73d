"""Results of finished games: stored with the last move, filled in for older games, listed and summed for a guest."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, select, update

from starfrost.bots.registry import rating_of
from starfrost.errors import Refused
from starfrost.table import Guest, Opening, Snapshot, TableService
from starfrost.table.historian import Verdict
from starfrost.table.levels import MEASURED, Finish, after_game
from starfrost.table.ratings import Rating
from starfrost.table.results import PEOPLE
from starfrost.table.schema import results
from tests.table.helpers import guests, open_and_join, play_out, running, seen, settings_for

SHORT = {"mode": "glacial", "goal": "25"}


async def stored(service: TableService) -> list[dict[str, Any]]:
    """Return all rows of results."""
    async with service._store.read() as connection:
        found = await connection.execute(select(results).order_by(results.c.table_id, results.c.seat))
        return [dict(row) for row in found.mappings()]


async def short_game(service: TableService, people: list[Guest], bots: tuple[str, ...] = (), key: str = "o") -> str:
    """Play a short game to its end and return its table."""
    seats = ("open",) * len(people) + tuple(f"bot:{bot}" for bot in bots)
    opening = Opening("dicy-cards", seats, SHORT)
    table = (await service.open(people[0], opening, key=key)).table
    invitation = (await seen(service, table, people[0]))["invitation"]
    for seat, guest in enumerate(people, start=1):
        await service.join(table, guest, seat=seat, invitation=invitation, version=1, key=f"j{seat}")
    await play_out(service, table, people)
    return table


async def rated(service: TableService, guest: Guest, games: int) -> None:
    """Wait until a guest's level rests on so many games."""
    while (bests := await service.history.bests(guest.id, "dicy-cards")) is None or bests.rated < games:
        await asyncio.sleep(0.01)


async def test_the_last_move_stores_a_result_for_every_seat(service: TableService) -> None:
    anna, ben = await guests(service, 2)
    table = await short_game(service, [anna, ben], ("random",))
    view = await seen(service, table, None)
    rows = await stored(service)
    assert [(row["table_id"], row["seat"], row["guest"]) for row in rows] == [
        (table, 1, anna.id),
        (table, 2, ben.id),
        (table, 3, None),
    ]
    assert [row["score"] for row in rows] == view["scores"]
    assert {row["seat"] for row in rows if row["share"] > 0} == set(view["winners"])
    assert sum(row["share"] for row in rows) == pytest.approx(1)
    assert [row["against"] for row in rows] == [f"{PEOPLE}+random", f"{PEOPLE}+random", PEOPLE]
    assert all(row["counts"] and row["turns"] > 0 for row in rows)
    best = max(view["scores"][1:])
    assert rows[0]["lead"] == view["scores"][0] - best


async def test_a_guest_who_gave_up_has_won_nothing(service: TableService) -> None:
    anna, ben = await guests(service, 2)
    table = await open_and_join(service, [anna, ben], options=SHORT)
    version = (await seen(service, table, anna))["version"]
    await service.resign(table, anna, 1, version=version, key="r")
    await play_out(service, table, [ben])
    row = (await stored(service))[0]
    assert (row["guest"], row["bot"], row["share"]) == (anna.id, service.settings.stand_in, 0.0)


async def test_several_seats_of_one_guest_count_for_nothing_but_are_listed_once(service: TableService) -> None:
    (anna,) = await guests(service, 1)
    table = await short_game(service, [anna, anna])
    assert [row["counts"] for row in await stored(service)] == [False, False]
    assert await service.history.sums(anna.id) == []
    assert [played.mine.table_id for played in await service.history.page(anna.id, 10)] == [table]
    assert await service.history.count(anna.id) == 1


async def test_practice_counts_for_nothing_but_is_listed(service: TableService) -> None:
    (anna,) = await guests(service, 1)
    table = await open_and_join(service, [anna], options=SHORT, bots=("random",), coach="practice")
    await play_out(service, table, [anna])
    assert not (await stored(service))[0]["counts"]
    assert await service.history.sums(anna.id) == []
    assert await service.history.count(anna.id) == 1


async def test_sums_bests_and_pages(service: TableService) -> None:
    (anna,) = await guests(service, 1)
    played = [await short_game(service, [anna], ("random",), key=f"o{n}") for n in range(3)]
    played.append(await short_game(service, [anna], ("random", "random"), key="large"))
    rows = [row for row in await stored(service) if row["guest"] == anna.id]
    sums = {one.seats: one for one in await service.history.sums(anna.id)}
    assert {seats: one.games for seats, one in sums.items()} == {2: 3, 3: 1}
    assert sums[2].points == sum(row["score"] for row in rows if row["seats"] == 2)
    assert sums[2].won == sum(row["share"] for row in rows if row["seats"] == 2)
    pages = [await service.history.page(anna.id, 3, offset) for offset in (0, 3)]
    assert [one.mine.table_id for page in pages for one in page] == played[::-1]
    assert await service.history.count(anna.id, "dicy-cards", "random") == 4
    assert await service.history.count(anna.id, "dice-stars") == 0
    bests = await service.history.bests(anna.id, "dicy-cards")
    assert bests is not None
    assert bests.score.number == max(row["score"] for row in rows)
    won = [row for row in rows if row["share"] > 0]
    if won:
        assert bests.lead is not None
        assert bests.lead.number == max(row["lead"] for row in won)
        assert bests.fast is not None
        assert bests.fast.number == min(row["turns"] for row in won)
    streak = longest = 0
    for row in sorted(rows, key=lambda row: row["at"]):
        streak = streak + 1 if row["share"] > 0 else 0
        longest = max(longest, streak)
    assert bests.streak == longest
    assert await service.history.bests(anna.id, "dice-stars") is None


async def test_results_of_older_games_are_filled_in(tmp_path: Path) -> None:
    settings = settings_for(tmp_path)
    async with running(settings) as service:
        anna, ben = await guests(service, 2)
        await short_game(service, [anna, ben])
        before = await stored(service)
        await service._store.write(lambda connection: connection.execute(delete(results)))
        assert await stored(service) == []
    async with running(settings) as service:
        while len(await stored(service)) < 2:
            await asyncio.sleep(0.01)
        facts = [{name: row[name] for name in row if name not in ("level", "deviation")} for row in before]
        again = await stored(service)
        assert [{name: row[name] for name in row if name not in ("level", "deviation")} for row in again] == facts


async def test_playing_again_invites_the_others_once(service: TableService) -> None:
    anna, ben, cleo = await guests(service, 3)
    told: list[tuple[str, str, str]] = []
    service.when_invited(lambda table, guest, host: told.append((table.id, guest, host)))
    table = await short_game(service, [anna, ben])
    (group,) = await service.history.opponents(anna.id, 5)
    assert (group.table_id, group.names, group.games) == (table, (ben.name,), 1)
    new = await service.invite_again(table, anna, key="again")
    assert told == [(new, ben.id, anna.name)]
    assert await service.invite_again(table, anna, key="again") == new
    # While Ben has not come, another press leads to the same table.
    assert await service.invite_again(table, anna, key="other") == new
    assert len(told) == 1
    assert [view.id for view in await service.tables_to_play(ben)] == [new]
    view = await seen(service, new, ben)
    assert (view["headers"]["goal"], view["public"]) == ("25", False)
    assert any(seat["kept_for_you"] for seat in view["seats"])
    await service.history.decline(ben.id, new)
    assert await service.tables_to_play(ben) == []
    for guest in (cleo, ben):
        with pytest.raises(Refused) as refusal:
            await service.invite_again(new if guest is ben else table, guest, key="x")
        assert refusal.value.status == 403


async def test_levels_follow_the_games(service: TableService) -> None:
    (anna,) = await guests(service, 1)
    for n in range(3):
        await short_game(service, [anna], ("random",), key=f"o{n}")
    await rated(service, anna, 3)
    points = await service.history.trend(anna.id, "dicy-cards", 10)
    rating, bot = Rating(), Rating(float(rating_of("dicy-cards", "random")), MEASURED)
    for point in points:
        rating = after_game(Finish(rating, point.share), [Finish(bot, 1.0 - point.share)])
        assert (point.level, point.deviation) == pytest.approx(rating)


def test_a_winner_is_compared_with_everybody_and_the_others_with_the_winner() -> None:
    equal = Rating(2000.0, 100.0)
    won = after_game(Finish(equal, 1.0), [Finish(equal, 0.0)] * 2)
    lost = after_game(Finish(equal, 0.0), [Finish(equal, 1.0), Finish(equal, 0.0)])
    left = after_game(Finish(equal, -1.0), [Finish(equal, 0.0)])
    shared = after_game(Finish(equal, 0.5), [Finish(equal, 0.5)])
    assert won.value - 2000 == pytest.approx(2 * (2000 - lost.value), rel=0.1)
    assert left.value < 2000 == pytest.approx(shared.value)
    assert max(won.deviation, lost.deviation) < 100
    # Beating somebody much weaker says little.
    weak = after_game(Finish(equal, 1.0), [Finish(Rating(500.0, 25.0), 0.0)])
    assert weak.value - 2000 < 1


async def test_levels_are_rated_again_from_an_older_game_on(tmp_path: Path) -> None:
    settings = settings_for(tmp_path)
    async with running(settings) as service:
        (anna,) = await guests(service, 1)
        for n in range(3):
            await short_game(service, [anna], ("random",), key=f"o{n}")
        await rated(service, anna, 3)
        before = await service.history.trend(anna.id, "dicy-cards", 10)
        first = results.c.table_id == before[0].table_id
        await service._store.write(
            lambda connection: [
                connection.execute(update(results).where(first).values(level=None)),
                connection.execute(update(results).where(~first).values(level=1.0, deviation=1.0)),
            ]
        )
    async with running(settings) as service:
        while (after := await service.history.trend(anna.id, "dicy-cards", 10))[0].level is None:
            await asyncio.sleep(0.01)
        assert after == before


def test_the_bots_have_their_measured_ratings() -> None:
    text = Path("docs/bots.md").read_text(encoding="utf-8")
    for game in ("dicy-cards", "dice-stars"):
        part = text.split(f"**{game}: ratings**")[1].split("<!--")[0]
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines() if line[:1] == "|"]
        for column, bot in enumerate(rows[0][1:], start=1):
            lines = {row[0]: int(row[column].split()[0]) for row in rows[2:] if row[column]}
            # Most people play with two; where a bot does not, or where there are few games, all tables count.
            duels = {name: value for name, value in lines.items() if "2 players" in name and len(lines) > 4}
            usual = duels or {name: value for name, value in lines.items() if name != "solo"}
            assert rating_of(game, bot) == pytest.approx(2000 + sum(usual.values()) / len(usual), abs=1), (game, bot)


async def test_a_finished_game_is_judged_and_others_when_their_guest_looks(service: TableService) -> None:
    asked: list[tuple[str, bool]] = []

    async def judge(table: Snapshot, estimates: bool) -> list[Verdict] | None:
        asked.append((table.id, estimates))
        costs = {"score": (3, 0.25)}
        practice = [("m", '{"rating":1500}')]
        return [Verdict("estimate", 0.5, 0.125, costs, practice) for _ in table.seats] if estimates else None

    service.historian.judge = judge
    (anna,) = await guests(service, 1)
    table = await short_game(service, [anna], ("random",))
    while not asked:
        await asyncio.sleep(0.01)
    assert asked == [(table, False)]
    assert (await stored(service))[0]["judged"] is None
    # Looking twice asks once.
    await service.historian.look_at(anna.id)
    await service.historian.look_at(anna.id)
    while (points := await service.history.trend(anna.id, "dicy-cards", 5))[0].judged is None:
        await asyncio.sleep(0.01)
    assert asked == [(table, False), (table, True)]
    found = points[0]
    assert (found.judged, found.accuracy, found.luck, found.costs) == ("estimate", 0.5, 0.125, {"score": [3, 0.25]})
    # Only a person has a deck, in which the costly mistakes come back.
    card = await service.puzzles.decks.card(anna.id, "m")
    assert card is not None
    assert (card.game, card.source, card.body) == ("dicy-cards", "mistake", '{"rating":1500}')
    assert (await service.puzzles.decks.standing(anna.id)).waiting == 1
