"""Catalogues of messages: one file per language.

Babel is imported inside functions: English texts do not need it, and commands start faster without it.
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from starfrost.errors import Phrase, UsageError
from starfrost.errors import mark as mark  # Words and mark belong together.

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog

LANGUAGE_NAMES: Final = {"en": "English", "de": "Deutsch", "nl": "Nederlands", "es": "Español"}
"""The name of each language in that language, by its code; the source language first."""

LANGUAGES: Final = tuple(LANGUAGE_NAMES)

# Spanish "y" becomes "e" before its own sound (Anna e Inés), "o" becomes "u" (siete u ocho).
_ES_RUNS_INTO: Final = {
    "standard": re.compile(r"«?(?:[ií]|h[ií](?![aáeé]))", re.IGNORECASE),
    "or": re.compile(r"«?(?:h?[oó]|8|11\b)", re.IGNORECASE),
}

LOCALE: Final = Path(__file__).parent / "locale"


def _known(tag: str) -> str | None:
    """Return the code of the language of a tag such as `de_AT.UTF-8` or `pt-BR`; None if there is no catalogue."""
    code = re.split(r"[-_.@]", tag.strip().lower(), maxsplit=1)[0]
    return code if code in LANGUAGES else None


def language_of(tag: str) -> str:
    """Return the code of the language of a tag. Raises UsageError if there is no such language."""
    if found := _known(tag):
        return found
    raise UsageError(
        "There is no language %(language)s; there are %(languages)s.",
        language=repr(tag),
        languages=", ".join(LANGUAGES),
    )


def language_from_environment(environment: Mapping[str, str] | None = None) -> str:
    """Choose the language as gettext does: LANGUAGE, LC_ALL, LC_MESSAGES, LANG; English if none of them names ours."""
    environment = os.environ if environment is None else environment
    for variable in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        value = environment.get(variable, "")
        for tag in value.split(":"):
            if found := _known(tag):
                return found
        # LC_ALL hides LANG even if we lack its language; LANGUAGE is only a preference.
        if value and variable != "LANGUAGE":
            return "en"
    return "en"


def best_language(accept_language: str | None) -> str:
    """Choose the preferred language of a browser's Accept-Language header; English if it names none of ours."""
    best, best_quality = "en", 0.0
    for part in (accept_language or "").split(","):
        tag, _, parameters = part.partition(";")
        name, _, value = parameters.strip().partition("=")
        try:
            quality = float(value) if name.strip() == "q" else 1.0
        except ValueError:
            quality = 0.0
        found = "en" if tag.strip() == "*" else _known(tag)
        if found and quality > best_quality:
            best, best_quality = found, quality
    return best


def catalogue_path(language: str) -> Path:
    """Return the file that holds a language's messages."""
    return LOCALE / f"{language}.po"


def read_catalogue(language: str) -> "Catalog":
    """Read a language's catalogue."""
    from babel.messages.pofile import read_po

    with catalogue_path(language).open("rb") as file:
        return read_po(file, locale=language, charset="utf-8", abort_invalid=True)


@cache
def _messages(language: str) -> dict[str, tuple[str, ...]]:
    """Return a table from each message to its forms, the singular first."""
    table = {}
    for message in read_catalogue(language) if language != "en" else ():
        if not message.id or message.fuzzy:
            continue
        identity = message.id if isinstance(message.id, str) else message.id[0]
        forms = (message.string,) if isinstance(message.string, str) else tuple(message.string or ())
        if forms and all(forms):
            table[identity] = forms
    return table


@lru_cache(maxsize=1000)
def _listed(items: tuple[str, ...], style: Literal["standard", "or"], language: str) -> str:
    """Join items as a language does: the dice of a roll, for one."""
    from babel.lists import format_list

    return format_list(items, style=style, locale=language)


class You(str):
    """The name of the reader: sentences about them say "you". It differs from the same name of somebody else."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return type(other) is You and super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return super().__hash__()


class Words:
    """The texts of one language: call it with the English text and the values of its placeholders."""

    def __init__(self, language: str = "en") -> None:
        """Take a language by its code, `de` or `de-AT`. Raises UsageError if there is no such language."""
        self.language = language_of(language)
        self._table = _messages(self.language)

    @cached_property
    def _plural(self) -> Callable[[int], str]:
        from babel.core import Locale

        # Every scene of a game says a dozen numbers, mostly small ones.
        return lru_cache(maxsize=1000)(Locale.parse(self.language).plural_form)

    def __call__(self, message: str, /, **values: object) -> str:
        """Return a message in this language."""
        text = self._table.get(message, (message,))[0]
        return text % values if values else text

    def told(self, name: str, named: str, you: str, /, **values: object) -> str:
        """Return a sentence about a player: the second of the two if the player is the reader."""
        return self(you if isinstance(name, You) else named, name=name, **values)

    def plural(self, one: str, many: str, n: int, /, **values: object) -> str:
        """Return the form of a message that fits a number; `%(n)s` is filled with the number."""
        return self.ngettext(one, many, n) % {"n": n, **values}

    def say(self, phrase: Phrase) -> str:
        """Return an error or a part of its sentence in this language, with the phrases among its facts."""
        facts = {name: self.say(fact) if isinstance(fact, Phrase) else fact for name, fact in phrase.facts.items()}
        return self(phrase.sentence, **facts)

    def all_of(self, items: Iterable[str]) -> str:
        """Join items as a sentence does: `Anna, Ben and Cleo`."""
        return self._joined(list(items), "standard")

    def one_of(self, items: Iterable[str]) -> str:
        """Join items as a choice: `Anna, Ben or Cleo`."""
        return self._joined(list(items), "or")

    def _joined(self, items: list[str], style: Literal["standard", "or"]) -> str:
        if len(items) < 2:
            return "".join(items)
        if self.language == "en":
            return f"{', '.join(items[:-1])} {'and' if style == 'standard' else 'or'} {items[-1]}"
        text = _listed(tuple(items), style, self.language)
        if self.language == "es" and _ES_RUNS_INTO[style].match(items[-1]):
            head = text[: -len(items[-1]) - 3]
            return f"{head} {'e' if style == 'standard' else 'u'} {items[-1]}"
        return text

    # Jinja2's i18n extension needs methods with these names.
    def gettext(self, message: str) -> str:
        """Return the message with its placeholders."""
        return self(message)

    def ngettext(self, one: str, many: str, n: int) -> str:
        """Return the plural form with its placeholders."""
        forms = self._table.get(one, (one, many))
        return forms[0 if self._plural(n) == "one" else -1]
