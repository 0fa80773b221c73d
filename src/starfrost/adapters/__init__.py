"""The games where researchers work: Gymnasium, PettingZoo and Pgx. Needs `pip install starfrost[vector]`."""
