"""`python -m starfrost` is the command `starfrost`."""

from starfrost.cli import main

main()
