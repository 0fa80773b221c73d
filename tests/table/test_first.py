"""Who begins: chosen by the host or by chance, and what that does to the order of the seats."""

from collections import Counter

import pytest

from starfrost.fair.proof import prove
from starfrost.table import Opening, Refused, TableService, commands, opening
from tests.table.helpers import guests, play_out, seen

BOTS = ("open", "bot:greedy", "bot:planner")


async def test_the_seat_that_is_chosen_begins_and_the_others_follow_in_their_order(service: TableService) -> None:
    (anna,) = await guests(service, 1)
    orders = {1: ["open", "bot:greedy", "bot:planner"], 2: ["bot:greedy", "bot:planner", "open"]}
    for first, order in orders.items():
        opened = await service.open(anna, Opening("dicy-cards", BOTS, {"goal": "5"}, first=first), key=f"k{first}")
        assert (opened.event["seats"], opened.event["first"]) == (order, first)
        # The host takes the place that the list means for them, whichever seat it has become.
        joined = await service.join(opened.table, anna, version=1, key="j")
        assert joined.event["seat"] == order.index("open") + 1
        view = await seen(service, opened.table, anna)
        assert view["first"] == first
        await play_out(service, opened.table, [anna])
        assert prove(await service.record(opened.table)).finished


async def test_whoever_the_host_lets_begin_gets_the_first_seat(service: TableService) -> None:
    anna, ben, cleo = await guests(service, 3)
    table = (await service.open(anna, Opening("dice-stars", ("open",) * 3, public=True, first=2), key="k")).table
    seats = {}
    for version, guest in enumerate((ben, anna, cleo), start=1):
        seats[guest.name] = (await service.join(table, guest, version=version, key="j")).event["seat"]
    assert seats == {ben.name: 1, anna.name: 3, cleo.name: 2}


async def test_chance_gives_everybody_every_seat_alike(service: TableService, monkeypatch: pytest.MonkeyPatch) -> None:
    # Three turns of the list, and with each of them every choice of a free seat.
    began: Counter[str] = Counter()
    for start in range(3):
        monkeypatch.setattr(opening.secrets, "randbelow", lambda many, start=start: start)
        for pick in range(2):
            monkeypatch.setattr(commands.secrets, "choice", lambda free, pick=pick: free[pick % len(free)])
            anna, ben = await guests(service, 2)
            asked = Opening("dice-stars", ("open", "open", "bot:random"), public=True, first="random")
            opened = await service.open(anna, asked, key="k")
            again = await service.open(anna, asked, key="k")
            assert again.table == opened.table
            assert opened.event["first"] == "random"
            seats = {}
            for version, guest in enumerate((anna, ben), start=1):
                seats[(await service.join(opened.table, guest, version=version, key="j")).event["seat"]] = guest.name
            began[seats.get(1, "bot")] += 1
    assert began == {"Guest 1": 2, "Guest 2": 2, "bot": 2}


async def test_nobody_else_can_begin(service: TableService) -> None:
    (anna,) = await guests(service, 1)
    for first in (0, 4, "anna"):
        with pytest.raises(Refused) as refused:
            await service.open(anna, Opening("dicy-cards", BOTS, first=first), key="k")
        assert refused.value.code == "bad-first"


async def test_a_rematch_moves_the_seats_on_as_before(service: TableService) -> None:
    (anna,) = await guests(service, 1)
    asked = Opening("dicy-cards", ("open", "bot:greedy"), {"goal": "5"}, first=2)
    table = (await service.open(anna, asked, key="k")).table
    await service.join(table, anna, version=1, key="j")
    view = await play_out(service, table, [anna])
    assert [seat["kind"] for seat in view["seats"]] == ["bot", "person"]
    new = (await service.rematch(table, anna, version=view["version"], key="r")).event["table"]
    assert (await service.events(new))[0]["seats"] == ["open", "bot:greedy"]
