"""Clocks: how long a seat has for one move, and how long it is kept for a player who is away."""

CLOCKS: dict[str, float | None] = {
    "none": None,
    "30s": 30.0,
    "2min": 120.0,
    "1day": 86_400.0,
    "3days": 259_200.0,
}
"""Seconds that a seat has for one move."""

SEAT_KEPT = 300.0
"""Seconds for which only its own player may take a seat that a bot holds; with a longer clock, the time of one move."""

DAY = 86_400.0
"""Seconds for one move from which on people do not sit at the table all the time."""

REMINDER = 6
"""The part of a long clock that is left when its player is reminded: of one day four hours."""
