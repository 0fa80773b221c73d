import hashlib
import hmac
import pickle
from collections import Counter
from random import Random

import pytest

from starfrost.errors import UsageError
from starfrost.fair.dice import FairDice, Line, Seed, read_contributions, write_contributions
from starfrost.games.core import CHANCE, OVER
from starfrost.games.registry import make_game

CARDS = {"cards": "any-two no-sixes odds straight two-pairs"}
MADE = (("player", "f00d"), ("bot", ""))


def test_the_commitment_is_the_seeds_sha256() -> None:
    seed = Seed(bytes(range(32)))
    assert seed.commitment == hashlib.sha256(bytes(range(32))).hexdigest()


def test_a_seed_shows_nothing_and_goes_nowhere() -> None:
    seed = Seed(b"\xab" * 32)
    assert "ab" * 4 not in repr(seed)
    assert "\\xab" not in f"{seed!r}{seed!s}"
    with pytest.raises(TypeError):
        pickle.dumps(seed)


def test_a_die_is_the_documented_hmac() -> None:
    """What docs/fair-dice.md says, computed here by hand."""
    secret = bytes(range(32))
    text = "starfrost-dice-1\nTABLE\n1=player:f00d 2=bot\n3 1 2 face 1"
    byte = next(byte for byte in hmac.new(secret, text.encode(), "sha256").digest() if byte < 252)
    dice = FairDice(Seed(secret), "TABLE", MADE)
    assert [dice.number(6, 3, 1, 2, "face") for _ in range(2)] == [byte % 6] * 2
    # Texts of any length, also longer than a block of the hash.
    for length in (0, 1, 63, 64, 65, 200):
        whole = hmac.new(secret, b"starfrost" + b"x" * length, "sha256").digest()
        assert Seed(secret).hasher("starfrost")("x" * length) == whole


def test_bytes_that_would_favour_some_faces_are_thrown_away(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []

    def digest(text: str) -> bytes:
        texts.append(text)
        return b"\xff" * 32 if len(texts) == 1 else b"\xfc\xfb" + b"\0" * 30

    monkeypatch.setattr(Seed, "hasher", lambda self, prefix: digest)
    assert FairDice(Seed.fresh(), "T", MADE).number(6, 1, 1, 1, "face") == 0xFB % 6
    assert [text.rsplit(" ", 1)[1] for text in texts] == ["1", "2"]


def test_every_place_and_every_contribution_counts() -> None:
    seed = Seed.fresh()

    def rolls(table: str, made: tuple[tuple[str, str], ...]) -> list[int]:
        dice = FairDice(seed, table, made)
        return [dice.number(6, turn, roll, die, "face") for turn in range(9) for roll in range(2) for die in range(6)]

    base = rolls("T", MADE)
    assert base == rolls("T", MADE)
    assert base != rolls("U", MADE)
    assert base != rolls("T", (("player", "f00e"), ("bot", "")))
    assert base != rolls("T", (("server", "f00d"), ("bot", "")))


@pytest.mark.parametrize("sides", [2, 3, 5, 6, 7, 11, 13, 14])
def test_numbers_are_even(sides: int) -> None:
    """A fixed seed, so a fixed outcome: chi-squared well inside what even numbers give."""
    dice = FairDice(Seed(b"\x07" * 32), "T", MADE)
    count = Counter(dice.number(sides, turn, 1, 1, "face") for turn in range(200 * sides))
    assert set(count) == set(range(sides))
    chi = sum((count[side] - 200) ** 2 / 200 for side in range(sides))
    assert chi < 3 * sides + 10


@pytest.mark.parametrize(
    ("name", "seats", "headers"), [("dicy-cards", 3, CARDS), ("dice-stars", 2, {}), ("dice-stars", 1, {})]
)
def test_outcomes_are_possible_and_no_place_comes_twice(name: str, seats: int, headers: dict[str, str]) -> None:
    game = make_game(name, seats, headers)
    rng = Random(1)
    for number in range(5):
        line = Line.start(game)
        dice = FairDice(Seed(bytes([number]) * 32), "T", (("player", "a"),) * seats)
        places = set()
        while game.actor(line.state) != OVER:
            if game.actor(line.state) == CHANCE:
                assert line.place not in places
                places.add(line.place)
                outcome = dice.outcome(line)
                assert outcome in dict(game.chance_outcomes(line.state))
                line = line.after(outcome)
            else:
                line = line.after(rng.choice(game.legal_actions(line.state)))
        assert len(places) == len({turn for turn, _ in places}) + sum(roll > 1 for _, roll in places)


def test_contributions_round_trip() -> None:
    made = (("player", "a-B_9"), ("bot", ""), ("server", "00ff"))
    text = write_contributions(made)
    assert text == "1=player:a-B_9 2=bot 3=server:00ff"
    assert read_contributions(text) == made


@pytest.mark.parametrize("text", ["2=bot", "1=player", "1=bot:x", "1=god:x", "player:x", "1=player:a 3=bot"])
def test_faulty_contributions_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        read_contributions(text)
