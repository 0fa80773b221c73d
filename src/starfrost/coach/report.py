"""The coach's report: the curve of the winning chance, a table, and the costliest decisions in sentences."""

from collections.abc import Sequence
from pathlib import Path

from rich.cells import cell_len, set_cell_size

from starfrost.coach.analysis import Analysis, Moment, Tally
from starfrost.coach.columns import wrapped
from starfrost.coach.curve import curve_text
from starfrost.games.core import OVER
from starfrost.games.dicy_cards import DicyCards
from starfrost.games.record import Replay
from starfrost.words import Words
from starfrost.words.dicy_cards import card_name
from starfrost.words.numbers import decimal, percent
from starfrost.words.story import result, tell

_NAME = 20
"""The greatest width of a player's name in the table."""


def worst_sentences(w: Words, played: Replay, found: Analysis, count: int = 3) -> list[str]:
    """Describe the costliest decisions: what was done with which dice, what it cost, what was better."""
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
    """Return the lines of the report, none wider than a plain terminal."""
    game, names = played.record.game, played.record.players
    assert isinstance(game, DicyCards)
    over = game.actor(played.final) == OVER
    lines = wrapped(_setup(w, game.cards, game.goal))
    lines += wrapped(result(w, game, played.final, names) or w("The record stops before the end of the game."))
    lines += ["", *wrapped(w("The winning chance of %(name)s", name=names[0])), *curve_text(w, found), ""]
    lines += [*_table(w, names, found, over), ""]
    lines += wrapped(verdict(w, found))
    for place, sentence in enumerate(worst_sentences(w, played, found), 1):
        lines += wrapped(f"{place}. {sentence}", "   ")
    return [*lines, "", *wrapped(meaning(w))]


def _setup(w: Words, cards: Sequence[str], goal: int) -> str:
    return w(
        "Dicy Cards to %(goal)s points with %(cards)s.", goal=goal, cards=w.all_of(card_name(w, card) for card in cards)
    )


def solved(
    w: Words,
    cards: Sequence[str],
    goal: int,
    chance: float,
    seconds: float,
    *,
    cached: bool,
    file: str | None,
    lost: Path,
) -> list[str]:
    """Describe a solved setup: the result, the time, and the file, or the folder that cannot be written."""
    time = decimal(w, seconds, 2)
    wins = w("Under perfect play the first player wins with probability %(chance)s.", chance=decimal(w, chance, 12))
    if file is None:
        end = w("Solved in %(seconds)s s, but not saved: %(folder)s cannot be written.", seconds=time, folder=lost)
    elif cached:
        end = w("Read in %(seconds)s s: %(file)s", seconds=time, file=file)
    else:
        end = w("Solved in %(seconds)s s: %(file)s", seconds=time, file=file)
    # The path is not wrapped, so that it can be copied.
    return [*wrapped(_setup(w, cards, goal)), *wrapped(wins), end]


def verdict(w: Words, found: Analysis) -> str:
    """Return the heading of the costliest decisions, or why there are none."""
    if found.worst():
        return w("The costliest decisions:")
    if any(tally.decisions for tally in found.tallies):
        return w("Nobody made a mistake.")
    return w("Nobody had anything to decide.")


def share_kept(w: Words, tally: Tally) -> str:
    """Write a player's accuracy; a dash if there was nothing to decide."""
    return "–" if tally.accuracy is None else percent(w, tally.accuracy)


def meaning(w: Words) -> str:
    """Explain the numbers."""
    return w(
        "“Chance” is the probability of winning with perfect play from then on; “luck” is how much the rolls "
        "changed it; “accuracy” is how much of what was at stake the decisions kept."
    )


def _table(w: Words, names: tuple[str, ...], found: Analysis, over: bool) -> list[str]:
    """Return a table of how each player's chance developed, whose columns add up, and of how well they decided."""
    starts, ends = ((found.curve[place], 1 - found.curve[place]) for place in (0, -1))
    rows: list[tuple[str, list[str]]] = [
        (w("chance at the start"), [percent(w, start) for start in starts]),
        (w("own luck"), [percent(w, tally.luck, signed=True) for tally in found.tallies]),
        (w("the other's luck"), [percent(w, -tally.luck, signed=True) for tally in reversed(found.tallies)]),
        (w("own decisions"), [percent(w, -tally.loss, signed=True) for tally in found.tallies]),
        (w("the other's decisions"), [percent(w, tally.loss, signed=True) for tally in reversed(found.tallies)]),
        (w("chance at the end") if over else w("chance now"), [percent(w, end) for end in ends]),
        (w("accuracy"), [share_kept(w, tally) for tally in found.tallies]),
        (w("mistakes over 1 %"), [str(tally.mistakes) for tally in found.tallies]),
    ]
    heads = [name if cell_len(name) <= _NAME else f"{set_cell_size(name, _NAME - 1).rstrip()}…" for name in names]
    left = max(cell_len(label) for label, _ in rows)
    wide = max(cell_len(cell) for cell in [*heads, *(cell for _, cells in rows for cell in cells)])
    return [
        set_cell_size(label, left) + "".join(" " * (wide + 3 - cell_len(cell)) + cell for cell in cells)
        for label, cells in [("", heads), *rows]
    ]
