"""The last round is announced with who brought it on (E1, G1), in every language, by the event that brings it on."""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from starfrost.games.core import CHANCE, OVER, Game
from starfrost.games.dice_stars import DiceStars
from starfrost.games.dice_stars.sheet import WHITE
from starfrost.games.dicy_cards import DicyCards
from starfrost.games.registry import GAMES
from starfrost.words import LANGUAGES, Words
from starfrost.words.story import ending, last_round, narrate, result, tell

NAMES = ("Anna", "Ben", "Cleo", "Dan")
ANNOUNCED = {
    "en": "This is the last round.",
    "de": "Dies ist die letzte Runde.",
    "nl": "Dit is de laatste ronde.",
    "es": "Esta es la última ronda.",
}
PLAYED: list[Game[Any, Any]] = [DicyCards(2, goal=40), DicyCards(4, goal=30), DiceStars(2), DiceStars(3)]


def played(game: Game[Any, Any], seed: int) -> Iterator[tuple[Any, Any, Any]]:
    """Play a random game; yield every state, its event and the state after it."""
    rng, state = Random(seed), game.start()
    while (actor := game.actor(state)) != OVER:
        action = game.sample(state, rng) if actor == CHANCE else rng.choice(game.legal_actions(state))
        after = game.apply(state, action)
        yield state, action, after
        state = after


def ends(game: Game[Any, Any], state: Any, seat: int) -> bool:
    """Return whether a seat has done what ends the game, in the words of E1 and G1."""
    if isinstance(game, DicyCards):
        return bool(state.scores[seat] >= game.goal)
    sheet = state.sheets[seat]
    return bool(sheet.filled & WHITE == WHITE or sheet.penalty >= 0)


@pytest.mark.parametrize("game", PLAYED, ids=repr)
def test_the_first_seat_to_end_the_game_brings_on_the_last_round(game: Game[Any, Any]) -> None:
    announced = 0
    for seed in range(12):
        first: int | None = None
        for state, action, after in played(game, seed):
            seat = game.turn_of(state)
            if first is None and ends(game, after, seat):
                first = seat
            found = GAMES[game.name].last_round(game, after)
            assert found == (None if game.actor(after) == OVER else first)
            begins = found is not None and GAMES[game.name].last_round(game, state) is None
            told = {language: ending(Words(language), game, state, action, NAMES) for language in LANGUAGES}
            if begins:
                announced += 1
                assert all(NAMES[seat] in text and ANNOUNCED[language] in text for language, text in told.items())
                assert len(set(told.values())) == len(LANGUAGES)
            elif game.actor(after) == OVER and GAMES[game.name].last_round(game, state) is None:
                assert told["en"] == "That ends the game."
            else:
                assert not any(told.values())
        assert first is not None
    assert announced


def test_the_announcement_stays_until_the_end_and_then_the_result_is_told() -> None:
    game, w = DicyCards(3, goal=20), Words("en")
    state = game.start()
    events = ("554421", "score no-sixes 554421", "666666", "score any-two 66", "freeze odds", "freeze odds", "111111")
    shown = []
    for event in events:
        state = game.apply(state, game.parse_action(event))
        shown.append(last_round(w, game, state, NAMES))
    assert shown == ["", *["Anna has 21 points. This is the last round."] * 6]
    state = game.apply(state, game.parse_action("skip"))
    for choice in ("reset no-sixes", "reset any-two"):
        state = game.apply(state, game.parse_action(choice))
    assert last_round(w, game, state, NAMES) == ""
    assert result(w, game, state, NAMES) == "Anna wins with 21 points."


def test_who_reaches_the_goal_later_in_the_round_did_not_bring_it_on() -> None:
    game, w = DicyCards(3, goal=10), Words("en")
    state = game.start()
    for event in ("554421", "score any-two 55", "freeze odds", "freeze odds", "665544", "score two-pairs 6655"):
        state = game.apply(state, game.parse_action(event))
    assert state.scores == (10, 22, 0)
    assert last_round(w, game, state, NAMES) == "Anna has 10 points. This is the last round."


def test_a_penalty_and_full_white_spaces_say_which_it_was() -> None:
    game, w = DiceStars(2), Words("en")
    said = set()
    for seed in range(40):
        for state, action, after in played(game, seed):
            if text := ending(w, game, state, action, NAMES):
                said.add(text.replace(NAMES[game.turn_of(state)], "N"))
                assert narrate(w, game, state, action, NAMES) == f"{tell(w, game, state, action, NAMES)} {text}"
            assert last_round(w, game, after, NAMES) == "" or game.actor(after) != OVER
    assert {"N has written a penalty. This is the last round.", "That ends the game."} <= said
    assert said <= {
        "N has written a penalty. This is the last round.",
        "N has filled all 20 white spaces. This is the last round.",
        "That ends the game.",
    }
