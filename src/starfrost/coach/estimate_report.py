"""The report of an analysis by estimates, for any number of players."""

from rich.cells import cell_len, set_cell_size

from starfrost.coach.analysis import Moment
from starfrost.coach.columns import wrapped
from starfrost.coach.curve import curve_text
from starfrost.coach.estimate import Estimate
from starfrost.coach.report import share_kept, verdict
from starfrost.games.core import OVER
from starfrost.games.record import Replay
from starfrost.words import Words
from starfrost.words.numbers import percent
from starfrost.words.story import result, tell

_NAME = 12
"""The greatest width of a player's name in the table."""


def estimate_sentences(w: Words, played: Replay, found: Estimate, count: int = 3) -> list[str]:
    """Describe the costliest decisions, with the error of each loss."""
    return [_sentence(w, played, found, moment) for moment in found.worst(count)]


def _sentence(w: Words, played: Replay, found: Estimate, moment: Moment) -> str:
    record, state = played.record, played.states[moment.event]
    return w(
        "Turn %(turn)s: %(played)s Estimated cost: %(loss)s (± %(error)s). Better: %(best)s",
        turn=moment.turn,
        played=tell(w, record.game, state, moment.action, record.players),
        loss=percent(w, moment.loss),
        error=percent(w, found.errors[moment.event]),
        best=tell(w, record.game, state, moment.best, record.players),
    )


def estimate_report(w: Words, played: Replay, found: Estimate) -> list[str]:
    """Return the lines of the report, none wider than a plain terminal."""
    game, names = played.record.game, played.record.players
    lines = wrapped(result(w, game, played.final, names) or w("The record stops before the end of the game."))
    title = w("The estimated winning chance of %(name)s", name=names[0])
    lines += [
        "",
        *wrapped(title),
        *curve_text(w, found),
        "",
        *_table(w, names, found, game.actor(played.final) == OVER),
    ]
    lines += ["", *wrapped(verdict(w, found))]
    for place, sentence in enumerate(estimate_sentences(w, played, found), 1):
        lines += wrapped(f"{place}. {sentence}", "   ")
    return [*lines, "", *wrapped(meaning(w))]


def meaning(w: Words) -> str:
    """Explain the numbers."""
    return w(
        "All chances are estimates by a network. A decision counts as a loss only if games played on with the same "
        "dice confirm it; ± is the 95 % interval. Luck is what the rolls changed."
    )


def _table(w: Words, names: tuple[str, ...], found: Estimate, over: bool) -> list[str]:
    """Return a table of how each player's chance developed, whose first rows add up, and of how well they decided."""
    luck, decisions = zip(*found.others, strict=True)
    rows: list[tuple[str, list[str]]] = [
        (w("chance at the start"), [percent(w, share) for share in found.shares[0]]),
        (w("own luck"), [percent(w, tally.luck, signed=True) for tally in found.tallies]),
        (w("the others' luck"), [percent(w, value, signed=True) for value in luck]),
        (w("own decisions"), [percent(w, -tally.loss, signed=True) for tally in found.tallies]),
        (w("the others' decisions"), [percent(w, value, signed=True) for value in decisions]),
        (w("chance at the end") if over else w("chance now"), [percent(w, share) for share in found.shares[-1]]),
        (w("accuracy"), [share_kept(w, tally) for tally in found.tallies]),
        (w("mistakes over 1 %"), [str(tally.mistakes) for tally in found.tallies]),
    ]
    if len(names) == 1:
        rows = [row for place, row in enumerate(rows) if place not in (2, 4)]
    heads = [name if cell_len(name) <= _NAME else f"{set_cell_size(name, _NAME - 1).rstrip()}…" for name in names]
    left = max(cell_len(label) for label, _ in rows)
    wide = max(cell_len(cell) for cell in [*heads, *(cell for _, cells in rows for cell in cells)])
    gap = min(3, max(1, (80 - left) // len(names) - wide))
    return [
        set_cell_size(label, left) + "".join(" " * (wide + gap - cell_len(cell)) + cell for cell in cells)
        for label, cells in [("", heads), *rows]
    ]
