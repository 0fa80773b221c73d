"""Rooms: groups of friends that last, their games and their standings."""
