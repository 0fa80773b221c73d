"""The page about the JSON interface: a quick start, and what /api/openapi.json describes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from starfrost.web.render import page
from starfrost.web.routing import Pages

router = Pages()


@dataclass(frozen=True)
class Field:
    """A parameter of a request or a part of a body."""

    name: str
    kind: str
    """What may stand there, in words of the schema."""
    needed: bool
    text: str
    link: str = ""
    """The schema of the value, if it has one of its own."""


@dataclass(frozen=True)
class Operation:
    """A request and its answer."""

    method: str
    path: str
    text: str
    token: bool
    """Whether it needs a token."""
    fields: tuple[Field, ...]
    answer: Field | None


def _kind(schema: Mapping[str, Any]) -> tuple[str, str]:
    """Return what a value may be, and the name of its schema if it has one."""
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        return name, name
    if "enum" in schema or "const" in schema:
        return " | ".join(str(one) for one in schema.get("enum") or [schema["const"]]), ""
    for several in ("anyOf", "oneOf"):
        if several in schema:
            found = [_kind(one) for one in schema[several]]
            return " | ".join(name for name, _ in found), next((link for _, link in found if link), "")
    kind = str(schema.get("type", "any"))
    if kind == "array":
        name, link = _kind(schema.get("items", {}))
        return f"array of {name}", link
    return kind, ""


def _field(name: str, schema: Mapping[str, Any], needed: bool, text: str = "") -> Field:
    kind, link = _kind(schema)
    example = next(iter(schema.get("examples", ())), None)
    text = text or str(schema.get("description", ""))
    return Field(name, kind, needed, text if example is None else f"{text}. Example: {example}".lstrip(". "), link)


def _parts(schema: Mapping[str, Any]) -> tuple[Field, ...]:
    needed = schema.get("required", ())
    return tuple(_field(name, part, name in needed) for name, part in schema.get("properties", {}).items())


def _operations(described: Mapping[str, Any]) -> Iterator[tuple[str, Operation]]:
    schemas = described["components"]["schemas"]
    for path, operations in described["paths"].items():
        for method, one in operations.items():
            fields = [
                _field(part["name"], part["schema"], bool(part.get("required")), part.get("description", ""))
                for part in one.get("parameters", ())
            ]
            body = one.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            fields += _parts(schemas.get(_kind(body)[1], {}))
            answers = [answer for status, answer in one["responses"].items() if status.startswith("2")]
            contents = list(answers[0].get("content", {}).values())
            shown = contents[0].get("schema", {}) if contents else {}
            answer = _field("", shown, True) if "$ref" in shown else None
            text = str(one.get("description", ""))
            yield (
                one["tags"][0],
                Operation(method.upper(), path, text, {} not in one["security"], tuple(fields), answer),
            )


@router.get("/api")
async def interface(request: Request) -> Response:
    """Show how programs play."""
    described = request.app.openapi()
    groups: dict[str, list[Operation]] = {}
    for tag, one in _operations(described):
        groups.setdefault(tag, []).append(one)
    schemas = {
        name: (str(schema.get("description", "")), _parts(schema))
        for name, schema in sorted(described["components"]["schemas"].items())
        if schema.get("properties")
    }
    origin = str(request.base_url).rstrip("/")
    return page(
        request, "interface.html", groups=groups, schemas=schemas, site=origin, version=described["info"]["version"]
    )
