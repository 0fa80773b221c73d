"""The numbers explained to people: game analysis, puzzles, the atlas and reports."""
