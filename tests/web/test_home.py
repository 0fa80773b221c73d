"""The start page knows what its reader has done today, and what can be put away."""

import re

import pytest

from starfrost.games.dice_stars import DiceStars
from starfrost.games.dicy_cards import DicyCards
from starfrost.web.pages.puzzles import find, of_the_day, sets, today
from starfrost.words import Words
from starfrost.words.story import needed
from tests.serving import Player as Guest


def test_what_was_done_today_is_ticked(site: str) -> None:
    anna = Guest(site)
    fresh = anna.http.get("/").text
    assert 'id="daily-dicy-cards"' not in fresh
    assert "Puzzle of the day</a>" in fresh
    puzzle = of_the_day(sets()["dice-stars"], today())
    anna.http.post(f"/puzzles/{puzzle.id}", data={"action": str(find(puzzle.id)[2].answer)})
    page = anna.http.get("/").text
    assert page.count("Puzzle of the day</a>") == 1
    assert "Puzzle of the day: solved</a>" in page


def test_a_game_against_bots_can_be_closed_from_the_list(site: str) -> None:
    anna, ben = Guest(site, "Anna"), Guest(site, "Ben")
    alone = anna.open("dicy-cards", ("open", "bot:greedy"))
    anna.join(alone)
    shared = anna.open("dicy-cards", ("open", "open"), key="shared")
    anna.join(shared)
    ben.join(shared, 2)

    def listed(table: str) -> tuple[bool, bool]:
        line = re.search(rf'<a href="/t/{table}">.*?</li>', anna.http.get("/").text)
        return line is not None, line is not None and "/me/dismiss" in line[0]

    assert (listed(alone), listed(shared)) == ((True, True), (True, False))
    # A forged form closes no game that others play, nor somebody else's.
    anna.http.post("/me/dismiss", data={"table": shared})
    ben.http.post("/me/dismiss", data={"table": alone})
    assert (listed(alone), listed(shared)) == ((True, True), (True, False))
    assert anna.http.post("/me/dismiss", data={"table": alone}, follow_redirects=True).url.path == "/"
    assert (listed(alone), listed(shared)) == ((False, False), (True, False))


@pytest.mark.parametrize(
    ("position", "seat", "points"),
    [
        ("1 act 655432 86:11111 93:01100", 0, ""),  # Not the last round.
        ("2 act 533211 104:11110 92:01100", 1, "You need 13 points for the lead."),
        ("2 act 533211 100:11110 99:01100", 1, "You need 2 points for the lead."),
        ("2 act 533211 104:11110 92:01100", 0, ""),  # This seat has had its turn.
    ],
)
def test_the_last_round_says_what_is_needed(position: str, seat: int, points: str) -> None:
    game = DicyCards()
    assert needed(Words("en"), game, game.parse_position(position), seat) == points


def test_alone_nobody_leads() -> None:
    game = DiceStars(1)
    assert needed(Words("en"), game, game.start(), 0) == ""
