"""The end of a game as one reader sees it: a victory, a defeat that consoles, or the news for those who watched."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from starfrost.table import TableView
from starfrost.words import Words
from starfrost.words.story import result


@dataclass(frozen=True)
class Ending:
    """What the result says above the standings."""

    mood: str
    """victory, defeat or seen."""
    heading: str
    lines: tuple[str, ...] = ()


def ending(w: Words, view: TableView, names: Sequence[str]) -> Ending:
    """Return the end of a finished game in words.

    Whoever plays alone on a device is addressed; several people at one device, and watchers, get the plain result.
    """
    game, state = view.game, view.state
    sentence = result(w, game, state, names)
    winners = game.winners(state)
    if len(view.mine) != 1:
        return Ending("victory" if any(seat - 1 in winners for seat in view.mine) else "seen", sentence)
    me = view.mine[0] - 1
    if me in winners:
        heading = w("You win!") if len(winners) == 1 else w("You share the victory!")
        return Ending("victory", heading, (sentence,))
    scores = game.scores(state)
    lines = [sentence]
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
    best = _best_move(view, me)
    if best > 0:
        lines.append(w.plural("Your best move brought one point.", "Your best move brought %(n)s points.", best))
    close = winners and behind <= max(3, abs(scores[winners[0]]) // 10)
    return Ending("defeat", w("So close!") if close else w("Better luck next time!"), tuple(lines))


def _best_move(view: TableView, seat: int) -> int:
    """Return the most points that a decision of a seat brought it."""
    game: Any = view.game
    after = [*(move.before for move in view.moves[1:]), view.state]
    return max(
        (
            game.scores(then)[seat] - game.scores(move.before)[seat]
            for move, then in zip(view.moves, after, strict=True)
            if move.seat == seat
        ),
        default=0,
    )
