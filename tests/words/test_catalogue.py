"""Words: languages are chosen as people expect, sentences are filled, plurals fit."""

import pytest

from starfrost.errors import UsageError
from starfrost.games.dicy_cards import CARDS
from starfrost.games.dicy_cards.words import EFFECTS, NAMES, card_hint, card_name, card_text
from starfrost.words import LANGUAGES, Words, best_language, language_from_environment


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "de"),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": "nl_BE.UTF-8"}, "nl"),
        ({"LANG": "de_DE.UTF-8", "LC_MESSAGES": "es_ES"}, "es"),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": "C.UTF-8"}, "en"),
        ({"LANGUAGE": "fr:nl:en", "LANG": "de_DE"}, "nl"),
        ({"LANGUAGE": "fr", "LANG": "es"}, "es"),
        ({"LANG": "fr_FR.UTF-8"}, "en"),
    ],
)
def test_the_environment_chooses(environment: dict[str, str], language: str) -> None:
    assert language_from_environment(environment) == language


@pytest.mark.parametrize(
    ("header", "language"),
    [
        (None, "en"),
        ("", "en"),
        ("de-AT,de;q=0.9,en;q=0.5", "de"),
        ("fr, nl;q=0.3, es;q=0.7", "es"),
        ("fr,*;q=0.1", "en"),
        ("de;q=nonsense,nl;q=0.1", "nl"),
        ("de;q=0,nl;q=0.1", "nl"),
    ],
)
def test_the_browser_chooses(header: str | None, language: str) -> None:
    assert best_language(header) == language


def test_an_unknown_language_is_refused_with_the_list() -> None:
    with pytest.raises(UsageError, match="en, de, nl, es"):
        Words("xx")


def test_a_regional_tag_finds_its_language() -> None:
    assert Words("de-AT").language == "de"


def test_an_unknown_message_is_said_in_english() -> None:
    assert Words("de")("No such message %(n)s", n=3) == "No such message 3"


@pytest.mark.parametrize("n", [0, 1, 2])
def test_plurals_fit_the_number(n: int) -> None:
    assert Words("en").plural("%(n)s thing", "%(n)s things", n) == ("1 thing" if n == 1 else f"{n} things")


def test_lists_read_like_sentences() -> None:
    assert Words("de").all_of(["Anna", "Ben", "Cleo"]) == "Anna, Ben und Cleo"
    assert Words("es").one_of(["Anna", "Ben"]) == "Anna o Ben"


@pytest.mark.parametrize(
    ("names", "joined"),
    [
        (["Anna", "Inés"], "Anna e Inés"),
        (["Anna", "Ben", "«Impares»"], "Anna, Ben e «Impares»"),
        (["nieve", "hielo"], "nieve y hielo"),
        (["padre", "hijo"], "padre e hijo"),
        (["Inés", "Anna"], "Inés y Anna"),
    ],
)
def test_spanish_and_does_not_run_into_its_own_sound(names: list[str], joined: str) -> None:
    assert Words("es").all_of(names) == joined


@pytest.mark.parametrize(
    ("names", "joined"), [(["7", "8"], "7 u 8"), (["10", "11"], "10 u 11"), (["1", "110"], "1 o 110")]
)
def test_spanish_or_does_not_run_into_its_own_sound(names: list[str], joined: str) -> None:
    assert Words("es").one_of(names) == joined


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_twelve_cards_have_names_and_texts_of_their_own(language: str) -> None:
    w = Words(language)
    assert len(NAMES) == 12
    for say in (card_name, card_hint, card_text):
        assert len({say(w, card) for card in NAMES}) == 12
    effects = {card.id: EFFECTS[card.effect][1] for card in CARDS.values() if card.effect in EFFECTS}
    assert len(effects) == 3
    assert all(card_text(w, card).endswith(f". {w(effect)}") for card, effect in effects.items())


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_variants_cards_are_explained_in_the_same_words(language: str) -> None:
    w = Words(language)
    kind = "lucky-twins=2-4.146.alike.2.3.-1.others_freeze@123466"
    assert card_name(w, kind) == card_name(w, "lucky-twins") == "Lucky twins"
    assert card_hint(w, "odds@123466") == card_hint(w, "odds")
    text = card_text(w, kind)
    assert text.endswith(w("Then every other player freezes one of their active cards."))
    for part in (
        "2",
        "4",
        w("all equal"),
        w("only %(values)s", values="1 4 6"),
        f"2 × {w('sum')} + 3 × {w('dice')} − 1",
    ):
        assert part in text
