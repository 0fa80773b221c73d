"""A variant on the page: pasted into the set-up, refused with its reason, played to the end and marked everywhere."""

from collections.abc import Callable
from secrets import token_hex

import httpx
from playwright.sync_api import expect

from starfrost.games.dicy_cards import MODES
from starfrost.games.dicy_cards.coach.handicap import start_for
from tests.serving import Player as Guest
from tests.variants import GENEROUS_ODDS, STARRY_DICE
from tests.waiting import eventually
from tests.web.player import Player

SHORT = (
    GENEROUS_ODDS.replace('name = "Generous odds"', 'name = "Generous odds"\ngoal = 25').replace(
        '"straight"', '"low-run"'
    )
    + '\n[card.low-run]\nvalues = [1, 2, 3, 4]\npattern = "consecutive"\npoints = "2 * sum"\n'
)


def paste(anna: Player, game: str, rules: str) -> None:
    anna.open(f"/new/{game}")
    anna.page.get_by_text("Play my variant").click()
    anna.page.get_by_label("Rules (TOML)").fill(rules)


def test_a_variant_is_set_up_and_played_to_the_end(player: Callable[..., Player]) -> None:
    # The browser logs the refusal.
    anna = player(errors=False)
    paste(anna, "dicy-cards", SHORT.replace("sum + 3", "sum + many"))
    start = anna.page.get_by_role("button", name="Start the game")
    start.click()
    expect(anna.page.locator("#line")).to_contain_text("card.odds.points must be a formula such as")
    anna.page.get_by_label("Rules (TOML)").fill(SHORT)
    start.click()
    anna.page.wait_for_url("**/t/**")
    expect(anna.page.locator("body")).to_contain_text("Variant “Generous odds”")
    expect(anna.page.locator("#card-1-low-run")).to_contain_text("Low run")
    anna.play_quickly()
    table = anna.table
    anna.open(f"/after/{table}")
    expect(anna.main).to_contain_text("Variant “Generous odds”")
    anna.open(f"/replay/{table}?step=3")
    expect(anna.page.locator("body")).to_contain_text("Variant “Generous odds”")
    anna.open("/me/games")
    expect(anna.main).to_contain_text("Variant “Generous odds”")


def test_a_file_is_read_into_the_form(player: Callable[..., Player]) -> None:
    anna = player()
    anna.open("/new/dice-stars")
    anna.page.get_by_text("Play my variant").click()
    file = {"name": "starry.toml", "mimeType": "text/plain", "buffer": STARRY_DICE.encode()}
    anna.page.get_by_label("Or a file").set_input_files([file])  # type: ignore[list-item]
    expect(anna.page.get_by_label("Rules (TOML)")).to_have_value(STARRY_DICE)
    anna.page.get_by_role("button", name="Start the game").click()
    anna.page.wait_for_url("**/t/**")
    expect(anna.page.locator("body")).to_contain_text("Variant “Starry dice”")
    # Eight bonus spaces and star boxes at most, and a row of four bonus spaces at the bottom.
    expect(anna.page.locator(".sheet").first.locator("tbody tr").last.locator(".cell.green")).to_have_count(4)


def test_a_head_start_goes_to_whom_it_is_for(site: str) -> None:
    """Who gets it and who begins follow from the form; it stays where it is in a rematch; the result says how close."""
    asked = {"game": "dicy-cards", "mode": "glacial", "goal": "100", "head-start": "beginner expert"}
    start = start_for(MODES["glacial"].cards, 100, "beginner", "expert")
    assert start is not None

    def answer(**form: str) -> httpx.Response:
        with httpx.Client(base_url=site, follow_redirects=True) as client:
            return client.post("/play", data={**asked, "key": token_hex(8), **form})

    for ahead in (1, 2):
        opened = answer(who="bots", bots="1", bot="greedy", ahead=str(ahead))
        table = httpx.get(f"{site}/api/tables/{opened.url.path.rsplit('/', 1)[1]}").json()
        mine = [seat["kind"] for seat in table["seats"]].index("open")
        assert table["scores"][mine if ahead == 1 else 1 - mine] == start.points
        assert sum(table["scores"]) == start.points
        assert (mine == 0) == ((ahead == 1) == start.begins)
    names = answer(who="device", name1="Ann", name2="Bob", ahead="1").url.params.get_list("sit")
    assert names == (["Ann", "Bob"] if start.begins else ["Bob", "Ann"])
    assert "A head start is for two players." in answer(who="bots", bots="2").text
    assert "A fair head start is known only for" in answer(who="bots", bots="1", goal="60").text

    anna = Guest(site)
    rules = 'game = "dicy-cards"\nname = "ahead"\ngoal = 20\nhandicap = [4, 0]\n'
    table_id = anna.open(seats=("open", "bot:random"), options={"mode": "glacial", "rules": rules})
    anna.join(table_id)

    def over() -> bool:
        while anna.move(table_id):
            pass
        return bool(anna.get(f"/tables/{table_id}")["status"] == "over")

    eventually(over)
    scores = anna.get(f"/tables/{table_id}")["scores"]
    page = anna.http.get(f"{site}/t/{table_id}").text
    assert "With the head start of 4 points it ended" in page
    apart = abs(scores[0] - scores[1])
    assert (f"{apart} points apart" if apart > 1 else "one point apart" if apart else "ended even") in page
    again = anna.post(f"/tables/{table_id}/rematch", version=anna.get(f"/tables/{table_id}")["version"], key="r")
    seats = anna.get(f"/tables/{again['event']['table']}")["seats"]
    assert [seat["kind"] for seat in seats][1] == "bot", "the head start is still Anna's"
