"""The coach's report for people: the curve of the winning chance, a table, and the dearest decisions in words."""

import textwrap

from babel.numbers import format_decimal

from starfrost.games.core import OVER
from starfrost.games.dicy_cards import DicyCards
from starfrost.games.record import Replay
from starfrost.solver.coach import Analysis, Moment
from starfrost.solver.curve import curve_text
from starfrost.words import Words
from starfrost.words.cards import card_name
from starfrost.words.story import result, tell

__all__ = ["WIDTH", "meaning", "percent", "report", "worst_sentences", "wrapped"]

WIDTH = 80
"""The columns of a plain terminal."""

_NAME = 20
"""The columns that a player's name may take in the table."""


def percent(w: Words, share: float, *, signed: bool = False) -> str:
    """Write a probability in per cent, as the language writes numbers; a change with its sign, unless it is nought."""
    rounded = round(100 * share, 1)
    pattern = "+0.0;-0.0" if signed and rounded else "0.0"
    return f"{format_decimal(rounded or 0.0, format=pattern, locale=w.language)} %"


def worst_sentences(w: Words, played: Replay, found: Analysis, count: int = 3) -> list[str]:
    """Tell the dearest decisions: what was done with which dice, what it cost, what was better."""
    return [_sentence(w, played, moment) for moment in found.worst(count)]


def _sentence(w: Words, played: Replay, moment: Moment) -> str:
    record, state = played.record, played.states[moment.event]
    return w(
        "Turn %(turn)s: %(played)s That cost %(loss)s. Better: %(best)s",
        turn=f"{moment.turn} ({' '.join(state.dice)})" if state.dice else moment.turn,
        played=tell(w, record.game, state, moment.action, record.players),
        loss=percent(w, moment.loss),
        best=tell(w, record.game, state, moment.best, record.players),
    )


def report(w: Words, played: Replay, found: Analysis) -> list[str]:
    """Write the report, line by line, no line longer than a plain terminal is wide."""
    game, names = played.record.game, played.record.players
    assert isinstance(game, DicyCards)
    over = game.actor(played.final) == OVER
    told = [
        w(
            "Dicy Cards to %(goal)s points with %(cards)s.",
            goal=game.goal,
            cards=w.all_of([card_name(w, card) for card in game.cards]),
        ),
        result(w, game, played.final, names) if over else w("The record stops before the end of the game."),
    ]
    lines = [line for one in told for line in wrapped(one)]
    lines += ["", *wrapped(w("The winning chance of %(name)s", name=names[0])), *curve_text(w, found), ""]
    lines += [*_table(w, names, found, over), ""]
    worst = worst_sentences(w, played, found)
    lines += [w("The dearest decisions:") if worst else w("Nobody made a mistake.")]
    for place, sentence in enumerate(worst, 1):
        lines += wrapped(f"{place}. {sentence}", "   ")
    return [*lines, "", *wrapped(meaning(w))]


def meaning(w: Words) -> str:
    """Say what the figures mean."""
    return w(
        "A chance is that of winning under perfect play from then on; luck is what the rolls changed. "
        "Accuracy is the share of what was at stake that the decisions kept."
    )


def wrapped(text: str, further: str = "") -> list[str]:
    """Break a text into lines of a plain terminal; all but the first are indented, and a % stays with its number."""
    lines = textwrap.wrap(text.replace(" %", "\u00a0%"), WIDTH, subsequent_indent=further, break_on_hyphens=False)
    return [line.replace("\u00a0%", " %") for line in lines]


def _table(w: Words, names: tuple[str, ...], found: Analysis, over: bool) -> list[str]:
    """Show how each player's chance came about, so that the column adds up, and how well they decided."""
    starts, ends = ((found.curve[place], 1 - found.curve[place]) for place in (0, -1))
    rows: list[tuple[str, list[str]]] = [
        (w("chance at the start"), [percent(w, start) for start in starts]),
        (w("own luck"), [percent(w, tally.luck, signed=True) for tally in found.tallies]),
        (w("the other's luck"), [percent(w, -tally.luck, signed=True) for tally in reversed(found.tallies)]),
        (w("own decisions"), [percent(w, -tally.loss, signed=True) for tally in found.tallies]),
        (w("the other's decisions"), [percent(w, tally.loss, signed=True) for tally in reversed(found.tallies)]),
        (w("chance at the end") if over else w("chance now"), [percent(w, end) for end in ends]),
        (w("accuracy"), [percent(w, tally.accuracy) for tally in found.tallies]),
        (w("mistakes over 1 %"), [str(tally.mistakes) for tally in found.tallies]),
    ]
    heads = [name if len(name) <= _NAME else f"{name[: _NAME - 1]}…" for name in names]
    left = max(len(label) for label, _ in rows)
    wide = max(len(cell) for cell in [*heads, *(cell for _, cells in rows for cell in cells)])
    return [
        " ".join([label.ljust(left), *(cell.rjust(wide + 2) for cell in cells)])
        for label, cells in [("", heads), *rows]
    ]
