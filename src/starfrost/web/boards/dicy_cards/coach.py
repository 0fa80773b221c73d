"""The coach's panel: the winning chance during a game of two, and the three decisions that cost most."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from starfrost.coach.analysis import analyse
from starfrost.coach.report import meaning, share_kept, verdict, worst_sentences
from starfrost.errors import MissingExtra
from starfrost.games.dicy_cards import DicyCards
from starfrost.games.record import Event, Record, replay
from starfrost.solver import on_demand
from starfrost.solver.adviser import Adviser
from starfrost.table.moves import Move
from starfrost.web.views.after import x_of, y_of
from starfrost.words import Words
from starfrost.words.numbers import percent

GRID: Final = (0, 25, 50, 75, 100)


@dataclass(frozen=True)
class CoachPanel:
    """The panel, drawn in the same box as the curve of the scores."""

    path: str
    rows: tuple[tuple[float, int], ...]
    verdict: str
    """The heading of the advice, or why there is none."""
    advice: tuple[tuple[float, float, int, str], ...]
    """For every costly decision its place in the curve, the event before it, and a sentence on what was better."""
    tallies: tuple[tuple[str, ...], ...]
    """For every player the name, the accuracy, the luck and what the decisions cost."""
    meaning: str


def _tight(text: str) -> str:
    """Keep every per cent sign on the line of its number."""
    return text.replace(" %", "\u00a0%")


class DicyCardsCoach:
    """Judges games of two by the exact values of their cards."""

    template = "dicy_cards/coach.html"

    def is_solved(self, game: DicyCards) -> bool:
        return game.seats == 2 and on_demand.find(game.cards, game.goal) is not None

    def can_prepare(self, game: DicyCards) -> bool:
        return game.seats == 2 and on_demand.can_start(game.goal) and not on_demand.gave_up(game.cards, game.goal)

    def prepare(self, game: DicyCards) -> int:
        on_demand.wanted(game.cards, game.goal)
        return round(100 * (on_demand.solving_share(game.cards, game.goal) or 0.0))

    def judge(self, w: Words, game: DicyCards, history: Sequence[Move], names: Sequence[str]) -> CoachPanel | None:
        values = on_demand.find(game.cards, game.goal)
        if values is None:
            return None
        events = tuple(Event(game.actor(before), action) for _seat, action, before in history)
        played = replay(Record(game, tuple(names), events))
        try:
            found = analyse(Adviser(game, values), played)
        except MissingExtra:
            return None
        last = max(1, len(found.curve) - 1)

        path = f"M{x_of(0)} {y_of(found.curve[0])}" + "".join(
            f"H{x_of(event / last)}V{y_of(after)}" for event, after in enumerate(found.curve[1:], 1)
        )
        worst = zip(found.worst(), worst_sentences(w, played, found), strict=True)
        return CoachPanel(
            path,
            tuple((y_of(number / 100), number) for number in GRID),
            verdict(w, found),
            tuple(
                (x_of((moment.event + 1) / last), y_of(found.curve[moment.event + 1]), moment.event, _tight(sentence))
                for moment, sentence in worst
            ),
            tuple(
                (
                    name,
                    _tight(share_kept(w, tally)),
                    _tight(percent(w, tally.luck, signed=True)),
                    _tight(percent(w, -tally.loss, signed=True)),
                )
                for name, tally in zip(names, found.tallies, strict=True)
            ),
            meaning(w),
        )
