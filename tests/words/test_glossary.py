"""The glossary of docs/translating.md: its terms are used, and the words it rules out are not."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from starfrost.games.registry import GAMES
from starfrost.words import LANGUAGES
from starfrost.words.catalogue import read_catalogue
from starfrost.words.rules import page
from tests.words.extracted import extracted
from tools.messages import PLACEHOLDER

DOCS = Path(__file__).parents[2] / "docs"
FORMER = Path(__file__).with_name("former.tsv")


def glossary() -> Iterator[dict[str, str]]:
    """Read the rows of the table, with the titles of its columns."""
    lines = (DOCS / "translating.md").read_text(encoding="utf-8").split("## Glossary")[1].splitlines()
    header, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines if line[:1] == "|")
    for row in rows:
        yield dict(zip(header, row, strict=True))


ROWS = list(glossary())


@cache
def texts(language: str) -> tuple[str, ...]:
    """Return every sentence that a user can read in a language, without placeholders, and the rules pages."""
    if language == "en":
        said = [part for message in extracted() if message.id for part in _parts(message.id)]
    else:
        said = [part for message in read_catalogue(language) if message.id for part in _parts(message.string)]
    pages = [" ".join(page(game, language).text.split()) for game in GAMES]
    return tuple(PLACEHOLDER.sub("", text) for text in (*said, *pages))


def _parts(text: str | tuple[str, ...] | list[str]) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text)


def found(word: str, text: str) -> bool:
    """Return whether a word, or a beginning with a star, is in a text."""
    ending = r"\w*" if word.endswith("*") else ""
    return bool(re.search(rf"(?<!\w){re.escape(word.removesuffix('*'))}{ending}(?!\w)", text))


def ruled_out() -> list[tuple[str, str]]:
    """Return the language and the word of each entry of the last column."""
    entries = [entry for row in ROWS if row["not these"] for entry in row["not these"].split("; ")]
    pairs = [entry.split(": ", 1) for entry in entries]
    return [(language, word) for language, words in pairs for word in words.split(", ")]


@pytest.mark.parametrize(("language", "word"), ruled_out())
def test_a_word_that_is_ruled_out_is_not_used(language: str, word: str) -> None:
    assert [text for text in texts(language) if found(word, text)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_term_is_used(language: str) -> None:
    everything = "\n".join(texts(language)).lower()
    for row in ROWS:
        for term in row[language].split(", "):
            assert term.lower() in everything, f"{row['concept']}: {term}"


def test_the_table_is_complete() -> None:
    assert len(ROWS) > 25
    for row in ROWS:
        assert all(row[language] for language in LANGUAGES), row


def test_no_text_that_was_wrong_has_come_back() -> None:
    """Each line of the list is a language and a sentence, or a part of one, that was wrong or misleading."""
    lines = FORMER.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 123
    for line in lines:
        language, former = line.split("\t")
        phrase = PLACEHOLDER.sub("", former)
        forms = {phrase, phrase[:1].upper() + phrase[1:]}
        assert not [text for text in texts(language) if any(found(form, text) for form in forms)], line


@pytest.mark.parametrize(
    ("word", "text", "is_there"),
    [
        ("aussetzen", "Du kannst aussetzen.", True),
        ("blad", "de bladzijde", False),
        ("tirada*", "dos tiradas", True),
        ("werten", "Genaue Werte", False),
        ("setzt aus", "Anna setzt aus.", True),
    ],
)
def test_words_are_found_as_words(word: str, text: str, is_there: bool) -> None:
    assert found(word, text) is is_there
