"""The rules of both games, on the standard library alone."""
