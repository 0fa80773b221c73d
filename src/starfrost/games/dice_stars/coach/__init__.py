"""The coach of Dice Stars: judges, puzzles and what else explains values."""
