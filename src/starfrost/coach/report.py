"""The coach's report: the curve of the winning chance, a table, and the costliest decisions in sentences."""

from typing import Any

from starfrost.coach.analysis import Analysis, Moment, Tally
from starfrost.coach.columns import wrapped
from starfrost.coach.curve import curve_text
from starfrost.coach.judge import Coach
from starfrost.games.core import OVER
from starfrost.games.record import Replay
from starfrost.words import Words
from starfrost.words.numbers import percent
from starfrost.words.story import result, tell


def worst_sentences(w: Words, coach: Coach, played: Replay, found: Analysis) -> list[str]:
    """Describe the costliest decisions: what was done with which dice, what it cost, what was better."""
    return [_sentence(w, coach, played, found.exact, moment) for moment in found.worst()]


def reasons_of(w: Words, coach: Coach, game: Any, state: Any, moment: Moment) -> list[str]:
    """Return at most two sentences on why the best action was better than the one taken."""
    return coach.reasons(w, game, state, moment.best, moment.action, moment.parts)


def _sentence(w: Words, coach: Coach, played: Replay, exact: bool, moment: Moment) -> str:
    record, state = played.record, played.states[moment.event]
    done = tell(w, record.game, state, moment.action, record.players)
    best = tell(w, record.game, state, moment.best, record.players)
    loss = percent(w, moment.loss)
    why = reasons_of(w, coach, record.game, state, moment)
    if exact:
        dice = coach.dice(state)
        turn = f"{moment.turn} ({dice})" if dice else moment.turn
        told = w(
            "Turn %(turn)s: %(played)s That cost %(loss)s. Better: %(best)s",
            turn=turn,
            played=done,
            loss=loss,
            best=best,
        )
    else:
        told = w(
            "Turn %(turn)s: %(played)s Estimated cost: %(loss)s (± %(error)s). Better: %(best)s",
            turn=moment.turn,
            played=done,
            loss=loss,
            error=percent(w, moment.error),
            best=best,
        )
    return " ".join([told, *why])


def report(w: Words, coach: Coach, played: Replay, found: Analysis) -> list[str]:
    """Return the lines of the report, none wider than a plain terminal."""
    game, names = played.record.game, played.record.players
    title = (
        w("The winning chance of %(name)s", name=names[0])
        if found.exact
        else w("The estimated winning chance of %(name)s", name=names[0])
    )
    lines = wrapped(coach.about(w, game))
    lines += wrapped(result(w, game, played.final, names) or w("The record stops before the end of the game."))
    lines += ["", *wrapped(title), *curve_text(w, found), ""]
    lines += [*_table(w, names, found, game.actor(played.final) == OVER), "", *wrapped(verdict(w, found))]
    for place, sentence in enumerate(worst_sentences(w, coach, played, found), 1):
        lines += wrapped(f"{place}. {sentence}", "   ")
    return [*lines, "", *wrapped(meaning(w, exact=found.exact))]


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


def meaning(w: Words, *, exact: bool) -> str:
    """Explain the numbers."""
    if exact:
        return w(
            "“Chance” is the probability of winning with perfect play from then on; “luck” is how much the rolls "
            "changed it; “accuracy” is how much of what was at stake the decisions kept."
        )
    return w(
        "All chances are estimates by a network. A decision counts as a loss only if games played on with the same "
        "dice confirm it; ± is the 95% interval. Luck is what the rolls changed."
    )


def _table(w: Words, names: tuple[str, ...], found: Analysis, over: bool) -> list[str]:
    """Return a table of how each player's chance developed, whose first rows add up, and of how well they decided."""
    # Pages import this module and print nothing on a terminal.
    from rich.cells import cell_len, set_cell_size

    two, tallies = len(names) == 2, found.tallies
    rows: list[tuple[str, list[str]]] = [
        (w("chance at the start"), [percent(w, share) for share in found.shares[0]]),
        (w("own luck"), [percent(w, tally.luck, signed=True) for tally in tallies]),
        (
            w("the other's luck") if two else w("the others' luck"),
            [percent(w, tally.others_luck, signed=True) for tally in tallies],
        ),
        (w("own decisions"), [percent(w, -tally.loss, signed=True) for tally in tallies]),
        (
            w("the other's decisions") if two else w("the others' decisions"),
            [percent(w, tally.others_decisions, signed=True) for tally in tallies],
        ),
        (w("chance at the end") if over else w("chance now"), [percent(w, share) for share in found.shares[-1]]),
        (w("accuracy"), [share_kept(w, tally) for tally in tallies]),
        (w("mistakes over 1%"), [str(tally.mistakes) for tally in tallies]),
    ]
    if len(names) == 1:
        rows = [row for place, row in enumerate(rows) if place not in (2, 4)]
    most = 20 if len(names) < 3 else 12
    heads = [name if cell_len(name) <= most else f"{set_cell_size(name, most - 1).rstrip()}…" for name in names]
    left = max(cell_len(label) for label, _ in rows)
    wide = max(cell_len(cell) for cell in [*heads, *(cell for _, cells in rows for cell in cells)])
    gap = min(3, max(1, (80 - left) // len(names) - wide))
    return [
        set_cell_size(label, left) + "".join(" " * (wide + gap - cell_len(cell)) + cell for cell in cells)
        for label, cells in [("", heads), *rows]
    ]
