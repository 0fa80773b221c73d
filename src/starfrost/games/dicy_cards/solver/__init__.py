"""Exact values for two-player Dicy Cards."""
