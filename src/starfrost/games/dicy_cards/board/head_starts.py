"""The fair head starts in family words, for the set-up."""

from collections.abc import Sequence
from functools import cache
from typing import Final

from starfrost.games.dicy_cards.coach.handicap import table
from starfrost.words import Words, mark

_PAIRS: Final = {
    "beginner regular": mark("A child or beginner against somebody who plays often"),
    "beginner expert": mark("A child or beginner against an expert"),
    "regular expert": mark("Somebody who plays often against an expert"),
}


@cache
def head_starts(w: Words) -> Sequence[tuple[str, str]]:
    """Return who can have a head start against whom, each in a sentence with its points."""
    found = []
    for pair, text in _PAIRS.items():
        points = [starts[pair].points for starts in table().values() if pair in starts]
        if points:
            few, many = min(points), max(points)
            says = (
                w.plural("one point ahead makes it about even", "%(n)s points ahead make it about even", many)
                if few == many
                else w("%(few)s to %(many)s points ahead make it about even", few=few, many=many)
            )
            found.append((pair, f"{w(text)}: {says}"))
    return tuple(found)
