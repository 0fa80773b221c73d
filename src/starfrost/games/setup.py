"""A setup: the description of a game to play, from a page, a command line or a menu."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Any

from starfrost.errors import UsageError, quoted
from starfrost.games.core import Game
from starfrost.games.kit import CUSTOM, MODE, GameKit
from starfrost.games.registry import GAMES, make_game
from starfrost.games.variants import PASTED, RULES, VARIANT, Variant, of_headers, opened


@dataclass(frozen=True)
class Setup:
    """A game, a number of seats and options; missing options have their defaults."""

    game: str
    seats: int
    options: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, game: str, seats: int, /, **options: str | int | Iterable[str]) -> "Setup":
        """Make a setup from Python values: `Setup.of("dicy-cards", 3, goal=60, cards=("odds", …))`."""
        texts = {
            name.replace("_", "-"): str(value) if isinstance(value, str | int) else " ".join(value)
            for name, value in options.items()
        }
        return cls(game, seats, texts)

    @property
    def kit(self) -> GameKit:
        """The kit of the game. Raises UsageError if there is no such game."""
        return GAMES[self.game]

    @property
    def variant(self) -> Variant | None:
        """The variant to play; None for the official rules. Raises UsageError."""
        text = self.options.get(RULES)
        return None if text is None else self.kit.variant(text)

    @cached_property
    def _chosen(self) -> Mapping[str, str]:
        """The options, and those that the variant decides where the host does not."""
        variant = self.variant
        if variant is None:
            return self.options
        left = {name: text for name, text in variant.options.items() if name not in self.kit.decided}
        decides = MODE not in self.options and self.kit.decided.isdisjoint(self.options)
        return {**(variant.options if decides else left), **self.options, RULES: variant.text}

    @property
    def mode(self) -> str | None:
        """The name of the mode; None if the game has no modes. Raises UsageError for an unknown one."""
        kit = self.kit
        if not kit.modes:
            return None
        own = [self._chosen[name] for name in kit.decided if name in self._chosen]
        chosen = self._chosen.get(MODE)
        if chosen is not None and own:
            raise UsageError("Choose a mode or %(options)s, not both.", MODE, options=", ".join(sorted(kit.decided)))
        if chosen is None:
            # The value of an option that modes decide can also be the name of a mode.
            chosen = next((text for text in own if text.strip().lower() in kit.modes), CUSTOM if own else None)
        name = next(iter(kit.modes)) if chosen is None else chosen.strip().lower()
        if name not in kit.mode_names:
            raise UsageError(
                "There is no mode %(mode)s; expected one of %(modes)s.",
                MODE,
                mode=quoted(name),
                modes=", ".join(kit.modes),
            )
        return name

    @property
    def drawn(self) -> bool:
        """Whether every game of this setup draws some options at random."""
        mode = self.kit.modes.get(self.mode or "")
        return mode is not None and mode.drawn

    def headers(self, rng: Random) -> dict[str, str]:
        """Return the record headers of the game; random options are drawn from `rng`. Raises UsageError."""
        kit, mode = self.kit, self.mode
        headers: dict[str, str] = {}
        for name, text in self._chosen.items():
            option = kit.option(name)
            if option is not None:
                headers[name] = option.clean(text)
            elif name not in kit.option_names and not (name == VARIANT and RULES in self._chosen):
                raise UsageError("%(game)s has no option %(option)s.", name, game=self.game, option=quoted(name))
        if mode is not None and mode != CUSTOM:
            headers.update(kit.modes[mode].headers(rng))
        return headers

    def make(self, rng: Random) -> Game[Any, Any]:
        """Return the game; random options are drawn from `rng`. Raises UsageError."""
        return make_game(self.game, self.seats, self.headers(rng))

    def make_exactly(self, rng: Random) -> Game[Any, Any]:
        """Return the game as `make` does, but refuse an option without effect for this number of seats."""
        game = self.make(rng)
        for name in self.options:
            if name != MODE and name not in game.headers():
                raise UsageError(
                    "%(game)s with these seats has no option %(option)s.", name, game=self.game, option=quoted(name)
                )
        return game


def read_variant(text: str, file: str = PASTED) -> Variant:
    """Read a rules file, which names its game. Raises UsageError."""
    game = opened(text, file).choice("game", [name for name, kit in GAMES.items() if kit.option(RULES)])
    if game is None:
        raise UsageError("%(file)s: the key %(key)s is missing.", RULES, file=file, key="game")
    return GAMES[game].variant(text, file)


def variant_of(game: Game[Any, Any]) -> Mapping[str, str] | None:
    """Return the name and the digest of the variant that a game plays; None for the official rules."""
    return of_headers(game.headers())


def rematch_game(game: Game[Any, Any], mode: str | None, rng: Random) -> Game[Any, Any]:
    """Return the game of a rematch: the same options, but what the mode draws is drawn anew."""
    kept = {name: text for name, text in game.headers().items() if name not in GAMES[game.name].decided}
    again = Setup(game.name, game.seats, {**kept, **({MODE: mode} if mode else {})})
    return again.make(rng) if again.drawn else game
