"""The board of Dicy Cards in the terminal: the points, the dice, the cards and their scores now."""

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from typing import Final

from rich.text import Text

from starfrost.bots.registry import bots_here
from starfrost.errors import StarfrostError
from starfrost.games.dicy_cards import CARDS, Action, DicyCards, Phase, State, options, read_cards
from starfrost.games.dicy_cards.words import NAMES, card_hint, card_name, effect_hint, mode_name, mode_text
from starfrost.games.kit import CUSTOM
from starfrost.games.registry import GAMES
from starfrost.terminal.menu import Menu, Option, ask, ask_until, described, numbered
from starfrost.terminal.registry import TerminalKit
from starfrost.terminal.screen import Screen, pad

SHAPES: Final = "●▲■◆"
SEAT_STYLES: Final = ("#f2634d", "#2bb793", "#a06cf0", "#e5a83b")
TRACK: Final = 24
NAME_WIDTH: Final = 21
HINT_WIDTH: Final = 36

# The pips of the three lines of a die.
PIPS: Final = {
    "1": ("   ", " ● ", "   "),
    "2": ("●  ", "   ", "  ●"),
    "3": ("●  ", " ● ", "  ●"),
    "4": ("● ●", "   ", "● ●"),
    "5": ("● ●", " ● ", "● ●"),
    "6": ("● ●", "● ●", "● ●"),
}


class DicyCardsBoard:
    """Draws a game of Dicy Cards and asks its questions."""

    def __init__(self, screen: Screen, game: DicyCards, names: Sequence[str]) -> None:
        self.screen, self.w, self.game, self.names = screen, screen.w, game, names

    # Drawing

    @property
    def track(self) -> int:
        """The length of the way to the goal."""
        return max(min(TRACK, self.screen.width - 54), 0)

    def parts(self, state: State, seat: int) -> list[list[Text]]:
        # The cards are in the menu of the acting seat.
        return [self.standings(state), self._dice(state)]

    def title(self, state: State) -> str:
        return "Dicy Cards · " + self.w("goal: %(goal)s points", goal=self.game.goal)

    def standings(self, state: State) -> list[Text]:
        """Draw every seat's points and cards: the number of an active one, a snowflake for a frozen one."""
        lines = []
        over = state.phase is Phase.OVER
        for seat, score in enumerate(state.scores):
            done = min(score * self.track // self.game.goal, self.track)
            active = self._active(state, seat)
            cards = " ".join(str(number + 1) if here else "❄" for number, here in enumerate(active))
            style = SEAT_STYLES[seat]
            lines.append(
                Text.assemble(
                    " ▶ " if seat == state.seat and not over else "   ",
                    (f"{SHAPES[seat]} {pad(self.names[seat], 16)}", f"bold {style}"),
                    ("█" * done, style),
                    ("░" * (self.track - done), "dim"),
                    (f"{score:>5}", "bold"),
                    "   " + self.w("cards %(numbers)s", numbers=cards),
                )
            )
        return lines

    def _dice(self, state: State) -> list[Text]:
        if not state.dice:
            return []
        return [
            Text(" " + " ".join("╭───────╮" for _ in state.dice)),
            *(Text(" " + " ".join(f"│ {' '.join(PIPS[die][line])} │" for die in state.dice)) for line in (0, 1, 2)),
            Text(" " + " ".join(f"╰── {die} ──╯" for die in state.dice)),
        ]

    def everything(self, state: State) -> list[Text]:
        lines = []
        for seat, name in enumerate(self.names):
            lines.append(Text(f" {name}: {state.scores[seat]}", style="bold"))
            for number, (card, active) in enumerate(zip(self.game.cards, self._active(state, seat), strict=True), 1):
                status = self.w("active") if active else "❄ " + self.w("frozen")
                lines.append(Text(f"  {number} {pad(card_name(self.w, card), NAME_WIDTH)}{status}"))
            lines.append(Text(""))
        return lines

    def ending(self, state: State, seat: int) -> list[Text]:
        return []  # The standings show everything.

    def _active(self, state: State, seat: int) -> list[bool]:
        """Return for each card whether it is active in front of a seat."""
        return [bool(state.active[seat] >> number & 1) for number in range(len(self.game.cards))]

    # Questions

    def menu(self, state: State) -> Menu:
        if state.phase in (Phase.FREEZE, Phase.RESET):
            return self._affected(state)
        w, name = self.w, self.names[state.seat]
        legal = self.game.legal_actions(state)
        cards = [self._card(state, number) for number in range(len(self.game.cards))]
        skip = Option(
            "7",
            Text(w("skip: reset all your frozen cards (every other player resets one)")),
            Action("skip"),
            aliases=("s",),
        )
        if legal == (skip.action,):
            question = w("%(name)s, all your cards are frozen: you can only skip.", name=name)
            return Menu(question, [*cards, skip], skip)
        can_reroll = any(action.verb == "reroll" for action in legal)
        reroll = Option(
            "6",
            Text(w("reroll: pick dice, then a card to freeze; the other dice stay")),
            menu=lambda: self._reroll_dice(state),
            refusal="" if can_reroll else w("You have no active card to pay for a reroll."),
            aliases=("r",),
        )
        question = w("%(name)s, choose a card to score, or another action.", name=name)
        return Menu(question, [*cards, reroll, skip])

    def _card(self, state: State, number: int) -> Option:
        """Return the option for one card of the acting seat: its points now, and their dice."""
        w, card = self.w, self.game.cards[number]
        key, name = str(number + 1), pad(card_name(w, card), NAME_WIDTH)
        if not state.active[state.seat] >> number & 1:
            refusal = w("%(card)s is frozen. Skip a turn to reset it.", card=card_name(w, card))
            return Option(key, Text(name + "   ❄ " + w("frozen"), style="cyan"), refusal=refusal, aliases=(card,))
        kind = self.game.kinds[number]
        ways = self._ways(kind, state.dice) if state.dice else []
        hint = ", ".join(filter(None, (card_hint(w, kind), effect_hint(w, kind))))
        if len(hint) > HINT_WIDTH:
            # The name says more about the dice than about the other players.
            hint = effect_hint(w, kind) or card_hint(w, kind)
        if not ways:
            refusal = w("These dice do not fit %(card)s.", card=card_name(w, card))
            label = Text.assemble(name, "  –  ", pad("", 13), (hint, "dim"))
            return Option(key, label, refusal=refusal, aliases=(card,))
        dice, points = ways[0]
        label = Text.assemble(name, (f"{points:>3}", "bold"), "  ", pad(" ".join(dice), 13), (hint, "dim"))
        if len(ways) == 1:
            return Option(key, label, Action("score", card, dice), aliases=(card,))
        return Option(key, label, menu=lambda: self._selections(card, ways), aliases=(card,))

    @staticmethod
    def _ways(kind: str, dice: str) -> list[tuple[str, int]]:
        """List the selections for a card, the most points first, then the fewest dice."""
        return sorted(options(kind, dice), key=lambda way: (-way[1], len(way[0]), way[0]))

    def _selections(self, card: str, ways: Sequence[tuple[str, int]]) -> Menu:
        entries = numbered(
            (
                pad(self.w.plural("%(n)s point", "%(n)s points", points), 12) + " ".join(dice),
                Action("score", card, dice),
            )
            for dice, points in ways
        )
        by_dice = {dice: Action("score", card, dice) for dice, _ in ways}
        question = self.w("Which dice for %(card)s? Enter takes the first.", card=card_name(self.w, card))
        return Menu(question, entries, entries[0], read=lambda text: by_dice.get(_digits(text)), columns=2, page_size=8)

    def _reroll_dice(self, state: State) -> Menu:
        def read(text: str) -> Menu | str | None:
            chosen = _digits(text)
            if chosen and not Counter(chosen) <= Counter(state.dice):
                return self.w("Your dice do not show these numbers. Type the numbers of the dice that you reroll.")
            return self._reroll_card(state, chosen) if chosen else None

        everything = Option("0", Text(self.w("all six dice")), menu=lambda: self._reroll_card(state, state.dice))
        question = self.w("Which dice do you reroll? Type what they show, such as 21.")
        return Menu(question, [everything], read=read)

    def _reroll_card(self, state: State, dice: str) -> Menu:
        hints = {}
        for card, active in zip(self.game.cards, self._active(state, state.seat), strict=True):
            if active:
                points = max((points for _, points in options(self.game.kind(card), state.dice)), default=0)
                now = self.w.plural("now worth %(n)s point", "now worth %(n)s points", points)
                hints[Action("reroll", card, dice)] = now
        question = self.w("Which card do you freeze to reroll %(dice)s?", dice=self.w.all_of(dice))
        return self._which_card(question, hints)

    def _affected(self, state: State) -> Menu:
        """Return the menu of an affected seat: the cards to freeze or reset."""
        values = {"name": self.names[self.game.actor(state)], "other": self.names[state.seat]}
        if state.phase is Phase.FREEZE:
            question = self.w("%(name)s, %(other)s makes you freeze a card. Which one?", **values)
        else:
            question = self.w("%(name)s, thanks to %(other)s you reset a frozen card. Which one?", **values)
        legal = self.game.legal_actions(state)
        return self._which_card(question, {action: card_hint(self.w, self.game.kind(action.card)) for action in legal})

    def _which_card(self, question: str, hints: Mapping[Action, str]) -> Menu:
        """Return a menu of actions with one card each, with a hint behind its name."""
        entries = []
        for action, hint in hints.items():
            label = Text.assemble(pad(card_name(self.w, action.card), NAME_WIDTH), (hint, "dim"))
            key = str(self.game.cards.index(action.card) + 1)
            entries.append(Option(key, label, action, aliases=(action.card,)))
        return Menu(question, entries, entries[0] if len(entries) == 1 else None)

    def understand(self, state: State, text: str) -> Action:
        """Parse record notation, and also `score odds` (the best dice) and `reroll 21 odds`."""
        text = text.lower()
        for card in sorted({*NAMES, *self.game.cards}, key=lambda card: -len(card_name(self.w, card))):
            text = text.replace(self.screen.text(card_name(self.w, card)).lower(), card)
        words = text.split()
        if len(words) == 2 and words[0] == "score" and words[1] in self.game.cards:
            ways = self._ways(self.game.kind(words[1]), state.dice)
            words += [ways[0][0]] if ways else []
        elif len(words) == 3 and words[0] == "reroll":
            words.insert(2, "freeze")
        return self.game.parse_action(" ".join(words))


def _digits(text: str) -> str:
    """Return the dice in an answer such as `2 1` or `1,2`, highest first; empty if it contains anything else."""
    digits = "".join(text.replace(",", " ").split())
    return "".join(sorted(digits, reverse=True)) if digits.isdigit() else ""


def _ask_cards(screen: Screen) -> Mapping[str, str]:
    """Ask for a mode, or for five cards."""
    w, names = screen.w, GAMES["dicy-cards"].mode_names
    modes = numbered((described(mode_name(w, mode), mode_text(w, mode)), mode) for mode in names)
    mode: str = ask(screen, Menu(w("Which five cards?"), modes, modes[0]), "dicy-cards")
    return {"mode": mode} if mode != CUSTOM else {"cards": _which_cards(screen)}


def _which_cards(screen: Screen) -> str:
    w = screen.w
    cards = {str(number): card for number, card in enumerate(CARDS, start=1)}
    lines = ((Text.assemble(pad(card_name(w, card), NAME_WIDTH), (card_hint(w, card), "dim")), card) for card in CARDS)

    def read(answer: str) -> str | None:
        chosen = [cards.get(word, word) for word in answer.lower().replace(",", " ").split()]
        try:
            return " ".join(read_cards(" ".join(chosen), Random(0))) if len(chosen) == 5 else None
        except StarfrostError:
            return None

    menu = Menu(w("Type five numbers, such as 1 2 3 4 5."), numbered(lines), columns=2)

    def question() -> list[Text]:
        return [*menu.heading(screen), *menu.lines(w, screen.width, len(CARDS))]

    return ask_until(screen, question, read, w("Please type five different numbers from 1 to 12."), "dicy-cards")


KIT: Final = TerminalKit(
    board=DicyCardsBoard,
    ask=_ask_cards,
    is_analysed=lambda game: not {"perfect", "master"}.isdisjoint(bots_here(game)),
)
