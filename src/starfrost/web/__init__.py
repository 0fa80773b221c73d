"""The pages and the JSON interface."""

from starfrost.errors import require

require("The server needs more parts: pip install 'starfrost[serve]'.", "starlette", "jinja2")
