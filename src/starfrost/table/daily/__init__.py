"""The daily game: its days and deals, the first attempts of guests, and what could have been reached."""
