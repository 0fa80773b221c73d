"""Dicy Cards for batches."""
