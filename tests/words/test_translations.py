"""Translations: every message of the code and the templates, in every language, with the same placeholders."""

import ast
from pathlib import Path

import pytest

from starfrost.words import LANGUAGES, catalogue
from starfrost.words.catalogue import LOCALE
from tests.words.extracted import extracted
from tools import messages


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_nothing_is_missing_fuzzy_obsolete_or_unextracted(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    known = extracted()
    monkeypatch.setattr(messages, "template", lambda: known)
    assert list(messages.faults(language)) == []


def test_every_message_of_the_code_is_extracted() -> None:
    """Babel does not look into f-strings; a message there would stay English."""
    known = {part for message in extracted() if message.id for part in _parts(message.id)}
    for path in messages.SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "id", None) or getattr(node.func, "attr", None)
                position = (messages.KEYWORDS.get(str(name)) or (1,))[0] - 1
                said = node.args[position] if name in messages.KEYWORDS and position < len(node.args) else None
                if isinstance(said, ast.Constant) and isinstance(said.value, str):
                    assert said.value in known, f"{path.name}: {said.value!r} is not extracted"


def _parts(identity: str | tuple[str, ...] | list[str]) -> tuple[str, ...]:
    return (identity,) if isinstance(identity, str) else tuple(identity)


def test_there_is_one_catalogue_per_language() -> None:
    assert {path.stem for path in LOCALE.iterdir()} == set(LANGUAGES[1:])


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A source folder of one package, whose German catalogue is up to date and translated."""
    (tmp_path / "table").mkdir()
    (tmp_path / "table" / "talk.py").write_text('w("Hello %(name)s", name=1)\nw.plural("%(n)s die", "%(n)s dice", 2)\n')
    (tmp_path / "table" / "page.html").write_text("<p>{{ _('Good day') }}{% trans %}Good night{% endtrans %}</p>")
    monkeypatch.setattr(messages, "SOURCE", tmp_path)
    monkeypatch.setattr(catalogue, "LOCALE", tmp_path / "locale")
    (tmp_path / "locale").mkdir()
    (tmp_path / "locale" / "de.po").write_text('msgid ""\nmsgstr ""\n"Language: de\\n"\n')
    messages.update("de")
    return tmp_path / "locale" / "de.po"


def test_extraction_reads_code_and_templates(small: Path) -> None:
    text = small.read_text(encoding="utf-8")
    for message in ("Hello %(name)s", "%(n)s dice", "Good day", "Good night"):
        assert f'"{message}"' in text


def test_every_fault_is_found(small: Path) -> None:
    assert len(list(messages.faults("de"))) == 4  # all four are missing
    good = (
        small.read_text(encoding="utf-8")
        .replace('msgid "Hello %(name)s"\nmsgstr ""', 'msgid "Hello %(name)s"\nmsgstr "Hallo %(name)s"')
        .replace('msgstr[0] ""\nmsgstr[1] ""', 'msgstr[0] "ein Würfel"\nmsgstr[1] "%(n)s Würfel"')
        .replace('msgid "Good day"\nmsgstr ""', 'msgid "Good day"\nmsgstr "Guten Tag"')
        .replace('msgid "Good night"\nmsgstr ""', 'msgid "Good night"\nmsgstr "Gute Nacht"')
    )
    small.write_text(good, encoding="utf-8")
    assert list(messages.faults("de")) == []
    for fault, broken in {
        "other placeholders": good.replace("Hallo %(name)s", "Hallo %(nam)s"),
        "missing": good.replace('"Guten Tag"', '""'),
        "fuzzy": good.replace('msgid "Good day"', '#, fuzzy\nmsgid "Good day"'),
        "not extracted": good.replace('msgid "Good day"\nmsgstr "Guten Tag"\n', ""),
        "no longer used": good + '\nmsgid "Old"\nmsgstr "Alt"\n',
        "obsolete": good + '\n#~ msgid "Old"\n#~ msgstr "Alt"\n',
    }.items():
        assert broken != good
        small.write_text(broken, encoding="utf-8")
        assert any(fault in line for line in messages.faults("de")), fault


def test_an_update_keeps_translations_and_drops_what_is_no_longer_used(small: Path) -> None:
    small.write_text(
        small.read_text(encoding="utf-8").replace(
            'msgid "Good day"\nmsgstr ""', 'msgid "Good day"\nmsgstr "Guten Tag"'
        ),
        encoding="utf-8",
    )
    (small.parents[1] / "table" / "talk.py").write_text("")
    messages.update("de")
    text = small.read_text(encoding="utf-8")
    assert "Guten Tag" in text
    assert "Hello" not in text
