import json

import httpx
import pytest

OPEN = {"game": "dicy-cards", "seats": ["open", "open"], "options": {"goal": "40"}, "key": "o"}


async def guest(client: httpx.AsyncClient, name: str) -> dict[str, str]:
    made = (await client.post("/api/guests", json={"name": name})).json()
    return {"authorization": f"Bearer {made['token']}"}


async def seated(client: httpx.AsyncClient) -> tuple[str, list[dict[str, str]]]:
    people = [await guest(client, "Anna"), await guest(client, "Ben")]
    opened = await client.post("/api/tables", json=OPEN, headers=people[0])
    assert opened.status_code == 201
    table = opened.json()["table"]
    invitation = (await client.get(f"/api/tables/{table}", headers=people[0])).json()["invitation"]
    assert (await client.get(f"/api/invitations/{invitation}")).json() == {"table": table}
    for headers in people:
        body = {"version": 1, "key": "j", "invitation": invitation, "contribution": "abc"}
        assert (await client.post(f"/api/tables/{table}/join", json=body, headers=headers)).status_code == 200
    return table, people


async def test_a_whole_game_over_http(client: httpx.AsyncClient) -> None:
    table, people = await seated(client)
    while True:
        for headers in people:
            view = (await client.get(f"/api/tables/{table}", headers=headers)).json()
            if view["legal"]:
                break
        if view["status"] == "over":
            break
        body = {"version": view["version"], "key": f"m{view['version']}", "seat": view["acting"]}
        body["action"] = view["legal"][0]
        answer = await client.post(f"/api/tables/{table}/act", json=body, headers=headers)
        assert answer.status_code == 200, answer.text
        assert answer.json()["version"] == view["version"] + 1
        again = await client.post(f"/api/tables/{table}/act", json=body, headers=headers)
        assert again.content == answer.content
    events = (await client.get(f"/api/tables/{table}/events", params={"after": 3})).json()["events"]
    assert [event["version"] for event in events] == list(range(4, view["version"] + 1))
    record = (await client.get(f"/api/tables/{table}/record")).text
    assert f"seed: {view['seed']}" in record
    mine = (await client.get("/api/me/tables", headers=people[0])).json()["tables"]
    assert [found["id"] for found in mine] == [table]


async def test_every_command_has_its_address(client: httpx.AsyncClient) -> None:
    table, (anna, ben) = await seated(client)

    async def post(path: str, headers: dict[str, str], **body: object) -> httpx.Response:
        return await client.post(f"/api/tables/{table}/{path}", json=body, headers=headers)

    assert (await post("reactions", anna, reaction="clap")).status_code == 204
    assert (await post("reactions", anna, reaction="rude")).json()["code"] == "bad-reaction"
    assert (await post("act", anna, version=3, key="a", seat=1, action="roll")).status_code == 200
    assert (await post("undo", anna, version=4, key="u", seat=1)).json()["code"] == "nothing-to-undo"
    assert (await post("bot", anna, version=4, key="b", seat=2, bot="greedy")).json()["code"] == "not-waiting"
    assert (await post("unseat", ben, version=4, key="f", seat=1)).json()["code"] == "not-host"
    assert (await post("unseat", anna, version=4, key="f", seat=2)).json()["code"] == "not-waiting"
    assert (await post("stand-in", ben, version=4, key="s", seat=1)).json()["code"] == "not-gone"
    # Anna is to act: the bot on Ben's seat waits, and the version stays.
    assert (await post("resign", ben, version=4, key="r", seat=2)).json()["event"]["why"] == "resigned"
    assert (await post("rematch", anna, version=5, key="x")).json()["code"] == "not-over"
    assert (await post("close", ben, version=5, key="c")).json()["code"] == "not-host"
    assert (await post("close", anna, version=5, key="c")).json()["event"]["why"] == "host"
    cleo = await guest(client, "Cleo")
    assert (await post("rematch", cleo, version=6, key="x")).json()["code"] == "not-your-seat"
    # Ben played here until he resigned, so he may ask for a rematch too.
    new = (await post("rematch", ben, version=6, key="x")).json()["event"]["table"]
    late = (await post("rematch", anna, version=7, key="y")).json()
    assert (late["code"], late["table"]) == ("rematch-open", new)
    view = (await client.get(f"/api/tables/{new}", headers=anna)).json()
    assert (view["status"], view["previous"]) == ("waiting", table)
    closing = {"version": 1, "key": "c"}
    assert (await client.post(f"/api/tables/{new}/close", json=closing, headers=ben)).status_code == 200
    view = (await client.get(f"/api/tables/{table}", headers=anna)).json()
    assert (view["rematch"], view["gone"]) == (None, None)
    assert (await post("rematch", anna, version=view["version"], key="y")).json()["event"]["table"] != new


async def test_who_leaves_a_running_game_is_replaced_by_a_bot(client: httpx.AsyncClient) -> None:
    table, (anna, _) = await seated(client)
    body = {"version": 3, "key": "l", "seat": 1}
    left = (await client.post(f"/api/tables/{table}/leave", json=body, headers=anna)).json()["event"]
    assert (left["kind"], left["why"], left["bot"]) == ("bot", "left", "greedy")


async def test_stale_moves_say_so(client: httpx.AsyncClient) -> None:
    table, (anna, _) = await seated(client)
    body = {"version": 3, "key": "a", "seat": 1, "action": "roll"}
    assert (await client.post(f"/api/tables/{table}/act", json=body, headers=anna)).status_code == 200
    answer = await client.post(f"/api/tables/{table}/act", json={**body, "key": "b"}, headers=anna)
    assert answer.status_code == 409
    assert answer.json() == {
        "code": "stale",
        "reason": "The game has moved on: you saw version 3, it is at 4.",
        "version": 4,
    }


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"null",
        b"{",
        b"[" * 9000,
        b"\xff\xfe",
        b'{"version":1}',
        b'{"version":1,"key":"k","seat":1,"action":"roll","more":1}',
        b'{"version":"1","key":"k","seat":1,"action":"roll"}',
        b'{"version":true,"key":"k","seat":1,"action":"roll"}',
        b'{"version":1e400,"key":"k","seat":1,"action":"roll"}',
        b'{"version":1,"key":"k","seat":null,"action":"roll"}',
        b'{"version":1,"key":5,"seat":1,"action":"roll"}',
        b'{"version":1,"key":"k","seat":1,"action":["roll"]}',
        b'{"version":-1,"key":"k","seat":1,"action":"roll"}',
        b'{"version":99999999999999999999,"key":"k","seat":1,"action":"roll"}',
        b'{"version":3,"key":"k","seat":1,"action":"\\ud800"}',
        b'{"version":3,"key":"k","seat":1,"action":"\\u0000"}',
    ],
)
async def test_moves_that_are_no_moves_are_refused(client: httpx.AsyncClient, content: bytes) -> None:
    table, (anna, _) = await seated(client)
    answer = await client.post(f"/api/tables/{table}/act", content=content, headers=anna)
    assert answer.status_code in (400, 422), answer.text
    assert set(json.loads(answer.content)) >= {"code", "reason"}


async def test_errors_are_json_with_a_code(client: httpx.AsyncClient) -> None:
    for method, path, status in [
        ("GET", "/api/nothing", 404),
        ("DELETE", "/api/tables", 405),
        ("GET", "/api/tables/nobody-knows", 404),
        ("GET", "/api/invitations/nobody-knows", 404),
        ("GET", "/api/tables/x/events?after=-1", 422),
        ("GET", "/api/tables/x/events?after=zzz", 422),
        ("GET", "/api/tables/" + "x" * 40, 422),
        ("POST", "/api/guests", 422),
    ]:
        answer = await client.request(method, path)
        assert answer.status_code == status, path
        assert answer.json()["code"]
        assert answer.json()["reason"].endswith(".")


async def test_what_can_be_opened_is_told(client: httpx.AsyncClient) -> None:
    told = (await client.get("/api/games")).json()
    assert {game["game"] for game in told["games"]} == {"dicy-cards", "dice-stars"}
    assert "none" in told["clocks"]
    assert told["games"][0]["seats"][0]["bots"]


async def test_the_schema_tells_everything(client: httpx.AsyncClient) -> None:
    schema = (await client.get("/api/openapi.json")).json()
    act = schema["paths"]["/api/tables/{table}/act"]["post"]
    body = schema["components"]["schemas"]["ActCommand"]
    assert set(body["required"]) == {"version", "key", "seat", "action"}
    assert {"409", "429", "503"} <= set(act["responses"])
    assert "/api/tables/{table}/stream" in schema["paths"]
