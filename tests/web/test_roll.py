"""Rolls: nothing is told before the dice have settled, a second tap plays nothing, and only cheap properties move."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.web.conftest import serving
from tests.web.player import Player
from tests.web.test_network import SENT, Fault, line

MakePlayer = Callable[..., Player]
GAMES = pytest.mark.parametrize("game", ["dicy-cards", "dice-stars"])
DELAYS = (60, 150, 250, 350)

# Notes what the page tells whenever something on it changes.
WATCH = """() => {
  const text = (selector) => [...document.querySelectorAll(selector)].map((one) => one.textContent.trim()).join(" | ");
  window.told = [];
  const note = () => told.push({
    phase: document.documentElement.dataset.phase ?? "",
    rolling: document.querySelectorAll(".rolling").length,
    step: main.dataset.step,
    active: document.querySelectorAll(".bar button:not([disabled], [aria-disabled], #undo)").length,
    points: [...document.querySelectorAll(".pts")].filter((one) => getComputedStyle(one).opacity !== "0").length,
    scores: text(".lane .score"),
    ticks: [...document.querySelectorAll(".tick")].filter((one) => getComputedStyle(one).scale !== "0").length,
    news: [document.title, ...["#said", ".story", ".takes", ".log"].map(text)].join("\\n"),
  });
  note();
  new MutationObserver(note).observe(document.documentElement, {
    subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ["data-phase", "data-step"],
  });
}"""

# Taps the middle of the large button, and the same place again some milliseconds later.
DOUBLE_TAP = """([button, delay]) => new Promise((done) => {
  const box = button.getBoundingClientRect();
  const tap = () => {
    const under = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    under?.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
    under?.click();
  };
  tap();
  setTimeout(() => { tap(); done(); }, delay);
})"""


def told(page: Page) -> list[dict[str, Any]]:
    notes: list[dict[str, Any]] = page.evaluate("told")
    return notes


def ready(one: Player) -> Player:
    """Wait until the page asks, with all its scripts."""
    one.my_turn()
    one.page.wait_for_load_state()
    return one


def moves_of(one: Player) -> int:
    events: list[dict[str, Any]] = one.page.evaluate(
        "fetch(`/api/tables/${main.dataset.table}/events`).then((answer) => answer.json()).then((body) => body.events)"
    )
    return sum(event["kind"] == "act" and event["seat"] == 1 for event in events)


@GAMES
@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_double_tap_plays_once(player: MakePlayer, game: str, motion: str) -> None:
    one = ready(player(reduced_motion=motion, has_touch=True).quick(game))
    # A roll and a choice follow one another: each meets every pause.
    for number, delay in enumerate(DELAYS + DELAYS[1:] + DELAYS[:1]):
        step = one.step
        one.choose()
        expect(one.button).to_be_enabled()
        one.button.evaluate("(button, delay) => (" + DOUBLE_TAP + ")([button, delay])", delay)
        one.page.locator(f"main:not([data-step='{step}'])").wait_for()
        assert one.my_turn()
        assert moves_of(one) == number + 1, f"{delay} ms"


@GAMES
def test_nothing_is_told_before_the_dice_have_settled(player: MakePlayer, game: str) -> None:
    one = ready(player(reduced_motion="no-preference", pace="brisk").quick(game))
    one.page.evaluate(WATCH)
    one.tap()
    notes = told(one.page)
    before, after = notes[0], notes[-1]
    rolled = [note for note in notes if note["phase"]]
    assert list(dict.fromkeys(note["phase"] for note in notes)) == ["", "tumbling", "settling"]
    assert rolled[-1]["rolling"] == (6 if game == "dicy-cards" else 3)
    for note in rolled:
        assert {name: note[name] for name in ("news", "step", "scores")}.items() <= before.items()
        assert not note["points"]
        assert not note["active"]
    # No die looks picked that nobody has picked.
    assert not any(note["ticks"] for note in notes)
    assert after["news"] != before["news"]
    assert "You roll" in after["news"]
    # The rolls of others are no different; their dice are not rolled by a tap.
    one.tap()
    one.my_turn()
    later = told(one.page)[len(notes) :]
    others = [note for note in later if note["phase"]]
    assert others
    for note in others:
        assert note["news"] == next(seen["news"] for seen in later if seen["step"] == note["step"])


def test_only_the_dice_that_are_rolled_tumble(player: MakePlayer) -> None:
    one = ready(player(reduced_motion="no-preference").quick("dicy-cards"))
    one.tap()
    page = one.page
    page.evaluate(WATCH)
    page.locator("[name=die]").nth(4).check()
    page.locator("[name=die]").nth(5).check()
    page.locator("[name=card]").first.check()
    kept = page.locator("[name=die]:not(:checked)").evaluate_all("all => all.map((one) => one.value).join('')")
    page.locator("#again").click()
    expect(page.locator(".die.fresh input")).to_have_count(2)
    rolled = [note for note in told(page) if note["phase"]]
    assert {note["rolling"] for note in rolled[1:]} == {2}
    assert page.locator(".die:not(.fresh) input").evaluate_all("all => all.map((one) => one.value).join('')") == kept


def test_keys_do_nothing_while_dice_roll(player: MakePlayer) -> None:
    one = ready(player(reduced_motion="no-preference").quick("dicy-cards"))
    one.page.evaluate(
        """() => new MutationObserver(() => {
             for (const key of ["1", "q", "Enter"])
               document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
             for (const one of document.querySelectorAll(".play input, .play button")) one.click();
           }).observe(document.documentElement, { attributes: true, attributeFilter: ["data-phase"] })"""
    )
    one.page.locator("#go").click()
    expect(one.page.locator(".with-none")).to_be_visible()
    assert (one.step, moves_of(one)) == (1, 1)
    expect(one.page.locator(".play :checked")).to_have_count(0)


@GAMES
def test_with_reduced_motion_the_result_is_there_at_once(player: MakePlayer, game: str) -> None:
    one = ready(player(reduced_motion="reduce", pace="brisk").quick(game))
    one.page.evaluate(WATCH)
    one.tap()
    one.choose()
    one.tap()
    one.my_turn()
    assert not [note for note in told(one.page) if note["phase"] or note["rolling"]]
    assert not one.page.evaluate("document.getAnimations().filter((one) => one.effect.getTiming().duration > 1).length")


@GAMES
def test_a_roll_animates_only_what_needs_no_layout(player: MakePlayer, game: str) -> None:
    one = ready(
        player(reduced_motion="no-preference", pace="brisk", viewport={"width": 390, "height": 844}).quick(game)
    )
    one.page.context.new_cdp_session(one.page).send("Emulation.setCPUThrottlingRate", {"rate": 4})
    one.page.evaluate(
        """() => {
             window.moved = {};
             const look = () => {
               const phase = document.documentElement.dataset.phase;
               if (phase) for (const { effect } of document.getAnimations()) for (const frame of effect.getKeyframes())
                 for (const name of Object.keys(frame)) (moved[name] ??= new Set()).add(effect.target.className);
               requestAnimationFrame(look);
             };
             look();
           }"""
    )
    one.tap()
    moved = set(one.page.evaluate("Object.keys(moved)")) - {"offset", "computedOffset", "easing", "composite"}
    assert moved == {"transform", "opacity"}


# Counts, while dice tumble, changes of the page and questions that force a layout.
QUIET = """() => {
  window.unquiet = [];
  let frames = 0;
  const tumbles = () => document.documentElement.dataset.phase === "tumbling" && frames > 1;
  const count = () => {
    frames = document.documentElement.dataset.phase === "tumbling" ? frames + 1 : 0;
    window.longest = Math.max(window.longest ?? 0, frames);
    requestAnimationFrame(count);
  };
  count();
  const note = (what) => tumbles() && unquiet.push(what);
  new MutationObserver((changes) => {
    for (const { target, attributeName } of changes)
      if (target !== document.documentElement) note(`${target.nodeName} ${attributeName ?? ""}`);
  }).observe(document.documentElement, { subtree: true, childList: true, characterData: true, attributes: true });
  const asks = [
    [Element.prototype, ["clientWidth", "clientHeight", "scrollTop", "scrollLeft", "scrollWidth", "scrollHeight"]],
    [HTMLElement.prototype, ["offsetWidth", "offsetHeight", "offsetTop", "offsetLeft", "offsetParent"]],
  ];
  for (const [type, names] of asks) for (const name of names) {
    const found = Object.getOwnPropertyDescriptor(type, name);
    Object.defineProperty(type, name, { ...found, get() { note(name); return found.get.call(this); } });
  }
  const calls = [
    [Element.prototype, ["getBoundingClientRect", "getClientRects", "checkVisibility"]],
    [window, ["getComputedStyle"]],
  ];
  for (const [type, names] of calls) for (const name of names) {
    const found = type[name];
    type[name] = function (...values) { note(name); return found.apply(this, values); };
  }
}"""


@GAMES
def test_nothing_asks_for_a_layout_while_dice_tumble(player: MakePlayer, game: str) -> None:
    one = ready(player(reduced_motion="no-preference", pace="calm").quick(game))
    # The stream tells who is present when it has connected; that is no part of the roll.
    expect(one.page.locator("[data-present]:not(.off)").first).to_be_attached()
    one.page.evaluate(QUIET)
    one.tap()
    assert one.page.evaluate("longest") > 2
    assert one.page.evaluate("unquiet") == []


# Notes the drawings that are laid over the page for a moment.
MOMENTS = """() => {
  window.laid = [];
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) for (const node of addedNodes) laid.push(node.className);
  }).observe(document.getElementById("cheers"), { childList: true });
}"""


def test_points_fly_to_the_score_and_a_frozen_card_has_its_moment(player: MakePlayer) -> None:
    one = ready(player(reduced_motion="no-preference").quick("dicy-cards"))
    one.tap()
    one.page.evaluate(MOMENTS)
    one.choose()
    gain = int("".join(filter(str.isdigit, one.button.inner_text().split(" ")[1])))
    one.tap()
    laid = one.page.evaluate("laid")
    assert "points over" in laid
    assert laid.count("spark flake over") >= 9
    expect(one.page.locator(".lane .score").first).to_contain_text(str(gain))


def test_a_doubled_row_has_its_moment(player: MakePlayer) -> None:
    one = ready(player(reduced_motion="no-preference").quick("dice-stars"))
    one.page.evaluate(MOMENTS)
    one.page.evaluate(
        """async () => {
             const { board } = await import(document.querySelector("script[src*=main]").src.replace("main", "boards"));
             const shown = board().watch(main);
             document.querySelector(".board > .sheet tbody tr .now").classList.add("twice");
             shown(main, false, false);
           }"""
    )
    assert one.page.evaluate("laid").count("spark star over") == 12


def test_sound_is_offered_once_and_remembered(player: MakePlayer) -> None:
    one = ready(player(reduced_motion="no-preference").quick("dicy-cards"))
    offer = one.page.locator("#offer")
    expect(offer).to_be_hidden()
    one.tap()
    expect(offer).to_be_visible()
    with one.page.expect_response("**/settings"):
        offer.get_by_role("button", name="Yes").press("Enter")
    expect(offer).to_be_hidden()
    one.page.reload()
    expect(one.page.locator("html")).to_have_attribute("data-sound", "on")
    ready(one).tap()
    ready(one).tap()
    expect(offer).to_be_hidden()


@pytest.fixture(scope="module")
def patient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give the address of a server whose bots wait for an undo, however slow this machine is."""
    with serving(tmp_path_factory.mktemp("patient"), STARFROST_UNDO_GRACE="600") as address:
        yield address


@GAMES
def test_bots_wait_for_an_undo_and_the_player_may_go_on(
    context: Callable[..., BrowserContext], patient: str, game: str
) -> None:
    one = ready(Player(context(reduced_motion="no-preference").new_page(), patient).quick(game))
    one.tap()
    step = one.step
    one.page.evaluate(WATCH)
    one.tap()
    expect(one.page.locator("#undo")).to_be_enabled()
    expect(one.page.locator("#go-on")).to_be_enabled()
    one.page.locator("#undo").click()
    one.page.locator(f"main[data-turn][data-step='{step}']").wait_for()
    # The dice of the roll before lie there again; they are not rolled again.
    assert not [note for note in told(one.page) if note["phase"]]
    one.tap()
    one.page.locator("#go-on").click()
    assert one.my_turn()
    assert one.step > step + 1
    expect(one.page.locator("#undo")).to_be_hidden()


def test_go_on_says_that_it_did_not_arrive(context: Callable[..., BrowserContext], patient: str) -> None:
    """As with a reaction: it is not kept, because the bots go on by themselves."""
    one = ready(Player(context(errors=False).new_page(), patient).quick("dice-stars"))
    one.tap()
    one.tap()
    fault = Fault(one.page, "**/on")
    for status in SENT:
        fault.status = status
        one.page.locator("#go-on").click()
        expect(line(one.page)).to_have_text("The server cannot be reached just now. Try again in a moment.")
        expect(one.page.locator("#go-on")).to_be_enabled()
        one.page.locator("#line button").click()
    fault.status = None
    one.page.locator("#go-on").click()
    assert one.my_turn()
    expect(one.page.locator("#undo")).to_be_hidden()
