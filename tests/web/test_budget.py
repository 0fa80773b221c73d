"""What a page costs: the first one under 150 kB, a whole game under 1 MB, and nothing from any other host."""

from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page

from tests.web.player import Player

MakePlayer = Callable[..., Player]


class Meter:
    """Counts the bytes that come over the wire, headers included, and the hosts they come from."""

    def __init__(self, page: Page) -> None:
        self.bytes = 0
        self.hosts: set[str] = set()
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.on("Network.loadingFinished", lambda event: self._add(event["encodedDataLength"]))
        session.on("Network.dataReceived", lambda event: None)
        page.on("request", lambda request: self.hosts.add(urlsplit(request.url).netloc))

    def _add(self, length: float) -> None:
        self.bytes += int(length)


def test_the_first_page(player: MakePlayer) -> None:
    one = player()
    meter = Meter(one.page)
    one.open("/").page.wait_for_load_state("networkidle")
    assert 10_000 < meter.bytes < 150_000, meter.bytes


@pytest.mark.parametrize("game", ["dicy-cards", "dice-stars"])
def test_a_whole_game(player: MakePlayer, site: str, game: str) -> None:
    one = player()
    meter = Meter(one.page)
    one.quick(game).play_on()
    one.page.wait_for_timeout(300)
    assert 20_000 < meter.bytes < 1_000_000, meter.bytes
    assert meter.hosts == {urlsplit(site).netloc}
