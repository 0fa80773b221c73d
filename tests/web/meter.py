"""What a page costs: bytes over the wire, and the hosts they come from."""

from urllib.parse import urlsplit

from playwright.sync_api import Page

__all__ = ["Meter"]


class Meter:
    """Counts the bytes received, headers included, and the hosts they come from."""

    def __init__(self, page: Page) -> None:
        self.bytes = 0
        self.hosts: set[str] = set()
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.on("Network.loadingFinished", lambda event: self._add(event["encodedDataLength"]))
        page.on("request", lambda request: self.hosts.add(urlsplit(request.url).netloc))

    def _add(self, length: float) -> None:
        self.bytes += int(length)
