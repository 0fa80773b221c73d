"""Both games by name."""

import pytest

from starfrost.errors import UsageError
from starfrost.games.dice_stars import DiceStars
from starfrost.games.dicy_cards import MODES, DicyCards
from starfrost.games.registry import GAMES, make_game

GLACIAL = {"cards": " ".join(MODES["glacial"].cards)}


@pytest.mark.parametrize(("name", "seats"), [(name, seats) for name, kit in GAMES.items() for seats in kit.seats])
def test_every_game_for_every_number_of_seats(name: str, seats: int) -> None:
    game = make_game(name, seats, GLACIAL)
    assert (game.name, game.seats) == (name, seats)
    assert make_game(name, seats, game.headers()) == game
    assert hash(make_game(name, seats, game.headers())) == hash(game)


@pytest.mark.parametrize("name", GAMES)
def test_no_other_number_of_seats(name: str) -> None:
    for seats in set(range(-1, 8)) - set(GAMES[name].seats):
        with pytest.raises(UsageError, match="players") as refused:
            make_game(name, seats, GLACIAL)
        assert refused.value.about == "players"


def test_headers_set_up_the_game() -> None:
    assert make_game("dicy-cards", 2, GLACIAL) == DicyCards(2, goal=100)
    assert make_game("dicy-cards", 3, {**GLACIAL, "goal": "7", "date": "today"}) == DicyCards(3, goal=7)
    assert make_game("dice-stars", 1, {}) == DiceStars(1, solo_boxes=30)
    assert make_game("dice-stars", 1, {"solo-boxes": "12"}) == DiceStars(1, solo_boxes=12)
    assert make_game("dice-stars", 2, {"solo-boxes": "12"}) == DiceStars(2)


@pytest.mark.parametrize("key", ["goal", "solo-boxes"])
@pytest.mark.parametrize(
    "number", ["", "0", "-1", "+1", "1.0", "1e3", "ten", "٣", "²", "1_0", "0x10", "1000000", "9" * 4301, "1 2"]
)
def test_a_number_that_is_none_is_refused(key: str, number: str) -> None:
    name, seats = ("dicy-cards", 2) if key == "goal" else ("dice-stars", 1)
    with pytest.raises(UsageError, match="999999") as refused:
        make_game(name, seats, {**GLACIAL, key: number})
    assert refused.value.about == key
    assert len(str(refused.value)) < 160


@pytest.mark.parametrize(
    ("name", "headers", "about"),
    [
        ("backgammon", {}, "game"),
        ("", {}, "game"),
        ("Dicy-Cards", {}, "game"),
        ("dicy-cards", {}, "cards"),
        ("dicy-cards", {"cards": ""}, "cards"),
        ("dicy-cards", {"cards": "odds"}, "cards"),
        ("dicy-cards", {"cards": "any-two no-sixes odds straight players"}, "cards"),
        ("dicy-cards", {"cards": "any-two no-sixes odds straight odds"}, "cards"),
        ("dicy-cards", {"cards": "odds " * 9000}, "cards"),
    ],
)
def test_what_does_not_exist_is_named(name: str, headers: dict[str, str], about: str) -> None:
    with pytest.raises(UsageError) as refused:
        make_game(name, 2, headers)
    assert refused.value.about == about
    assert len(str(refused.value)) < 300


def test_thousands_of_records_share_their_set_up() -> None:
    assert make_game("dicy-cards", 2, GLACIAL) is make_game("dicy-cards", 2, {**GLACIAL, "date": "tomorrow"})
