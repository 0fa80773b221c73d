"""Dice Stars for many games at once, compiled by Numba."""
