"""The rules of both games."""
