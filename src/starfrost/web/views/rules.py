"""The rules pages as HTML: sections, clauses with anchors, rulings in boxes."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from markdown_it import MarkdownIt
from markupsafe import Markup

from starfrost.words import rules

# The rules pages use tables but no raw HTML.
MARKDOWN: Final = MarkdownIt("commonmark", {"html": False}).enable("table")
TAG: Final = re.compile(r"\[([A-Z]\d+)\]")
RULING: Final = "<blockquote>\n<p>⚖"


@dataclass(frozen=True)
class RulesSection:
    """A section; `id` is its anchor."""

    id: str
    title: str
    html: Markup


@dataclass(frozen=True)
class RulesPage:
    """A game's rules."""

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

    # The other paragraphs explain tags for a terminal; the page has its own text for that.
    introduction = Markup(MARKDOWN.render(source.introduction.split("\n\n")[0]))
    sections = tuple(
        RulesSection(f"s{number}", section.title, html(section.text))
        for number, section in enumerate(source.sections, 1)
    )
    return RulesPage(game, source.title, introduction, sections)


@cache
def clause_html(game: str, language: str, clause: str) -> Markup:
    """Render one clause of a game's rules. Raises UsageError."""
    return Markup(MARKDOWN.renderInline(rules.clause(game, language, clause).text))
