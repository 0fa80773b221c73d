"""Play here, without a server: the tables of one device, and its pages, drawn by the same code as those of a server.

It runs under Pyodide in a worker of the browser and needs nothing of a server.
"""

from starfrost.errors import require

require("The server needs more parts: pip install 'starfrost[serve]'.", "starlette", "jinja2")
