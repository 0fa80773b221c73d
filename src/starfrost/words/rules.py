"""The rules pages by game and language, split into sections and clauses, so that help can show a single clause."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from textwrap import dedent
from typing import Final

from starfrost.errors import UsageError
from starfrost.games.registry import GAMES
from starfrost.words.catalogue import LANGUAGES, language_of
from starfrost.words.registry import PLAIN, WORDS

# A wheel has the pages beside this file, a checkout in docs.
PLACES: Final = (Path(__file__).parent / "rules", Path(__file__).parents[3] / "docs" / "rules")

ITEM: Final = re.compile(r"^- \[([A-Z]\d+)\] ", re.MULTILINE)
ROW: Final = re.compile(r"^\| \[([A-Z]\d+)\] \|(.*)\|$", re.MULTILINE)
RULING: Final = re.compile(r"^> ⚖ \*\*\w+\*\* \[[A-Z]\d+\] ")


@dataclass(frozen=True)
class Clause:
    """A clause: its id, its text as Markdown, and this project's ruling on it with the reason, empty if none."""

    id: str
    text: str
    ruling: str = ""


@dataclass(frozen=True)
class Section:
    """A section of a page: its title, its whole text as Markdown, and the clauses in it."""

    title: str
    text: str
    clauses: tuple[Clause, ...]


@dataclass(frozen=True)
class Page:
    """A game's rules in one language."""

    title: str
    introduction: str
    sections: tuple[Section, ...]
    text: str

    @property
    def clauses(self) -> dict[str, Clause]:
        """All clauses by id, in the order of the page."""
        return {clause.id: clause for section in self.sections for clause in section.clauses}


def _item(identity: str, block: str) -> Clause:
    """Read a list item: the clause, and a quoted block with the ruling."""
    lines = dedent("  " + block).strip().splitlines()
    quoted = [RULING.sub("", line).removeprefix("> ") for line in lines if line.startswith(">")]
    plain = [line for line in lines if not line.startswith(">")]
    return Clause(identity, "\n".join(plain).strip(), " ".join(quoted))


def _clauses(text: str) -> tuple[Clause, ...]:
    found = []
    for start in ITEM.finditer(text):
        rest = text[start.end() :]
        # An item ends where a line starts at the margin again.
        end = re.search(r"\n(?=[^ \n])", rest)
        found.append(_item(start[1], rest[: end.start()] if end else rest))
    for row in ROW.finditer(text):
        cells = [cell.strip() for cell in row[2].split("|")]
        found.append(Clause(row[1], " · ".join(filter(None, cells))))
    return tuple(found)


@cache
def _root() -> Path:
    return next((place for place in PLACES if place.is_dir()), PLACES[-1])


def _path(game: str, language: str) -> Path:
    return _root() / language / f"{game}.md"


def has_page(game: str) -> bool:
    """Return whether there are rules pages of a game; a game of another distribution may have none."""
    return game in GAMES and (_path(game, LANGUAGES[0]).is_file() or bool(WORDS.get(game, PLAIN).rules))


def _text(game: str, language: str) -> str:
    """Return the rules as the game's words have them, or our own page."""
    own = WORDS.get(game, PLAIN).rules
    if own:
        return own.get(language) or next(iter(own.values()))
    return _path(game, language).read_text(encoding="utf-8")


@cache
def page(game: str, language: str) -> Page:
    """Read a game's rules page. Raises UsageError if there is no such game, language or page."""
    kit = GAMES[game]
    language = language_of(language)
    if not has_page(game):
        raise UsageError("There is no rules page of %(game)s.", "game", game=kit.title)
    text = _text(game, language)
    head, *parts = re.split(r"^## ", text, flags=re.MULTILINE)
    title, _, introduction = head.removeprefix("# ").partition("\n")
    sections = []
    for part in parts:
        name, _, body = part.partition("\n")
        sections.append(Section(name.strip(), body.strip(), _clauses(body)))
    return Page(title.strip(), introduction.strip(), tuple(sections), text)


def clause(game: str, language: str, identity: str) -> Clause:
    """Return a clause by its id, in any case. Raises UsageError if the game has no such clause."""
    found = page(game, language).clauses.get(identity.upper())
    if found is None:
        raise UsageError("The rules of %(game)s have no clause %(clause)s.", game=game, clause=repr(identity))
    return found
