"""Bots: one a file; a bot sees a state, a seat and the legal actions, never the seed."""
