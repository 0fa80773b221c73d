"""Games of a server in this terminal, the daily game or a table of friends: the server rolls, by its JSON interface."""

import json
import os
import re
import secrets
import time
import urllib.error
import urllib.request
from http.client import HTTPException
from pathlib import Path
from typing import Any, Final

from platformdirs import user_data_path

from starfrost.bots.core import Bot
from starfrost.errors import UsageError, mark
from starfrost.games.core import CHANCE
from starfrost.games.kit import MODE
from starfrost.games.record import parse_record, replay
from starfrost.games.registry import make_game
from starfrost.terminal import saves
from starfrost.terminal.screen import Screen
from starfrost.terminal.session import HUMAN, Declined, Session
from starfrost.words import Words
from starfrost.words.bots import bot_name

_TIMEOUT: Final = 30.0
"""Seconds that the server has for an answer."""
_LOOK: Final = 0.25
"""Seconds between looks for the moves of the server's bots."""
_LONGEST: Final = 120.0
"""Seconds after which the server's bots are given up."""
SHOWN: Final = 10
"""Places of a leaderboard that are shown."""
LEADERBOARD: Final = mark("Today's leaderboard")


class Server:
    """A server by its address, and the guest that this terminal is there."""

    def __init__(self, address: str, tokens: Path | None = None) -> None:
        address = address if "://" in address else f"https://{address}"
        if not address.startswith(("http://", "https://")):
            raise UsageError("The address of a server begins with https:// or http://, not %(text)s.", text=address)
        self.address = address.rstrip("/")
        self._file = tokens or user_data_path("starfrost", appauthor=False) / "guests.json"
        self._token = self._tokens().get(self.address, "")

    def _tokens(self) -> dict[str, str]:
        try:
            found: dict[str, str] = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return found

    def sign_in(self, screen: Screen, name: str) -> None:
        """Be the guest of the last time; a new one where there was none. Raises UsageError."""
        if self._token:
            try:
                self.call("GET", "/api/me")
                return
            except Declined as declined:
                if declined.code != "who":
                    raise
        self._token = self._named(screen, name)
        tokens = {**self._tokens(), self.address: self._token}
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            # The token is the guest: nobody else on this machine may read it.
            with open(os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
                json.dump(tokens, file)
        except OSError as error:
            raise UsageError(
                "%(file)s cannot be written: %(reason)s.", file=self._file, reason=error.strerror
            ) from None

    def _named(self, screen: Screen, name: str) -> str:
        """Return the token of a new guest; ask for a name until the server takes it. Raises UsageError."""
        while True:
            try:
                if name := name or screen.ask(screen.w("Your name on the leaderboard")):
                    token: str = self.call("POST", "/api/guests", {"name": name})["token"]
                    return token
            except Declined as declined:
                if declined.code != "bad-name":
                    raise
            screen.say(screen.w("Choose a name of 1 to 24 characters."), "yellow")
            name = ""

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Send a request and return the JSON or text of its answer. Raises Declined or UsageError."""
        headers = {
            "Content-Type": "application/json",
            **({"Authorization": f"Bearer {self._token}"} if self._token else {}),
        }
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.address}{path}", data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=_TIMEOUT) as answer:
                text = answer.read().decode()
                return json.loads(text) if "json" in answer.headers.get("Content-Type", "") else text
        except urllib.error.HTTPError as error:
            try:
                refusal = json.loads(error.read())
                declined = Declined(str(refusal["code"]), str(refusal["reason"]))
            except (OSError, HTTPException, ValueError, KeyError, TypeError):
                reason = f"HTTP {error.code}"
            else:
                # Raised here, for a refusal is a ValueError too.
                raise declined from None
        except (OSError, HTTPException, ValueError) as error:
            reason = str(getattr(error, "reason", error)) or type(error).__name__
        raise UsageError(
            "%(server)s does not answer as a Starfrost server: %(reason)s.", server=self.address, reason=reason
        )


class RemoteSession(Session):
    """A game at a server's table, with the person of this terminal on one seat."""

    at_server = True

    def __init__(self, w: Words, server: Server, table: str, folder: Path) -> None:
        self._server, self._table = server, f"/api/tables/{table}"
        view = server.call("GET", self._table)
        game = make_game(view["game"], len(view["seats"]), view["headers"])
        seats = view["seats"]
        super().__init__(
            game,
            [bot_name(w, seat["bot"]) if seat["bot"] else seat["name"] for seat in seats],
            [HUMAN if seat["yours"] else f"bot:{seat['bot']}" if seat["bot"] else "person" for seat in seats],
            saves.new_path(folder, game.name),
            headers={MODE: view["mode"]} if view["mode"] else {},
        )
        self.daily = bool(view["daily"])
        self.practice = self.daily and not view["daily"]["counts"]
        self._version = 0
        self._pending: list[Any] = []
        """Events that the server has told and that are not played here yet."""
        self._ahead = self.state
        """The position after them."""
        self._look()
        while self._pending:
            super().apply(self._pending.pop(0))

    def _seated(self) -> dict[int, Bot]:
        # All others decide at the server.
        return {}

    @property
    def awaited(self) -> bool:
        """Whether a person elsewhere is to play now."""
        return not self.is_over and not self._pending and self.kinds[self.game.turn_of(self.state)] == "person"

    def _look(self) -> None:
        """Learn what has happened at the table since the last look."""
        for event in self._server.call("GET", f"{self._table}/events?after={self._version}")["events"]:
            self._learn(event)

    def _learn(self, event: dict[str, Any]) -> None:
        if event["version"] <= self._version:
            return  # A position that was read anew holds it already.
        self._version = event["version"]
        if event["kind"] == "undo":
            self._read_anew()
        elif event["kind"] == "close":
            raise UsageError("The table was closed.")
        if event["kind"] != "act":
            return
        # Where the dice wait, the action is the wish to roll them.
        told = [] if self.game.actor(self._ahead) == CHANCE else [event["action"]]
        for text in (*told, *event["chance"]):
            action = self.game.parse_action(text)
            self._pending.append(action)
            self._ahead = self.game.apply(self._ahead, action)

    def _read_anew(self) -> None:
        """Read the whole game, after somebody took a move back."""
        version = -1
        while version != self._version:
            version = self._version
            played = replay(parse_record(self._server.call("GET", f"{self._table}/record")))
            self._version = self._server.call("GET", self._table)["version"]
        self.states, self.events = list(played.states), list(played.record.events)
        self._pending, self._ahead = [], self.state

    def _send(self, command: str, **body: Any) -> None:
        seat = next(seat for seat in range(self.game.seats) if self.is_human(seat)) + 1
        sent = {"version": self._version, "key": f"terminal-{command}-{self._version}", "seat": seat, **body}
        answer = self._server.call("POST", f"{self._table}/{command}", sent)
        if command == "undo":
            self._version = answer["version"]
        else:
            self._learn(answer["event"])

    def next_event(self) -> Any:
        """Return what chance or somebody else does next at the server; None if a move was taken back instead.

        Raises UsageError.
        """
        end, before = time.monotonic() + _LONGEST, self.state
        while not self._pending:
            if self.actor == CHANCE and self.is_human(self.game.turn_of(self.state)):
                self._send("act", action="roll")
                continue
            self._look()
            if self.state is not before:
                return None
            if not self._pending:
                # A bot answers soon; a person may take any time.
                if time.monotonic() > end and not self.awaited:
                    raise UsageError("The game does not go on at the server. Try again later with the same command.")
                time.sleep(_LOOK * (4 if self.awaited else 1))
        return self._pending.pop(0)

    def apply(self, action: Any) -> None:
        """Play an event; a decision of the person here is sent to the server first. Raises Declined or UsageError."""
        if self.is_human(self.actor):
            try:
                self._send("act", action=str(action))
            except Declined:
                # The reason may be what has happened at the server meanwhile.
                self._look()
                while self._pending:
                    super().apply(self._pending.pop(0))
                raise
            action = self._pending.pop(0)
        super().apply(action)

    def undo(self) -> bool:
        """Take the last decision back if the server allows it: it does not once dice have fallen or a bot has moved."""
        self._send("undo")
        done = super().undo()
        self._ahead = self.state
        return done

    def leaders(self) -> list[tuple[str, list[tuple[int | None, str, int]]]]:
        """Return the leaderboard of the day."""
        if not self.daily:
            return []
        deals = [deal for deal in self._server.call("GET", "/api/daily")["deals"] if deal["game"] == self.game.name]
        return [
            (LEADERBOARD, [(place["rank"], place["name"], place["points"]) for place in deal["places"][:SHOWN]])
            for deal in deals
            if deal["places"]
        ]

    def _append(self) -> bool:
        # The server keeps the game.
        return True

    def save(self) -> None:
        """Keep a copy of the server's record once the game is over. Raises UsageError."""
        if not self.is_over:
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text(self._server.call("GET", f"{self._table}/record"), encoding="utf-8")
        except OSError as error:
            raise self._unsaved(error) from None


def daily_session(
    screen: Screen, server: Server, game: str = "", name: str = "", folder: Path | None = None
) -> RemoteSession:
    """Begin the daily game of a server, or go on with it; after the first attempt it is practice. Raises UsageError."""
    # A server that does not answer is found out before anybody types a name.
    server.call("GET", "/api/daily")
    server.sign_in(screen, name)
    today = server.call("GET", "/api/daily")
    deals = today["deals"]
    if (game and game not in [deal["game"] for deal in deals]) or not deals:
        raise UsageError("The server has no daily game of this name.")
    open_deals = [deal["game"] for deal in deals if deal["attempt"] is None or deal["attempt"]["playing"]]
    chosen = game or (open_deals or [deals[0]["game"]])[0]
    path, key = f"/api/daily/{today['day']}/{chosen}", f"terminal-{int(time.time() * 1000)}"
    try:
        begun = server.call("POST", path, {"key": key})
    except Declined as declined:
        if declined.code != "daily-once":
            raise
        begun = server.call("POST", path, {"key": key, "practice": True})
    return RemoteSession(screen.w, server, begun["table"], folder or saves.default_folder())


_LINK: Final = re.compile(r"(https?://[^/\s]+)/(?:(i)|t)/([A-Za-z0-9_-]+)/?(?:[?#].*)?")


def friends_session(screen: Screen, link: str, name: str = "", folder: Path | None = None) -> RemoteSession:
    """Take a seat at the table of a link and wait until the game begins. Raises UsageError."""
    parts = _LINK.fullmatch(link.strip())
    if not parts:
        raise UsageError(
            "%(link)s is not a link to a table: expected one such as https://dice.example.org/i/….", link=link
        )
    server, invitation = Server(parts[1]), parts[3] if parts[2] else None
    table = server.call("GET", f"/api/invitations/{parts[3]}")["table"] if invitation else parts[3]
    path = f"/api/tables/{table}"
    server.call("GET", path)
    server.sign_in(screen, name)
    view = server.call("GET", path)
    if not any(seat["yours"] for seat in view["seats"]):
        joining = {"key": f"terminal-{secrets.token_hex(8)}", "contribution": secrets.token_urlsafe(16)}
        server.call("POST", f"{path}/join", {**joining, "version": view["version"], "invitation": invitation})
        view = server.call("GET", path)
    told = ""
    while view["status"] == "waiting":
        names = screen.w.all_of(screen.text(seat["name"]) for seat in view["seats"] if seat["kind"] != "open")
        if told != (
            told := screen.w("At the table: %(names)s. The game begins when every seat is taken.", names=names)
        ):
            screen.say(told)
        time.sleep(_LOOK * 4)
        view = server.call("GET", path)
    return RemoteSession(screen.w, server, table, folder or saves.default_folder())
