"""Dicy Cards on the pages."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from starfrost.boards.board import Board, Face, Form, Position
from starfrost.boards.entry import Entry, Key, Kind
from starfrost.boards.rules import Point
from starfrost.bots.progress import solving
from starfrost.bots.registry import needs_tables
from starfrost.coach.judge import Part
from starfrost.errors import UsageError
from starfrost.games.dice import remove
from starfrost.games.dicy_cards import CARDS, CARDS_IN_A_GAME, MODES, Action
from starfrost.games.dicy_cards.board import editor
from starfrost.games.dicy_cards.board.atlas import PATH
from starfrost.games.dicy_cards.board.head_starts import head_starts
from starfrost.games.dicy_cards.board.illustrations import ILLUSTRATIONS, with_dice
from starfrost.games.dicy_cards.board.lesson import LESSON
from starfrost.games.dicy_cards.board.pictures import Mini, mini
from starfrost.games.dicy_cards.board.table import DicyTable, dicy_table
from starfrost.games.dicy_cards.cards import DICE
from starfrost.games.dicy_cards.coach.handicap import start_for, table
from starfrost.games.dicy_cards.words import aim, card_name, mode_name, mode_text
from starfrost.games.kit import CUSTOM, MODE
from starfrost.games.variants import Variant
from starfrost.table.moves import ROLL
from starfrost.words import Words, mark
from starfrost.words.bots import STAND_IN, bot_name

__all__ = ["DicyCardsBoard"]


class DicyCardsBoard(Board):
    """Cards of ice, dice and a race to the goal."""

    template = "dicy_cards/board.html"
    words_template = "dicy_cards/words.html"
    picture_template = "dicy_cards/picture.html"
    preview_template = "dicy_cards/preview.svg"
    setup_template = "dicy_cards/setup.html"
    editor_template = "dicy_cards/editor.html"
    lobby_template = "dicy_cards/lobby.html"
    templates = Path(__file__).parent / "templates"
    static = Path(__file__).parent / "static"
    sprite_template = "dicy_cards/sprite.html"
    figures_template = "dicy_cards/figures.html"
    style = "dicy_cards.css"
    script = "dicy_cards.js"
    emblem = spark = "flake"
    faces = tuple(Face(face, f"d{face}", "pip") for face in "123456")
    can_skip = True
    keys = (("1 … 6", mark("pick a die to reroll")), ("Q … T", mark("choose a card")))
    lesson = LESSON
    illustrations = ILLUSTRATIONS
    links = ((PATH, mark("The card atlas")),)

    def invitation(self, w: Words) -> str:
        return w(
            "Five cards, six dice. Freeze a card to reroll, score with the others, "
            "and have the most points when somebody reaches 100."
        )

    def summary(self, w: Words, game: Any = None) -> Sequence[tuple[str, Sequence[Point]]]:
        """Return the rules on one page; beside a game its goal, and the effects of the cards that it plays with."""
        found = super().summary(w, game)
        if game is None:
            return found
        (title, (_, *rest)), *others = found
        kinds = {kind.partition("@")[0] for kind in game.kinds}
        away = {f"C{number}" for number, card in enumerate(CARDS, 1) if card not in kinds}
        first = Point(aim(w, game.goal), ("E1", "E2"))
        kept = [(name, [point for point in points if away.isdisjoint(point.clauses)]) for name, points in others]
        return [(title, [first, *rest]), *kept]

    def option(self, w: Words, position: Position, action: Any) -> tuple[str, str]:
        card, dice = card_name(w, action.card) if action.card else "", " ".join(action.dice)
        if action.verb == "score":
            game, state = position.game, position.state
            seat = game.actor(state)
            points = game.scores(game.apply(state, action))[seat] - game.scores(state)[seat]
            return card, f"{w.plural('%(n)s point', '%(n)s points', points)}: {dice}"
        if action.verb == "reroll":
            return w("Freeze %(card)s and reroll", card=card), dice
        return super().option(w, position, action)

    def illustrate(self, html: Markup) -> Markup:
        return with_dice(html)

    def minis(self, w: Words) -> Mapping[str, Mini]:
        """Return all cards, for the drawings of the rules."""
        return {card: mini(w, card) for card in CARDS}

    def usual_cards(self, w: Words) -> Sequence[Mini]:
        """Return the cards of the first mode, for drawings of no particular game."""
        return tuple(mini(w, card) for card in next(iter(MODES.values())).cards)

    def subtitle(self, w: Words, game: Any) -> str:
        return w("to %(n)s points", n=game.goal)

    def lobby(self, w: Words, game: Any) -> Any:
        return tuple(mini(w, kind) for kind in game.kinds)

    def draw(self, w: Words, position: Position) -> DicyTable:
        return dicy_table(w, position)

    def read_form(self, form: Form, legal: Sequence[Any]) -> Any:
        """Return the action that a button, a card and dice stand for. Raises UsageError if a part is missing."""
        do, card = str(form.get("do")), str(form.get("card") or "")
        dice = "".join(sorted((str(die) for die in form.getlist("die")), reverse=True))
        if do == "roll":
            return ROLL
        if do == "skip":
            return Action("skip")
        if do == "reroll":
            if not dice:
                raise UsageError("Pick the dice to reroll.")
            if not card:
                raise UsageError("Now pick the card to freeze for it.")
            return Action(do, card, dice)
        if not card:
            raise UsageError("Pick a card first.")
        if do != "score":
            return Action(do, card)
        if dice and Action(do, card, dice) not in legal:
            raise UsageError("These dice do not fit this card. Pick other dice, or pick none to use the best ones.")
        # The legal actions list the best selection of a card first.
        best = next((action.dice for action in legal if action is not ROLL and action[:2] == (do, card)), "")
        return Action(do, card, dice or best)

    def lights(self, game: Any, state: Any, better: Any, worse: Any, part: Part) -> str:
        """Name a seat, then the cards, the dice or the points that a part is about."""
        seat = game.actor(state)
        # The action that has more of what the part is about; a skip has nothing.
        more = better if worse.verb == "skip" or (part.number or part.value) > 0 else worse
        more = more if more.card else worse
        match part.part:
            case "points":
                things = [more.card, more.dice]
            case "goal":
                things = [more.card, more.dice, "points"]
            case "card":
                things = [better.card, worse.card]
            case "cards back":
                things = [card for place, card in enumerate(game.cards) if not state.active[seat] >> place & 1]
            case "dice":
                things = [remove(state.dice, better.dice), part.thing]
            case _ if game.seats == 2:
                seat, things = 1 - seat, ["hand"]
            case _:
                things = [(better if part.value > 0 else worse).card]
        return " ".join([str(seat + 1), "-", *filter(None, things)])

    def entry(self, w: Words, game: Any, state: Any) -> Entry:
        """Return what is asked for: all dice, or those that are rolled again."""
        count = DICE - len(state.dice)
        if count == DICE:
            question = w("Roll all six dice and enter what they show.")
        else:
            question = w.plural(
                "Roll the die again and enter what it shows.",
                "Roll the %(n)s dice again and enter what they show.",
                count,
            )
        keys = tuple(Key(face, face, w("Die %(value)s", value=face), f"d{face}") for face in game.rules.faces)
        return Entry(question, count, (Kind(keys, count, style="die"),), joint="")

    def dice_of_position(self, w: Words, game: Any) -> Entry:
        return self.entry(w, game, game.start())

    def fields_of(self, game: Any, state: Any) -> Sequence[tuple[str, str]]:
        return editor.fields_of(game, state)

    def read_position(self, form: Form, game: Any) -> str:
        return editor.read_position(form, game)

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
        twelve = [mini(w, card) for card in CARDS]
        return {
            "modes": modes,
            "twelve": twelve,
            "most": CARDS_IN_A_GAME,
            "head_starts": head_starts(w),
        }

    def head_start(self, w: Words, form: Form) -> tuple[Variant, bool] | None:
        weaker, _, stronger = str(form.get("head-start") or "").partition(" ")
        if not stronger:
            return None
        start = start_for(self._cards(form) or (), int(super().read_setup(form)["goal"]), weaker, stronger)
        if start is None:
            sets = [mode_name(w, mode) for mode in table()]
            raise UsageError("A fair head start is known only for %(sets)s, to 100 points.", sets=w.all_of(sets))
        name = w.plural("one point ahead", "%(n)s points ahead", start.points)
        text = f'game = "dicy-cards"\nname = "{name}"\nhandicap = {list(start.scores)}\n'
        return self.kit.variant(text), start.begins

    def ahead(self, game: Any) -> Sequence[int]:
        return tuple(game.rules.handicap)

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
        from starfrost.games.dicy_cards.solver import on_demand

        goal = self.form_options()[0].default
        values = {"bots": w.all_of(names), "other": bot_name(w, STAND_IN)}
        known = [mode_name(w, mode.id) for mode in MODES.values() if on_demand.ready(mode.cards, goal)]
        notes = (
            [w("%(bots)s already know these sets: %(sets)s.", bots=values["bots"], sets=w.all_of(known))]
            if known
            else []
        )
        notes.append(
            w(
                "While you play, %(bots)s work out the cards that they do not know yet. Until then they play like "
                "the %(other)s.",
                **values,
            )
            if on_demand.can_start(goal)
            else w("%(bots)s play other cards like the %(other)s: nothing is worked out on this server.", **values)
        )
        return " ".join(notes)

    def bot_note(self, w: Words, bot: str, form: Form) -> str:
        if not needs_tables(self.id, bot):
            return ""
        from starfrost.games.dicy_cards.solver import on_demand

        names = {"bot": bot_name(w, bot), "other": bot_name(w, STAND_IN)}
        cards, goal = self._cards(form), int(super().read_setup(form)["goal"])
        if cards is not None and on_demand.ready(cards, goal):
            return w("The %(bot)s knows these cards perfectly.", bot=names["bot"])
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
            "The %(bot)s is working out these cards (%(percent)s%%). Until then it plays like the %(other)s.",
            percent=found.percent,
            **names,
        )

    def dice(self, before: Any, outcome: Any) -> Iterable[tuple[str, Sequence[str]]]:
        return ((face, "123456") for face in outcome.dice)

    def dice_of(self, game: Any, before: Any, outcome: Any) -> Iterable[tuple[str, Sequence[str]]]:
        return ((face, game.rules.faces) for face in outcome.dice)
