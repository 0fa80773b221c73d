"""Training of `strong`, the Dice Stars bot."""
