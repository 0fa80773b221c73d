"""The texts shown to users, in four languages.

    w = Words("de")
    w("Score %(points)s", points=21)
    w.plural("%(n)s die", "%(n)s dice", 3)

English sentences are in the code; the other languages are gettext catalogues in `locale/<language>.po`.
docs/translating.md explains how to add a sentence.
"""

from starfrost.words.catalogue import (
    LANGUAGE_NAMES,
    LANGUAGES,
    Words,
    You,
    best_language,
    language_from_environment,
    mark,
)

__all__ = [
    "LANGUAGES",
    "LANGUAGE_NAMES",
    "Words",
    "You",
    "best_language",
    "language_from_environment",
    "mark",
]
