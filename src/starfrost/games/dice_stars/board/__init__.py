"""The board of Dice Stars on the pages."""

import starfrost.boards  # noqa: F401  It says what is missing where Jinja is not installed.
