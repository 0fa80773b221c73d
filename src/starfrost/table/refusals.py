"""Refusals that several parts of the service give."""

from starfrost.errors import Refused


def newer() -> Refused:
    """Return the refusal for a table with events that only a newer version understands."""
    return Refused(
        "newer", "This table is played by a newer version of Starfrost; this server waits for its upgrade.", 503
    )


def unavailable() -> Refused:
    """Return the refusal for a write that the store did not confirm."""
    return Refused("storage", "This could not be stored just now; try again with the same key.", 503)


def key_used() -> Refused:
    """Return the refusal for a key that was used for another command."""
    return Refused("key-used", "This key was used for another command.", 422)


def check_id(table_id: str) -> None:
    """Refuse what cannot be the id of a table. Raises Refused."""
    if len(table_id) > 32 or "\0" in table_id:
        raise Refused("no-table", "This table does not exist.", 404)
