"""Both games for batches on CPU and GPU, and the learning of `strong`.

game, arrays, chance         what both engines share: the contract, NumPy or JAX, random words
dicy, dicy_cards             Dicy Cards; which dice fit a card
stars, stars_sheet           Dice Stars; the sheet
*_reference                  to and from the reference engines
rollout                      random play, for benchmarks
stars_features, _net, _choice  what a network sees, the network, choosing by it (NumPy is enough)
stars_selfplay, _learn, train, curves  self-play, learning, the command, its pictures
"""
