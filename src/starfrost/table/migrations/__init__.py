"""Alembic migrations of the store, applied at start."""
