"""Dicy Cards on the pages."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from markupsafe import Markup
from starlette.datastructures import FormData

from starfrost.errors import UsageError
from starfrost.games.dicy_cards import CARDS, CARDS_IN_A_GAME, MODES, Action
from starfrost.games.kit import CUSTOM, MODE
from starfrost.players.progress import solving
from starfrost.players.registry import needs_tables
from starfrost.solver import on_demand
from starfrost.table import ROLL
from starfrost.web.boards.board import Board, Face, Form, Position
from starfrost.web.boards.dicy_cards import atlas_page
from starfrost.web.boards.dicy_cards.atlas import PATH
from starfrost.web.boards.dicy_cards.illustrations import ILLUSTRATIONS, with_dice
from starfrost.web.boards.dicy_cards.lesson import LESSON
from starfrost.web.boards.dicy_cards.pictures import Mini, mini
from starfrost.web.boards.dicy_cards.table import DicyTable, dicy_table
from starfrost.words import Words, mark
from starfrost.words.bots import bot_name
from starfrost.words.dicy_cards import mode_name, mode_text

__all__ = ["DicyCardsBoard"]

STAND_IN = "planner"
"""The bot whose moves are played while cards are not solved."""


class DicyCardsBoard(Board):
    """Cards of ice, dice and a race to the goal."""

    template = "dicy_cards/board.html"
    words_template = "dicy_cards/words.html"
    picture_template = "dicy_cards/picture.html"
    preview_template = "dicy_cards/preview.svg"
    setup_template = "dicy_cards/setup.html"
    lobby_template = "dicy_cards/lobby.html"
    sprite_template = "dicy_cards/sprite.html"
    figures_template = "dicy_cards/figures.html"
    style = "dicy_cards.css"
    script = "dicy_cards.js"
    emblem = spark = "flake"
    faces = tuple(Face(face, f"d{face}", "pip") for face in "123456")
    keys = (("1 … 6", mark("pick a die to roll again")), ("Q … T", mark("choose a card")))
    lesson = LESSON
    illustrations = ILLUSTRATIONS
    router = atlas_page.router
    links = ((PATH, mark("The card atlas")),)

    def invitation(self, w: Words) -> str:
        return w(
            "Five cards, six dice. Freeze a card to reroll, score with the others, "
            "and have the most points when somebody reaches 100."
        )

    def illustrate(self, html: Markup) -> Markup:
        return with_dice(html)

    def minis(self, w: Words) -> Mapping[str, Mini]:
        """Return all cards, for the drawings of the rules."""
        return {card: mini(w, card) for card in CARDS}

    def usual_cards(self, w: Words) -> Sequence[Mini]:
        """Return the cards of the first mode, for drawings of no particular game."""
        return tuple(mini(w, card) for card in next(iter(MODES.values())).cards)

    def lobby(self, w: Words, game: Any) -> Any:
        return tuple(mini(w, kind) for kind in game.kinds)

    def draw(self, w: Words, position: Position) -> DicyTable:
        return dicy_table(w, position)

    def read_form(self, form: FormData, legal: Sequence[Any]) -> Any:
        """Return the action that a button, a card and dice stand for. Raises UsageError if a part is missing."""
        do, card = str(form.get("do")), str(form.get("card") or "")
        dice = "".join(sorted((str(die) for die in form.getlist("die")), reverse=True))
        if do == "roll":
            return ROLL
        if do == "skip":
            return Action("skip")
        if do == "reroll":
            if not dice:
                raise UsageError("Pick the dice that you want to roll again.")
            if not card:
                raise UsageError("Now pick the card to freeze for it.")
            return Action(do, card, dice)
        if not card:
            raise UsageError("Pick a card first.")
        if do != "score":
            return Action(do, card)
        if dice and Action(do, card, dice) not in legal:
            raise UsageError("These dice do not fit this card. Pick others, or none for the best ones.")
        # The legal actions list the best selection of a card first.
        best = next((action.dice for action in legal if action is not ROLL and action[:2] == (do, card)), "")
        return Action(do, card, dice or best)

    def setup(self, w: Words) -> Mapping[str, Any]:
        modes = [
            {
                "id": name,
                "name": mode_name(w, name),
                "text": mode_text(w, name),
                "cards": [mini(w, card) for card in MODES[name].cards] if name in MODES else [],
            }
            for name in self.kit.mode_names
        ]
        return {"modes": modes, "twelve": [mini(w, card) for card in CARDS], "most": CARDS_IN_A_GAME}

    def read_setup(self, form: Form) -> dict[str, str]:
        """Read the mode or the five cards, and the goal. Raises UsageError."""
        found = super().read_setup(form)
        if found.get(MODE) == CUSTOM:
            cards = [str(card) for card in form.getlist("cards")]
            if len(set(cards)) != CARDS_IN_A_GAME:
                raise UsageError("Choose exactly five cards.")
            del found[MODE]
            found["cards"] = " ".join(cards)
        return found

    def _cards(self, form: Form) -> tuple[str, ...] | None:
        """Return the cards that a form names; None while they are not five, or left to chance."""
        mode = str(form.get(MODE) or next(iter(self.kit.modes)))
        if mode in MODES:
            return MODES[mode].cards
        cards = tuple(str(card) for card in form.getlist("cards") if card in CARDS)
        return cards if mode == CUSTOM and len(set(cards)) == len(cards) == CARDS_IN_A_GAME else None

    def bots_note(self, w: Words, bots: Sequence[str]) -> str:
        names = [bot_name(w, bot) for bot in bots if needs_tables(self.id, bot)]
        if not names:
            return ""
        goal = self.form_options()[0].default
        values = {"bots": w.all_of(names), "other": bot_name(w, STAND_IN)}
        known = [mode_name(w, mode.id) for mode in MODES.values() if on_demand.ready(mode.cards, goal)]
        notes = [w("%(bots)s have solved: %(sets)s.", bots=values["bots"], sets=w.all_of(known))] if known else []
        notes.append(
            w(
                "%(bots)s work out cards they do not know while you play. Until then they play like the %(other)s.",
                **values,
            )
            if on_demand.can_start(goal)
            else w("%(bots)s play other cards like the %(other)s: nothing is worked out on this server.", **values)
        )
        return " ".join(notes)

    def bot_note(self, w: Words, bot: str, form: Form) -> str:
        if not needs_tables(self.id, bot):
            return ""
        names = {"bot": bot_name(w, bot), "other": bot_name(w, STAND_IN)}
        cards, goal = self._cards(form), int(super().read_setup(form)["goal"])
        if cards is not None and on_demand.ready(cards, goal):
            return w("The %(bot)s has solved these cards.", bot=names["bot"])
        if not on_demand.can_start(goal):
            return w("These cards are not worked out here, so the %(bot)s plays like the %(other)s.", **names)
        if cards is None:
            return w(
                "The %(bot)s works out cards it does not know while you play. Until then it plays like the %(other)s.",
                **names,
            )
        return w("The %(bot)s works out these cards while you play. Until then it plays like the %(other)s.", **names)

    def progress(self, w: Words, game: Any, bots: Iterable[str]) -> str:
        found = solving(game, bots)
        if found is None:
            return ""
        names = {"bot": bot_name(w, found.bot), "other": bot_name(w, STAND_IN)}
        if found.percent is None:
            return w("These cards are not worked out here, so the %(bot)s plays like the %(other)s.", **names)
        return w(
            "The %(bot)s is working out these cards (%(percent)s %%). Until then it plays like the %(other)s.",
            percent=found.percent,
            **names,
        )

    def dice(self, before: Any, outcome: Any) -> Iterable[tuple[str, Sequence[str]]]:
        return ((face, "123456") for face in outcome.dice)

    def dice_of(self, game: Any, before: Any, outcome: Any) -> Iterable[tuple[str, Sequence[str]]]:
        return ((face, game.rules.faces) for face in outcome.dice)
