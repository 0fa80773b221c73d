"""The exact analysis of a two-player game of Dicy Cards, for `starfrost analyse`."""

from pathlib import Path

from starfrost.cli.dicy_cards.solve import solved
from starfrost.cli.registry import Judged
from starfrost.coach.analysis import analyse
from starfrost.coach.curve import curve_svg
from starfrost.coach.report import report, worst_sentences
from starfrost.errors import UsageError
from starfrost.games.dicy_cards import DicyCards
from starfrost.games.record import Replay
from starfrost.solver.adviser import Adviser
from starfrost.words import Words


def judge(w: Words, file: Path, played: Replay, quiet: bool) -> Judged:
    """Judge a game, after solving its cards if necessary. Raises UsageError for more than two players."""
    game = played.record.game
    assert isinstance(game, DicyCards)
    if game.seats != 2:
        raise UsageError(
            "The coach can only judge two-player Dicy Cards; %(file)s is a record of %(seats)s players.",
            file=file,
            seats=game.seats,
        )
    found = analyse(Adviser(game, solved(w, game.cards, game.goal, quiet=quiet)), played)
    names = played.record.players
    return Judged(
        {"cards": list(game.cards), "goal": game.goal, **found.as_json(names)},
        lambda: report(w, played, found),
        lambda: curve_svg(w, names[0], found, worst_sentences(w, played, found)),
    )
