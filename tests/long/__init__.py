"""Tests that install more than the others (`make test-long`): a real Ray cluster, the recipes."""
