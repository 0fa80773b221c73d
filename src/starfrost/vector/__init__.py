"""Both games for batches on CPU and GPU.

game, arrays, chance    shared by both engines: the interface, NumPy or JAX, random words
dicy_cards, dice_stars  the engines, and conversion to and from the reference engines
"""
