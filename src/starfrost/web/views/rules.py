"""The rules pages as HTML: sections with a table of contents, clauses one can link to, rulings seen as rulings."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from markdown_it import MarkdownIt
from markupsafe import Markup

from starfrost.words import Words, mark, rules

__all__ = ["Help", "RulesPage", "RulesSection", "rules_page", "space_help"]

# Our own pages need tables and nothing of raw HTML.
MARKDOWN: Final = MarkdownIt("commonmark", {"html": False}).enable("table")
TAG: Final = re.compile(r"\[([A-Z]\d+)\]")
SPACES: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "space": (mark("How spaces are filled"), ("F1", "F2", "F4", "F5")),
    "star": (mark("How stars count"), ("F3", "G2")),
    "sum": (mark("How a row scores"), ("G2", "G3")),
    "bag": (mark("About the bag"), ("P2", "S1", "S2", "S3")),
    "pile": (mark("About the discard pile"), ("S6", "S1")),
    "penalty": (mark("About the penalty"), ("F6",)),
    "solo": (mark("About the solo grid"), ("L2", "L3", "L4")),
}
"""What stands on a Dice Stars table, each with the clauses of the rules that explain it."""

RULING: Final = "<blockquote>\n<p>⚖"


@dataclass(frozen=True)
class RulesSection:
    """A section: its anchor, its title, its text."""

    id: str
    title: str
    html: Markup


@dataclass(frozen=True)
class RulesPage:
    """A game's rules, ready to be placed."""

    game: str
    title: str
    introduction: Markup
    sections: tuple[RulesSection, ...]


@cache
def rules_page(game: str, language: str) -> RulesPage:
    """Render a game's rules in a language. Raises UsageError."""
    source = rules.page(game, language)
    anchored: set[str] = set()

    def html(text: str) -> Markup:
        rendered = MARKDOWN.render(text).replace(RULING, RULING.replace("<blockquote>", '<blockquote class="ruling">'))
        rendered = rendered.replace("<table>", '<div class="scroll" tabindex="0"><table>')
        return Markup(TAG.sub(_anchor, rendered.replace("</table>", "</table></div>")))

    def _anchor(found: re.Match[str]) -> str:
        clause = found[1]
        place = "" if clause in anchored else f' id="{clause}"'
        anchored.add(clause)
        return f'<a class="clause"{place} href="#{clause}">{clause}</a>'

    # What follows the first paragraph tells how to read tags in a terminal; the page says that in its own words.
    introduction = Markup(MARKDOWN.render(source.introduction.split("\n\n")[0]))
    sections = tuple(
        RulesSection(f"s{number}", section.title, html(section.text))
        for number, section in enumerate(source.sections, 1)
    )
    return RulesPage(game, source.title, introduction, sections)


@dataclass(frozen=True)
class Help:
    """What explains itself on a tap: a title and clauses with their ids."""

    id: str
    title: str
    clauses: tuple[tuple[str, Markup], ...]


def space_help(w: Words) -> tuple[Help, ...]:
    """Explain the spaces and places of a Dice Stars table by clauses of the rules."""
    return tuple(Help(kind, w(title), _clauses(w.language, ids)) for kind, (title, ids) in SPACES.items())


@cache
def _clauses(language: str, ids: tuple[str, ...]) -> tuple[tuple[str, Markup], ...]:
    return tuple((one, Markup(MARKDOWN.renderInline(rules.clause("dice-stars", language, one).text))) for one in ids)
