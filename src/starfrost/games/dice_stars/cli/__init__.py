"""What the command line has only for Dice Stars."""
