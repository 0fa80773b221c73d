"""Every sentence shown to people, in four languages.

    w = Words("de")
    w("Score %(points)s", points=21)
    w.plural("%(n)s die", "%(n)s dice", 3)

English sentences stand in the code; the other languages are gettext catalogues in `locale/<language>.po`, read
as they are. `python -m starfrost.words.extract` brings them up to date; docs/translating.md says how.
"""

from starfrost.words.catalogue import (
    LANGUAGES,
    Words,
    best_language,
    language_from_environment,
    languages,
    mark,
)

__all__ = [
    "LANGUAGES",
    "Words",
    "best_language",
    "language_from_environment",
    "languages",
    "mark",
]
