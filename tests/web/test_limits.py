"""Limits that are one for all processes of a service."""

from contextlib import suppress

import pytest

from starfrost.table import Settings
from starfrost.web import limits
from starfrost.web.limits import Limits, Rate, TooMany


@pytest.fixture
def pair(monkeypatch: pytest.MonkeyPatch) -> tuple[Limits, Limits]:
    """Make the limits of two processes that tell each other what is used, in a moment that does not pass."""
    monkeypatch.setattr(limits.time, "monotonic", lambda: 1000.0)
    one, other = (Limits(Settings(requests_per_second=100, moves_per_second=20, opens_per_minute=30)) for _ in range(2))
    one.share(other.used_elsewhere, lambda gauge, counts: other.open_elsewhere(gauge, "one", counts))
    other.share(one.used_elsewhere, lambda gauge, counts: one.open_elsewhere(gauge, "other", counts))
    return one, other


def uses(rate: Rate) -> int:
    """Use a limit until it is used up; return how often that was possible."""
    used = 0
    while True:
        try:
            rate("10.1.2.3")
        except TooMany:
            return used
        used += 1


@pytest.mark.parametrize(("name", "most"), [("request", 400), ("command", 60), ("opening", 30), ("solve", 3)])
def test_what_is_used_here_is_used_there(pair: tuple[Limits, Limits], name: str, most: int) -> None:
    one, other = (getattr(each, name) for each in pair)
    assert uses(one) == most
    # Of requests and commands the others are told a tenth at a time.
    assert uses(other) < 0.1 * most or name in ("opening", "solve")
    assert uses(other) == 0


def test_a_busy_client_costs_few_messages(pair: tuple[Limits, Limits]) -> None:
    told: list[tuple[str, float]] = []
    pair[0].share(lambda name, client, cost: told.append((name, cost)), lambda gauge, counts: None)
    for _ in range(399):
        pair[0].request("10.1.2.3")
    assert told == [("request", 40.0)] * 9


@pytest.mark.parametrize("name", ["connections", "under_way", "streams", "streams_of"])
def test_what_is_open_here_is_open_there(
    pair: tuple[Limits, Limits], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = (getattr(each, name) for each in pair)
    for _ in range(100):
        here.enter("10.1.2.3")
    here.enter("10.9.9.9")
    assert 100 - here.step < there.count("10.1.2.3") <= 100
    there.enter("10.1.2.3")
    assert there.count("10.1.2.3") > 101 - here.step
    for _ in range(50):
        here.leave("10.1.2.3")
    assert 50 < there.count("10.1.2.3") <= 51 + here.step
    # Whoever dies cannot say that its connections are closed: what it does not repeat is forgotten.
    monkeypatch.setattr(limits.time, "monotonic", lambda: 1020.0)
    here.say_again()
    monkeypatch.setattr(limits.time, "monotonic", lambda: 1040.0)
    assert there.count("10.1.2.3") == 51
    monkeypatch.setattr(limits.time, "monotonic", lambda: 1060.0)
    assert there.count("10.1.2.3") == 1
    there.say_again()
    assert not there._elsewhere
    for _ in range(50):
        here.leave("10.1.2.3")
    assert (here.count("10.1.2.3"), here.count("10.9.9.9"), there.count("10.9.9.9")) == (
        0,
        1,
        0 if here.step > 1 else 1,
    )


def test_two_processes_by_turns_have_one_limit(pair: tuple[Limits, Limits]) -> None:
    allowed = 0
    for number in range(1000):
        with suppress(TooMany):
            pair[number % 2].request("10.1.2.3")
            allowed += 1
    assert 400 <= allowed <= 400 + 2 * 40


def test_without_a_limit_nobody_is_told_what_is_open() -> None:
    told: list[object] = []
    for most, messages in ((0, 0), (100, 3)):
        gauge = limits.Gauge(most)
        gauge.tell = told.append
        for _ in range(30):
            gauge.enter("10.1.2.3")
        assert len(told) == messages
