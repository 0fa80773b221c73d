"""The bots, one per file. A bot sees a state and the legal actions, never the seed of the dice."""
