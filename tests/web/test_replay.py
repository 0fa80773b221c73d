"""Replays: a table's game and any record, by taps, keys and links; faulty ones get a line and a sentence."""

import re
from collections.abc import Callable
from hashlib import sha256

import httpx
import pytest
from playwright.sync_api import BrowserContext, expect

from starfrost.words import LANGUAGES, Words
from tests.games.records import GOOD, RECORDS, bent
from tests.serving import Player as Guest
from tests.waiting import eventually
from tests.web.conftest import DESK, PHONE
from tests.web.player import Player
from tests.web.test_access import THEMES, serious

MakePlayer = Callable[..., Player]


def where(one: Player) -> int:
    return int(one.main.get_attribute("data-number") or -1)


@pytest.mark.parametrize(("game", "size"), [("dicy-cards", PHONE), ("dice-stars", DESK)])
def test_walking_through_a_table(
    player: MakePlayer, finished: Callable[[str], str], game: str, size: dict[str, int]
) -> None:
    one = player(viewport=size).open(f"/after/{finished(game)}")
    page = one.page
    page.get_by_role("link", name="Replay", exact=True).click()
    expect(page.locator(".walked")).to_contain_text("0 /")
    page.locator("#walk-on").click()
    expect(page.locator(".walked")).to_contain_text("1 /")
    one.press("ArrowRight")
    expect(page.locator(".walked")).to_contain_text("2 /")
    one.press("ArrowLeft")
    expect(page.locator(".walked")).to_contain_text("1 /")
    address = page.url
    one.press("End")
    last = int(page.locator("#walk-slide").get_attribute("max") or 0)
    expect(page.locator(".walked")).to_have_text(f"{last} / {last}")
    page.locator("#walk-slide").evaluate(
        "slide => { slide.value = 3; slide.dispatchEvent(new Event('change', {bubbles: true})); }"
    )
    expect(page.locator(".walked")).to_contain_text("3 /")
    page.locator(".moves a").nth(5).click()
    expect(page.locator(".walked")).to_contain_text("5 /")
    expect(page.locator(".moves a").nth(5)).to_have_attribute("aria-current", "step")
    # A position has an address that anybody can open.
    other = player().open(address.removeprefix(one.site))
    assert where(other) == 1
    assert not other.page.locator(".bar .btn").count()


# Notes each roll when its dice begin to tumble: how many there are, and what the tray says about them.
ROLLS = """() => {
  window.rolls = [];
  new MutationObserver(() => {
    if (document.documentElement.dataset.phase === "settling")
      rolls.push([
        document.querySelectorAll(".rolling").length,
        getComputedStyle(document.querySelector("[data-tray]"), "::after").content,
      ]);
  }).observe(document.documentElement, { attributes: true, attributeFilter: ["data-phase"] });
}"""


def test_dice_roll_in_a_replay_and_the_last_roll_has_its_moment(player: MakePlayer, site: str) -> None:
    anna = Guest(site)
    table = anna.open("dicy-cards", ("open", "bot:greedy"), options={"mode": "glacial", "goal": "1"}, key="short")
    anna.join(table)
    eventually(lambda: anna.move(table) is None and anna.get(f"/tables/{table}")["status"] == "over")
    one = player(reduced_motion="no-preference").open(f"/replay/{table}?step=0")
    one.page.wait_for_load_state()
    one.page.evaluate(ROLLS)
    for step in range(1, int(one.page.locator("#walk-slide").get_attribute("max") or 0) + 1):
        one.page.locator("#walk-on").click()
        expect(one.page.locator(".walked")).to_contain_text(f"{step} /")
    rolls = one.page.evaluate("rolls")
    assert rolls[0] == [6, "none"]
    assert rolls[-1] == [6, '"The last roll!"']


def test_playing_and_pausing(player: MakePlayer, finished: Callable[[str], str]) -> None:
    page = player().open(f"/replay/{finished('dicy-cards')}?step=0").page
    page.locator("#walk-speed").select_option("200")
    page.locator("#walk-play").click()
    expect(page.locator("#walk-play")).to_have_text("Pause")
    expect(page.locator(".walked")).to_contain_text(re.compile(r"^[2-9] /"))
    page.locator("#walk-play").click()
    expect(page.locator("#walk-play")).to_have_text("Play")
    assert page.locator("#walk-speed").input_value() == "200"


def test_a_record_from_elsewhere(player: MakePlayer) -> None:
    one = player().open("/replay")
    page = one.page
    page.locator("[name=file]").set_input_files({"name": "a.sfr", "mimeType": "text/plain", "buffer": GOOD.encode()})
    page.get_by_role("button", name="Show the game").click()
    expect(page.locator("#lane-1")).to_contain_text("Ada")
    one.press("End")
    expect(page.locator("#lane-2 .score")).to_contain_text("25")
    address = page.url.removeprefix(one.site)
    assert len(address) < 2000
    # The whole record travels in the link: nobody keeps it, and everybody can open it.
    other = player().open(address)
    expect(other.page.locator("#lane-2 .score")).to_contain_text("25")


def test_pasted_text_without_scripts(context: Callable[..., BrowserContext], site: str) -> None:
    page = context(java_script_enabled=False).new_page()
    page.goto(f"{site}/replay")
    page.locator("[name=text]").fill(GOOD)
    page.get_by_role("button", name="Show the game").click()
    expect(page.locator(".walked")).to_contain_text("0 /")
    for number in range(1, 4):
        page.locator("#walk-on").click()
        expect(page.locator(".walked")).to_contain_text(f"{number} /")
    page.locator("#walk-back").click()
    expect(page.locator(".walked")).to_contain_text("2 /")
    page.locator(".moves a").last.click()
    expect(page.locator("#lane-2 .score")).to_contain_text("25")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("<script>alert(1)</script>", 1),
        (bent({2: "game: chess"}), 2),
        (bent({14: "1 score odds 999"}), 14),
        (bent({10: "* 777777"}), 10),
        (bent({7: "result: 100 0"}), 7),
    ],
)
def test_faulty_records(site: str, text: str, line: int) -> None:
    answer = httpx.post(f"{site}/replay", data={"text": text}, headers={"accept-language": "en"})
    assert answer.status_code == 422
    assert f"Line {line}:" in answer.text
    assert "<script>alert" not in answer.text
    # What was pasted is still there, to be mended.
    assert text.split("\n")[0].replace("<", "&lt;").replace(">", "&gt;") in answer.text


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "Expected a roll of six dice; found"),
        ("de", "Erwartet: ein Wurf mit sechs Würfeln; gefunden:"),
        ("nl", "Verwacht: een worp met zes dobbelstenen; gevonden:"),
        ("es", "Se esperaba: un lanzamiento de seis dados; se encontró:"),
    ],
)
def test_a_fault_is_told_in_the_reader_s_language(site: str, language: str, sentence: str) -> None:
    text = bent({10: "1 skip"})
    answer = httpx.post(f"{site}/replay", data={"text": text}, headers={"accept-language": language})
    assert f"<b>{Words(language)('Line %(line)s', line=10)}:</b> {sentence}" in answer.text


def test_every_faulty_vector_has_a_friendly_page(site: str) -> None:
    bad = sorted(RECORDS.glob("bad-*.sfr"))
    assert len(bad) > 5
    with httpx.Client(base_url=site) as visitor:
        for path in bad:
            answer = visitor.post("/replay", files={"file": (path.name, path.read_bytes())})
            assert answer.status_code == 422, path.name
            assert 'role="alert"' in answer.text


@pytest.mark.parametrize("data", [b"\xff\xfe\x00\x01", b"\x00" * 100, b"x" * 15_900, b"\x89PNG\r\n\x1a\n"])
def test_files_that_are_no_records(site: str, data: bytes) -> None:
    answer = httpx.post(f"{site}/replay", files={"file": ("a.sfr", data)})
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text


def test_a_file_that_is_far_too_large(site: str) -> None:
    answer = httpx.post(f"{site}/replay", files={"file": ("a.sfr", b"x" * 60_000)}, headers={"accept": "text/html"})
    assert answer.status_code == 413
    assert "This is too much at once." in answer.text
    assert 'href="/"' in answer.text


@pytest.mark.parametrize(
    "query",
    ["record=x", "record=%00", "record=" + "A" * 3000, "record=eJztwQEBAAAAgJD-r-4ICg", "step=x", "record=x&step=-5"],
)
def test_broken_links(site: str, query: str) -> None:
    answer = httpx.get(f"{site}/replay?{query}")
    assert 400 <= answer.status_code < 500
    assert "<h1" in answer.text


def test_a_record_too_long_for_a_link(site: str) -> None:
    noise = "".join(sha256(bytes([i])).hexdigest() for i in range(150))
    answer = httpx.post(f"{site}/replay", data={"text": GOOD.replace("date: ", f"note: {noise}\ndate: ")})
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text


def test_settings_keep_the_record(player: MakePlayer) -> None:
    page = player().open("/replay").page
    page.locator("[name=text]").fill(GOOD)
    page.get_by_role("button", name="Show the game").click()
    page.locator("#settings summary").click()
    page.locator("#settings [name=language]").select_option("es")
    expect(page.locator("html")).to_have_attribute("lang", "es")
    expect(page.locator("#lane-1")).to_contain_text("Ada")


@pytest.mark.parametrize("step", ["-3", "999999", "2"])
def test_a_step_is_never_out_of_reach(site: str, finished: Callable[[str], str], step: str) -> None:
    answer = httpx.get(f"{site}/replay/{finished('dicy-cards')}?step={step}")
    assert answer.status_code == 200


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language(site: str, finished: Callable[[str], str], language: str) -> None:
    w = Words(language)
    text = httpx.get(f"{site}/replay/{finished('dicy-cards')}?lang={language}").text
    assert w("All moves") in text
    assert w("Next move") in text
    assert w("Replay a game") in httpx.get(f"{site}/replay?lang={language}").text


@THEMES
def test_axe(player: MakePlayer, finished: Callable[[str], str], theme: str) -> None:
    one = player(color_scheme=theme, viewport=DESK if theme == "light" else PHONE, errors=False)
    for path in (f"/replay/{finished('dicy-cards')}?step=9", f"/replay/{finished('dice-stars')}?step=9", "/replay"):
        assert not serious(one.open(path).page), path
    one.page.get_by_role("button", name="Show the game").click()
    one.page.get_by_role("alert").wait_for()
    assert not serious(one.page)
