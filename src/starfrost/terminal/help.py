"""The help of the key `?`: the keys, a card, a clause, a section, all the rules, every clause with a given word."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import RenderableType
from rich.markdown import Markdown
from rich.text import Text

from starfrost.games.registry import GAMES
from starfrost.terminal.screen import Screen
from starfrost.words import Words
from starfrost.words.registry import PLAIN, WORDS, GameWords
from starfrost.words.rules import Clause, Section, has_page, page


def show_help(screen: Screen, topic: str, game: str = "", playing: Any = None) -> str:
    """Show help on a topic of a game, or of the first game that has it; return an error message if there is none.

    `playing` is the running game, whose own cards and numbers are shown.
    """
    for name in (game,) if game else GAMES:
        if parts := list(_help(screen, name, topic.strip().lower(), playing)):
            screen.read(parts)
            return ""
    return screen.w(
        "There is no help on %(topic)s. Try ?, ? rules, a card or a clause such as T5.", topic=topic.strip()[:30]
    )


def _help(screen: Screen, game: str, topic: str, playing: Any) -> Iterator[RenderableType]:
    w, words = screen.w, WORDS.get(game, PLAIN)
    rules = page(game, w.language) if has_page(game) else None
    clauses = rules.clauses if rules else {}
    sections = rules.sections if rules else ()
    if not topic:
        yield from _overview(w, words, sections)
        yield from _own(w, words, playing)
        return
    if rules and topic in ("rules", screen.text(w("rules")).lower()):
        yield from _own(w, words, playing)
        yield _markdown(screen, rules.text)
        return
    if topic in ("game", screen.text(w("In this game")).lower()):
        yield from _own(w, words, playing)
        return
    if topic.isdigit() and 0 < int(topic) <= len(sections):
        section = sections[int(topic) - 1]
        yield from _own(w, words, playing)
        yield _markdown(screen, f"## {section.title}\n\n{section.text}")
        return
    if found := clauses.get(topic.upper()):
        yield from _clause(screen, found)
        yield from _own(w, words, playing)
        return
    for term, (name, text) in words.glossary(w, playing).items():
        if topic in (term, screen.text(name).lower()):
            yield Text(f"{name} ({term})", style="bold")
            yield Text(text)
            return
    matches = [clause for clause in clauses.values() if topic in screen.text(clause.text).lower()]
    for clause in matches[:6]:
        yield from _clause(screen, clause)


def _own(w: Words, words: GameWords, playing: Any) -> Iterator[RenderableType]:
    """Show what the running game plays by and the rulebook does not say."""
    own = words.own_rules(w, playing) if playing is not None else ()
    if own:
        yield Text("\n" + w("In this game"), style="bold")
        yield from (Text.assemble((name, "bold"), f": {text}") for name, text in own)
        yield Text("")


def _overview(w: Words, words: GameWords, sections: Sequence[Section]) -> Iterator[RenderableType]:
    yield Text(w("What you can type"), style="bold")
    yield Text(w("a number: chooses that line; Enter alone: the suggested line"))
    yield Text(w(words.moves))
    yield Text(w("b: back to the previous menu; u: undo your last decision, if no dice have been rolled since"))
    yield Text(w("t: a tip; v: view everybody's cards or sheets; h: the whole story so far"))
    yield Text(w("q: save and quit; continue with starfrost play --resume FILE"))
    if not sections:
        return
    yield Text("")
    yield Text(w("Help on the rules"), style="bold")
    if words.topics:
        yield Text(w(words.topics))
    for number, section in enumerate(sections, start=1):
        yield Text(f"? {number}: {section.title}")


def _clause(screen: Screen, clause: Clause) -> Iterator[RenderableType]:
    word = screen.w("Ruling")
    ruling = f"\n\n> ⚖ **{word}** {clause.ruling}" if clause.ruling else ""
    yield _markdown(screen, f"**{clause.id}** {clause.text}{ruling}")
    yield Text("")


def _markdown(screen: Screen, text: str) -> Markdown:
    # Long cells do not fit a table in 80 columns, so clauses in rows become a list.
    rows = re.sub(r"(?m)^\| (\[[A-Z]\d+\]) \|(.*)\|$", lambda row: f"- {row[1]} " + _cells(row[2]), text)
    rows = re.sub(r"^\| \|.*\n\|---.*\n", "", rows, flags=re.MULTILINE)
    return Markdown(screen.text(rows))


def _cells(row: str) -> str:
    return " · ".join(filter(None, (cell.strip() for cell in row.split("|"))))
