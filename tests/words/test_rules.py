"""Rules pages: every clause in every language, every ruling marked with a reason, the same cards and numbers."""

import re

import pytest

from starfrost.errors import UsageError
from starfrost.games.dicy_cards.words import NAMES, card_name, mode_name
from starfrost.games.registry import GAMES
from starfrost.words import LANGUAGES, Words
from starfrost.words.rules import RULING, clause, page


def ids(**counts: int) -> list[str]:
    return [f"{letter}{number}" for letter, count in counts.items() for number in range(1, count + 1)]


CLAUSES = {
    "dicy-cards": ids(D=8, C=12, T=9, E=2),
    "dice-stars": ids(P=4, S=6, F=6, G=3, L=5),
}
RULINGS = {
    "dicy-cards": {"D1", "D7", "T7", "T8", "T9"},
    "dice-stars": {"P1", "S4", "F5", "F6", "G1", "G3", "L5"},
}
WORDS_FOR_RULING = {"en": "Ruling", "de": "Festlegung", "nl": "Beslissing", "es": "Decisión"}

pages = pytest.mark.parametrize(("game", "language"), [(game, language) for game in GAMES for language in LANGUAGES])


@pages
def test_every_clause_is_there_once_and_says_something(game: str, language: str) -> None:
    found = page(game, language)
    assert list(found.clauses) == CLAUSES[game]
    assert sum(len(section.clauses) for section in found.sections) == len(CLAUSES[game])
    for each in found.clauses.values():
        assert len(each.text) > 15
        assert "[" + each.id not in each.text


@pages
def test_every_ruling_is_marked_and_gives_its_reason(game: str, language: str) -> None:
    found = page(game, language)
    assert {each.id for each in found.clauses.values() if each.ruling} == RULINGS[game]
    marked = [line.strip() for line in found.text.splitlines() if "⚖ **" in line]
    assert len(marked) == len(RULINGS[game])
    for line in marked:
        assert RULING.match(line)
        assert f"**{WORDS_FOR_RULING[language]}**" in line
    for each in RULINGS[game]:
        assert len(found.clauses[each].ruling) > 60


@pages
def test_all_languages_have_the_same_sections_tables_and_numbers(game: str, language: str) -> None:
    here, english = page(game, language), page(game, "en")
    assert len(here.sections) == len(english.sections)
    for mine, theirs in zip(here.clauses.values(), english.clauses.values(), strict=True):
        assert sorted(re.findall(r"\d+", mine.text)) == sorted(re.findall(r"\d+", theirs.text)), mine.id
    assert here.text.count("\n|") == english.text.count("\n|")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_calls_cards_and_modes_what_the_program_calls_them(language: str) -> None:
    w, clauses = Words(language), page("dicy-cards", language).clauses
    for number, card in enumerate(NAMES, start=1):
        assert clauses[f"C{number}"].text.startswith(f"**{card_name(w, card)}**")
    for mode, identity in {"glacial": "D5", "interglacial": "D6", "custom": "D8"}.items():
        assert f"**{mode_name(w, mode)}**" in clauses[identity].text
    sets = {
        "D5": "any-two no-sixes odds straight two-pairs",
        "D7": "any-two odds two-pairs distinct-sum same-fives no-sixes straight double-pair distinct-fours forty-minus",
    }
    for identity, cards in sets.items():
        flat = " ".join(clauses[identity].text.split())
        for card in cards.split():
            assert card_name(w, card) in flat


def test_a_clause_is_found_in_any_case_and_an_unknown_one_is_refused() -> None:
    assert clause("dicy-cards", "de", "t5").id == "T5"
    with pytest.raises(UsageError, match="X9"):
        clause("dicy-cards", "en", "X9")
    with pytest.raises(UsageError, match="dice-stars"):
        page("chess", "en")
    with pytest.raises(UsageError, match="nl"):
        page("dicy-cards", "fr")
