"""Bots that play many games at once make the decisions of the single bots, for any batch and any order.

A game is equal in both if its scores, credits and number of turns are: one different decision changes everything
after it. `make test-long` compares 100,000 decisions of every bot.
"""

import numpy as np
import pytest

from starfrost.batch.chance import CHANCE, BotRandom, Roll, game_key, game_keys, luck_key, luck_keys, words
from starfrost.batch.registry import BATCHES
from starfrost.games.setup import Setup
from starfrost.lab import deals
from starfrost.lab.deals import PlayedGames, Player, play_deals
from starfrost.lab.simulate import Simulation, simulate
from starfrost.lab.statistics import rate
from starfrost.vector.chance import words as array_words

TABLES = [
    ("dicy-cards", {"mode": "glacial"}, ("greedy", "greedy"), 60),
    ("dicy-cards", {"mode": "d", "goal": "60"}, ("random", "greedy", "random"), 40),
    ("dicy-cards", {"mode": "c"}, ("planner", "greedy"), 40),
    ("dicy-cards", {"mode": "b", "goal": "70"}, ("planner", "random", "planner", "greedy"), 20),
    ("dicy-cards", {"mode": "interglacial"}, ("random", "greedy"), 40),
    ("dice-stars", {}, ("greedy", "random"), 40),
    ("dice-stars", {"solo-boxes": "60"}, ("greedy",), 40),
    ("dice-stars", {}, ("random", "greedy", "random", "greedy"), 20),
    # In the last of these games the planner's last turn comes after a penalty of the next seat.
    ("dice-stars", {}, ("greedy", "planner"), 11),
    ("dice-stars", {}, ("planner",), 6),
    ("dice-stars", {}, ("network", "network"), 10),
    ("dice-stars", {"solo-boxes": "60"}, ("network",), 10),
    ("dice-stars", {}, ("network", "planner", "random"), 3),
    ("dice-stars", {}, ("greedy", "network", "random", "network"), 4),
    ("dice-stars", {}, ("strong", "network"), 2),
    ("dice-stars", {"solo-boxes": "60"}, ("strong",), 2),
    ("dice-stars", {}, ("random", "strong", "greedy"), 1),
    ("dice-stars", {}, ("greedy", "random", "greedy", "strong"), 1),
]


def both(setup: Setup, bots: tuple[str, ...], numbers: range) -> tuple[PlayedGames, PlayedGames]:
    """Play the same deals at once and one by one."""
    seating = [[Player(bot, (seat,)) for seat, bot in enumerate(bots)]]
    assert deals.games_at_once(setup, bots) > 1
    at_once = play_deals(setup, 5, numbers, seating)
    return at_once, play_deals(setup, 5, numbers, seating, run=1)


@pytest.mark.parametrize(("game", "options", "bots", "games"), TABLES)
def test_many_games_at_once_are_single_games(
    game: str, options: dict[str, str], bots: tuple[str, ...], games: int
) -> None:
    at_once, singly = both(Setup(game, len(bots), options), bots, range(1000, 1000 + games))
    for one, other in zip(at_once[:3], singly[:3], strict=True):
        assert one.tolist() == other.tolist()
    assert at_once.facts[:2] == singly.facts[:2]
    assert at_once.facts.counts.tolist() == singly.facts.counts.tolist()
    assert at_once.facts.counts.any()


# Not in the order of their clauses, in which sets are solved.
CARDS = "three-lowest sixes odds any-two same-fives"


@pytest.mark.parametrize(
    ("bots", "games"),
    [
        (("perfect", "planner"), 30),
        (("master", "planner", "master"), 6),
        (("random", "master", "master", "greedy"), 10),
    ],
)
def test_bots_with_solved_sets_play_at_once(bots: tuple[str, ...], games: int) -> None:
    setup = Setup("dicy-cards", len(bots), {"cards": CARDS, "goal": "40"})
    deals.make_ready(setup, bots, lambda share: None)
    at_once, singly = both(setup, bots, range(games))
    for one, other in zip(at_once[:3], singly[:3], strict=True):
        assert one.tolist() == other.tolist()
    assert at_once.facts.counts.tolist() == singly.facts.counts.tolist()


@pytest.mark.parametrize("game", ["dicy-cards", "dice-stars"])
def test_the_size_of_a_batch_changes_nothing(game: str) -> None:
    plan = Simulation(Setup(game, 2), ("greedy", "random"), games=333, seed=4, swap_seats=True)
    whole, parts = plan(range(167)), [plan(range(start, min(start + 70, 167))) for start in range(0, 167, 70)]
    assert whole["games"] == 333 == sum(part["games"] for part in parts)
    for bot in range(2):
        for name in ("wins", "shared", "score"):
            assert whole["bots"][bot][name] == sum(part["bots"][bot][name] for part in parts)


def test_equal_bots_on_the_same_dice_win_equally_often_in_many_games() -> None:
    summary = simulate(Simulation(Setup("dice-stars", 2), ("random", "random"), games=20_000, seed=3))
    for player in summary.players:
        assert player.win_rate.low <= 0.5 <= player.win_rate.high + 0.02
    faces = np.array([Roll(game_key(1, number), 0, 1, 0).draws()(6, 1, "face") for number in range(6000)])
    share = rate([[float(face == 2)] for face in faces])
    assert share.low <= 1 / 6 <= share.high


def test_keys_and_words_are_the_same_for_one_and_for_many() -> None:
    numbers = np.array([0, 1, 7, 2**31, 2**40 + 3])
    keys = game_keys(9, numbers)
    singles = [game_key(9, int(number)) for number in numbers]
    assert keys.tolist() == [list(key) for key in singles]
    assert luck_keys(keys, 1, "greedy").tolist() == [list(luck_key(key, 1, "greedy")) for key in singles]
    arrays = array_words((keys[:, 0], keys[:, 1]), CHANCE)
    assert [words(*key, CHANCE) for key in singles] == [tuple(map(int, four)) for four in zip(*arrays, strict=True)]


def test_luck_belongs_to_the_decision() -> None:
    one, other = BotRandom((1, 2)), BotRandom((1, 2))
    for lot, draws in ((one, 5), (other, 2)):
        lot.next_decision()
        for _ in range(draws):
            lot.random()
        lot.next_decision()
    assert [one.getrandbits(40) for _ in range(3)] == [other.getrandbits(40) for _ in range(3)]
    assert one.choice("abc") == other.choice("abc")
    assert 0 <= one.random() < 1


def test_without_the_optional_packages_games_are_played_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for game in BATCHES:
        monkeypatch.setattr(f"starfrost.games.{game.replace('-', '_')}.compiled.kit.find_spec", lambda name: None)
        assert deals.games_at_once(Setup(game, 2), ("greedy", "greedy")) == 1
