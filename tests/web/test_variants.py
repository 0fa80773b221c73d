"""A variant on the page: pasted into the set-up, refused with its reason, played to the end and marked everywhere."""

from collections.abc import Callable

from playwright.sync_api import expect

from tests.variants import GENEROUS_ODDS, STARRY_DICE
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
