"""Dicy Cards for many games at once, compiled by Numba."""
