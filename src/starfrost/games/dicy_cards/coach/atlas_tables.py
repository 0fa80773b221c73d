"""The atlas as tables of its sets and cards, with summaries in sentences."""

from collections.abc import Sequence
from statistics import correlation, mean
from typing import Final

from rich.cells import cell_len
from rich.table import Table

from starfrost.games.dicy_cards.coach.atlas import Entry, card_means
from starfrost.games.dicy_cards.words import card_name
from starfrost.words import Words
from starfrost.words.numbers import decimal, percent

_ALIKE: Final = 1e-5
"""Numbers closer than this differ by rounding only."""


def _table(title: str, caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]], texts: int) -> Table:
    """Make a table of `texts` columns of text, then numbers: cells break between words, not within a number."""
    shown = Table(title=title, caption=caption or None)
    for place, head in enumerate(heads):
        cells = [row[place] for row in rows]
        words = [word for text in (head, *(cells if place < texts else [])) for word in text.split()]
        if place < texts:
            shown.add_column(head, min_width=max(map(cell_len, words)))
        else:
            shown.add_column(head, justify="right", width=max(map(cell_len, [*words, *cells])))
    for row in rows:
        shown.add_row(*row)
    return shown


def sets_table(w: Words, entries: Sequence[Entry], limit: int) -> Table:
    """Make a table of the first sets, or of all if the limit is 0."""
    heads = (w("cards"), w("first player wins"), w("turns"), w("mean scores"), w("swing"), w("shared"))
    rows = [
        (
            " ".join(entry.cards),
            percent(w, entry.first_player_wins, 3),
            decimal(w, entry.turns, 2),
            f"{decimal(w, entry.score_1, 1)} {decimal(w, entry.score_2, 1)}",
            decimal(w, entry.swing, 3),
            percent(w, entry.shared, 2),
        )
        for entry in entries[: limit or None]
    ]
    title = w.plural("One set under perfect play", "%(n)s sets under perfect play", len(entries))
    return _table(title, "", heads, rows, texts=1)


def about_sets(w: Words, entries: Sequence[Entry]) -> str:
    """Summarise the sets: how often the first player wins, and how that depends on the length of the game."""
    chances = [entry.first_player_wins for entry in entries]
    if len(entries) == 1:
        chance = decimal(w, chances[0], 6)
        if chances[0] < 0.5:
            return w("Going first is a disadvantage in this set: the first player wins %(chance)s.", chance=chance)
        return w("Going first is no disadvantage in this set: the first player wins %(chance)s.", chance=chance)
    summary = w(
        "Going first is a disadvantage in %(behind)s of %(count)s sets. The first player wins %(least)s to %(most)s, "
        "on average %(mean)s.",
        behind=sum(chance < 0.5 for chance in chances),
        count=len(entries),
        least=decimal(w, min(chances), 6),
        most=decimal(w, max(chances), 6),
        mean=decimal(w, mean(chances), 6),
    )
    turns = [entry.turns for entry in entries]
    if len(entries) < 3 or any(max(figures) - min(figures) < _ALIKE for figures in (turns, chances)):
        return summary
    found = decimal(w, correlation(turns, chances), 2, signed=True)
    also = w("The correlation of that chance with the length of the game is %(correlation)s.", correlation=found)
    return f"{summary} {also}"


def cards_table(w: Words, entries: Sequence[Entry], limit: int = 0) -> Table:
    """Make a table of the cards of these sets, the costliest to lose first; with names if they differ from the ids."""
    scored, sacrificed, decides, frozen = (
        card_means(entries, field) for field in ("scored", "sacrificed", "decides", "frozen")
    )
    cards = sorted(frozen, key=lambda card: -frozen[card])
    named = any(card_name(w, card).lower().replace(" ", "-") != card for card in cards)
    heads = [w("card"), *([w("name")] if named else []), w("scored"), w("for a reroll"), w("decides"), w("frozen")]
    rows = [
        [
            card,
            *([card_name(w, card)] if named else []),
            decimal(w, scored[card], 3),
            decimal(w, sacrificed[card], 3),
            # The mean is per seat; the share is that of both players.
            percent(w, 2 * decides[card], 2),
            percent(w, frozen[card], 2),
        ]
        for card in cards[: limit or None]
    ]
    title = w.plural(
        "The cards in one set under perfect play", "The cards in %(n)s sets under perfect play", len(entries)
    )
    caption = w(
        "scored, for a reroll: times per game and player. decides: games in which it is the last card that the winner "
        "scores. frozen: what it costs to start with it frozen."
    )
    return _table(title, caption, heads, rows, texts=2 if named else 1)


def about_cards(w: Words, entries: Sequence[Entry]) -> str:
    """Summarise skips and rerolls in these sets, and which player a card frozen at the start costs more."""
    turns = sum(entry.turns for entry in entries)
    skips = sum(entry.skips_1 + entry.skips_2 for entry in entries)
    burnt = sum(sum(entry.sacrificed_1 + entry.sacrificed_2) for entry in entries)
    costs = [pair for entry in entries for pair in zip(entry.frozen_1, entry.frozen_2, strict=True)]
    return w(
        "In 100 turns %(skips)s are skips, and %(burnt)s cards are frozen for rerolls. A card frozen at the start "
        "costs the second player more than the first in %(more)s of %(count)s cases.",
        skips=decimal(w, 100 * skips / turns, 1),
        burnt=decimal(w, 100 * burnt / turns, 1),
        more=sum(second > first for first, second in costs),
        count=len(costs),
    )
