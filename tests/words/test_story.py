"""The story: every event of both games is told, in every language, and the end too."""

from random import Random
from typing import Any

import pytest

from starfrost.games.core import CHANCE, OVER, Game
from starfrost.games.dice_stars import DiceStars
from starfrost.games.dicy_cards import MODES, DicyCards
from starfrost.words import LANGUAGES, Words, You
from starfrost.words.story import ending, result, tell

NAMES = ("Anna", "Ben", "Cleo", "Dan")


def stories(game: Game[Any, Any], seed: int) -> list[tuple[Any, Any, Any]]:
    """Play a random game; give every state, its event and the state after it."""
    rng, state, played = Random(seed), game.start(), []
    while (actor := game.actor(state)) != OVER:
        action = game.sample(state, rng) if actor == CHANCE else rng.choice(game.legal_actions(state))
        following = game.apply(state, action)
        played.append((state, action, following))
        state = following
    return played


@pytest.mark.parametrize("seats", [1, 2, 3])
def test_every_event_of_dice_stars_is_told_in_every_language(seats: int) -> None:
    game = DiceStars(seats)
    for seed in range(3):
        for state, action, _ in stories(game, seed):
            said = [tell(Words(language), game, state, action, NAMES) for language in LANGUAGES]
            assert len(set(said)) == len(LANGUAGES), said
            assert all(sentence.startswith(NAMES[state.seat]) and sentence.endswith(".") for sentence in said)


@pytest.mark.parametrize("game", [DiceStars(1), DiceStars(2), DicyCards(2, MODES["d"].cards, goal=40)], ids=str)
def test_the_reader_is_addressed_and_never_named(game: Any) -> None:
    names = (You("Anna"), "Ben")[: game.seats]
    for seed in range(3):
        played = stories(game, seed)
        for state, action, after in played:
            mine = (game.actor(state) if game.actor(state) != CHANCE else game.turn_of(state)) == 0
            for language in LANGUAGES:
                w = Words(language)
                said = tell(w, game, state, action, names)
                assert "Anna" not in said + ending(w, game, state, action, names, after)
                # Each of the two has a sentence of its own.
                assert (said != tell(w, game, state, action, ("Anna", "Ben"))) == mine, said
        assert "Anna" not in result(Words("en"), game, played[-1][2], names)


def test_the_readers_name_is_another_than_the_same_name_of_somebody_else() -> None:
    assert You("Anna") == You("Anna") != "Anna" != You("Anna")
    assert len({You("Anna"), "Anna"}) == 2
    assert f"{You('Anna')}" == "Anna"


def test_sentences_of_dice_stars() -> None:
    game, w = DiceStars(2), Words("en")
    state = game.start()
    told = []
    for event in ("draw 3", "black4 blue5 blue4", "take blue", "draw 1", "orange*", "take stars 3"):
        action = game.parse_action(event)
        told.append(tell(w, game, state, action, NAMES))
        state = game.apply(state, action)
    assert told == [
        "Anna draws 3 dice.",
        "Anna rolls black 4, blue 4 and blue 5.",
        "Anna takes blue (5 4) and writes 9 in row 3.",
        "Ben draws one die.",
        "Ben rolls orange ★.",
        "Ben takes a star and ticks a box in row 3.",
    ]


@pytest.mark.parametrize(
    ("game", "endings"),
    [
        (DiceStars(2), ("wins with", "share the")),
        (DiceStars(1, solo_boxes=1), ("The solo",)),
        (DiceStars(1, solo_boxes=9999), ("wins: ", "loses:")),
    ],
    ids=repr,
)
def test_the_end_of_dice_stars_is_told(game: DiceStars, endings: tuple[str, ...]) -> None:
    assert result(Words("en"), game, game.start(), NAMES) == ""
    for seed in range(5):
        last = stories(game, seed)[-1][2]
        said = [result(Words(language), game, last, NAMES) for language in LANGUAGES]
        assert len(set(said)) == len(LANGUAGES)
        assert any(ending in said[0] for ending in endings), said[0]
