"""Times as people write them, in Python and in a shell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, TypeAlias

Time: TypeAlias = datetime | date | str
"""A time, or a day."""

# ``fromisoformat`` also takes weeks (2026-W02), days without hyphens and any character before the hour
_CALENDAR = re.compile(r"\d{4}-\d\d-\d\d([Tt ].+)?", re.ASCII)
_DATE_TIME = re.compile(
    r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-](?:0\d|1[0-3]):[0-5]\d|[+-]14:00)?", re.ASCII
)
_XSD = "http://www.w3.org/2001/XMLSchema#"
# a literal without a type is a text that people wrote by hand
_TYPES = ("", f"^^<{_XSD}dateTime>", f"^^<{_XSD}dateTimeStamp>", f"^^<{_XSD}string>")
_ZONED_DAY = re.compile(r"(\d{4}-\d\d-\d\d)(Z|[+-]\d\d:\d\d)")


def start_of(at: Time) -> datetime:
    """The time in UTC; of a day, its first moment.

    Raises:
        ValueError: The text is no time.
    """
    return _span(at)[0]


def end_of(at: Time) -> datetime:
    """The time in UTC; of a day, its last moment.

    Raises:
        ValueError: The text is no time.
    """
    return _span(at)[1]


def of_term(term: str) -> datetime | None:
    """The time of a literal, given as a term or as its text, in UTC; None if it has none.

    The text is that of an ``xsd:dateTime`` (XML Schema 1.1 part 2, section 3.3.7). A time without
    a zone is in UTC, so that it is the same on each machine.
    """
    text = term
    if term.startswith('"'):
        text, _, type = term[1:].rpartition('"')
        if type not in _TYPES:
            return None
    if not (found := _DATE_TIME.fullmatch(text)):
        return None
    day, hour, fraction, zone = found.groups()
    is_midnight = hour == "24:00:00" and not (fraction or "").strip(".0")
    with suppress(ValueError, OverflowError):
        hour = "00:00:00" if is_midnight else hour
        at = datetime.fromisoformat(f"{day}T{hour}{(fraction or '')[:7]}{zone or 'Z'}")
        return _utc(at + timedelta(days=is_midnight))
    return None


def as_term(at: datetime) -> str:
    """The literal that says a time, in UTC."""
    return f'"{shown(at)}"^^<{_XSD}dateTime>'


def shown(at: datetime) -> str:
    """A time as summaries and messages say it, in UTC."""
    return _utc(at).isoformat().replace("+00:00", "Z")


def _span(at: Time) -> tuple[datetime, datetime]:
    """First and last moment. A time without a zone is that of this machine."""
    if isinstance(at, str) and (zoned := _ZONED_DAY.fullmatch(at)):
        first = _parsed(f"{zoned[1]}T00:00{zoned[2]}")
        with _in_calendar(at):
            return _utc(first), _utc(first + timedelta(days=1, microseconds=-1))
    found: date = _parsed(at) if isinstance(at, str) else at
    if isinstance(found, datetime):
        with _in_calendar(at):
            early, late = _moments(found)
        utc = _utc(_once(found, early, late, is_text=isinstance(at, str)))
        return utc, utc
    # by the clock on the wall: a day can have 23 or 25 hours
    with _in_calendar(at):
        return _midnight(found), _midnight(found + timedelta(days=1)) - timedelta(microseconds=1)


@contextmanager
def _in_calendar(at: Time) -> Iterator[None]:
    """Moments of a time that are in no year of the calendar are rejected."""
    try:
        yield
    except (OverflowError, ValueError):
        message = f"{at} is outside the years 1 to 9999 in UTC"
        raise ValueError(message) from None


def _once(at: datetime, early: datetime, late: datetime, *, is_text: bool) -> datetime:
    """The time itself, refused where the clock of this machine shows it twice or never.

    Of a ``datetime`` without a zone, ``fold`` says which of two moments is meant (PEP 495); a text
    has none.
    """
    if at.tzinfo is not None or early == late:
        return at
    is_shown = early.astimezone().replace(tzinfo=None) == at.replace(fold=0)
    if is_shown and not is_text:
        return at
    zones = [moment.astimezone().isoformat() for moment in (early, late)]
    message = (
        f"{at.isoformat()} occurs {'twice' if is_shown else 'never'} on this machine, because its "
        f"clock is changed then; write {zones[0]} or {zones[1]}"
    )
    raise ValueError(message)


def _midnight(day: date) -> datetime:
    """The first moment of a day, in UTC."""
    midnight = datetime.combine(day, time.min)
    early, late = _moments(midnight)
    # a clock that is put forward at midnight never shows it: the day begins when that is done
    is_shown = early.astimezone().replace(tzinfo=None) == midnight
    return early if is_shown else late


def _moments(at: datetime) -> tuple[datetime, datetime]:
    """The moments that a time without a zone may be, in UTC, the earlier one first."""
    first, second = sorted(_utc(at.replace(fold=fold)) for fold in (0, 1))
    return first, second


def _parsed(text: str) -> Any:
    for parse in (date.fromisoformat, datetime.fromisoformat) if _CALENDAR.fullmatch(text) else ():
        with suppress(ValueError):
            return parse(text)
    message = (
        f"{text!r} is not a time; expected 2026-11-21 (a day), 2026-11-21T18:00 (in the time zone "
        "of this machine) or 2026-11-21T18:00Z"
    )
    raise ValueError(message)


def _utc(at: datetime) -> datetime:
    return at.astimezone(UTC)
