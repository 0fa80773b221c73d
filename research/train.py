"""Train a bot by self-play: `python -m research.train dice-stars`, or `dicy-cards`; `starfrost train` does the same."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from starfrost.errors import MissingExtra, StarfrostError, UsageError, quoted

GAMES = ("dice-stars", "dicy-cards")


def train(
    game: str,
    players: str = "",
    minutes: str = "2",
    out: Path = Path("training"),
    *,
    resume: bool = False,
    seed: int = 0,
    hidden: str = "",
    sets: int | None = None,
    pictures: bool = False,
) -> None:
    """Train for each number of players, and draw the curves. Raises UsageError."""
    if game not in GAMES:
        names = " or ".join(GAMES)
        raise UsageError("There is nothing to train for %(game)s; expected %(games)s.", game=repr(game), games=names)
    foreign = {"sets": sets is not None} if game == "dice-stars" else {"hidden": bool(hidden), "pictures": pictures}
    for name, given in foreign.items():
        if given:
            raise UsageError("%(game)s has no option %(option)s.", name, game=game, option=quoted(name))
    if game == "dicy-cards":
        from research.dicy_cards.train import run as run_cards

        run_cards(players or "3,4", minutes, out, resume, seed, 48 if sets is None else sets)
        return
    if not pictures:
        from research.dice_stars.train import run as run_stars

        run_stars(players or "1,2,3,4", minutes, out, resume, seed, hidden)
    from research.curves import draw

    try:
        print(f"Curves: {draw(out)}")
    except MissingExtra as missing:
        if pictures:
            raise
        # Without the extra for pictures there are no curves; the weights are saved.
        print(missing)


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line and train."""
    parser = argparse.ArgumentParser(prog="python -m research.train", description="Train a bot by self-play.")
    parser.add_argument("game", choices=GAMES)
    parser.add_argument("--players", default="", help="numbers of players, separated by commas; default: all")
    parser.add_argument("--minutes", default="2", help="minutes for each of them, or one number for all")
    parser.add_argument("--out", type=Path, default=Path("training"), help="where weights and curves go")
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoints there")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--hidden", default="", help="dice-stars: sizes of the two hidden layers, such as 512,128")
    parser.add_argument("--sets", type=int, help="dicy-cards: sets of cards, the modes first; default: 48")
    parser.add_argument("--pictures", action="store_true", help="dice-stars: only draw the curves")
    given = vars(parser.parse_args(arguments))
    try:
        train(**given)
    except StarfrostError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
