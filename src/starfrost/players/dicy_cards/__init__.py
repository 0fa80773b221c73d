"""Bots for Dicy Cards."""
