"""`starfrost admin`: what a host does beside the server, while it runs."""
