"""A small bot: it takes a seat by an invitation link, or opens a table, and takes what brings the most points.

    python examples/bot.py http://127.0.0.1:8000/i/…

Needs nothing but Python. Without an invitation in the link it opens a table of Dicy Cards against a bot. The page /api
of a server describes everything that it uses.
"""

import json
import re
import secrets
import sys
from collections.abc import Iterator
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen


class Server:
    """Asks a server, with the token of a guest."""

    def __init__(self, link: str) -> None:
        self.url = "{0.scheme}://{0.netloc}".format(urlsplit(link))
        self.headers = {"Content-Type": "application/json"}

    def ask(self, path: str, **body: object) -> dict:
        """Return an answer: to a POST if there is a body."""
        sent = json.dumps(body).encode() if body else None
        with urlopen(Request(f"{self.url}/api{path}", sent, self.headers), timeout=30) as answer:
            return json.load(answer)

    def versions(self, table: str) -> Iterator[int]:
        """Yield each new version of the table, for ever; reconnect where the stream broke off."""
        seen = 0
        while True:
            try:
                with urlopen(f"{self.url}/api/tables/{table}/stream?after={seen}", timeout=60) as stream:
                    for line in stream:
                        if line.startswith(b'data: {"version"'):
                            yield (seen := json.loads(line[6:])["version"])
            except (URLError, OSError):
                continue


def choose(view: dict) -> str:
    """Return the action whose notation names the highest dice, or else the first legal one."""
    gains = [action for action in view["legal"] if re.match("score|take", action)]
    return max(gains, key=lambda action: sum(map(int, re.findall(r"\d", action))), default=view["legal"][0])


def play(link: str) -> dict:
    """Sit down, play to the end and return the last view of the table."""
    server = Server(link)
    server.headers["Authorization"] = f"Bearer {server.ask('/guests', name='Forty lines')['token']}"
    found = re.search("/i/([^/?#]+)", link)
    if found:
        table = server.ask(f"/invitations/{found[1]}")["table"]
    else:
        table = server.ask("/tables", game="dicy-cards", seats=["open", "bot:greedy"], key="open")["table"]
    sit = {"version": server.ask(f"/tables/{table}")["version"], "key": "sit", "program": True}
    invitation = found[1] if found else None
    server.ask(f"/tables/{table}/join", **sit, invitation=invitation, contribution=secrets.token_hex(16))
    for _ in server.versions(table):
        view = server.ask(f"/tables/{table}")
        if view["status"] in ("over", "closed"):
            return view
        if view["legal"]:
            move = {"version": view["version"], "key": f"move-{view['version']}", "seat": view["acting"]}
            try:
                server.ask(f"/tables/{table}/act", **move, action=choose(view))
            except HTTPError as error:
                if error.code != 409:  # the table moved on: look again
                    raise
    raise AssertionError("a stream never ends by itself")


if __name__ == "__main__":
    last = play(sys.argv[1])
    print("Scores:", last["scores"], "Winners:", last["winners"])
