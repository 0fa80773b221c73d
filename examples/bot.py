"""A small bot: it opens a table (or joins one by its invitation) and scores whenever it can, with the highest dice.

    python examples/bot.py http://127.0.0.1:8000 [INVITATION]

Needs httpx (pip install httpx). Everything it uses is described at /api/openapi.json.
"""

import json
import secrets
import sys
from collections.abc import Iterator

import httpx


def signals(http: httpx.Client, table: str) -> Iterator[int]:
    """Yield each new version of the table, for ever; reconnect where the stream broke off."""
    seen = 0
    while True:
        try:
            with http.stream("GET", f"/api/tables/{table}/stream?after={seen}", timeout=60) as stream:
                for line in stream.iter_lines():
                    if line.startswith('data: {"version"'):
                        yield (seen := json.loads(line[6:])["version"])
        except httpx.TransportError:
            continue


def choose(view: dict) -> str:
    """Return the score whose dice have the highest sum, or else the first legal action."""
    scores = [action for action in view["legal"] if action.startswith("score")]
    return max(scores, key=lambda action: sum(map(int, action.split()[2])), default=view["legal"][0])


def play(server: str, invitation: str | None = None) -> dict:
    """Sit down, play to the end and return the last view of the table."""
    http = httpx.Client(base_url=server, timeout=30)
    token = http.post("/api/guests", json={"name": "Forty lines"}).raise_for_status().json()["token"]
    http.headers["authorization"] = f"Bearer {token}"
    if invitation:
        table = http.get(f"/api/invitations/{invitation}").raise_for_status().json()["table"]
    else:
        opening = {"game": "dicy-cards", "seats": ["open", "bot:greedy"], "key": "open"}
        table = http.post("/api/tables", json=opening).raise_for_status().json()["table"]
    sit = {"version": http.get(f"/api/tables/{table}").json()["version"], "key": "sit", "invitation": invitation}
    http.post(f"/api/tables/{table}/join", json={**sit, "contribution": secrets.token_hex(16)}).raise_for_status()
    for _ in signals(http, table):
        view = http.get(f"/api/tables/{table}").json()
        if view["status"] in ("over", "closed"):
            return view
        if view["legal"]:
            move = {"version": view["version"], "key": f"move-{view['version']}", "seat": view["acting"]}
            answer = http.post(f"/api/tables/{table}/act", json={**move, "action": choose(view)})
            if answer.status_code not in (200, 409):  # 409: the table moved on, look again
                answer.raise_for_status()
    raise AssertionError("a stream never ends by itself")


if __name__ == "__main__":
    last = play(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None)
    print("Scores:", last["scores"], "Winners:", last["winners"])
