"""Exact values explained: the analysis of games, puzzles, the atlas and reports."""
