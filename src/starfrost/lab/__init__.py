"""Simulations, tournaments, statistics and figures."""
