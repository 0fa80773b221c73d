"""The pages that only Dicy Cards has."""

import starfrost.web  # noqa: F401  It says what is missing where no server is installed.
