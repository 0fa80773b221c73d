from functools import partial
from pathlib import Path
from random import SystemRandom

import pytest
from sqlalchemy import update

from starfrost.games.dice_stars import DiceStars
from starfrost.games.dicy_cards import MODES, DicyCards
from starfrost.games.record import parse_record, replay
from starfrost.games.setup import rematch_game
from starfrost.table import Opening, Refused, TableService, clocks
from starfrost.table.schema import events
from starfrost.table.schema import tables as tables_row
from tests.table.helpers import DICY, guests, move, open_and_join, play_out, refuse_writes, running, seen, settings_for


async def refused(awaitable: object) -> str:
    with pytest.raises(Refused) as refusal:
        await awaitable  # type: ignore[misc]
    assert str(refusal.value).endswith(".")
    return refusal.value.code


@pytest.mark.parametrize(
    ("game", "seats", "options"),
    [
        ("dicy-cards", 2, DICY),
        ("dicy-cards", 4, {"mode": "d", "goal": "30"}),
        ("dicy-cards", 3, {"cards": "odds straight sixes any-two three-lowest", "goal": "30"}),
        ("dice-stars", 2, {}),
        ("dice-stars", 1, {"solo-boxes": "40"}),
    ],
)
async def test_a_game_from_open_to_record(
    service: TableService, game: str, seats: int, options: dict[str, str]
) -> None:
    people = await guests(service, seats)
    table = await open_and_join(service, people, game, options)
    view = await play_out(service, table, people)
    assert view["status"] == "over"
    played = replay(parse_record(await service.record(table)))
    assert played.finished
    assert list(played.scores) == view["scores"]
    assert [seat + 1 for seat in played.winners] == view["winners"]
    events = await service.events(table)
    assert [event["version"] for event in events] == list(range(1, view["version"] + 1))
    assert events[-1]["over"]
    snapshot = await service.snapshot(table)
    assert [(move.seat, move.action) for move in snapshot.moves] == list(played.record.events)
    assert [*(move.before for move in snapshot.moves), snapshot.state] == list(played.states)


async def test_a_table_is_what_its_log_replays_to(tmp_path: Path) -> None:
    settings = settings_for(tmp_path)
    async with running(settings) as service:
        people = await guests(service, 2)
        table = await open_and_join(service, people)
        for _ in range(9):
            await move(service, table, people)
        before = await seen(service, table, people[0])
        record = await service.record(table)
    async with running(settings) as service:
        assert await seen(service, table, people[0]) == before
        assert await service.record(table) == record
        assert (await play_out(service, table, people))["status"] == "over"


async def test_the_commitment_stands_before_anybody_sits(service: TableService) -> None:
    (anna,) = await guests(service, 1)
    opened = await service.open(anna, Opening("dice-stars", ("open", "open")), key="k")
    view = await seen(service, opened.table, anna)
    assert opened.event["commitment"] == view["commitment"]
    assert [seat["kind"] for seat in view["seats"]] == ["open", "open"]
    assert view["seed"] is None


async def test_who_gives_no_randomness_gets_the_servers_and_it_shows(service: TableService) -> None:
    anna, bob = await guests(service, 2)
    table = (await service.open(anna, Opening("dice-stars", ("open", "open"), public=True), key="k")).table
    await service.join(table, anna, version=1, key="j", contribution="mine")
    await service.join(table, bob, version=1, key="j")
    seats = (await seen(service, table, None))["seats"]
    assert [(seat["source"], seat["contribution"] == "mine") for seat in seats] == [("player", True), ("server", False)]
    assert len(seats[1]["contribution"]) == 32


async def test_only_the_invited_sit_down(service: TableService) -> None:
    anna, bob, eve = await guests(service, 3)
    table = (await service.open(anna, Opening("dice-stars", ("open", "open", "open")), key="k")).table
    assert (await seen(service, table, eve))["invitation"] is None
    assert await refused(service.join(table, eve, version=1, key="j")) == "no-invitation"
    assert await refused(service.join(table, eve, version=1, key="j", invitation="guess")) == "no-invitation"
    invitation = (await seen(service, table, anna))["invitation"]
    assert await service.find_invitation(invitation) == table
    assert await service.find_invitation("nothing") is None
    await service.join(table, bob, version=1, key="j", invitation=invitation)
    assert (await seen(service, table, bob))["invitation"] == invitation


async def test_public_tables_are_listed_until_they_start(service: TableService) -> None:
    anna, bob = await guests(service, 2)
    table = (await service.open(anna, Opening("dice-stars", ("open", "open"), public=True), key="k")).table
    hidden = (await service.open(anna, Opening("dice-stars", ("open", "open")), key="k2")).table
    assert [found.id for found in await service.open_tables()] == [table]
    for guest in (anna, bob):
        await service.join(table, guest, version=1, key="j")
    assert await service.open_tables() == []
    assert [found.id for found in await service.tables_of(anna)] == [hidden, table]
    assert [found.id for found in await service.tables_of(bob)] == [table]


async def test_pass_and_play_one_guest_holds_several_seats(service: TableService) -> None:
    (anna,) = await guests(service, 1)
    table = (await service.open(anna, Opening("dicy-cards", ("open", "open"), DICY), key="k")).table
    await service.join(table, anna, seat=1, name="Anna", version=1, key="j1")
    await service.join(table, anna, seat=2, name="Ben", version=1, key="j2")
    view = await seen(service, table, anna)
    assert [seat["name"] for seat in view["seats"]] == ["Anna", "Ben"]
    assert all(seat["yours"] for seat in view["seats"])
    assert (await play_out(service, table, [anna]))["status"] == "over"


async def test_stale_commands_are_refused_aloud_and_repeats_get_the_first_answer(service: TableService) -> None:
    people = await guests(service, 2)
    anna, bob = people
    table = await open_and_join(service, people)
    version = (await seen(service, table, anna))["version"]
    first = await service.act(table, anna, 1, "roll", version=version, key="m")
    assert await service.act(table, anna, 1, "roll", version=version, key="m") == first
    with pytest.raises(Refused) as stale:
        await service.act(table, anna, 1, "roll", version=version, key="m2")
    assert (stale.value.code, stale.value.status, stale.value.detail) == ("stale", 409, {"version": version + 1})
    assert await refused(service.act(table, anna, 1, "skip", version=version + 1, key="m")) == "key-used"
    assert await refused(service.undo(table, anna, 1, version=version + 1, key="m")) == "key-used"
    assert await refused(service.act(table, anna, 1, "skip", version=99, key="m3")) == "bad-version"
    # Another guest's key of the same name is another key.
    assert await refused(service.act(table, bob, 2, "roll", version=version + 1, key="m")) == "not-your-turn"
    assert len(await service.events(table)) == version + 1


async def test_a_repeat_is_known_after_a_restart(tmp_path: Path) -> None:
    settings = settings_for(tmp_path)
    opening = Opening("dicy-cards", ("open", "open"), DICY)
    async with running(settings) as service:
        people = await guests(service, 2)
        opened = await service.open(people[0], opening, key="o")
        table = await open_and_join(service, people)
        first = await service.act(table, people[0], 1, "roll", version=3, key="m")
    async with running(settings) as service:
        assert await service.open(people[0], opening, key="o") == opened
        assert await service.act(table, people[0], 1, "roll", version=3, key="m") == first
        for other in (
            Opening("dice-stars", ("open", "open")),
            Opening("dicy-cards", ("open", "open"), {**DICY, "goal": "41"}),
            Opening("dicy-cards", ("open", "open"), {"goal": "40"}),
            Opening("dicy-cards", ("open", "open"), DICY, public=True),
            Opening("dicy-cards", ("open", "open"), DICY, clock="2min"),
            Opening("dicy-cards", ("open", "bot:random"), DICY),
            Opening("dicy-cards", ("open", "open"), DICY, first="random"),
        ):
            assert await refused(service.open(people[0], other, key="o")) == "key-used"


async def test_a_repeated_join_with_other_content_is_refused(service: TableService) -> None:
    (anna,) = await guests(service, 1)
    table = (await service.open(anna, Opening("dicy-cards", ("open",) * 4, DICY), key="k")).table
    sit = partial(service.join, table, anna, version=1)
    for key, said in (("own", {"contribution": "c1"}), ("servers", {})):
        first = await sit(name="Anna", key=key, **said)
        assert await sit(name=" Anna ", key=key, **said) == first
        assert await sit(key=key, **said) == first
        for other in ({"name": "Bea"}, {"contribution": "c2"}, {"seat": first.event["seat"] + 1}):
            assert await refused(sit(key=key, **{**said, **other})) == "key-used"
    assert await refused(sit(key="own")) == "key-used"
    assert (await service.snapshot(table)).version == 3


async def test_one_damaged_table_hides_no_other(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path)) as service:
        people = await guests(service, 1)
        tables = [
            (await service.open(people[0], Opening("dicy-cards", ("open",) * 2, DICY, public=True), key=f"k{n}")).table
            for n in range(3)
        ]
        damage = update(events).where(events.c.table_id == tables[1]).values(body="{")
        await service._store.write(lambda connection: connection.execute(damage))
        running_table = await open_and_join(service, people, bots=("random",))
    async with running(settings_for(tmp_path)) as service:
        assert await refused(service.view(tables[1], None)) == "unreadable"
        shown = [view.id for view in await service.open_tables()]
        assert shown == [tables[2], tables[0]]
        mine = await service.tables_of(people[0])
        assert {view.id for view in mine} == {tables[0], tables[2], running_table}
        assert tables[1] not in {view.id for view in await service.tables_to_play(people[0])}
        # The scheduler goes on to the tables after it, and its guest can still be deleted.
        overdue = update(tables_row).values(status="running", due=0)
        await service._store.write(lambda connection: connection.execute(overdue))
        await service._scheduler._look_after()
        assert await service._store.claim_due(5, 1.0) == []
        assert "data.json" in [name async for name, _, _ in service.own_data.files(people[0])]
        await service.own_data.delete(people[0])
        assert await refused(service.view(tables[1], None)) == "no-table"


async def test_ready_means_that_a_write_works(service: TableService) -> None:
    assert await service.ready()
    refuse_writes(service)
    service._ready_until = 0.0
    assert not await service.ready()
    refuse_writes(service, False)
    assert await service.ready()


async def test_actions_must_be_legal_and_ones_own(service: TableService) -> None:
    people = await guests(service, 2)
    anna, bob = people
    table = await open_and_join(service, people)
    assert await refused(service.act(table, bob, 1, "roll", version=3, key="m")) == "not-your-seat"
    assert await refused(service.act(table, bob, 2, "roll", version=3, key="m")) == "not-your-turn"
    assert await refused(service.act(table, anna, 9, "roll", version=3, key="m")) == "no-seat"
    # Nobody may say what the dice show.
    assert await refused(service.act(table, anna, 1, "666666", version=3, key="m")) == "illegal"
    assert await refused(service.act(table, anna, 1, "skip", version=3, key="m")) == "illegal"
    await service.act(table, anna, 1, "roll", version=3, key="m")
    for action in ("roll", "666666", "score odds 2", "nonsense", "", "draw 3"):
        assert await refused(service.act(table, anna, 1, action, version=4, key="m4")) == "illegal"
    await service.act(table, anna, 1, "skip", version=4, key="m4")


async def test_dice_in_any_order_are_the_same_move(service: TableService) -> None:
    people = await guests(service, 2)
    table = await open_and_join(service, people)
    await move(service, table, people)
    view = await seen(service, table, people[0])
    action = next(action for action in view["legal"] if action.startswith("reroll") and len(set(action.split()[1])) > 1)
    dice = action.split()[1]
    backwards = action.replace(dice, dice[::-1])
    first = await service.act(table, people[0], 1, backwards, version=view["version"], key="m")
    assert first.event["action"] == action
    assert await service.act(table, people[0], 1, backwards, version=view["version"], key="m") == first


async def test_leaving_before_the_start_frees_the_seat(service: TableService) -> None:
    anna, bob = await guests(service, 2)
    table = (await service.open(anna, Opening("dice-stars", ("open", "open"), public=True), key="k")).table
    await service.join(table, anna, version=1, key="j")
    await service.leave(table, anna, 1, version=2, key="l")
    view = await seen(service, table, None)
    assert view["seats"][0]["kind"] == "open"
    assert view["seats"][0]["contribution"] is None
    await service.join(table, bob, version=3, key="j", seat=1)
    assert (await seen(service, table, None))["status"] == "waiting"


async def test_leaving_a_game_hands_the_seat_to_a_bot_and_later_to_somebody_else(
    service: TableService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clocks, "SEAT_KEPT", 0.0)
    anna, bob, carl = people = await guests(service, 3)
    table = await open_and_join(service, [anna, bob], public=True)
    await service.leave(table, bob, 2, version=3, key="l")
    seat = (await seen(service, table, None))["seats"][1]
    assert (seat["kind"], seat["bot"], seat["vacated"], seat["name"]) == ("bot", "greedy", True, "Guest 2")
    await service.join(table, carl, version=4, key="j")
    view = await seen(service, table, carl)
    assert view["seats"][1]["yours"]
    # The dice stay as they were sealed: whoever comes later adds nothing.
    assert view["seats"][1]["contribution"] == "c2"
    assert (await play_out(service, table, people))["status"] == "over"


async def test_who_resigns_does_not_come_back(service: TableService) -> None:
    people = await guests(service, 2)
    anna, bob = people
    table = await open_and_join(service, people, public=True)
    await service.resign(table, bob, 2, version=3, key="r")
    assert await refused(service.join(table, bob, version=4, key="j", seat=2)) == "seat-taken"
    assert await refused(service.resign(table, bob, 2, version=4, key="r2")) == "not-your-seat"
    assert (await play_out(service, table, [anna]))["status"] == "over"


async def test_the_host_seats_bots(service: TableService) -> None:
    anna, bob = await guests(service, 2)
    table = (await service.open(anna, Opening("dicy-cards", ("open", "open"), DICY, public=True), key="k")).table
    assert await refused(service.seat_bot(table, bob, 2, "greedy", version=1, key="b")) == "not-host"
    assert await refused(service.seat_bot(table, anna, 2, "nobody", version=1, key="b")) == "no-bot"
    await service.join(table, anna, version=1, key="j")
    await service.seat_bot(table, anna, 2, "random", version=2, key="b")
    view = await seen(service, table, None)
    assert (view["status"], view["seats"][1]["bot"]) == ("running", "random")
    assert await refused(service.seat_bot(table, anna, 1, "greedy", version=3, key="b2")) == "not-waiting"
    assert (await play_out(service, table, [anna]))["status"] == "over"


async def test_only_the_host_closes_and_only_once(service: TableService) -> None:
    anna, bob = people = await guests(service, 2)
    table = await open_and_join(service, people)
    assert await refused(service.close(table, bob, version=3, key="c")) == "not-host"
    await service.close(table, anna, version=3, key="c")
    assert await refused(service.close(table, anna, version=4, key="c2")) == "not-running"
    assert await refused(service.act(table, anna, 1, "roll", version=4, key="m")) == "not-running"


@pytest.mark.parametrize(
    ("opening", "code"),
    [
        (Opening("chess", ("open", "open")), "bad-game"),
        (Opening("dicy-cards", ("open",)), "bad-option"),
        (Opening("dicy-cards", ("open",) * 5), "bad-option"),
        (Opening("dicy-cards", ("open", "bot:deep-blue")), "no-bot"),
        (Opening("dicy-cards", ("open", "closed")), "bad-seats"),
        (Opening("dicy-cards", ("open", "open"), {"mode": "z"}), "bad-option"),
        (Opening("dicy-cards", ("open", "open"), {"mode": "b", "cards": "odds"}), "bad-option"),
        (Opening("dicy-cards", ("open", "open"), {"cards": "odds odds odds odds odds"}), "bad-option"),
        (Opening("dicy-cards", ("open", "open"), {"goal": "0"}), "bad-option"),
        (Opening("dicy-cards", ("open", "open"), {"solo-boxes": "9"}), "bad-option"),
        (Opening("dice-stars", ("open", "open"), {}, "5s"), "bad-clock"),
    ],
)
async def test_tables_that_cannot_be_are_refused(service: TableService, opening: Opening, code: str) -> None:
    (anna,) = await guests(service, 1)
    assert await refused(service.open(anna, opening, key="k")) == code


async def test_interglacial_draws_five_cards(service: TableService) -> None:
    (anna,) = await guests(service, 1)
    drawn = set()
    for number in range(6):
        opening = Opening("dicy-cards", ("open", "open"), {"mode": "interglacial"})
        event = (await service.open(anna, opening, key=f"k{number}")).event
        drawn.add(event["headers"]["cards"])
        assert len(set(event["headers"]["cards"].split())) == 5
    assert len(drawn) > 1


def test_a_rematch_draws_anew_and_keeps_the_rest() -> None:
    drawn = DicyCards(3, MODES["b"].cards, goal=40)
    again = [rematch_game(drawn, "interglacial", SystemRandom()) for _ in range(6)]
    assert {(game.seats, game.headers()["goal"]) for game in again} == {(3, "40")}
    assert len({game.headers()["cards"] for game in again}) > 1
    for game, mode in ((drawn, "b"), (drawn, "custom"), (DiceStars(2), None)):
        assert rematch_game(game, mode, SystemRandom()) is game


@pytest.mark.parametrize(
    ("game", "options"),
    [("dicy-cards", {"mode": "interglacial", "goal": "7"}), ("dice-stars", {"solo-boxes": "2"})],
)
async def test_a_rematch_keeps_mode_goal_and_grid(service: TableService, game: str, options: dict[str, str]) -> None:
    people = await guests(service, 2 if game == "dicy-cards" else 1)
    table = await open_and_join(service, people, game, options)
    view = await play_out(service, table, people)
    event = (await service.rematch(table, people[0], version=view["version"], key="r")).event
    fresh = await seen(service, event["table"], people[0])
    assert fresh["mode"] == view["mode"] == options.get("mode")
    kept = {name: text for name, text in options.items() if name != "mode"}
    assert fresh["headers"].items() >= kept.items()
    assert fresh["state"].get("goal", 7) == 7
    assert fresh["state"].get("solo", {"boxes": 2})["boxes"] == 2


async def test_unknown_tables_are_refused(service: TableService) -> None:
    (anna,) = await guests(service, 1)
    for table in ("nothing", "x" * 5000, "\0", ""):
        assert await refused(seen(service, table, anna)) == "no-table"
        assert await refused(service.act(table, anna, 1, "roll", version=1, key="k")) == "no-table"


async def test_guests_and_tokens(service: TableService) -> None:
    guest, token = await service.new_guest("  Anna\u202e ")
    assert guest.name == "Anna"
    assert len(token) >= 22  # 128 bits as text
    assert await service.find_guest(token) == guest
    assert await service.find_guest(token + "x") is None
    assert (await service.rename_guest(guest, "Bea")).name == "Bea"
    found = await service.find_guest(token)
    assert found is not None
    assert found.name == "Bea"


async def test_tokens_are_stored_hashed(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path)) as service:
        _, token = await service.new_guest("Anna")
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"Anna" in stored
    assert token.encode() not in stored
