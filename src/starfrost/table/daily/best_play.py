"""What bots, and a search that knows the dice, reach in a daily game. It runs in a process of its own."""

from random import Random
from typing import Any, NamedTuple

from starfrost.bots import progress
from starfrost.bots.registry import bots_here, make_bot
from starfrost.fair.dice import Contribution, FairDice, Line, Seed
from starfrost.games.core import CHANCE, OVER
from starfrost.games.registry import GAMES, make_game

SEARCH = "search"
"""The name of the result that the search found."""


class Result(NamedTuple):
    """How a game ended for one seat; the greater result is the better one."""

    won: bool
    points: int
    """The seat's score, or its lead over the best of the others."""
    scores: tuple[int, ...]
    """The scores of all seats, this one's first."""


def result_of(game: Any, state: Any, seat: int) -> Result:
    """Return how a finished game ended for a seat."""
    scores = game.scores(state)
    others = (*scores[seat + 1 :], *scores[:seat])
    return Result(seat in game.winners(state), scores[seat] - max(others, default=0), (scores[seat], *others))


class _Deal(NamedTuple):
    """A deal with its dice, and the bots of all seats but the guest's."""

    game: Any
    dice: FairDice
    bots: dict[int, Any]
    seat: int

    def play(self, player: Any, given: list[Any], rng: Random) -> tuple[Result, list[tuple[Any, Any]]]:
        """Play a game: the guest's seat first makes the given decisions, as long as they are legal, then the bot's.

        Return the result and every decision of the seat with its position.
        """
        line = Line.start(self.game)
        made: list[tuple[Any, Any]] = []
        while (actor := self.game.actor(line.state)) != OVER:
            if actor == CHANCE:
                action = self.dice.outcome(line)
            elif actor != self.seat:
                action = self.bots[actor].choose(self.game, line.state, Random(0))
            else:
                legal = self.game.legal_actions(line.state)
                number = len(made)
                action = given[number] if number < len(given) and given[number] in legal else None
                if action is None:
                    action = legal[0] if len(legal) == 1 else player.choose(self.game, line.state, rng)
                made.append((line.state, action))
            line = line.after(action)
        return result_of(self.game, line.state, self.seat), made


def best_play(
    seed: str, table: str, contributions: tuple[Contribution, ...], name: str, headers: dict[str, str], seats: list[str]
) -> dict[str, Any]:
    """Return the results of the bots that a game's kit names, and of the search, as JSON can hold them."""
    daily = GAMES[name].daily
    assert daily is not None, "a deal is of a game that has a daily game"
    game = make_game(name, len(seats), headers)
    bots = {at: make_bot(word[4:], game) for at, word in enumerate(seats) if word != "open"}
    deal = _Deal(game, FairDice(Seed(bytes.fromhex(seed)), table, contributions), bots, seats.index("open"))
    # A bot that needs solved tables which are not here would play as a weaker one.
    there = [bot for bot in daily.compared if bot in bots_here(game) and not progress.waiting(game, [bot])]
    found: dict[str, Result] = {}
    best, decisions = None, []
    for bot in there:
        found[bot], made = deal.play(make_bot(bot, game), [], Random(0))
        if best is None or found[bot] > best:
            best, decisions = found[bot], made
    if there and daily.tries and best is not None:
        found[SEARCH] = _search(deal, make_bot(there[0], game), best, decisions, daily.tries)
    return {name: result._asdict() for name, result in found.items()}


def _search(deal: _Deal, player: Any, best: Result, made: list[tuple[Any, Any]], tries: int) -> Result:
    """Change one decision of the best game known, let the bot finish it, and keep what is better; again and again."""
    rng = Random(0)
    for _ in range(tries):
        open_choices = [at for at, (state, _) in enumerate(made) if len(deal.game.legal_actions(state)) > 1]
        if not open_choices:
            break
        at = rng.choice(open_choices)
        state, action = made[at]
        others = [other for other in deal.game.legal_actions(state) if other != action]
        given = [earlier for _, earlier in made[:at]] + [rng.choice(others)]
        result, decisions = deal.play(player, given, rng)
        # An equal result is taken too: it may lead on where this one does not.
        if result >= best:
            best, made = result, decisions
    return best
