"""Errors in words: every sentence an error can say stands in the code as it is and in every catalogue."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from starfrost import errors
from starfrost.errors import Phrase, RecordError, StarfrostError, UsageError
from starfrost.games.record import parse_record, replay
from starfrost.words import LANGUAGES, Words
from tests.games.records import bent
from tools.messages import KEYWORDS, SOURCE

KINDS = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, Phrase)}
# What a constructor takes by name beside the facts.
NO_FACTS = {"about", "detail"}


def calls(path: Path) -> Iterator[tuple[str, ast.Call, ast.expr]]:
    """Find every error and phrase that a file makes: its place, the call, and its sentence."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", None) or getattr(node.func, "attr", None)
            if name in KINDS:
                position = (KEYWORDS[name] or (1,))[0] - 1
                yield f"{path.relative_to(SOURCE)}:{node.lineno}", node, node.args[position]


def is_passed_on(call: ast.Call, sentence: ast.expr) -> bool:
    """Return whether an error takes both the sentence and the facts of another: `error.sentence, **error.facts`."""
    if not (isinstance(sentence, ast.Attribute) and sentence.attr == "sentence"):
        return False
    spread = [keyword.value for keyword in call.keywords if keyword.arg is None]
    return [ast.unparse(value) for value in spread] == [f"{ast.unparse(sentence.value)}.facts"]


ALL = [found for path in sorted(SOURCE.rglob("*.py")) if path.name != "errors.py" for found in calls(path)]


def test_every_kind_of_error_is_extracted() -> None:
    assert set(KEYWORDS) >= KINDS
    assert len(ALL) > 150


def test_every_sentence_is_literal_and_gets_the_facts_it_names() -> None:
    for place, call, sentence in ALL:
        if is_passed_on(call, sentence):
            continue
        assert isinstance(sentence, ast.Constant), f"{place}: {ast.unparse(sentence)} cannot be translated"
        named = set(re.findall(r"%\((\w+)\)s", str(sentence.value)))
        given = {keyword.arg for keyword in call.keywords} - NO_FACTS
        assert given == named, f"{place}: {sentence.value!r} names {named} and gets {given}"


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_every_sentence_is_in_the_catalogue(language: str) -> None:
    known = Words(language)._table
    for place, _, sentence in ALL:
        if isinstance(sentence, ast.Constant):
            assert sentence.value in known, f"{place}: {language} lacks {sentence.value!r}"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "a.sfr, line 10: Expected a roll of six dice; found '1 skip'."),
        ("de", "a.sfr, Zeile 10: Erwartet: ein Wurf mit sechs Würfeln; gefunden: '1 skip'."),
        ("nl", "a.sfr, regel 10: Verwacht: een worp met zes dobbelstenen; gevonden: '1 skip'."),
        ("es", "a.sfr, línea 10: Se esperaba: un lanzamiento de seis dados; se encontró: '1 skip'."),
    ],
)
def test_phrases_within_errors_within_errors_are_translated(language: str, text: str) -> None:
    with pytest.raises(RecordError) as fault:
        replay(parse_record(bent({10: "1 skip"})))
    error = UsageError("%(file)s, line %(line)s: %(fault)s", file="a.sfr", line=fault.value.line, fault=fault.value)
    assert Words(language).say(error) == text
    assert str(error) == Words("en").say(error)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_somebody_wrote_is_never_read_as_a_placeholder(language: str) -> None:
    with pytest.raises(StarfrostError) as error:
        parse_record(bent({10: "1 100%(x)s %d"}))
    assert "'100%(x)s %d'" in Words(language).say(error.value)
