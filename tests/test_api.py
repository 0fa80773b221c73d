"""The public API: `import starfrost`."""

import subprocess
import sys
from random import Random
from typing import Any

import pytest

import starfrost

PUBLIC = {
    "CHANCE OVER Bot Event Game Record Replay __version__",
    "IllegalAction MissingExtra NotationError RecordError StarfrostError UsageError",
    "bot_names game_ids make make_bot parse_record play replay write_record",
}


def test_the_public_names() -> None:
    assert set(starfrost.__all__) == set(" ".join(PUBLIC).split())
    for name in starfrost.__all__:
        assert getattr(starfrost, name) is not None
        assert name in dir(starfrost)
    with pytest.raises(AttributeError, match="no attribute 'kittens'"):
        _ = starfrost.kittens


def test_import_loads_this_one_file() -> None:
    code = "import sys; before = set(sys.modules); import starfrost; print(*(set(sys.modules) - before))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout.split()
    assert "starfrost" in loaded
    assert [name for name in loaded if name.split(".")[0] not in sys.stdlib_module_names] == ["starfrost"]


def test_games_and_bots_by_name() -> None:
    assert starfrost.game_ids()[:2] == ("dicy-cards", "dice-stars")
    for game in starfrost.game_ids():
        assert starfrost.bot_names(game)[:3] == ("random", "greedy", "planner")
    assert "perfect" in starfrost.bot_names("dicy-cards", seats=2)
    assert "perfect" not in starfrost.bot_names(starfrost.make("dicy-cards", seats=3))


def test_options_of_a_game() -> None:
    default = starfrost.make("dicy-cards")
    assert (default.seats, default.headers()["goal"]) == (2, "100")
    five = default.headers()["cards"]
    assert starfrost.make("dicy-cards", cards=five.split(), goal=100) == default
    assert starfrost.make("dicy-cards", cards="glacial", goal="60").headers() == {"cards": five, "goal": "60"}
    assert starfrost.make("dice-stars", seats=1, solo_boxes=20).headers() == {"solo-boxes": "20"}


@pytest.mark.parametrize(
    ("game", "seats", "options", "named"),
    [
        ("chess", 2, {}, "chess"),
        ("dicy-cards", 9, {}, "9"),
        ("dicy-cards", 2, {"goal": "many"}, "goal"),
        ("dicy-cards", 2, {"cards": "no-such-mode"}, "no-such-mode"),
        ("dicy-cards", 2, {"colour": "red"}, "colour"),
        ("dice-stars", 2, {"goal": 50}, "goal"),
    ],
)
def test_a_set_up_that_does_not_exist(game: str, seats: int, options: dict[str, Any], named: str) -> None:
    with pytest.raises(starfrost.UsageError, match=named):
        starfrost.make(game, seats, **options)


def test_a_game_between_bots() -> None:
    game = starfrost.make("dicy-cards", seats=3, goal=30)
    record = starfrost.play(game, ["planner", "greedy", "random"], seed=5)
    assert record.players == ("planner", "greedy", "random")
    assert starfrost.replay(record).finished
    assert starfrost.play(game, ["planner", "greedy", "random"], seed=5) == record
    assert starfrost.play(game, ["planner", "greedy", "random"], seed=6) != record
    assert starfrost.parse_record(starfrost.write_record(record)).events == record.events
    with pytest.raises(starfrost.UsageError, match="3 seats, not 2"):
        starfrost.play(game, ["planner", "greedy"])


def test_a_bot_of_your_own() -> None:
    class Last:
        name = "last"

        def choose(self, game: starfrost.Game[Any, Any], state: Any, rng: Random) -> Any:
            return game.legal_actions(state)[-1]

    game = starfrost.make("dice-stars", seats=2)
    assert starfrost.play(game, [Last(), "greedy"], seed=1).players == ("last", "greedy")
