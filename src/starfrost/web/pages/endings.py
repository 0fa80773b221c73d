"""The end of a game as its reader sees it: a victory, a defeat with a consoling line, or the plain result."""

from collections.abc import Sequence
from dataclasses import dataclass

from starfrost.boards import board_of
from starfrost.coach.registry import coach_of
from starfrost.table import TableView
from starfrost.table.view import DailyTable
from starfrost.words import Words
from starfrost.words.registry import PLAIN, WORDS
from starfrost.words.story import result


def daily_label(w: Words, daily: DailyTable | None) -> str:
    """Return what a table's page says of the daily game; empty for any other table."""
    if daily is None:
        return ""
    return w("Daily game") if daily.counts else w("Daily game, practice")


@dataclass(frozen=True)
class Ending:
    """What the result says above the standings."""

    mood: str
    """victory, defeat or seen."""
    heading: str
    lines: tuple[str, ...] = ()
    judged: bool = False
    """Whether the coach can say what cost a defeated reader most."""


def ending(w: Words, view: TableView, names: Sequence[str]) -> Ending:
    """Return the end of a finished game in words.

    Whoever plays alone on a device is addressed; several people at one device, and watchers, get the plain result.
    """
    game, state = view.game, view.state
    sentence = result(w, game, state, names)
    winners = game.winners(state)
    close = _closeness(w, view)
    if len(view.mine) != 1:
        return Ending("victory" if any(seat - 1 in winners for seat in view.mine) else "seen", sentence, close)
    me = view.mine[0] - 1
    # The places and points of everybody stand below.
    special = WORDS.get(game.name, PLAIN).ending(w, game, state, names)
    if me in winners:
        heading = w("You win!") if len(winners) == 1 else w("You share the victory!")
        return Ending("victory", heading, ((special,) if special else ()) + close)
    scores = game.scores(state)
    lines = [special] if special else []
    behind = scores[winners[0]] - scores[me] if winners else 0
    if behind > 0:
        lines.append(
            w.plural(
                "You were one point behind %(name)s.",
                "You were %(n)s points behind %(name)s.",
                behind,
                name=names[winners[0]],
            )
        )
    near = winners and behind <= max(3, abs(scores[winners[0]]) // 10)
    coach = coach_of(game)
    judged = coach is not None and coach.reviews and coach.can_judge(game)
    return Ending("defeat", w("So close!") if near else w("Better luck next time!"), (*lines, *close), judged)


def _closeness(w: Words, view: TableView) -> tuple[str, ...]:
    """Say how close a game with a head start was; nothing of any other."""
    ahead, scores = board_of(view.game.name).ahead(view.game), view.game.scores(view.state)
    if len(scores) != 2 or not any(ahead):
        return ()
    apart = abs(scores[0] - scores[1])
    if not apart:
        return (w("With the head start of %(ahead)s points it ended even.", ahead=max(ahead)),)
    return (
        w.plural(
            "With the head start of %(ahead)s points it ended one point apart.",
            "With the head start of %(ahead)s points it ended %(n)s points apart.",
            apart,
            ahead=max(ahead),
        ),
    )
