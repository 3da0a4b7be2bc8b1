"""The state of a replica at a version."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, Self

RECENT = 200
"""Number of ids that are stored, to distinguish forks from gaps."""


class DataFile(NamedTuple):
    """A Parquet file."""

    path: str
    """Path within the table."""
    rows: int
    size: int

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]


@dataclass(frozen=True)
class State:
    """A version of a replica."""

    commit: int
    """Number of the commit that made this state."""
    table: str
    """Random id, drawn when the table was created."""
    secret: bytes
    """Secret for the keys of quads."""
    bucket_rows: int
    """Number of rows that a bucket should have."""
    version: int = 0
    """The version of the log."""
    id: str | None = None
    """The id of the last patch."""
    recent: tuple[str, ...] = ()
    """The last ids, in the form that is compared; the last one is that of ``id``."""
    digest: str | None = None
    """Digest of the changes of the last patch, if it is known."""
    digests: tuple[str, ...] = ()
    """Shortened digests of the last patches in ``recent``, if they are known."""
    chain: tuple[str, str] | None = None
    """Digest of the ids and digests of all patches from one on, and the id of that patch."""
    prefixes: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """IRIs by graph and name."""
    buckets: Mapping[str, Sequence[DataFile]] = field(default_factory=dict)
    """Files of each bucket that has files."""
    adds: DataFile | None = None
    """Quads that were added since the buckets were written."""
    deletes: DataFile | None = None
    """Rows of the buckets that were deleted since then: file name and row number."""

    @property
    def rows(self) -> int:
        """Number of quads."""
        added = self.adds.rows if self.adds is not None else 0
        deleted = self.deletes.rows if self.deletes is not None else 0
        return sum(file.rows for file in self.files) + added - deleted

    @property
    def files(self) -> list[DataFile]:
        """The files of the buckets, one after the other."""
        return [file for code in sorted(self.buckets) for file in self.buckets[code]]

    def meaning(self) -> dict[str, Any]:
        """All metadata except the files, for JSON."""
        return {
            "version": self.version,
            "id": self.id,
            "recent": list(self.recent),
            "digest": self.digest,
            "digests": list(self.digests),
            "chain": self.chain,
            "prefixes": [[*key, iri] for key, iri in self.prefixes.items()],
        }

    def fixed(self) -> dict[str, Any]:
        """Metadata that is fixed when the table is created, for JSON."""
        return {
            "table": self.table,
            "secret": self.secret.hex(),
            "bucket_rows": self.bucket_rows,
        }


def state_of(
    commit: int,
    fixed: Mapping[str, Any],
    meaning: Mapping[str, Any],
    buckets: Mapping[str, Sequence[DataFile]],
) -> State:
    """Returns the state that was written as JSON."""
    return State(
        commit=commit,
        table=fixed["table"],
        secret=bytes.fromhex(fixed["secret"]),
        bucket_rows=fixed["bucket_rows"],
        version=meaning["version"],
        id=meaning["id"],
        recent=tuple(meaning["recent"]),
        digest=meaning["digest"],
        # tables of older versions do not have them
        digests=tuple(meaning.get("digests", ())),
        chain=tuple(meaning["chain"]) if meaning.get("chain") else None,
        prefixes={(graph, name): iri for graph, name, iri in meaning["prefixes"]},
        buckets=buckets,
    )


def newest(commits: Iterable[tuple[int, int]]) -> list[int]:
    """Returns the last commit of each version, given commits from the last one on; compactions commit a version again."""
    seen: dict[int, int] = {}
    for commit, version in commits:
        seen.setdefault(version, commit)
    return list(seen.values())


class Files(Protocol):
    """Files of a table; must be picklable."""

    def open(self, path: str) -> Any:
        """Opens a file for reading by Arrow."""

    def create(self, path: str) -> Any:
        """Creates a file for writing by Arrow."""

    def keep(self, path: str) -> int:
        """Makes a written file durable across a power failure; returns its size."""

    def name(self, code: str, unique: str) -> str:
        """Returns the path for a new file of a bucket."""


class Attempt(Protocol):
    """A commit in progress; leaving the context undoes what was not committed."""

    name: str
    """The name of the attempt, which is part of its file names."""

    def commit(
        self, state: State, removed: Sequence[DataFile], added: Sequence[tuple[str, DataFile]]
    ) -> None:
        """Publishes a state as the last one, atomically.

        Raises:
            ReplicaError: Another writer committed first.
        """

    def __enter__(self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...


class Store(Protocol):
    """The storage of a replica."""

    @property
    def root(self) -> str:
        """The place of the files, for other programs."""

    @property
    def files(self) -> Files:
        """The files of the replica."""

    @property
    def merges(self) -> bool:
        """Whether changes can be stored beside the buckets."""

    def load(self, version: int | None = None) -> State:
        """Returns the last state, or the state of a version.

        Raises:
            ReplicaError: The state does not exist.
        """

    def versions(self) -> list[int]:
        """Returns the versions that can be read, in order."""

    def begin(self, state: State) -> Attempt:
        """Begins a commit after a state."""

    def mend(self, state: State) -> None:
        """Shows the last state to readers of the files, if a process was killed between its commit and this."""

    def vacuum(self, keep: int, hours: float, *, dry_run: bool) -> list[str]:
        """Deletes all but the last versions, and leftovers, unless it is a dry run; returns paths."""
