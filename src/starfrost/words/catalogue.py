"""Catalogues of messages: one file per language.

Babel is imported where it is needed: English sentences are said without it, so that commands start light.
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from starfrost.errors import Phrase, UsageError

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog

__all__ = [
    "LANGUAGES",
    "LOCALE",
    "Words",
    "best_language",
    "catalogue_path",
    "language_from_environment",
    "languages",
    "mark",
    "read_catalogue",
]

LANGUAGES: Final = ("en", "de", "nl", "es")
"""The languages, the source language first."""

NATIVE_NAMES: Final = {"en": "English", "de": "Deutsch", "nl": "Nederlands", "es": "Español"}

LOCALE: Final = Path(__file__).parent / "locale"


def mark(message: str) -> str:
    """Give a message back as it is, so that a table of data can hold it and the extraction still finds it."""
    return message


def languages() -> dict[str, str]:
    """Give every language's code and its name in that language, in the order to show them."""
    return dict(NATIVE_NAMES)


def _known(tag: str) -> str | None:
    """Find our language for a tag such as `de_AT.UTF-8` or `pt-BR`; None if we do not speak it."""
    code = re.split(r"[-_.@]", tag.strip().lower(), maxsplit=1)[0]
    return code if code in LANGUAGES else None


def language_from_environment(environment: Mapping[str, str] | None = None) -> str:
    """Choose the language as gettext does: LANGUAGE, LC_ALL, LC_MESSAGES, LANG; English if none of ours is named."""
    environment = os.environ if environment is None else environment
    for variable in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        value = environment.get(variable, "")
        for tag in value.split(":"):
            if found := _known(tag):
                return found
        # A set LC_ALL hides LANG, even when it names a language we do not speak; LANGUAGE is only a wish.
        if value and variable != "LANGUAGE":
            return "en"
    return "en"


def best_language(accept_language: str | None) -> str:
    """Choose the language a browser's Accept-Language header likes best; English if it names none of ours."""
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


Messages = dict[str, tuple[str, ...]]


@cache
def _messages(language: str) -> Messages:
    """Return a table from each message to its forms, the singular first."""
    table: Messages = {}
    for message in read_catalogue(language) if language != "en" else ():
        if not message.id or message.fuzzy:
            continue
        identity = message.id if isinstance(message.id, str) else message.id[0]
        forms = (message.string,) if isinstance(message.string, str) else tuple(message.string or ())
        if forms and all(forms):
            table[identity] = forms
    return table


class Words:
    """One language's sentences: call it with the English sentence and what fills its placeholders."""

    def __init__(self, language: str = "en") -> None:
        """Open a language by its code, `de` or `de-AT`; UsageError if we do not speak it."""
        found = _known(language)
        if found is None:
            raise UsageError(
                "There is no language %(language)s; there are %(languages)s.",
                language=repr(language),
                languages=", ".join(LANGUAGES),
            )
        self.language = found
        self._table = _messages(found)

    @cached_property
    def _plural(self) -> Callable[[int], str]:
        from babel.core import Locale

        return Locale.parse(self.language).plural_form

    def __call__(self, message: str, /, **values: object) -> str:
        """Say a message in this language."""
        text = self._table.get(message, (message,))[0]
        return text % values if values else text

    def plural(self, one: str, many: str, n: int, /, **values: object) -> str:
        """Say the form of a message that fits the number; `%(n)s` stands for it."""
        return self.ngettext(one, many, n) % {"n": n, **values}

    def say(self, phrase: Phrase) -> str:
        """Say an error or a part of its sentence in this language, with the phrases among its facts."""
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
        from babel.lists import format_list

        # "Anna, Ben and Cleo", as a sentence says it, without the comma of en_US.
        return format_list(items, style=style, locale="en_GB" if self.language == "en" else self.language)

    # The names that Jinja2's i18n extension asks for.
    def gettext(self, message: str) -> str:
        """Give the message without filling it."""
        return self(message)

    def ngettext(self, one: str, many: str, n: int) -> str:
        """Give the plural form without filling it."""
        forms = self._table.get(one, (one, many))
        return forms[0 if self._plural(n) == "one" else -1]
