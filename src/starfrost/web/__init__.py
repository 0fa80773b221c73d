"""Pages and the JSON interface."""
