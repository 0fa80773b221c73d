"""Bots that play thousands of games at once, with the same decisions as the single bots of `starfrost.bots`.

chance      the dice and the luck of a game, a function of its seed that every way to play shares
registry    what a game's kit offers
"""
