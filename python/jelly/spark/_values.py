"""Parsers for values of options, from the text that Spark passes; a ValueError describes the valid values."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta


def text(value: str) -> str:
    """Accepts any text; choices are checked where they are used."""
    return value


def choice(value: str) -> str:
    """Parses a keyword of this library, in any case, as in Spark's own sources."""
    return value.lower()


def upper(value: str) -> str:
    """Parses a name of the Jelly specification, in any case."""
    return value.upper()


def flag(value: str) -> bool:
    """Parses ``true`` or ``false``."""
    try:
        return {"true": True, "false": False}[value.strip().lower()]
    except KeyError:
        raise ValueError(f"{value!r} is neither true nor false") from None


def number(value: str) -> int:
    """Parses a whole number."""
    try:
        return int(value)
    except ValueError:
        raise ValueError(f"{value!r} is not a whole number") from None


_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


def size(value: str) -> int:
    """Parses a number of bytes, with or without a unit of Spark: ``64m``, ``1gb``."""
    parts = re.fullmatch(r"\s*(\d+)\s*([kmgt]?)b?\s*", value, re.IGNORECASE)
    if parts is None:
        raise ValueError(f"{value!r} is not a number of bytes such as 1000 or 64m")
    return int(parts[1]) * _UNITS[parts[2].lower()]


def positive(parse: Callable[[str], int]) -> Callable[[str], int]:
    """Wraps a parser, so that the number must be at least 1."""

    def parsed(value: str) -> int:
        if (number := parse(value)) < 1:
            raise ValueError(f"{value!r} is less than 1")
        return number

    return parsed


def names(value: str) -> list[str]:
    """Parses names separated by commas."""
    found = [name.strip() for name in value.split(",")]
    if not all(found):
        raise ValueError(f"{value!r} is not a list of names such as `subject,object`")
    return found


def instant(value: str) -> int:
    """Parses a time to nanoseconds since 1970; it needs a time zone, because workers do not know the session's."""
    try:
        found = datetime.fromisoformat(value.strip())
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise ValueError(f"{value!r} is not a time with a time zone, such as 2026-03-01T12:00:00Z")
    return round((found - datetime.fromtimestamp(0, UTC)) / timedelta(microseconds=1)) * 1000


def mapping(value: str) -> dict[str, str]:
    """Parses a JSON object of strings."""
    try:
        found = json.loads(value)
    except ValueError:
        found = None
    if not isinstance(found, dict) or not all(isinstance(item, str) for item in found.values()):
        raise ValueError(f"{value!r} is not a JSON object of strings")
    return found
