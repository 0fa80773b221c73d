"""The coach of Dicy Cards: judges, puzzles and what else explains values."""
