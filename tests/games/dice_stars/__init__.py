"""Dice Stars: clause by clause, by machine, by counting and by playthrough."""
