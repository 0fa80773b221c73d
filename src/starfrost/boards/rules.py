"""The rules pages as HTML: sections, clauses with anchors, rulings in boxes, and places for drawings."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup

from starfrost.boards.lessons import Scene
from starfrost.words import rules

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

TAG: Final = re.compile(r"\[([A-Z]\d+)\]")
RULING: Final = "<blockquote>\n<p>⚖"
# Stands after the first tag of a clause until the page is drawn.
PLACE: Final = re.compile("\0([A-Z][0-9]+)\0")


@cache
def markdown() -> "MarkdownIt":
    """Return what turns the rules pages into HTML; they use tables but no raw HTML."""
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("table")


@dataclass(frozen=True)
class Point:
    """A sentence of the summary, with the clauses that it sums up."""

    text: str
    clauses: tuple[str, ...]


@dataclass(frozen=True)
class Illustrations:
    """What a game adds to its rules page: drawings, a summary and worked examples."""

    figures: Mapping[str, str]
    """Drawings by clause, as signs that the board's template knows."""
    summary: Sequence[tuple[str, Sequence[Point]]]
    """The rules on one page: titles with their points."""
    examples: Mapping[int, Scene] = field(default_factory=dict)
    """Turns to step through, by the number of the section under which they stand, from 1."""


@dataclass(frozen=True)
class Stage:
    """A moment of a worked example: what has happened, and the board as the template shows it."""

    told: str
    board: Any


@dataclass(frozen=True)
class RulesSection:
    """A section; `id` is its anchor."""

    id: str
    title: str
    parts: tuple[tuple[Markup, str], ...]
    """The text in parts, each with the clause whose drawing stands after it; the last part has none."""

    @property
    def html(self) -> Markup:
        """The text as a whole."""
        return Markup("").join(part for part, _ in self.parts)


@dataclass(frozen=True)
class RulesPage:
    """A game's rules."""

    game: str
    title: str
    introduction: Markup
    sections: tuple[RulesSection, ...]
    rulings: frozenset[str]
    """The clauses on which this project has decided."""


@cache
def rules_page(game: str, language: str) -> RulesPage:
    """Render a game's rules in a language. Raises UsageError."""
    source = rules.page(game, language)
    anchored: set[str] = set()

    def parts(text: str) -> tuple[tuple[Markup, str], ...]:
        rendered = (
            markdown().render(text).replace(RULING, RULING.replace("<blockquote>", '<blockquote class="ruling">'))
        )
        rendered = rendered.replace("<table>", '<div class="scroll" tabindex="0"><table>')
        found = PLACE.split(TAG.sub(_anchor, rendered.replace("</table>", "</table></div>")))
        return tuple(zip(map(Markup, found[::2]), [*found[1::2], ""], strict=True))

    def _anchor(found: re.Match[str]) -> str:
        clause = found[1]
        if clause in anchored:
            return f'<a class="clause" href="#{clause}">{clause}</a>'
        anchored.add(clause)
        return f'<a class="clause" id="{clause}" href="#{clause}">{clause}</a>\0{clause}\0'

    # The other paragraphs explain tags for a terminal; the page has its own text for that.
    introduction = Markup(markdown().render(source.introduction.split("\n\n")[0]))
    sections = tuple(
        RulesSection(f"s{number}", section.title, parts(section.text))
        for number, section in enumerate(source.sections, 1)
    )
    rulings = frozenset(clause.id for clause in source.clauses.values() if clause.ruling)
    return RulesPage(game, source.title, introduction, sections, rulings)
