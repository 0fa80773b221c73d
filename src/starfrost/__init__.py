"""Starfrost: two dice games, exactly: rules, records, bots, tables, a solver and simulators."""

__version__ = "0.1.0"
__all__ = ["__version__"]
