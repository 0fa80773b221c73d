"""The rules of both games. This package imports only the standard library."""
