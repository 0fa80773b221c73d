"""Pig, a game for two to four players: a third game that lives outside Starfrost."""
