"""The story of Dicy Cards: every event is told in every language, and the end too."""

import pytest

from starfrost.games.dicy_cards import MODES, DicyCards
from starfrost.words import LANGUAGES, Words
from starfrost.words.story import result, tell
from tests.words.test_story import NAMES, stories


@pytest.mark.parametrize("mode", MODES)
def test_every_event_of_dicy_cards_is_told_in_every_language(mode: str) -> None:
    game = DicyCards(3, MODES[mode].cards, goal=40)
    verbs = set()
    for state, action, _ in stories(game, 1):
        verbs.add(action.verb)
        said = [tell(Words(language), game, state, action, NAMES) for language in LANGUAGES]
        assert len(set(said)) == len(LANGUAGES), said
        name = NAMES[game.actor(state)] if game.actor(state) >= 0 else NAMES[state.seat]
        assert all(sentence.startswith(name) and sentence.endswith(".") for sentence in said)
    assert verbs >= {"roll", "reroll", "score", "skip", "reset"}


def test_sentences_of_dicy_cards() -> None:
    game, w, state, told = DicyCards(2), Words("en"), DicyCards(2).start(), []
    events = (
        "554421",
        "reroll 21 freeze odds",
        "63",
        "score any-two 65",
        "freeze straight",
        "111111",
        "skip",
        "reset odds",
    )
    for event in events:
        action = game.parse_action(event)
        told.append(tell(w, game, state, action, NAMES))
        state = game.apply(state, action)
    assert told == [
        "Anna rolls 5 5 4 4 2 1.",
        "Anna freezes Odds and rerolls 2 and 1.",
        "Anna gets 6 and 3.",
        "Anna scores 11 points with Any two: 6 5.",
        "Ben freezes Straight.",
        "Ben rolls 1 1 1 1 1 1.",
        "Ben skips the turn and resets all frozen cards: they are active again.",
        "Anna resets Odds: the card is active again.",
    ]


def test_ties_are_told_as_the_rules_settle_them() -> None:
    game, w = DicyCards(2, goal=10), Words("en")
    endings = {}
    for last in ("score two-pairs 6655", "score no-sixes 554431", "score any-two 65"):
        state = game.start()
        for event in ("665531", "score two-pairs 6655"):
            state = game.apply(state, game.parse_action(event))
        roll = "665531" if last != "score no-sixes 554431" else "554431"
        for event in (roll, last):
            state = game.apply(state, game.parse_action(event))
        endings[last] = result(w, game, state, NAMES)
        if last.startswith("score any"):
            state = game.apply(state, game.parse_action("freeze odds"))
            endings[last] = result(w, game, state, NAMES)
    assert list(endings.values()) == [
        "Anna and Ben share the victory with 22 points.",
        "Anna and Ben share the victory with 22 points.",
        "Anna wins with 22 points.",
    ]


def test_more_active_cards_win_a_tie() -> None:
    game, w, state = DicyCards(2, goal=10), Words("en"), DicyCards(2, goal=10).start()
    for event in ("665531", "score two-pairs 6655", "665531", "reroll 1 freeze odds", "1", "score two-pairs 6655"):
        state = game.apply(state, game.parse_action(event))
    assert result(w, game, state, NAMES) == "Anna wins: tied at 22 points, but with more active cards."
