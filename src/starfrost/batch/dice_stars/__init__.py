"""Dice Stars for many games at once, compiled by Numba; the network of `strong` evaluates them together."""
