"""Bad networks for tests of the page: answers that fail, and a person at a table who gets them."""

from collections.abc import Callable

from playwright.sync_api import BrowserContext, Locator, Page, Route

from starfrost.web.guests import COOKIE
from tests.serving import Player as Guest

MakeContext = Callable[..., BrowserContext]

# What the page says about an answer that does not come from Starfrost itself, such as a proxy's.
SENT = {
    403: "The server refused this. Nothing was done.",
    429: "Too many requests. This continues by itself in a moment.",
    500: "The server does not answer. Nothing is lost: this is sent again by itself.",
    503: "The server does not answer. Nothing is lost: this is sent again by itself.",
}
OFFLINE = "No connection. Nothing is lost: this is sent as soon as you are back."


class Fault:
    """Answers some requests of a page with a status, or not at all, until it is repaired."""

    def __init__(self, page: Page, pattern: str) -> None:
        self.status: int | None = None
        self.seen = 0
        page.route(pattern, self._answer)

    def _answer(self, route: Route) -> None:
        self.seen += 1
        if self.status is None:
            route.continue_()
        elif self.status == 0:
            route.abort()
        else:
            headers = {"retry-after": "1"} if self.status == 429 else {}
            route.fulfill(status=self.status, headers=headers, body="<main>A proxy's page</main>")


class Seat:
    """A person at a table that was opened over the JSON interface."""

    def __init__(self, context: MakeContext, site: str, seats: tuple[str, ...] = ("open", "open")) -> None:
        self.anna, self.ben = Guest(site), Guest(site, "Ben")
        self.site = site
        self.table = self.anna.open(seats=seats)
        self.anna.join(self.table)
        self.make = context

    def browser(self, guest: Guest) -> Page:
        page = self.make(errors=False).new_page()
        self.belong_to(guest, page)
        return page

    def belong_to(self, guest: Guest, page: Page) -> None:
        """Let a page be a guest's from now on."""
        page.context.add_cookies([{"name": COOKIE, "value": guest.token, "url": self.site}])

    def page(self) -> Page:
        page = self.browser(self.anna)
        self.visit(page)
        return page

    def visit(self, page: Page) -> None:
        page.goto(f"{self.site}/t/{self.table}")
        page.wait_for_load_state()

    def events(self, kind: str) -> int:
        found = self.anna.get(f"/tables/{self.table}/events")["events"]
        return sum(event["kind"] == kind for event in found)

    def act(self, guest: Guest, verb: str = "") -> None:
        legal = guest.get(f"/tables/{self.table}")["legal"]
        guest.move(self.table, next(action for action in legal if action.startswith(verb)))

    def skip_to_roll(self, page: Page | None = None) -> None:
        """Skip, without a point, until it is Anna's turn to roll and her page, if she has one, asks for that."""
        while (view := self.anna.get(f"/tables/{self.table}"))["legal"] != ["roll"]:
            mover = self.anna if view["legal"] else self.ben
            legal = mover.get(f"/tables/{self.table}")["legal"]
            mover.move(self.table, "skip" if "skip" in legal else None)
        if page:
            page.locator(f"main[data-turn][data-version='{view['version']}']:not([data-more])").wait_for()


def two_people(context: MakeContext, site: str) -> Seat:
    """Start a game of two people in which it is Anna's turn to roll."""
    seat = Seat(context, site)
    seat.ben.post(f"/tables/{seat.table}/join", version=2, key="b", contribution="x")
    return seat


def moved_on(page: Page) -> Locator:
    """Return the board after the step that it shows now."""
    return page.locator(f"main[data-step]:not([data-step='{page.locator('main').get_attribute('data-step')}'])")


def line(page: Page) -> Locator:
    return page.locator("#line span:visible")


def go(page: Page) -> Locator:
    return page.locator(".bar .go:visible:enabled")
