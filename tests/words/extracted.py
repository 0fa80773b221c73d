"""The messages of the source, collected once: that takes seconds."""

from functools import cache

from babel.messages.catalog import Catalog

from tools import messages


@cache
def extracted() -> Catalog:
    """Collect every message in the source; to be read, not changed."""
    return messages.template()
