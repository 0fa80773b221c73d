"""The turns and choices of `master` by its network, compiled by Numba.

They are one function of their own: other bots do not wait until the network is compiled.
"""

from starfrost.compiling import Array, inlined, lean
from starfrost.games.dicy_cards import ALL_ACTIVE, CARDS_IN_A_GAME, MASKS, Change
from starfrost.games.dicy_cards.compiled.network import (
    Net,
    add_others,
    expected_mask,
    fill_chances,
    is_last,
    weigh_rivals,
)
from starfrost.games.dicy_cards.compiled.play import (
    BotData,
    Games,
    freeze_card,
    roll_dice,
    score_card,
    settle,
    skip_turn,
)
from starfrost.games.dicy_cards.compiled.tables import Rules
from starfrost.games.dicy_cards.compiled.turns import DecisionBatch, Turns, choose_group, decide, group_end, solve

_CARDS, _MASKS, _ALL, _FREEZE = CARDS_IN_A_GAME, MASKS, ALL_ACTIVE, int(Change.FREEZE)


@inlined
def _set_position(rules: Rules, data: BotData, games: Games, net: Net, game: int) -> None:
    for place in range(rules.seats):
        seat = (games.seat[game] + 1 + place) % rules.seats
        net.scores[place] = games.scores[game, seat]
        net.masks[place] = data.translated[games.active[game, seat]]


@inlined
def _fill_ends(
    rules: Rules, data: BotData, games: Games, net: Net, entries: Array, turns: Turns, lane: int, game: int
) -> None:
    """Evaluate the chance to win after every way to end a turn."""
    mover, seat = rules.seats - 1, games.seat[game]
    held, own = games.active[game, seat], games.scores[game, seat]
    _set_position(rules, data, games, net, game)
    for place in range(mover):
        net.before[place] = net.masks[place]
    net.known[0], net.known[1] = 0, 0
    for row in range(_CARDS + 1):
        skip, change = row == _CARDS, rules.change[row]
        if not skip and not held >> row & 1:
            continue
        others = _ALL if skip else held ^ (1 << row)
        net.before[mover] = data.translated[others]
        first, end = (0, 1) if skip else (turns.points_first[row], turns.points_first[row + 1])
        for entry in range(first, end):
            net.scores[mover] = own + (0 if skip else entries[entry])
            last = is_last(net, rules.goal)
            for place in range(mover):
                net.masks[place] = net.before[place]
                if change and rules.reach[row] >> (place + 1) & 1:
                    if not net.known[int(last)]:
                        # The chances of the others against each other are the same in the whole turn.
                        net.known[int(last)] = 1
                        weigh_rivals(net, rules.goal, seat, last)
                    net.masks[place] = expected_mask(net, rules.goal, seat, last, place, change)
            add_others(net, rules.goal, seat, last)
            out = turns.skip if skip else turns.ends[entry * _MASKS : (entry + 1) * _MASKS]
            first_left = _ALL if skip else 0
            fill_chances(net, rules.goal, seat, last, mover, data.translated, first_left, others, out, lane)


@inlined
def _best_answer(
    rules: Rules, data: BotData, games: Games, net: Net, game: int, place: int, change: int, near: float
) -> int:
    """Return the card that leaves an affected seat the best chance to win, if those after it do nothing."""
    turn = games.seat[game]
    own, mask = games.active[game, turn], games.active[game, (turn + 1 + place) % rules.seats]
    _set_position(rules, data, games, net, game)
    last = is_last(net, rules.goal)
    best, chosen = -1.0, 0
    for card in range(_CARDS):
        if (mask >> card & 1) != (change == _FREEZE):
            continue
        net.masks[place] = data.translated[mask ^ (1 << card)]
        add_others(net, rules.goal, turn, last)
        fill_chances(net, rules.goal, turn, last, place, data.translated, own, own, net.found, 0)
        if net.found[0, 0] > best + near:
            best, chosen = net.found[0, 0], card
    return chosen


@inlined
def _answer(rules: Rules, data: BotData, games: Games, net: Net, asked: DecisionBatch, near: float) -> None:
    """Let every affected master choose a card."""
    for game in range(games.seat.shape[0]):
        while games.asked[game, 0]:
            place, row = games.asked[game, 0] - 1, games.asked[game, 1]
            seat = (games.seat[game] + 1 + place) % rules.seats
            single = len(asked.place) > 0
            card = _best_answer(
                rules, data, games, net, game, place, asked.change[game] if single else rules.change[row], near
            )
            games.asked[game, 0] = 0
            if single:
                asked.action[game, 1] = card
            else:
                games.active[game, seat] ^= 1 << card
                games.decisions[game, seat] += 1
                settle(rules, data, games, game, row, place + 1)


@inlined
def _decide(rules: Rules, data: BotData, games: Games, turns: Turns, lane: int, game: int, near: float) -> None:
    """Play one decision of a solved turn."""
    seat, number, kept = games.seat[game], games.rolled[game, 0], games.rolled[game, 1]
    mask = games.active[game, seat]
    games.turns[game, seat] += number == 0
    games.decisions[game, seat] += 1
    games.rolled[game, 0], games.rolled[game, 1] = 0, 0
    verb, card, nth, roll = 2, _CARDS, 0, 0
    if mask:
        roll = roll_dice(rules, games, game, kept, number)
        verb, card, nth = decide(rules, turns, lane, mask, roll, near, False)
    if verb == 1:
        freeze_card(games, game, card)
        games.rolled[game, 0], games.rolled[game, 1] = number + 1, rules.kept[roll, nth]
    else:
        row = _CARDS
        if verb == 0:
            row = card
            score_card(games, game, card, rules.points[card, roll, nth])
        else:
            skip_turn(games, game)
        settle(rules, data, games, game, row, 0)


@lean
def play_masters(
    rules: Rules, data: BotData, games: Games, net: Net, turns: Turns, order: Array, entries: Array, near: float,
    asked: DecisionBatch,
) -> None:  # fmt: skip
    """Play one decision of each game in the order given (games with the same cards are neighbours), and answer effects.

    Or choose what is asked. A turn is solved again after each reroll, as by the single bot: what the others are
    expected to choose depends on the cards that are left.
    """
    first = 0
    while first < len(order):
        end = group_end(data, games, order, first)
        held = games.active[order[first], games.seat[order[first]]]
        if held:
            # Lanes beyond the last game keep old values, which nobody reads.
            for lane in range(end - first):
                _fill_ends(rules, data, games, net, entries, turns, lane, order[first + lane])
            solve(turns, held)
        if len(asked.place):
            choose_group(rules, data, games, turns, order, first, end, near, asked)
        else:
            for lane in range(end - first):
                _decide(rules, data, games, turns, lane, order[first + lane], near)
        first = end
    _answer(rules, data, games, net, asked, near)
