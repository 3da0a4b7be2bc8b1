"""Types in Spark's DDL."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from jelly._arrow import require_pyarrow

if TYPE_CHECKING:
    import pyarrow as pa

_ALIASES = {
    "byte": "tinyint",
    "short": "smallint",
    "integer": "int",
    "long": "bigint",
    "real": "float",
    "dec": "decimal",
    "numeric": "decimal",
    "timestamp_ltz": "timestamp",
}


def quoted(name: str) -> str:
    """A column name that DDL takes as it is."""
    return "`" + name.replace("`", "``") + "`"


def arrow_type(ddl: str) -> pa.DataType:
    """The Arrow type that Spark takes for a type in DDL.

    Raises:
        ValueError: The text is not a type, or one that Arrow does not carry to Spark.
        ImportError: pyarrow is not installed.
    """
    require_pyarrow()
    import pyarrow as pa

    atoms = {
        "boolean": pa.bool_(),
        "tinyint": pa.int8(),
        "smallint": pa.int16(),
        "int": pa.int32(),
        "bigint": pa.int64(),
        "float": pa.float32(),
        "double": pa.float64(),
        "string": pa.string(),
        "binary": pa.binary(),
        "date": pa.date32(),
        "timestamp": pa.timestamp("us", tz="UTC"),
        "timestamp_ntz": pa.timestamp("us"),
        "decimal": pa.decimal128(10, 0),
    }
    parts = re.fullmatch(r"\s*(\w+)\s*(?:<(.*)>|\(([\d\s,]+)\))?\s*", ddl, re.DOTALL)
    if parts is None:
        raise ValueError(f"{ddl!r} is not a Spark type")
    name, inner, numbers = parts[1].lower(), parts[2], parts[3]
    name = _ALIASES.get(name, name)
    items = _split(inner) if inner is not None else []
    if name == "array" and len(items) == 1:
        return pa.list_(pa.field("element", arrow_type(items[0])))
    if name == "map" and len(items) == 2:
        return pa.map_(arrow_type(items[0]), arrow_type(items[1]))
    if name == "struct" and inner is not None:
        return pa.struct([_struct_field(item) for item in items])
    if name == "decimal" and numbers is not None:
        precision, _, scale = numbers.partition(",")
        return pa.decimal128(int(precision), int(scale or 0))
    if name in atoms and inner is None and numbers is None:
        return atoms[name]
    raise ValueError(f"columns of type {ddl!r} cannot pass through")


def _split(text: str) -> list[str]:
    """Parts between the commas outside of brackets and backticks."""
    parts, depth, start, name = [], 0, 0, False
    for position, char in enumerate(text):
        name ^= char == "`"
        if not name:
            depth += (char in "<(") - (char in ">)")
            if char == "," and depth == 0:
                parts.append(text[start:position])
                start = position + 1
    return [*parts, text[start:]] if text.strip() else []


def _struct_field(text: str) -> pa.Field:
    import pyarrow as pa

    parts = re.fullmatch(r"\s*(?:`((?:[^`]|``)+)`|(\w+))\s*(?::|\s)\s*(.+)", text, re.DOTALL)
    if parts is None:
        raise ValueError(f"{text!r} is not a field of a struct; expected `name: type`")
    name = parts[2] if parts[1] is None else parts[1].replace("``", "`")
    return pa.field(name, arrow_type(parts[3]))
