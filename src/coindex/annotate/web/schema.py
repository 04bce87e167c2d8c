"""The part of JSON Schema that the routes use, for validation and the OpenAPI description."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from coindex.annotate.errors import ApiError

Schema = Mapping[str, Any]

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,),
    "object": (dict,), "array": (list,), "null": (type(None),),
}  # fmt: skip


def object_schema(required: str = "", /, **properties: Schema) -> dict[str, Any]:
    """Return the schema of an object with these properties and no others."""
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required.split()
    return {**schema, "additionalProperties": False}


def string_schema(most: int = 200, least: int = 0, pattern: str | None = None) -> dict[str, Any]:
    """Return the schema of a string."""
    schema: dict[str, Any] = {"type": "string", "minLength": least, "maxLength": most}
    return schema if pattern is None else {**schema, "pattern": pattern}


def integer_schema(least: int = 0, most: int = 2**31 - 1) -> dict[str, Any]:
    """Return the schema of a whole number."""
    return {"type": "integer", "minimum": least, "maximum": most}


def one_of(*values: Any) -> dict[str, Any]:
    """Return the schema of a choice."""
    return {"enum": list(values)}


def validate(schema: Schema, value: Any, where: str = "body") -> None:
    """Raise an error if a value does not fit."""
    if "enum" in schema:
        if not any(value == each and type(value) is type(each) for each in schema["enum"]):
            raise _mismatch(where, f"one of {schema['enum']}", value)
        return
    kinds = schema.get("type")
    if kinds is not None:
        _type([kinds] if isinstance(kinds, str) else kinds, value, where)
    if isinstance(value, str):
        _string(schema, value, where)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        low, high = schema.get("minimum"), schema.get("maximum")
        if (low is not None and value < low) or (high is not None and value > high):
            raise _mismatch(where, f"a number from {low} to {high}", value)
    elif isinstance(value, list):
        _array(schema, value, where)
    elif isinstance(value, dict):
        _object(schema, value, where)


def _type(kinds: list[str], value: Any, where: str) -> None:
    for kind in kinds:
        if isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool)):
            return
    raise _mismatch(where, " or ".join(kinds), value)


def _string(schema: Schema, value: str, where: str) -> None:
    low, high = schema.get("minLength", 0), schema.get("maxLength", 10**9)
    if not low <= len(value) <= high:
        raise _mismatch(where, f"{low} to {high} characters", value)
    if any("\ud800" <= char <= "\udfff" for char in value):
        raise _mismatch(where, "no lone surrogates", value)
    if "\0" in value and not schema.get("x-null-characters"):
        raise _mismatch(where, "no null characters", value)
    if "pattern" in schema and not re.search(schema["pattern"], value):
        raise _mismatch(where, f"the form {schema['pattern']}", value)


def _array(schema: Schema, value: list[Any], where: str) -> None:
    low, high = schema.get("minItems", 0), schema.get("maxItems")
    if len(value) < low or (high is not None and len(value) > high):
        wanted = f"at least {low}" if high is None else f"{low} to {high}"
        raise ApiError(422, "invalid", f"{where}: expected {wanted} items, found {len(value)}")
    for number, item in enumerate(value):
        validate(schema.get("items", {}), item, f"{where}[{number}]")


def _object(schema: Schema, value: dict[str, Any], where: str) -> None:
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            raise ApiError(422, "invalid", f"{where}: expected {name}, found none")
    for name, item in value.items():
        if name in properties:
            validate(properties[name], item, f"{where}.{name}")
        elif schema.get("additionalProperties") is False:
            raise ApiError(422, "invalid", f"{where}: unexpected {name[:60]!r}")


def _mismatch(where: str, expected: str, found: Any) -> ApiError:
    shown = repr(found)
    shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
    return ApiError(422, "invalid", f"{where}: expected {expected}, found {shown}")
