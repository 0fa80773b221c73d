"""Everything that `?` shows: the keys, a card, a clause, a section, all the rules, every clause with a word in it."""

import re
from collections.abc import Iterator

from rich.console import RenderableType
from rich.markdown import Markdown
from rich.text import Text

from starfrost.terminal.screen import Screen
from starfrost.words import Words
from starfrost.words.cards import NAMES, card_name, card_text
from starfrost.words.rules import GAMES, Clause, Page, page

__all__ = ["show_help"]


def show_help(screen: Screen, topic: str, game: str = "") -> str:
    """Show help on a topic of a game, or of the first game that has it; for an unknown one give a sentence."""
    for name in (game,) if game else GAMES:
        if parts := list(_help(screen, page(name, screen.w.language), topic.strip().lower())):
            screen.read(parts)
            return ""
    return screen.w(
        "There is no help on %(topic)s. Try ?, ? rules, a card or a clause such as T5.", topic=topic.strip()[:30]
    )


def _help(screen: Screen, rules: Page, topic: str) -> Iterator[RenderableType]:
    w = screen.w
    if not topic:
        yield from _overview(w, rules)
        return
    if topic in ("rules", screen.text(w("rules")).lower()):
        yield _markdown(screen, rules.text)
        return
    if topic.isdigit() and 0 < int(topic) <= len(rules.sections):
        section = rules.sections[int(topic) - 1]
        yield _markdown(screen, f"## {section.title}\n\n{section.text}")
        return
    if found := rules.clauses.get(topic.upper()):
        yield from _clause(screen, found)
        return
    if rules.game == "dicy-cards":
        for card in NAMES:
            if topic in (card, screen.text(card_name(w, card)).lower()):
                yield Text(f"{card_name(w, card)} ({card})", style="bold")
                yield Text(card_text(w, card))
                return
    matches = [clause for clause in rules.clauses.values() if topic in screen.text(clause.text).lower()]
    for clause in matches[:6]:
        yield from _clause(screen, clause)


def _overview(w: Words, rules: Page) -> Iterator[RenderableType]:
    yield Text(w("What you can type"), style="bold")
    yield Text(w("a number: that line of the menu; Enter alone: the line that is named"))
    if rules.game == "dicy-cards":
        yield Text(w("a move in record notation: score odds 531, reroll 21 odds, skip, freeze odds, reset odds"))
    else:
        yield Text(w("a move in record notation: draw 2, take blue, take 5, take stars 2 3, keep, return"))
    yield Text(w("b: back to the menu before; u: take your last decision back, as long as no dice fell since"))
    yield Text(w("v: view everybody's cards or sheets; h: the whole story so far"))
    yield Text(w("q: save and quit; the game goes on with starfrost play --resume FILE"))
    yield Text("")
    yield Text(w("Help on the rules"), style="bold")
    if rules.game == "dicy-cards":
        yield Text(w("? rules: all of them; ? T5: one clause; ? odds: a card; ? word: every clause with that word"))
    else:
        yield Text(w("? rules: all of them; ? F1: one clause; ? word: every clause with that word"))
    for number, section in enumerate(rules.sections, start=1):
        yield Text(f"? {number}: {section.title}")


def _clause(screen: Screen, clause: Clause) -> Iterator[RenderableType]:
    word = screen.w("Ruling")
    ruling = f"\n\n> ⚖ **{word}** {clause.ruling}" if clause.ruling else ""
    yield _markdown(screen, f"**{clause.id}** {clause.text}{ruling}")
    yield Text("")


def _markdown(screen: Screen, text: str) -> Markdown:
    # A table has no room for long cells in 80 columns; the twelve cards read better as a list.
    rows = re.sub(r"^\| (\[C\d+\]) \|(.*)\|$", lambda row: f"- {row[1]} " + _cells(row[2]), text, flags=re.MULTILINE)
    rows = re.sub(r"^\| \|.*\n\|---.*\n", "", rows, flags=re.MULTILINE)
    return Markdown(screen.text(rows))


def _cells(row: str) -> str:
    return " · ".join(filter(None, (cell.strip() for cell in row.split("|"))))
