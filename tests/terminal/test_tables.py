"""The tables: every legal action can be reached through the menus, every screen fits into 80 by 24."""

from collections.abc import Iterator
from functools import cache
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from starfrost.games.core import CHANCE, OVER, Game
from starfrost.games.dice_stars import DiceStars
from starfrost.games.dicy_cards import MODES, Action, DicyCards
from starfrost.games.registry import GAMES as GAMES_BY_ID
from starfrost.terminal import saves
from starfrost.terminal.help import show_help
from starfrost.terminal.menu import Menu
from starfrost.terminal.play import Play
from starfrost.terminal.saves import rematch
from starfrost.terminal.screen import Screen
from starfrost.terminal.session import HUMAN, Session
from starfrost.terminal.setup import begin
from starfrost.words import LANGUAGES
from starfrost.words.registry import WORDS
from starfrost.words.story import last_round
from tests.rule_details import nearly_empty_bag, only_stars
from tests.terminal.pseudo import ESCAPE
from tests.variants import FULL_HOUSE, game_of

NAMES = ("Maximiliana", "Ben", "Wolfgang-Amadeu", "Dan")
GAMES: list[Game[Any, Any]] = [
    *(DicyCards(seats, mode.cards) for seats, mode in zip((4, 2, 3, 4), MODES.values(), strict=True)),
    DicyCards(2, ("same-fives", "distinct-fours", "distinct-sum", "forty-minus", "sixes")),
    DiceStars(1),
    DiceStars(2),
    DiceStars(4),
]


def on_screen(
    game: Game[Any, Any], language: str, folder: Path, *, width: int = 80, height: int = 24
) -> tuple[Play, StringIO]:
    paper = StringIO()
    console = Console(file=paper, width=width, height=height, force_terminal=True, highlight=False)
    session = Session(game, NAMES[: game.seats], [HUMAN] * game.seats, folder / "game.sfr")
    return Play(Screen(language, console=console), session), paper


def walk(game: Game[Any, Any], seed: int) -> Iterator[Any]:
    """Play a random game and return every state in which a seat decides."""
    rng, state = Random(seed), game.start()
    while (actor := game.actor(state)) != OVER:
        if actor == CHANCE:
            state = game.apply(state, game.sample(state, rng))
        else:
            yield state
            state = game.apply(state, rng.choice(game.legal_actions(state)))


def leaves(menu: Menu) -> Iterator[Any]:
    """Return the actions behind every line of a menu."""
    keys = [option.key for option in menu.options]
    assert len(set(keys)) == len(keys), keys
    for option in menu.options:
        assert menu.find(option.key) is option
        if option.refusal:
            assert option.action is None or option.menu is None
        elif option.menu is not None:
            yield from leaves(option.menu())
        else:
            yield option.action


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_menus_offer_every_legal_action_and_no_other(game: Game[Any, Any], tmp_path: Path) -> None:
    play, _ = on_screen(game, "en", tmp_path)
    for state in list(walk(game, 5))[:90:2]:
        legal = set(game.legal_actions(state))
        menu = play.table.menu(state)
        offered = set(leaves(menu))
        assert offered <= legal
        # Dice to reroll are typed, not listed: 64 choices are no menu.
        for action in legal - offered:
            assert action.verb == "reroll"
            dice_menu = play.table._reroll_dice(state)  # type: ignore[union-attr]
            assert action in set(leaves(dice_menu.read(action.dice)))


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_every_action_is_understood_as_records_write_it(game: Game[Any, Any], tmp_path: Path) -> None:
    play, _ = on_screen(game, "de", tmp_path)
    for state in list(walk(game, 6))[:40]:
        for action in game.legal_actions(state):
            assert play.table.understand(state, str(action).upper()) == action


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_every_screen_fits(game: Game[Any, Any], language: str, tmp_path: Path) -> None:
    play, paper = on_screen(game, language, tmp_path)
    long = [("A long sentence about what the others did. ", number % 2 == 0) for number in range(30)]
    play.news = lambda: long  # type: ignore[method-assign]
    for state in list(walk(game, 7))[:60:3]:
        play.session.states[-1] = state
        menus = [play.table.menu(state)]
        menus += [option.menu() for option in menus[0].options if option.menu and not option.refusal]
        for menu in menus:
            for message in ("", play.w("Nothing to undo: dice have been rolled since your last decision.")):
                paper.seek(0)
                paper.truncate()
                play.draw(menu, message)
                assert not any("…" in line.plain for line in menu.lines(play.w, 80))
                shown = ESCAPE.sub("", paper.getvalue()).rstrip("\n").split("\n")
                # One line more is the prompt's.
                assert len(shown) <= 23, "\n".join(shown)
                assert all(cell_len(line) <= 80 for line in shown)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_a_narrow_terminal_cuts_nothing(game: Game[Any, Any], language: str, tmp_path: Path) -> None:
    play, paper = on_screen(game, language, tmp_path, width=60, height=40)
    play.news = lambda: []  # type: ignore[method-assign]
    for state in list(walk(game, 7))[:60:6]:
        play.session.states[-1] = state
        play.draw(play.table.menu(state), "")
    shown = ESCAPE.sub("", paper.getvalue())
    # Only the title may be.
    assert not [line for line in shown.split("\n") if "…" in line and game.name[:4] not in line.lower()], shown
    assert all(cell_len(line) <= 60 for line in shown.split("\n"))


@cache
def with_a_last_round(game: Game[Any, Any]) -> list[Any]:
    """Return every state of the last round of a game, and of those before it every fifth and the last few."""
    kit = GAMES_BY_ID[game.name]
    # Not every game has a last round: play until one has.
    for seed in range(8):
        states = list(walk(game, seed))
        first = next((place for place, state in enumerate(states) if kit.last_round(game, state) is not None), None)
        if first is not None:
            before = max(0, first - 3)
            return [*states[:before:5], *states[before:]]
    raise AssertionError("no game had a last round")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", [DicyCards(4, goal=9), DiceStars(2), DiceStars(4)], ids=repr)
def test_the_last_round_is_on_every_screen_until_the_end(game: Game[Any, Any], language: str, tmp_path: Path) -> None:
    play, paper = on_screen(game, language, tmp_path)
    long = [("A long sentence about what the others did. ", False)] * 30
    play.news = lambda: long  # type: ignore[method-assign]
    names, seen = play.session.names, 0
    for state in with_a_last_round(game):
        play.session.states[-1] = state
        menu = play.table.menu(state)
        message = play.w("There is nothing to take back: dice have fallen since your last decision.")
        paper.seek(0)
        paper.truncate()
        play.draw(menu, message)
        lines = ESCAPE.sub("", paper.getvalue()).rstrip("\n").split("\n")
        ender = GAMES_BY_ID[game.name].last_round(game, state)
        shown = " ".join(line.strip() for line in lines)
        assert (play.w("This is the last round.") in shown) == (ender is not None), shown
        if ender is not None:
            seen += 1
            assert last_round(play.w, game, state, names) in shown
            assert len(lines) <= 23, "\n".join(lines)
            assert all(cell_len(line) <= 80 for line in lines)
    assert seen


def test_the_news_are_what_others_did_since_ones_own_last_turn(tmp_path: Path) -> None:
    play, _ = on_screen(DicyCards(2), "en", tmp_path)
    for event in ("554421", "score odds 551", "666655", "score any-two 66", "freeze straight", "222222"):
        play.session.apply(play.session.game.parse_action(event))
    assert [sentence for sentence, _ in play.news()] == [
        "Maximiliana scores 11 points with Odds: 5 5 1.",
        "Ben rolls 6 6 6 6 5 5.",
        "Ben scores 12 points with Any two: 6 6.",
        "Maximiliana freezes Straight.",
    ]
    assert [dice for _, dice in play.news()] == [False, True, False, False]


def test_cards_are_understood_by_their_names_too(tmp_path: Path) -> None:
    play, _ = on_screen(DicyCards(2), "de", tmp_path)
    game = play.session.game
    state = game.apply(game.start(), game.parse_action("554421"))
    understood = {
        "score odds": "score odds 551",
        "score Keine Sechsen": "score no-sixes 554421",
        "reroll 12 Straße": "reroll 21 freeze straight",
        "score zwei paare": "score two-pairs 5544",
    }
    for text, action in understood.items():
        assert str(play.table.understand(state, text)) == action


def test_colours_are_understood_by_their_names_too(tmp_path: Path) -> None:
    play, _ = on_screen(DiceStars(2), "nl", tmp_path)
    game = play.session.game
    state = game.apply(game.start(), game.parse_action("draw 3"))
    state = game.apply(state, game.parse_action("blue5 blue4 orange*"))
    for text, action in {"blauw": "take blue", "take oranje": "take orange", "stars 3": "take stars 3"}.items():
        assert str(play.table.understand(state, text)) == action


def test_what_cannot_be_done_gets_its_reason(tmp_path: Path) -> None:
    play, _ = on_screen(DiceStars(2), "en", tmp_path)
    game, state = play.session.game, play.session.state
    assert "must draw 3" in play._understand(play.table.menu(state), "1")
    assert "must draw 3" in play._understand(play.table.menu(state), "draw 2")
    events = ("draw 3", "orange3 orange4 orange5", "take orange", "draw 3", "blue* blue5 purple5", "take stars 2")
    for event in (*events, "keep", "draw 3", "orange3 orange4 orange5"):
        state = game.apply(state, game.parse_action(event))
    play.session.states[-1] = state
    for answer in ("10", "take orange", "orange"):
        assert play._understand(play.table.menu(state), answer).startswith("Not enough empty spaces for that")


def test_the_sheet_shows_crosses_sums_stars_and_what_rows_score(tmp_path: Path) -> None:
    play, _ = on_screen(DiceStars(2), "en", tmp_path)
    game, state = play.session.game, play.session.state
    for event in ("draw 3", "blue5 blue4 orange3", "take blue", "draw 1", "orange*", "take stars 2"):
        state = game.apply(state, game.parse_action(event))
    lines = [line.plain for line in play.table.sheet(state.sheets[0])]  # type: ignore[union-attr]
    assert "│  × │" in lines[2]
    assert "│  9 │" in lines[3]
    assert lines[3].rstrip().endswith("9")
    other = [line.plain for line in play.table.sheet(state.sheets[1])]  # type: ignore[union-attr]
    assert "★☆" in other[2]
    assert "0 = 0 × 0" in other[2]


def test_cards_show_points_dice_and_ice(tmp_path: Path) -> None:
    play, _ = on_screen(DicyCards(2), "en", tmp_path)
    game, state = play.session.game, play.session.state
    for event in ("554421", "reroll 21 freeze odds", "63"):
        state = game.apply(state, game.parse_action(event))
    lines = [line.plain for line in play.table.menu(state).lines(play.w, 80)]
    assert "Any two" in lines[0]
    assert " 11  6 5 " in lines[0]
    assert "–" in lines[1]
    assert "❄ frozen" in lines[2]
    assert " 18  6 5 4 3 " in lines[3]
    standings = [line.plain for line in play.table.standings(state)]
    assert "1 2 ❄ 4 5" in standings[0]
    assert "1 2 3 4 5" in standings[1]


def test_a_penalty_says_that_it_ends_the_game_and_can_be_0(tmp_path: Path) -> None:
    game, state = only_stars()
    play, _ = on_screen(game, "en", tmp_path)
    menu = play.table.menu(state)
    assert menu.question.endswith("Which dice become your penalty? A penalty ends the game with this round.")
    assert menu.options[0].label.plain == "◆ orange: ★ → 0: stars score 0"


@pytest.mark.parametrize(("held", "sentence"), [(1, "The bag holds only one die."), (2, "The bag holds only 2 dice.")])
def test_a_bag_with_fewer_than_three_dice_says_so(held: int, sentence: str, tmp_path: Path) -> None:
    game, state = nearly_empty_bag(held, forced=False)
    play, _ = on_screen(game, "en", tmp_path)
    assert play.table.menu(state).question.startswith(sentence)


def test_skip_and_reroll_say_what_they_cost(tmp_path: Path) -> None:
    play, _ = on_screen(DicyCards(2), "en", tmp_path)
    state = play.session.game.apply(play.session.state, play.session.game.parse_action("554421"))
    labels = [option.label.plain for option in play.table.menu(state).options]
    assert labels[-2:] == [
        "reroll: pick dice, then a card to freeze; the other dice stay",
        "skip: reset all your frozen cards (every other player resets one)",
    ]


def test_a_drawn_set_is_called_interglacial(tmp_path: Path) -> None:
    cards = ("same-fives", "distinct-fours", "distinct-sum", "forty-minus", "sixes")
    for mode, drawn_from, shown in (
        ("interglacial", cards, "Interglacial"),
        ("interglacial", MODES["glacial"].cards, "Interglacial"),
        ("glacial", MODES["glacial"].cards, "Glacial"),
        ("custom", cards, "Custom"),
        ("", MODES["glacial"].cards, "Glacial"),
        ("", cards, "Custom"),
    ):
        play, paper = on_screen(DicyCards(2, drawn_from, 50), "en", tmp_path)
        play.session.headers.update({"mode": mode} if mode else {})
        play.draw(play.table.menu(play.session.game.apply(play.session.state, Action("roll", "", "554421"))))
        title = ESCAPE.sub("", paper.getvalue()).strip().split("\n")[0]
        assert title.strip() == f"Dicy Cards · goal: 50 points · {shown}"


def test_a_rematch_keeps_mode_and_goal_and_moves_the_seats_on(tmp_path: Path) -> None:
    session = begin(
        Screen("en", console=Console(file=StringIO())),
        "dicy-cards",
        "Anna,bot:greedy",
        {"mode": "interglacial", "goal": "50"},
        seed="7",
        folder=tmp_path,
    )
    session.save()
    again = rematch(session)
    assert (again.names, again.kinds) == (("Quick bot", "Anna"), ("bot:greedy", HUMAN))
    assert again.headers["mode"] == "interglacial"
    assert again.game.headers()["goal"] == "50"
    assert again.game.headers()["cards"] != session.game.headers()["cards"]
    assert again.path != session.path
    again.save()
    assert saves.resume(again.path).headers["mode"] == "interglacial"


def test_help_shows_the_rules_of_a_variant(tmp_path: Path) -> None:
    play, paper = on_screen(game_of(FULL_HOUSE), "en", tmp_path)

    def told(topic: str) -> str:
        paper.truncate(0)
        play.screen.can_clear = False
        assert show_help(play.screen, topic, "dicy-cards", play.session.game) == ""
        return " ".join(ESCAPE.sub("", paper.getvalue()).split())

    assert "somebody reaches 70 points." in told("e1")
    assert "Choose 5 dice, different values = 2 and equal dice = 3. Score sum + 30." in told("full-house")
    assert "Full house: Choose 5 dice" in told("rules")
    official, _ = on_screen(DicyCards(2), "en", tmp_path)
    assert WORDS["dicy-cards"].own_rules(official.w, official.session.game) == []
    assert show_help(official.screen, "full-house", "dicy-cards", official.session.game)
