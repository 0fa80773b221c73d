"""Commands of Dicy Cards: the solver, the coach, the puzzles and the atlas."""
