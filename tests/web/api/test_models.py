"""The OpenAPI document against real answers: every route, every kind of event, no field that it does not describe."""

import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel

from starfrost.web.api.models import OfferMessage, PingMessage, PresenceMessage, ReactionMessage, VersionMessage
from tests.serving import Player, Server, messages

KINDS = {"open", "join", "leave", "bot", "act", "undo", "coach", "rematch", "close"}
STREAM = ("get", "/api/tables/{table}/stream")


class Checker:
    """Compares answers with the document that describes them."""

    def __init__(self, document: dict[str, Any]) -> None:
        for schema in document["components"]["schemas"].values():
            # What is not described must not be there; errors may carry more.
            schema.setdefault("additionalProperties", False)
        self.document = document
        self.checked: set[tuple[str, str]] = set()
        self.kinds: set[str] = set()

    def operations(self) -> set[tuple[str, str]]:
        return {(method, path) for path, found in self.document["paths"].items() for method in found}

    def route_of(self, method: str, path: str) -> tuple[str, str]:
        fitting = [
            route
            for name, route in self.operations()
            if name == method and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", route), path)
        ]
        assert len(fitting) == 1, (method, path, fitting)
        return method, fitting[0]

    def check(self, response: httpx.Response) -> None:
        response.read()
        method, path = self.route_of(response.request.method.lower(), response.url.path)
        described = self.document["paths"][path][method]["responses"][str(response.status_code)]
        if response.status_code < 400:
            self.checked.add((method, path))
        if "application/json" in described.get("content", {}):
            schema = described["content"]["application/json"]["schema"]
            Draft202012Validator({**schema, "components": self.document["components"]}).validate(response.json())
        else:
            assert "json" not in response.headers.get("content-type", "")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Run a server that takes everybody without a page for gone."""
    folder = tmp_path_factory.mktemp("models")
    impatient = "from starfrost.table import presence\npresence.GONE = 0.0"
    with Server(str(folder / "tables.db"), folder / "log", before=impatient) as running:
        yield running


@pytest.fixture(scope="module")
def checker(server: Server) -> Checker:
    return Checker(httpx.get(f"{server.url}/api/openapi.json").json())


@pytest.fixture
def people(server: Server, checker: Checker) -> Iterator[tuple[Player, Player]]:
    players = Player(server.url), Player(server.url, "Ben")
    for player in players:
        player.http.event_hooks["response"] = [checker.check]
    yield players
    for player in players:
        player.http.close()


def play(player: Player, table: str, path: str, **body: Any) -> Any:
    version = player.get(f"/tables/{table}")["version"]
    return player.post(f"/tables/{table}/{path}", version=version, key=f"{path}-{version}", **body)


def test_every_answer_is_described(people: tuple[Player, Player], checker: Checker) -> None:
    anna, ben = people
    anna.post("/guests", name="Cleo")
    anna.get("/me")
    anna.http.patch("/api/me", json={"name": "Anna Bolena"}).raise_for_status()
    anna.get("/games")
    tables = []
    for game in ("dicy-cards", "dice-stars"):
        table = anna.open(game, key=f"{game}-models")
        tables.append(table)
        anna.get("/tables")
        anna.get(f"/invitations/{anna.get(f'/tables/{table}')['invitation']}")
        anna.join(table, 1)
        play(anna, table, "leave", seat=1)
        play(anna, table, "join", seat=1)
        if game == "dice-stars":
            play(anna, table, "bot", seat=2, bot="greedy")
            # The coach is asked by the page.
            while len(anna.get(f"/tables/{table}")["legal"]) < 2:
                anna.move(table)
            bearer = {"authorization": f"Bearer {anna.token}"}
            httpx.post(f"{anna.http.base_url}/t/{table}/hint", headers=bearer, timeout=60).raise_for_status()
        else:
            ben.join(table, 2)
            play(anna, table, "act", seat=1, action="roll")
            legal = anna.get(f"/tables/{table}")["legal"]
            play(anna, table, "act", seat=1, action=next(text for text in legal if text.startswith("score")))
            play(anna, table, "undo", seat=1)
            anna.http.post(f"/api/tables/{table}/reactions", json={"reaction": "clap"}).raise_for_status()
            play(ben, table, "stand-in", seat=1)
            play(ben, table, "resign", seat=2)
        assert ben.http.post(f"/api/tables/{table}/close", json={"version": 1, "key": "x"}).status_code == 403
    for _ in range(50):
        answer = anna.http.post(
            f"/api/tables/{tables[0]}/close",
            json={"version": anna.get(f"/tables/{tables[0]}")["version"], "key": "close"},
        )
        # The bot may have moved in between.
        if answer.status_code == 200:
            break
    play(anna, tables[0], "rematch")
    play(anna, anna.get(f"/tables/{tables[0]}")["rematch"], "close")
    for table in tables:
        anna.get(f"/tables/{table}")
        checker.kinds |= {event["kind"] for event in anna.get(f"/tables/{table}/events")["events"]}
        anna.http.get(f"/api/tables/{table}/record").raise_for_status()
    free = anna.open("dicy-cards", ("open", "open", "open"), key="free")
    ben.join(free, 2)
    play(anna, free, "unseat", seat=2)
    assert anna.get(f"/tables/{free}/events")["events"][-1]["removed"]
    anna.get("/me/tables")
    today = anna.get("/daily")["day"]
    daily = anna.post(f"/daily/{today}/dice-stars", key="daily")["table"]
    assert anna.get(f"/tables/{daily}")["daily"]["day"] == today
    anna.get(f"/daily/{today}")
    anna.get(f"/tables/{daily}/events")
    assert checker.kinds == KINDS
    assert checker.checked == checker.operations() - {STREAM}


def test_an_answer_that_is_not_described_is_found(checker: Checker) -> None:
    for body in ({"table": "t", "more": 1}, {}, {"table": 5}):
        request = httpx.Request("GET", "http://table.test/api/invitations/x")
        with pytest.raises(Exception, match=r"Additional properties|required|is not of type"):
            checker.check(httpx.Response(200, json=body, request=request))


def test_the_messages_of_a_stream_are_described(people: tuple[Player, Player], checker: Checker) -> None:
    anna, ben = people
    table = anna.open(key="stream-models")
    anna.join(table, 1)
    ben.join(table, 2)
    described = checker.document["paths"][STREAM[1]]["get"]["responses"]["200"]["content"]["text/event-stream"]
    assert described["schema"]["type"] == "object"
    names = {part["$ref"].rsplit("/", 1)[1] for part in described["schema"]["anyOf"]}
    models: dict[str, type[BaseModel]] = {
        "version": VersionMessage,
        "presence": PresenceMessage,
        "reaction": ReactionMessage,
        "offer": OfferMessage,
        "ping": PingMessage,
    }
    assert names == {model.__name__ for model in models.values()}
    ben.http.event_hooks["response"] = []
    # Tables of rooms alone send offers (`tests/table/test_rooms.py`), and a sign of life comes after fifteen seconds.
    left = set(models) - {"offer", "ping"}
    with ben.http.stream("GET", f"/api/tables/{table}/stream?with=events") as stream:
        for kind, _, data in messages(stream.iter_lines()):
            parsed = models[kind].model_validate(data)
            assert parsed.model_dump(mode="json", exclude_unset=True) == data
            left.discard(kind)
            if not left:
                break
            if kind == "presence":
                anna.http.post(f"/api/tables/{table}/reactions", json={"reaction": "clap"})


def test_the_document_says_who_needs_a_token(server: Server, checker: Checker) -> None:
    document = checker.document
    assert document["servers"] == [{"url": "/"}]
    assert document["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    for method, path in sorted(checker.operations() - {STREAM}):
        operation = document["paths"][path][method]
        if "requestBody" in operation:
            assert ({} in operation["security"]) == (path == "/api/guests")
        else:
            answer = httpx.request(method, server.url + re.sub(r"\{\w+\}", "x", path))
            assert ({} in operation["security"]) == (answer.status_code != 401), path
    for body in ("OpenCommand", "ActCommand", "GuestName", "BotCommand"):
        assert any("examples" in part for part in document["components"]["schemas"][body]["properties"].values())
