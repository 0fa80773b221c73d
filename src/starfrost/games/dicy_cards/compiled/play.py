"""Games of Dicy Cards, a turn at a time, compiled by Numba.

The bots that need no plan play their turn here; the plans of the others come from `turns`. Every seat answers the
effects of others here.
"""

from typing import Any, Final, NamedTuple

from starfrost.batch.compiled import below, eight_words, luck_words
from starfrost.compiling import Array, jit, lean
from starfrost.games.dicy_cards import ALL_ACTIVE, CARDS_IN_A_GAME, Change
from starfrost.games.dicy_cards.compiled.tables import Rules
from starfrost.games.dicy_cards.solver.lattice import KEPT

RANDOM, GREEDY, PLANNER, MASTER, PERFECT = range(5)
"""The codes of the bots."""
NAMES: Final = ("random", "greedy", "planner", "master", "perfect")

_FREEZE = int(Change.FREEZE)
_ALL, _CARDS, _KEPT = ALL_ACTIVE, CARDS_IN_A_GAME, KEPT


class Games(NamedTuple):
    """The positions of a batch between turns, one row a game."""

    scores: Array
    active: Array
    seat: Array
    """The seat whose turn it is; -1 when the game is over."""
    turns: Array
    """The turns that each seat has had."""
    decisions: Array
    """The decisions that each seat has made."""
    dice: Array
    """The keys of the dice."""
    luck: Array
    """The keys of the seats' luck."""
    facts: Array
    """By seat: scores by card, points by card, freezes for a reroll by card, skips."""
    asked: Array
    """The place of an affected master that has to choose, counted from the turn, and the row of the effect; or 0."""
    rolled: Array
    """The rolls of an unfinished turn of a master, and the dice that it keeps."""


class BotData(NamedTuple):
    """What the bots know."""

    bots: Array
    """The code of each seat's bot."""
    points: Array
    """The planner's expected points, by turns and mask (`Prospects.points`)."""
    reach: Array
    """The planner's chances of a high score, by mask and need (`Prospects.reach`)."""
    pace: float
    between: Array
    """The exact values between turns, and in last turns (`solver.values`)."""
    last: Array
    translated: Array
    """The masks of the game's cards in the order in which they are solved."""
    near: float
    """Exact values closer than this count as equal."""


@lean
def roll_dice(rules: Rules, games: Games, game: int, kept: int, roll: int) -> int:
    """Roll the missing dice and return the number of the roll."""
    seat = games.seat[game]
    for word in eight_words(games.dice[game, 0], games.dice[game, 1], seat, games.turns[game, seat], roll):
        if kept >= _KEPT:
            break
        kept = rules.up[kept, below(word, 6)]
    return kept - _KEPT


@lean
def _luck(games: Games, game: int, seat: int, decision: int) -> Any:
    """Return the word of a random choice."""
    return luck_words(games.luck[game, seat, 0], games.luck[game, seat, 1], decision, 0)[0]


@lean
def _reaches(data: BotData, mask: int, need: int) -> Any:
    return data.reach[mask, min(max(need, 0), data.reach.shape[1] - 1)]


@lean
def planned_answer(rules: Rules, data: BotData, scores: Array, turn: int, seat: int, mask: int, change: int) -> int:
    """Return the card that the planner turns over for a seat (`bots.answers`)."""
    to_play = 1 if seat > turn else 0
    best, leader = -1, 0
    for other in range(rules.seats):
        leader = max(leader, scores[other])
        if other != seat:
            best = max(best, scores[other])
    late = to_play == 1 and best >= rules.goal
    need = best - scores[seat]
    turns = min(int(max(rules.goal - leader, 0) / data.pace) + to_play, data.points.shape[0] - 1)
    chosen, most = -1, 0.0
    for card in range(_CARDS):
        if (mask >> card & 1) != (change == _FREEZE):
            continue
        after = mask ^ (1 << card)
        value = _reaches(data, after, need) + _reaches(data, after, need + 1) if late else data.points[turns, after]
        if chosen < 0 or value > most:
            chosen, most = card, value
    return chosen


@lean
def _exact_value(data: BotData, goal: int, seat: int, scores: Array, own: int, other: int) -> Any:
    """Return the value of a position between two turns for the seat to move."""
    mine, theirs = scores[seat], scores[1 - seat]
    if theirs < goal:
        return data.between[seat, mine, theirs, data.translated[other], data.translated[own]]
    gap = min(theirs - mine, data.last.shape[0] - 1)
    return data.last[gap, data.translated[other], data.translated[own]]


@lean
def _perfect_answer(rules: Rules, data: BotData, games: Games, game: int, seat: int, change: int) -> int:
    """Return the card that leaves the answering seat the highest value; it is the next to move."""
    turn = games.seat[game]
    scores, mask, other = games.scores[game], games.active[game, seat], games.active[game, turn]
    best, chosen = -2.0, -1
    for again in range(2):
        for card in range(_CARDS):
            if (mask >> card & 1) != (change == _FREEZE):
                continue
            after = mask ^ (1 << card)
            if turn == 1 and max(scores[0], scores[1]) >= rules.goal:
                # The game ends now: by points, then by active cards (E2).
                lead = (scores[seat] - scores[turn]) * (_CARDS + 1) + _count(after) - _count(other)
                value = 1.0 if lead > 0 else 0.5 if lead == 0 else 0.0
            else:
                value = _exact_value(data, rules.goal, seat, scores, after, other)
            if again == 0:
                best = max(best, value)
            elif chosen < 0 and value >= best - data.near:
                chosen = card
    return chosen


@lean
def _count(mask: int) -> int:
    return (mask & 1) + (mask >> 1 & 1) + (mask >> 2 & 1) + (mask >> 3 & 1) + (mask >> 4 & 1)


@lean
def light_answer(rules: Rules, data: BotData, games: Games, game: int, seat: int, change: int) -> Any:
    """Return the card that an affected seat freezes or resets."""
    mask, bot = games.active[game, seat], data.bots[seat]
    decision = games.decisions[game, seat]
    games.decisions[game, seat] += 1
    open_cards = mask if change == _FREEZE else _ALL ^ mask
    if bot == RANDOM:
        nth = below(_luck(games, game, seat, decision), _count(open_cards))
        for card in range(_CARDS):
            if open_cards >> card & 1:
                if nth == 0:
                    return card
                nth -= 1
    if bot == PLANNER:
        return planned_answer(rules, data, games.scores[game], games.seat[game], seat, mask, change)
    if bot == PERFECT:
        return _perfect_answer(rules, data, games, game, seat, change)
    chosen = -1
    for card in range(_CARDS):
        if open_cards >> card & 1 and (
            chosen < 0
            or (change == _FREEZE and rules.mean[card] < rules.mean[chosen])
            or (change != _FREEZE and rules.mean[card] > rules.mean[chosen])
        ):
            chosen = card
    return chosen


@lean
def next_affected(rules: Rules, games: Games, game: int, row: int, after: int) -> int:
    """Return the next seat after another one (counted from the turn) that an effect lets choose; 0 if there is none."""
    for place in range(after + 1, rules.seats):
        if rules.reach[row] >> place & 1:
            mask = games.active[game, (games.seat[game] + place) % rules.seats]
            if (mask != 0) if rules.change[row] == _FREEZE else (mask != _ALL):
                return place
    return 0


@lean
def settle(rules: Rules, data: BotData, games: Games, game: int, row: int, after: int) -> None:
    """Let the affected seats after a place answer a score or a skip, and end the turn (T4, T5, T7 to T9, E1).

    A master is only asked: its network would take long to compile wherever turns end.
    """
    place = next_affected(rules, games, game, row, after) if rules.change[row] else 0
    while place:
        seat = (games.seat[game] + place) % rules.seats
        if data.bots[seat] == MASTER:
            games.asked[game, 0], games.asked[game, 1] = place, row
            return
        games.active[game, seat] ^= 1 << light_answer(rules, data, games, game, seat, rules.change[row])
        place = next_affected(rules, games, game, row, place)
    end_turn(rules, games, game)


@lean
def end_turn(rules: Rules, games: Games, game: int) -> None:
    """Pass the turn to the next seat, or end the game after the round in which the goal was reached."""
    seat = games.seat[game] + 1
    if seat == rules.seats:
        seat = 0
        for other in range(rules.seats):
            if games.scores[game, other] >= rules.goal:
                seat = -1
    games.seat[game] = seat


@lean
def score_card(games: Games, game: int, card: int, points: int) -> None:
    """Score a card for the seat whose turn it is."""
    seat = games.seat[game]
    games.scores[game, seat] += points
    games.active[game, seat] ^= 1 << card
    games.facts[game, seat, card] += 1
    games.facts[game, seat, _CARDS + card] += points


@lean
def freeze_card(games: Games, game: int, card: int) -> None:
    """Freeze a card for a reroll."""
    seat = games.seat[game]
    games.active[game, seat] ^= 1 << card
    games.facts[game, seat, 2 * _CARDS + card] += 1


@lean
def skip_turn(games: Games, game: int) -> None:
    """Reset all cards of the seat whose turn it is (T5)."""
    seat = games.seat[game]
    games.active[game, seat] = _ALL
    games.facts[game, seat, 3 * _CARDS] += 1


@lean
def _random_action(nth: int, mask: int, roll: int, scores: Array, subsets: Array) -> tuple[int, int, int]:
    """Return the n-th legal action as verb (0 score, 1 reroll, 2 skip), card and number."""
    for verb in range(2):
        for card in range(_CARDS):
            if mask >> card & 1:
                count = scores[card, roll] if verb == 0 else subsets[roll]
                if nth < count:
                    return verb, card, nth
                nth -= count
    return 2, -1, 0


@lean
def _greedy_action(mask: int, roll: int, scores: Array, points: Array, mean: Array) -> tuple[int, int, int]:
    """Return the score with the most points, or a skip."""
    chosen, most = -1, 0
    for card in range(_CARDS):
        if mask >> card & 1 and scores[card, roll]:
            here = points[card, roll, 0]
            if chosen < 0 or here > most or (here == most and mean[card] < mean[chosen]):
                chosen, most = card, here
    return (0, chosen, 0) if chosen >= 0 else (2, -1, 0)


@lean
def light_action(
    bot: int, mask: int, roll: int, luck: Any, counts: Array, subsets: Array, points: Array, mean: Array
) -> tuple[int, int, int]:
    """Return what `random` or `greedy` does with a roll as verb, card and number; `luck` is a key and the decision."""
    if bot == GREEDY:
        return _greedy_action(mask, roll, counts, points, mean)
    total = 1
    for card in range(_CARDS):
        if mask >> card & 1:
            total += counts[card, roll] + subsets[roll]
    word = luck_words(luck[0], luck[1], luck[2], 0)[0]
    return _random_action(below(word, total), mask, roll, counts, subsets)


@jit
def play_light(rules: Rules, data: BotData, games: Games) -> None:
    """Play every game up to the next turn of a bot that needs a plan, to a choice of a master, or to its end.

    The arrays are taken out of their tuples once: Numba counts a reference each time.
    """
    up, subsets, kept_after, mean = rules.up, rules.subsets, rules.kept, rules.mean
    counts, points = rules.scores, rules.points
    seats, turns, decisions, active, scores = games.seat, games.turns, games.decisions, games.active, games.scores
    dice, luck, facts, asked, bots = games.dice, games.luck, games.facts, games.asked, data.bots
    for game in range(seats.shape[0]):
        while seats[game] >= 0 and bots[seats[game]] <= GREEDY and asked[game, 0] == 0:
            seat = seats[game]
            turns[game, seat] += 1
            bot, mask = bots[seat], active[game, seat]
            kept, number, row = 0, 0, -1
            while row < 0:
                decision = decisions[game, seat]
                decisions[game, seat] += 1
                verb, card, nth, roll = 2, -1, 0, 0
                # With all cards frozen no dice are rolled (T7).
                if mask or number:
                    for word in eight_words(dice[game, 0], dice[game, 1], seat, turns[game, seat], number):
                        if kept >= _KEPT:
                            break
                        kept = up[kept, below(word, 6)]
                    roll = kept - _KEPT
                    number += 1
                    own = luck[game, seat, 0], luck[game, seat, 1], decision
                    verb, card, nth = light_action(bot, mask, roll, own, counts, subsets, points, mean)
                if verb == 2:
                    mask, row = _ALL, _CARDS
                    facts[game, seat, 3 * _CARDS] += 1
                elif verb == 0:
                    mask, row = mask ^ (1 << card), card
                    scores[game, seat] += points[card, roll, nth]
                    facts[game, seat, card] += 1
                    facts[game, seat, _CARDS + card] += points[card, roll, nth]
                else:
                    mask ^= 1 << card
                    kept = kept_after[roll, nth]
                    facts[game, seat, 2 * _CARDS + card] += 1
            active[game, seat] = mask
            settle(rules, data, games, game, row, 0)
