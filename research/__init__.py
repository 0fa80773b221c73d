"""Networks, self-play and training for the learned bots."""
