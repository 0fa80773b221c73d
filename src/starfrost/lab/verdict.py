"""What the results of `starfrost balance` say: how fair the seats are, which swept value is the fairest, and skill."""

import re
from collections.abc import Iterator, Sequence

from starfrost.lab.balance import Balance
from starfrost.words import Words
from starfrost.words.numbers import decimal, percent


def unfairness(result: Balance) -> float:
    """Return how far the seat that differs most is from an equal share."""
    return max(abs(seat.win_rate.mean - 1 / result.players) for seat in result.seats)


def is_unfair(result: Balance) -> bool:
    """Return whether an equal share is excluded by the 95% interval of a seat."""
    return not all(seat.win_rate.low <= 1 / result.players <= seat.win_rate.high for seat in result.seats)


def names_of(results: Sequence[Balance]) -> list[str]:
    """Return the names of what was swept."""
    return list(dict.fromkeys(re.findall(r"(?:^|, )([^=,]+)=", results[0].option)))


def values_of(names: Sequence[str], option: str) -> list[str]:
    """Return the swept values of a table: `6` and `sum + 1` of `goal=6, card.odds.points=sum + 1`."""
    return re.split("(?:^|, )(?:" + "|".join(map(re.escape, names)) + ")=", option)[1:] if option else []


def verdicts(w: Words, results: Sequence[Balance]) -> Iterator[str]:
    """Yield a sentence on each size of table, and one on skill where it was measured."""
    for players in dict.fromkeys(result.players for result in results):
        here = [result for result in results if result.players == players]
        size = w.plural("%(n)s player", "%(n)s players", players)
        if players > 1:
            yield f"{size}: {_fairness(w, here)}"
        rates = [(result, result.skill) for result in here if result.skill is not None]
        if rates:
            result, rate = max(rates, key=lambda pair: pair[1].mean)
            told = w(
                "%(bot)s wins %(rate)s against %(other)s (%(low)s – %(high)s); luck alone would be %(even)s.",
                bot=result.bot,
                other=result.against,
                rate=percent(w, rate.mean, 1),
                low=decimal(w, 100 * rate.low, 1),
                high=percent(w, rate.high, 1),
                even=percent(w, 1 / max(players, 2), 1),
            )
            yield ", ".join(filter(None, (size, result.option))) + f": {told}"


def _fairness(w: Words, here: Sequence[Balance]) -> str:
    best = min(here, key=unfairness)
    seat = max(range(best.players), key=lambda seat: abs(best.seats[seat].win_rate.mean - 1 / best.players))
    rate = best.seats[seat].win_rate
    facts = {
        "seat": seat + 1,
        "rate": percent(w, rate.mean, 1),
        "low": decimal(w, 100 * rate.low, 1),
        "high": percent(w, rate.high, 1),
    }
    if len(here) == 1:
        return (
            w("seat %(seat)s wins %(rate)s (%(low)s – %(high)s), which is not an equal share.", **facts)
            if is_unfair(best)
            else w("no seat is proved better; seat %(seat)s wins %(rate)s (%(low)s – %(high)s).", **facts)
        )
    told = w("fairest at %(value)s: seat %(seat)s wins %(rate)s (%(low)s – %(high)s).", value=best.option, **facts)
    fair = [result.option for result in here if not is_unfair(result)]
    if not fair:
        return told + " " + w("Every value is proved unfair.")
    return told + " " + w("Not proved unfair: %(values)s.", values="; ".join(fair))
