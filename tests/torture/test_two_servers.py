"""Two servers on one database and one cache folder: a set of cards is solved once, and both tell how far it is."""

from contextlib import suppress
from functools import partial
from pathlib import Path

import psutil
import pytest

from starfrost.coach.analysis import analyse
from starfrost.games.dicy_cards import MODES
from starfrost.games.dicy_cards.coach.exact import ExactJudge
from starfrost.games.dicy_cards.solver import lock as claim
from starfrost.games.dicy_cards.solver import on_demand as service
from starfrost.games.dicy_cards.solver.adviser import Adviser
from starfrost.games.record import parse_record, replay
from tests.postgres import Postgres
from tests.serving import Player, Server
from tests.waiting import eventually

GOAL = 4


def solvers(*servers: Server) -> list[int]:
    found = []
    for server in servers:
        assert server.process is not None
        for child in psutil.Process(server.process.pid).children(recursive=True):
            with suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
                found += [child.pid] if "starfrost.games.dicy_cards.solver.on_demand" in child.cmdline() else []
    return found


def sit_down(server: Server, key: str) -> tuple[Player, str]:
    anna = Player(server.url)
    options = {"mode": "d", "goal": str(GOAL)}
    table = anna.open("dicy-cards", ("open", "bot:perfect"), options=options, key=key)
    anna.join(table)
    return anna, table


def said(anna: Player, table: str) -> str:
    return anna.http.get(f"/t/{table}/solving").raise_for_status().text


def move_or_end(anna: Player, table: str) -> bool:
    """Play the first legal action if it is one's turn; say whether the game is over."""
    return anna.move(table) is None and anna.get(f"/tables/{table}")["status"] == "over"


def test_one_solves_and_both_tell(postgres: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARFROST_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("STARFROST_SOLVE")
    monkeypatch.setattr(service, "_opened", {})
    database = postgres.database()
    turn = claim.claim(tmp_path / "cache" / "background.turn")
    assert turn is not None
    with Server(database, tmp_path / "one.log") as one, Server(database, tmp_path / "other.log") as other:
        seats = [sit_down(server, "wait") for server in (one, other)]
        eventually(lambda: service.solving_share(MODES["d"].cards, GOAL) is not None)
        for anna, table in seats:
            assert said(anna, table).startswith("The Perfect bot is working out these cards (0%).")
        # Both may start a process; the one that finds the claim taken ends at once.
        eventually(lambda: len(solvers(one, other)) == 1)
        turn.release()
        eventually(lambda: not any(said(*seat) for seat in seats))
        eventually(lambda: not solvers(one, other))
        # From now on neither server's bot makes a mistake.
        values = service.find(MODES["d"].cards, GOAL)
        assert values is not None
        for server in (one, other):
            anna, table = sit_down(server, "play")
            eventually(partial(move_or_end, anna, table))
            played = replay(parse_record(anna.http.get(f"/api/tables/{table}/record").text))
            found = analyse(ExactJudge(Adviser(played.record.game, values)), played)  # type: ignore[arg-type]
            assert found.tallies[1].loss == pytest.approx(0, abs=1e-9)
