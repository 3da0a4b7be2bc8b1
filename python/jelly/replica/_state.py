"""What a replica is at a version."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, Self

RECENT = 200
"""So many ids are remembered, by which forks differ from gaps."""


class DataFile(NamedTuple):
    """A Parquet file."""

    path: str
    """Within the table."""
    rows: int
    size: int

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.path.rpartition("/")[2]


@dataclass(frozen=True)
class State:
    """A version of a replica."""

    commit: int
    """Number of the commit that made it."""
    table: str
    """Drawn when the table was made."""
    secret: bytes
    """Of the keys of quads."""
    bucket_rows: int
    """Rows that a bucket shall have."""
    version: int = 0
    """The version of the log."""
    id: str | None = None
    """The id of the last patch."""
    recent: tuple[str, ...] = ()
    """The last ids, as they are compared; that of ``id`` is the last."""
    digest: str | None = None
    """Of the changes of the last patch, where they are known."""
    digests: tuple[str, ...] = ()
    """Shortened, of the patches of the last ``recent``, where they are known."""
    chain: tuple[str, str] | None = None
    """Digest of the ids and digests of all patches from one on, and the id of that one."""
    prefixes: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """IRIs by graph and name."""
    buckets: Mapping[str, Sequence[DataFile]] = field(default_factory=dict)
    """Files of each bucket that has some."""
    adds: DataFile | None = None
    """Quads that were added since the buckets were written."""
    deletes: DataFile | None = None
    """Rows of the buckets that were deleted since: the name of the file and the number of the row."""

    @property
    def rows(self) -> int:
        """Quads."""
        added = self.adds.rows if self.adds is not None else 0
        deleted = self.deletes.rows if self.deletes is not None else 0
        return sum(file.rows for file in self.files) + added - deleted

    @property
    def files(self) -> list[DataFile]:
        """The files of the buckets, one after the other."""
        return [file for code in sorted(self.buckets) for file in self.buckets[code]]

    def meaning(self) -> dict[str, Any]:
        """All but the files, for JSON."""
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
        """What is settled when the table is made, for JSON."""
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
    """The state that was written as JSON."""
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
    """The last commit of each version, of commits and their versions from the last one on: compactions make a version again."""
    seen: dict[int, int] = {}
    for commit, version in commits:
        seen.setdefault(version, commit)
    return list(seen.values())


class Files(Protocol):
    """Files of a table; can be pickled."""

    def open(self, path: str) -> Any:
        """A file to be read by Arrow."""

    def create(self, path: str) -> Any:
        """A file to be written by Arrow."""

    def keep(self, path: str) -> int:
        """A file that was written shall outlive a power failure; gives its size."""

    def name(self, code: str, unique: str) -> str:
        """The path of a new file of a bucket."""


class Attempt(Protocol):
    """A commit that is being made; leaving it undoes what was not committed."""

    name: str
    """Is in the names of its files."""

    def commit(
        self, state: State, removed: Sequence[DataFile], added: Sequence[tuple[str, DataFile]]
    ) -> None:
        """Makes a state the last one, at once.

        Raises:
            ReplicaError: Another writer was faster.
        """

    def __enter__(self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...


class Store(Protocol):
    """Where a replica is kept."""

    @property
    def root(self) -> str:
        """Where its files are, for others."""

    @property
    def files(self) -> Files:
        """Its files."""

    @property
    def merges(self) -> bool:
        """Whether changes can lie beside the buckets."""

    def load(self, version: int | None = None) -> State:
        """The last state, or that of a version.

        Raises:
            ReplicaError: There is none.
        """

    def versions(self) -> list[int]:
        """Versions that can be read, in order."""

    def begin(self, state: State) -> Attempt:
        """Begins a commit after a state."""

    def vacuum(self, keep: int, hours: float, *, dry_run: bool) -> list[str]:
        """Deletes all but the last versions, and leftovers, unless it is a dry run; returns paths."""
