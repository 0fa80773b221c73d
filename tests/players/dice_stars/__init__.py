"""The bots of Dice Stars."""
