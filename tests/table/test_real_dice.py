"""Real dice: people enter what they rolled, the table keeps score, and the record says so."""

import asyncio
from collections.abc import Iterable
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starfrost.errors import RecordError, Refused
from starfrost.fair.proof import prove
from starfrost.games.core import CHANCE, OVER, Game
from starfrost.games.record import Event as Line
from starfrost.games.record import parse_record, replay
from starfrost.games.setup import Setup
from starfrost.table import Opening, TableService, commands
from starfrost.table.apply import apply, first_snapshot
from starfrost.table.coaching import HINT, coached_seat
from starfrost.table.commands import Decision
from starfrost.table.log import Event, TableRow, write_body
from starfrost.table.records import table_record
from starfrost.table.results import results_of
from starfrost.table.snapshot import Snapshot
from starfrost.words import LANGUAGES, Words
from tests.games.records import GOOD
from tests.table.helpers import DICY, guests, open_and_join, seen
from tests.table.test_service import refused
from tests.waiting import PATIENCE


class RealTable:
    """A table with real dice in memory: all seats are Anna's, whose device goes round."""

    def __init__(self, game: Game[Any, Any], **more: Any) -> None:
        words = more.pop("seats", ["open"] * game.seats)
        body = {"game": game.name, "headers": dict(game.headers()), "seats": words, "dice": "entered", **more}
        row = TableRow("T", "anna", "waiting", "none", False, "i", None, 0.0)
        self.now = first_snapshot(row, "no seal", Event("T", 1, 0.0, "open", "anna", None, write_body(body)), body)
        while self.now.status == "waiting":
            name = f"Player {self.now.version}"
            self._store(commands.join(self.now, "anna", name, "Anna", None, None, True, self.now.version, 1.0))

    def _store(self, made: Decision) -> None:
        event = Event("T", self.now.version + 1, 1.0, made.kind, "anna", None, write_body(made.body))
        stored = apply(self.now, event, made.body, made.outcome)
        # What is in memory is what the log replays to.
        assert apply(self.now, event, made.body) == stored or stored.state == apply(self.now, event, made.body).state
        self.now = stored

    def act(self, action: Any, guest: str | None = "anna") -> None:
        assert self.now.acting is not None
        self._store(commands.act(self.now, None, guest, self.now.acting + 1, action, self.now.version))

    def undo(self) -> None:
        assert self.now.undoable is not None
        self._store(commands.undo(self.now, "anna", self.now.undoable + 1, self.now.version))


def random_game(game: Game[Any, Any], rng: Random, most: int) -> Iterable[Line]:
    """Return the events of a game of random moves, the kind of each chosen first so that rerolls do not dominate."""
    state, found = game.start(), []
    while (actor := game.actor(state)) != OVER and len(found) < most:
        if actor == CHANCE:
            action = game.sample(state, rng)
        else:
            legal = game.legal_actions(state)
            verb = rng.choice(sorted({str(one).split()[0] for one in legal}))
            action = rng.choice([one for one in legal if str(one).startswith(verb)])
        found.append(Line(actor, action))
        state = game.apply(state, action)
    return found


GAMES = [
    ("dicy-cards", 2, {"goal": "60"}),
    ("dicy-cards", 4, {"goal": "40"}),
    ("dice-stars", 1, {}),
    ("dice-stars", 3, {}),
]


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(GAMES), st.randoms(use_true_random=False), st.integers(1, 400))
def test_entering_a_recorded_game_gives_the_same_record(
    setup: tuple[str, int, dict[str, str]], rng: Random, most: int
) -> None:
    game = Setup(*setup).make(Random(1))
    events = random_game(game, rng, most)
    table = RealTable(game)
    for event in events:
        if rng.random() < 0.1:
            # Something is entered wrongly, seen, and taken back.
            chance = event.seat == CHANCE
            wrong = game.sample(table.now.state, rng) if chance else rng.choice(table.now.legal)
            after = game.actor(game.apply(table.now.state, wrong))
            if after != OVER:
                table.act(str(wrong))
                table.undo()
        table.act(str(event.action))
    record = parse_record(table_record(table.now))
    assert record.events == tuple(events)
    assert record.headers["dice"] == "entered"
    assert not {"seed", "commitment", "contributions"} & record.headers.keys()
    played = replay(record)
    assert (played.final, played.finished) == (table.now.state, table.now.status == "over")


IMPOSSIBLE = {
    "dicy-cards": ("a roll of six dice", ("", "66521", "6652111", "765211", "roll", "enter", "blue4", "skip")),
    "dice-stars": (
        "a roll of 3 dice from a bag with 2 black, 3 purple, 4 blue, 5 orange",
        ("", "blue2 blue3", "orange2 blue4 blue5", "red4 blue4 blue5", "666", "black4 black4 black4", "draw 3"),
    ),
}


@pytest.mark.parametrize("game", IMPOSSIBLE)
def test_dice_that_cannot_fall_are_refused_in_one_sentence(game: str) -> None:
    table = RealTable(Setup(game, 2).make(Random(1)))
    if game == "dice-stars":
        table.act("draw 3")
    before, (expected, entries) = table.now, IMPOSSIBLE[game]
    for entry in entries:
        with pytest.raises(Refused) as caught:
            table.act(entry)
        assert (caught.value.code, str(caught.value)) == (
            "bad-dice",
            f"These dice cannot be rolled here; expected {expected}.",
        )
        for language in LANGUAGES:
            sentence = Words(language).say(caught.value)
            assert sentence.endswith(".")
            assert sentence.count(".") == 1
            assert language == "en" or sentence != str(caught.value)
    assert table.now is before


def test_a_bag_knows_what_is_left() -> None:
    table = RealTable(Setup("dice-stars", 2).make(Random(1)))
    table.act("draw 3")
    table.act("black4 black* blue2")
    table.act("take 4")
    table.act("draw 1")
    with pytest.raises(Refused, match="from a bag with 3 purple, 3 blue, 5 orange"):
        table.act("black2")
    table.act("orange*")


def test_only_rerolled_dice_are_asked_for() -> None:
    table = RealTable(Setup("dicy-cards", 2).make(Random(1)))
    table.act("665421")
    table.act("reroll 421 freeze odds")
    assert [str(one) for one in table.now.legal] == ["enter"]
    with pytest.raises(Refused, match="expected a roll of 3 dice"):
        table.act("666666")
    table.act("155")
    assert table.now.state.dice == "665551"
    # The wrong entry, the reroll and the first roll can all be taken back, one after another.
    table.undo()
    table.act("551")
    for _ in range(3):
        table.undo()
    assert table.now.state == table.now.game.start()


def test_verify_says_that_dice_of_ones_own_are_not_sealed() -> None:
    table = RealTable(Setup("dicy-cards", 2).make(Random(1)))
    table.act("665421")
    with pytest.raises(RecordError) as caught:
        prove(table_record(table.now))
    assert str(caught.value) == (
        "People rolled these dice themselves and entered them, so no seed was sealed and none can be proved."
    )


async def test_real_dice_at_a_server(service: TableService) -> None:
    anna, bob = await guests(service, 2)
    table = await open_and_join(service, [anna, bob], dice="entered")
    view = await seen(service, table, anna)
    assert (view["dice"], view["legal"], view["commitment"]) == ("entered", ["enter"], "")
    # Each has their own device: nobody enters another's dice.
    assert await refused(service.act(table, bob, 2, "665211", version=3, key="a")) == "not-your-turn"
    await service.act(table, anna, 1, "665211", version=3, key="b")
    # The same dice in another order are the same command.
    assert (await service.act(table, anna, 1, "112566", version=3, key="b")).version == 4
    assert await refused(service.note_help(table, anna, HINT, 2)) == "no-coach"
    await service.act(table, anna, 1, "skip", version=4, key="c")
    assert (await seen(service, table, anna))["undo"] == [1]
    await service.undo(table, anna, 1, version=5, key="d")
    closed = await service.close(table, anna, version=6, key="e")
    assert (closed.snapshot.seed, (await seen(service, table, anna))["seed"]) == (None, None)
    assert "dice: entered\n" in await service.record(table)
    # A game that was entered without the server is kept as such, too; a device that rolled by itself says so.
    for said, kept in (("dice: entered\n", "entered"), ("", "device"), ("dice: sealed\n", "device")):
        text = GOOD.replace("\n\n", f"\n{said}\n", 1)
        archived = await service.archive.record(await service.played_here.add(anna, text, [True, True], 1.0))
        assert f"\ndice: {kept}\n" in str(archived)


async def test_a_person_rolls_for_the_bots(service: TableService) -> None:
    anna, *_ = await guests(service, 1)
    table = await open_and_join(service, [anna], "dice-stars", bots=("greedy",), dice="entered")
    await service.act(table, anna, 1, "draw 3", version=2, key="a")
    await service.act(table, anna, 1, "blue4 blue* black2", version=3, key="b")
    await service.act(table, anna, 1, "take 4", version=4, key="c")
    async with asyncio.timeout(PATIENCE):
        while (await seen(service, table, anna))["legal"] != ["enter"]:
            await asyncio.sleep(0.02)
    view = await seen(service, table, anna)
    assert (view["turn"], view["acting"]) == (2, 1)
    # The bot has said how many dice it draws; taking the last own move back takes that back, too.
    assert view["undo"] == [1]
    undone = await service.undo(table, anna, 1, version=view["version"], key="d")
    assert next(str(action) for action in undone.snapshot.legal) == "take black"


def test_coach_and_level_know_of_real_dice() -> None:
    game = Setup("dicy-cards", 2).make(Random(1))
    table, pad = RealTable(game), RealTable(game, dice="pad")
    for one in (table, pad):
        one.act("665421")
    assert (coached_seat(table.now), coached_seat(pad.now)) == (0, None)
    table.act("skip")
    # Nobody acts while the dice wait.
    assert coached_seat(table.now) == 1
    # Against a bot a result would count.
    alone = RealTable(game, seats=["open", "bot:greedy"]).now
    assert not any(result.counts for result in results_of(alone, alone.state, alone.moves, 1.0))


POSITIONS = {
    "dicy-cards": ("2 act 665211 24:01111 30:11110", "score any-two 66"),
    "dice-stars": (
        "take seat=1 bag=2/3/4/3 reserve=orange3,orange4 draw=0 solo=0 sheets="
        ".,.,.,.,.,.,.,.*0/.,.,.,.,.,.,.*0/.,.,.,.,.,.*0/.,.,.,.,.*0/.,.,.,.*0/-|"
        ".,.,.,.,.,.,.,.*0/.,.,.,.,.,.,.*0/.,.,.,.,.,.*0/.,.,.,.,.*0/.,.,.,.*0/-",
        "take 4",
    ),
}


@pytest.mark.parametrize("game", POSITIONS)
async def test_a_table_begins_in_a_position_that_was_set_up(service: TableService, game: str) -> None:
    position, action = POSITIONS[game]
    anna, bob = await guests(service, 2)
    table = await open_and_join(service, [anna, bob], game, position=position)
    before: Snapshot = await service.snapshot(table)
    assert before.game.position_text(before.state) == position
    seat = 1 + before.game.actor(before.state)
    await service.act(table, [anna, bob][seat - 1], seat, action, version=3, key="a")
    text = await service.record(table)
    record = parse_record(text)
    assert text.startswith("starfrost: 1-position\n")
    assert (record.headers["position"], replay(record).final) == (position, (await service.snapshot(table)).state)
    # A rematch begins at the beginning.
    await service.close(table, anna, version=4, key="b")
    again = (await service.rematch(table, anna, version=5, key="c")).event["table"]
    assert (await service.snapshot(again)).state == before.game.start()
    for wrong in (position + "x", "", position.replace("take", "over").replace("act", "over")):
        opening = Opening(game, ("open", "open"), DICY if game == "dicy-cards" else {}, position=wrong)
        assert await refused(service.open(anna, opening, key=f"wrong{len(wrong)}")) == "bad-position"
