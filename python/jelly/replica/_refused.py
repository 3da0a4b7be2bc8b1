"""Errors of replicas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jelly.errors import ReplicaError

_NONE = "there is no replica here; create one with Replica.create"
_LATER = "this replica was made by another version of this library, or is damaged; create it again"


def refused(cause: str, message: str, table: str | None = None) -> ReplicaError:
    """Returns an error; ``cause`` is the second part of its kind."""
    kind = f"replica.{cause}"
    place = f" ({table})" if table else ""
    return ReplicaError(f"{kind}: {message}{place}", kind=kind, source=table)


def no_replica(table: str) -> ReplicaError:
    """Returns the error for a table without a replica."""
    return refused("table", _NONE, table)


def too_new(place: str) -> ReplicaError:
    """Returns the error for a replica of a later version of this library."""
    return refused("table", _LATER, place)


def damaged(message: str, file: str) -> ReplicaError:
    """Returns the error for a data file that is not what the replica says."""
    text = f"a data file is damaged: {message}; create the replica again"
    return refused("table", text, file)


def changed(number: int, info: Mapping[str, Any], table: str) -> ReplicaError:
    """Returns the error for rows that another program changed with a Delta Lake commit."""
    by = info.get("engineInfo") or "a program without a name"
    message = (
        f"version {number} of the Delta table "
        f"({info.get('operation', 'an operation without a name')}, by {by}) changed rows, but "
        f"only the log may change them; RESTORE the table to version {number - 1}, or create the "
        "replica again"
    )
    return refused("table", message, table)


def no_version(version: int, there: list[int], table: str) -> ReplicaError:
    """Returns the error for a version that cannot be read."""
    some = ", ".join(map(str, there[-20:]))
    return refused(
        "version", f"version {version} cannot be read; versions that can be read: {some}", table
    )


def vacuumed(version: int, table: str) -> ReplicaError:
    """Returns the error for a version whose files were deleted."""
    message = f"version {version} cannot be read, because vacuum deleted some of its files; read a later version"
    return refused("version", message, table)


def overtaken(table: str) -> ReplicaError:
    """Returns the error for a commit of another writer that came first."""
    message = "another writer changed the table at the same time; this call changed nothing, follow the log again"  # fmt: skip
    return refused("writer", message, table)
