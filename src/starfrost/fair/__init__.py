"""Verifiable dice: a sealed seed, contributions of the players, and the proof of a record. Standard library only."""
