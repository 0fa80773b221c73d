"""Training of `master`, the Dicy Cards bot for three and four players."""
