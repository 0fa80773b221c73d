"""The fair dice in words that a family understands: the sealed envelope."""

from starfrost.words import Words, mark

ENVELOPE: tuple[str, ...] = (
    mark(
        "When a table opens, the server writes a secret number on a sheet of paper, seals it in an envelope and lays "
        "the envelope on the table. Everybody sees the seal. From now on the server cannot swap the paper."
    ),
    mark(
        "Then everybody who sits down adds a number of their own; your browser makes yours. Nobody knew your "
        "number when the envelope was sealed, so nobody could choose the secret to suit it."
    ),
    mark(
        "Every roll is worked out from the secret in the envelope, all your numbers and the place of the roll in the "
        "game. Nobody at the table can know a roll beforehand, and the server cannot change one afterwards."
    ),
    mark(
        "When the game is over, or is given up, the envelope is opened. Anybody can check the seal and recompute "
        "every roll: save the game and run starfrost verify with the file."
    ),
    mark(
        "If you give no number, the server picks one for you, and the table shows that. If you want to be sure, "
        "give your own."
    ),
)


def explain(w: Words) -> tuple[str, ...]:
    """Return the explanation, one string per paragraph."""
    return tuple(w(paragraph) for paragraph in ENVELOPE)
