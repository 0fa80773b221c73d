"""Bots from outside at a host's tables: they play under names of their own, and a fault of theirs stops no game."""

import shlex
import sys
from pathlib import Path
from random import Random

import pytest

import starfrost
from starfrost.bots.registry import add_bots
from starfrost.errors import Refused, UsageError
from starfrost.table import Opening, Settings
from starfrost.table.bots import BotWorkers
from tests.table.helpers import guests, open_and_join, play_out, running, settings_for

LAST = """
import sys
print("ready", flush=True)
for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "legal":
        legal = rest.split("; ")
    elif word == "go":
        print("bestmove", ANSWER, flush=True)
"""


def engine(folder: Path, answer: str = "legal[-1]") -> str:
    path = folder / "engine.py"
    path.write_text(LAST.replace("ANSWER", answer))
    return f"cmd:{shlex.quote(sys.executable)} {shlex.quote(str(path))}"


@pytest.fixture(autouse=True)
def _nobody_else() -> object:
    yield
    add_bots({})


async def test_an_engine_plays_at_a_table_under_its_name(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, bots=f"my-engine={engine(tmp_path)}")
    async with running(settings) as service:
        people = await guests(service, 1)
        table = await open_and_join(service, people, "dice-stars", bots=("my-engine",))
        await play_out(service, table, people)
        game = (await service.snapshot(table)).game
        moves = [event for event in await service.events(table) if event["kind"] == "act" and event["seat"] == 2]
        assert moves
        record = starfrost.parse_record(await service.record(table))
        states = starfrost.replay(record).states
        own = [(s, event.action) for s, event in zip(states, record.events, strict=False) if game.actor(s) == 1]
        assert all(action == game.legal_actions(state)[-1] for state, action in own)


async def test_the_stand_in_chooses_for_an_engine_that_fails(tmp_path: Path) -> None:
    game = starfrost.make("dicy-cards", seats=2)
    state = game.apply(game.start(), game.sample(game.start(), Random(1)))
    add_bots({"liar": engine(tmp_path, "'nonsense'")})
    workers = BotWorkers(1, patience=30.0, stand_in="greedy")
    try:
        expected = await workers.choose("greedy", game, game.headers(), state)
        assert await workers.choose("liar", game, game.headers(), state) == expected
    finally:
        workers.pool.close()


async def test_strangers_cannot_name_a_command_of_their_own(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path)) as service:
        (guest,) = await guests(service, 1)
        for bot in (engine(tmp_path), "os:system", "my-engine"):
            with pytest.raises(Refused, match="There is no bot"):
                await service.open(guest, Opening("dice-stars", ("open", f"bot:{bot}")), key="open")


def test_settings_take_bots_as_a_text_or_as_a_table() -> None:
    as_text = Settings(bots="one=a:B; two=cmd:./engine --fast")
    assert as_text.guest_bots == {"one": "a:B", "two": "cmd:./engine --fast"}
    assert Settings(bots={"one": "a:B"}).guest_bots == {"one": "a:B"}
    for faulty in ("a:B", "Über=a:B", "one="):
        with pytest.raises(UsageError, match="lists bots such as"):
            Settings(bots=faulty)
