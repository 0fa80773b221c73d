"""The analysis of a game of Dicy Cards, for `starfrost analyse`: exact for two players, estimated for more."""

from pathlib import Path

from starfrost.cli.dicy_cards.solve import solved
from starfrost.cli.registry import Judged, official_only
from starfrost.coach.analysis import analyse
from starfrost.coach.curve import curve_svg
from starfrost.coach.report import report, worst_sentences
from starfrost.games.dicy_cards import DicyCards
from starfrost.games.record import Replay
from starfrost.solver.adviser import Adviser
from starfrost.words import Words


def judge(w: Words, file: Path, played: Replay, quiet: bool) -> Judged:
    """Judge a game, after solving its cards if necessary."""
    game, names = played.record.game, played.record.players
    assert isinstance(game, DicyCards)
    facts = {"cards": list(game.cards), "goal": game.goal}
    if game.seats > 2:
        official_only(played)
    values = solved(w, game.kinds, game.goal, quiet=quiet)
    if game.seats > 2:
        from starfrost.cli.estimates import judged
        from starfrost.coach.dicy_cards import analyse as estimated

        return judged(w, played, estimated(played), facts)
    found = analyse(Adviser(game, values), played)
    return Judged(
        {**facts, **found.as_json(names)},
        lambda: report(w, played, found),
        lambda: curve_svg(w, names[0], found, worst_sentences(w, played, found)),
    )
