"""Online play: the service (the one authority), the store (an event log), fair dice and live signals."""
