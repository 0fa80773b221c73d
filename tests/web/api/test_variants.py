"""Tables with rules of their own over HTTP: opened, marked everywhere, refused in one sentence, never counted."""

from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import select

from starfrost.errors import UsageError
from starfrost.games.record import parse_record, replay
from starfrost.games.setup import read_variant, variant_of
from starfrost.table import Settings
from starfrost.table.log import USUAL_FORMAT, VARIANT_FORMAT
from starfrost.table.results import results_of
from starfrost.table.schema import events
from tests.variants import GENEROUS_ODDS, LUCKY, STARRY_DICE


async def guest(client: httpx.AsyncClient, name: str) -> dict[str, str]:
    made = (await client.post("/api/guests", json={"name": name})).json()
    return {"authorization": f"Bearer {made['token']}"}


async def opened(client: httpx.AsyncClient, rules: str, game: str, *seats: str) -> httpx.Response:
    body = {"game": game, "seats": seats or ["open"], "options": {"rules": rules}, "key": "o", "public": True}
    return await client.post("/api/tables", json=body, headers=await guest(client, "Host"))


@pytest.mark.parametrize(("rules", "game"), [(LUCKY, "dicy-cards"), (STARRY_DICE, "dice-stars")])
async def test_a_whole_game_of_a_variant(client: httpx.AsyncClient, app: FastAPI, rules: str, game: str) -> None:
    variant = read_variant(rules)
    table = (await opened(client, rules, game, "open", "open")).json()["table"]
    people = [await guest(client, "Anna"), await guest(client, "Ben")]
    for headers in people:
        body = {"version": 1, "key": "j", "contribution": "abc"}
        assert (await client.post(f"/api/tables/{table}/join", json=body, headers=headers)).status_code == 200
    view = (await client.get(f"/api/tables/{table}", headers=people[0])).json()
    assert view["headers"]["variant"] == f"{variant.digest} {variant.name}"
    page = (await client.get(f"/t/{table}")).text
    assert f"Variant “{variant.name}”" in page
    while view["status"] != "over":
        headers = people[view["acting"] - 1]
        view = (await client.get(f"/api/tables/{table}", headers=headers)).json()
        body = {"version": view["version"], "key": f"m{view['version']}", "seat": view["acting"]}
        body["action"] = view["legal"][0]
        assert (await client.post(f"/api/tables/{table}/act", json=body, headers=headers)).status_code == 200
        view = (await client.get(f"/api/tables/{table}", headers=headers)).json()
    record = parse_record((await client.get(f"/api/tables/{table}/record")).text)
    assert replay(record).finished
    assert variant_of(record.game) == {"name": variant.name, "digest": variant.digest}
    snapshot = (await app.state.service._tables.read(table)).snapshot
    opening = select(events.c.format).where(events.c.table_id == table, events.c.seq == 1)
    async with app.state.service._store.read() as connection:
        # An older server leaves the table alone.
        assert (await connection.execute(opening)).scalar() == VARIANT_FORMAT > USUAL_FORMAT
    found = results_of(snapshot, snapshot.state, snapshot.moves, 0.0)
    assert not any(result.counts or result.rated for result in found)
    assert {result.mode for result in found} == {f"variant:{variant.name}"}
    assert f"Variant “{variant.name}”" in (await client.get(f"/after/{table}")).text


async def test_rules_with_a_fault_are_refused_in_one_sentence(client: httpx.AsyncClient) -> None:
    refused = await opened(client, LUCKY.replace("goal = 40", "goal = 0"), "dicy-cards")
    assert refused.status_code == 422
    assert refused.json()["reason"] == "rules: goal must be a whole number from 1 to 999999, not '0'."
    other = await opened(client, STARRY_DICE, "dicy-cards")
    assert other.json()["reason"] == "rules: game must be one of dicy-cards, not 'dice-stars'."


async def test_bots_that_know_only_the_official_rules_are_not_at_the_table(client: httpx.AsyncClient) -> None:
    made = (await client.post("/api/guests", json={"name": "Anna"})).json()
    body = {"game": "dice-stars", "seats": ["open", "bot:strong"], "options": {"rules": STARRY_DICE}, "key": "o"}
    refused = await client.post("/api/tables", json=body, headers={"authorization": f"Bearer {made['token']}"})
    assert refused.json()["code"] == "no-bot"


async def test_the_form_takes_rules_as_text_or_as_a_file(client: httpx.AsyncClient) -> None:
    form = {"game": "dicy-cards", "who": "bots", "bots": "1", "bot": "strong", "mode": "b", "goal": "77", "key": "k"}
    wrong = await client.post("/play", data={**form, "rules": GENEROUS_ODDS.replace("sum + 3", "lots")})
    assert wrong.status_code == 422
    assert "rules: card.odds.points must be a formula such as" in wrong.text.replace("&#39;", "'")
    assert "lots" in wrong.text
    assert 'name="rules"' in wrong.text
    for sent in (
        {"data": {**form, "rules": GENEROUS_ODDS}},
        {"data": form, "files": {"rules_file": ("my.toml", GENEROUS_ODDS)}},
    ):
        answer = await client.post("/play", **sent)  # type: ignore[arg-type]
        assert answer.status_code == 303
        page = (await client.get(answer.headers["location"].split("?")[0])).text
        assert "Variant “Generous odds”" in page
        # The cards are the file's, the goal the form's, since the file does not decide it.
        assert "forty-minus" in page
    binary = await client.post("/play", data=form, files={"rules_file": ("my.toml", b"\xff\xfe")})
    assert binary.status_code == 422
    assert "is not a text in UTF-8." in binary.text


async def test_a_host_offers_variants(client: httpx.AsyncClient, app: FastAPI, tmp_path: Path) -> None:
    (tmp_path / "odds.toml").write_text(GENEROUS_ODDS)
    (tmp_path / "stars.toml").write_text(STARRY_DICE)
    files = ", ".join(str(tmp_path / name) for name in ("odds.toml", "stars.toml"))
    app.state.settings = Settings(database=app.state.settings.database, variants=files)
    digest = read_variant(GENEROUS_ODDS).digest
    page = (await client.get("/new/dicy-cards")).text
    assert f'<option value="{digest}">Generous odds</option>' in page
    assert "Starry dice" not in page
    form = {"game": "dicy-cards", "who": "bots", "bots": "1", "bot": "greedy", "mode": "b", "key": "k"}
    answer = await client.post("/play", data={**form, "variant": digest})
    assert "Variant “Generous odds”" in (await client.get(answer.headers["location"].split("?")[0])).text
    (tmp_path / "odds.toml").write_text(GENEROUS_ODDS.replace("sum + 3", "lots"))
    with pytest.raises(UsageError, match=r"odds\.toml: card\.odds\.points must be a formula"):
        _ = Settings(variants=files).offered
