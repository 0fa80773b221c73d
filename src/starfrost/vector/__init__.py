"""The same rules for batches on CPU and GPU."""
