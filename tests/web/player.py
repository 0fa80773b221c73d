"""A person at the page: opens games, taps what the page offers, follows the turn."""

from playwright.sync_api import Locator, Page, expect

__all__ = ["PLAY", "Player"]

ASKED = "main[data-turn] .bar .btn:visible, main[data-turn] [data-need]:visible"

# What a choice scores: less than nothing if it is a card without points, nothing if it is no card.
POINTS = """(one) => {
    const card = one.closest(".card");
    return card ? Number(card.querySelector(".pts").textContent) || -1 : 0;
}"""
# The place of the choice that scores most, or −1.
BEST = f"""all => {{
    const points = {POINTS};
    return all.reduce((best, one, at) => best < 0 || points(one) > points(all[best]) ? at : best, -1);
}}"""

# Plays a game to its end with the choices that `Player` makes, by clicks from within the page.
PLAY = """async () => {
  const main = () => document.getElementById("main").dataset;
  const all = (what) => [...document.querySelectorAll(what)].filter((one) => one.checkVisibility());
  const until = (ready) => new Promise((done) => {
    const look = () => (ready() ? done() : setTimeout(look, 4));
    look();
  });
  const points = POINTS;
  for (;;) {
    await until(() => !("more" in main()) && ("turn" in main() || main().status === "over"));
    if (main().status === "over") return;
    const step = main().step;
    // Whoever touches something else has not tapped twice.
    document.body.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
    all("form.play [name=card], form.play [name=take]").sort((a, b) => points(b) - points(a))[0]?.click();
    for (let left = Number(all(".bar [data-need]")[0]?.dataset.need ?? 0); left; left--)
      document.querySelector("[name=row]:not(:checked)").click();
    const kinds = [".go:not([type=button])", ".one-of"];
    kinds.map((kind) => all(`.bar ${kind}`).at(-1)).find(Boolean).click();
    await until(() => main().step !== step);
  }
}""".replace("POINTS", POINTS)


def react(page: Page, name: str) -> None:
    """Send a reaction: on a phone they lie behind a button in the story."""
    button = page.locator(".cheering")
    if button.is_visible() and not page.locator("#cheering").is_checked():
        button.click()
    page.locator(f"[data-reaction={name}]").click()


class Player:
    """Plays by taps alone, as a person does: chooses something where that is asked for, then taps the large button."""

    def __init__(self, page: Page, site: str) -> None:
        self.page = page
        self.site = site
        self.touch = False

    @property
    def main(self) -> Locator:
        return self.page.locator("main")

    def open(self, path: str = "/") -> "Player":
        self.page.goto(self.site + path)
        return self

    def press(self, key: str) -> None:
        """Press a key once the page listens to keys: a page that is loaded has run its scripts."""
        self.page.wait_for_load_state()
        self.page.keyboard.press(key)

    def quick(self, game: str) -> "Player":
        """Start a game against a bot from the start page: one tap."""
        self.open("/")
        self.page.locator(f"#play-{game}").click()
        self.page.locator("main[data-step]").wait_for()
        return self

    def setup(self, game: str, *, who: str = "bots", goal: int = 100, **choices: object) -> "Player":
        """Fill the form that sets up a game and send it."""
        self.open(f"/new/{game}")
        form = self.page.locator("form.setup")
        form.locator(f"[name=who][value={who}]").check()
        if who == "friends" and not choices.pop("room", False):
            form.locator("[type=checkbox][name=room]").uncheck()
        for name, value in choices.items():
            form.locator(f"[name={name}][value='{value}']").check()
        if game == "dicy-cards":
            form.locator("[name=goal]").fill(str(goal))
        form.locator(".go-for:visible").click()
        self.page.locator("main:not([data-me=''])").wait_for()
        return self

    @property
    def status(self) -> str:
        return self.main.get_attribute("data-status") or ""

    @property
    def step(self) -> int:
        return int(self.main.get_attribute("data-step") or 0)

    @property
    def table(self) -> str:
        return self.main.get_attribute("data-table") or ""

    def my_turn(self) -> bool:
        """Wait until the page asks this person for something, or the game is over."""
        self.page.locator("main[data-turn]:not([data-more]), main[data-status=over]:not([data-more])").wait_for()
        return self.status != "over"

    def choose(self) -> None:
        """Choose the card that scores most, the first take or the first option of the list, where one is asked for."""
        choices = self.page.locator("form.play [name=card], form.play [name=take]")
        points = choices.evaluate_all(BEST)
        if points >= 0:
            choices.nth(points).check()
        elif self.page.locator("#action option[value='']").count():
            self.page.locator("#action").select_option(index=1)
        need = self.page.locator(".bar [data-need]:visible")
        if need.count():
            for _ in range(int(need.first.get_attribute("data-need") or 0)):
                self.page.locator("[name=row]:not(:checked)").first.check()

    @property
    def button(self) -> Locator:
        """The large button, or the last of several equal ones."""
        buttons = [self.page.locator(f".bar {kind}:visible") for kind in (".go:not([type=button])", ".one-of")]
        return next(found for found in buttons if found.count()).last

    def tap(self) -> None:
        """Take over a shared device, choose what is missing, then tap the button that plays it."""
        step = self.step
        taken = self.page.locator("#take-device:visible")
        if taken.count():
            taken.click()
        self.choose()
        self.button.click()
        self.page.locator(f"main:not([data-step='{step}']), main[data-status=over], .asking").first.wait_for()

    def play_quickly(self) -> None:
        """Play to the end of the game without a pause, for tests that look at what the page did meanwhile."""
        self.my_turn()
        self.page.evaluate(PLAY)
        expect(self.page.locator(".won")).to_be_visible()

    def play_on(self, taps: int = 400) -> int:
        """Play to the end of the game by taps; give their number."""
        for done in range(taps):
            if not self.my_turn():
                expect(self.page.locator(".won")).to_be_visible()
                return done
            self.tap()
        raise AssertionError("the game does not end")
