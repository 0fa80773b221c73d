"""Dice Stars for batches."""
