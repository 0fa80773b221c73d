"""Limits of guests and addresses."""

from contextlib import suppress

import pytest

from starfrost.table import Settings
from starfrost.web import limits
from starfrost.web.asking import network_of
from starfrost.web.limits import Limits, Rate, TooMany


def uses(rate: Rate, client: str = "10.1.2.3") -> int:
    """Use a limit until it is used up; return how often that was possible."""
    used = 0
    with suppress(TooMany):
        while True:
            rate(client)
            used += 1
    return used


@pytest.mark.parametrize(("name", "most"), [("request", 400), ("command", 60), ("opening", 30), ("solve", 3)])
def test_each_client_has_so_many_uses(monkeypatch: pytest.MonkeyPatch, name: str, most: int) -> None:
    now = 1000.0
    monkeypatch.setattr(limits.time, "time", lambda: now)
    rate = getattr(Limits(Settings(requests_per_second=100, moves_per_second=20, opens_per_minute=30)), name)
    assert uses(rate) == most
    assert uses(rate, "10.9.9.9") == most
    with pytest.raises(TooMany) as refusal:
        rate("10.1.2.3")
    now += refusal.value.wait
    assert uses(rate) == most


def test_a_crowd_of_addresses_finds_room() -> None:
    """Whoever is held up stays held up, and old windows make room for new ones."""
    rate = Rate(2, 60)
    rate("eve")
    rate("eve")
    for number in range(60_000):
        rate(f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}")
        if number % 10_000 == 0:
            with pytest.raises(TooMany):
                rate("eve")
    assert len(rate._limiter.storage) == 50_000  # type: ignore[arg-type]
    with pytest.raises(TooMany):
        rate("eve")


def test_without_a_limit_nothing_is_counted() -> None:
    free = Limits(Settings(requests_per_second=0))
    for _ in range(10_000):
        free.request("10.1.2.3")
        free.page("10.1.2.3")


def test_ipv6_counts_by_network() -> None:
    assert network_of("2001:db8::1") == network_of("2001:db8::ffff") != network_of("2001:db8:0:1::1")
    assert network_of("::ffff:192.0.2.7") == "192.0.2.7"
    assert network_of("unix") == "unix"
