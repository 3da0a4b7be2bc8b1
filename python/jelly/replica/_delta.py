"""Replicas as Delta Lake tables.

The table is partitioned by ``bucket``. A Delta Lake commit replaces the files of some buckets. It also records the
version of the log, as an application transaction, and the other metadata of the replica, under ``jelly.replica``. The
transaction log of the table is not cleaned up, so this metadata is never lost.
"""

from __future__ import annotations

import json
import math
import re
import secrets
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Self

from jelly.replica._delta_commits import META, read_actions, remembered
from jelly.replica._keys import schema
from jelly.replica._refused import no_replica, no_version, overtaken, too_new, vacuumed
from jelly.replica._state import DataFile, State, newest, state_of

try:
    import deltalake
    from deltalake.exceptions import DeltaError, TableNotFoundError
    from deltalake.fs import DeltaStorageHandler
    from deltalake.transaction import (
        AddAction,
        CommitProperties,
        RemoveAction,
        Transaction,
        create_table_with_add_actions,
    )
except ModuleNotFoundError as error:
    raise ImportError("deltalake is not installed: pip install deltalake") from error

_FORMAT = 1
_COLUMN = "bucket"


@dataclass
class DeltaFiles:
    """Files of a table, on any storage; see :class:`jelly.replica._state.Files`."""

    uri: str
    options: dict[str, str] | None
    written: list[str] = field(default_factory=list)
    """Files that this process created."""

    @cached_property
    def fs(self) -> Any:
        """The storage, as an Arrow file system."""
        import pyarrow.fs as pafs

        return pafs.PyFileSystem(DeltaStorageHandler(self.uri, self.options))

    def __reduce__(self) -> Any:
        return DeltaFiles, (self.uri, self.options)

    def open(self, path: str) -> Any:
        return self.fs.open_input_file(path)

    def create(self, path: str) -> Any:
        self.written.append(path)
        return self.fs.open_output_stream(path)

    def keep(self, path: str) -> int:
        return int(self.fs.get_file_info(path).size)

    def name(self, code: str, unique: str) -> str:
        return f"{_COLUMN}={_value(code)}/part-{unique}.parquet"


def _value(code: str) -> str:
    return f"b{code}"  # an empty text would be null in a path


class DeltaStore:
    """A Delta Lake table with a replica; see :class:`jelly.replica._state.Store`."""

    # deltalake writes no deletion vectors
    merges = False

    def __init__(self, uri: str, options: Mapping[str, str] | None) -> None:
        self.root = uri
        self.options = None if options is None else dict(options)
        self.files = DeltaFiles(uri, self.options)

    @classmethod
    def create(cls, uri: str, options: Mapping[str, str] | None) -> DeltaStore:
        """Returns a store for a table that the first commit creates.

        Raises:
            FileExistsError: A table exists.
            ValueError: ``deltalake`` would take the name of the folder for another name.
        """
        if "://" not in uri and (odd := re.search("[%?#]", uri)):
            raise ValueError(f"{uri}: the path of a Delta Lake table cannot contain {odd[0]}")
        if deltalake.DeltaTable.is_deltatable(uri, None if options is None else dict(options)):
            raise FileExistsError(f"{uri}: there is already a Delta Lake table")
        if "://" not in uri:
            Path(uri).mkdir(parents=True, exist_ok=True)
        return cls(uri, options)

    def table(self, version: int | None = None) -> deltalake.DeltaTable:
        """Returns the current table, or the table at a version of Delta Lake."""
        return deltalake.DeltaTable(self.root, version=version, storage_options=self.options)

    def load(self, version: int | None = None) -> State:
        try:
            table = self.table()
        except TableNotFoundError:
            raise no_replica(self.root) from None
        if version is None:
            text = remembered(table.version(), partial(read_actions, self.files.fs), self.root)
            return _state(table, _read(text))
        found = [one for one in self._history(table) if one[1]["version"] == version]
        if not found:
            raise no_version(version, self.versions(), self.root)
        number, stored = found[0]
        newest = {file.path for file in _state(table, stored).files}
        table.load_as_version(number)  # its history would still begin with the last commit
        state = _state(table, stored)
        older = [file.path for file in state.files if file.path not in newest]
        if len(self._there(older)) < len(older):
            raise vacuumed(version, self.root)
        return state

    def versions(self) -> list[int]:
        return sorted({stored["version"] for _, stored in self._history(self.table())})

    def begin(self, state: State) -> _Attempt:
        return _Attempt(self, state)

    def mend(self, state: State) -> None:
        pass  # a commit of Delta Lake is what readers see

    def vacuum(self, keep: int, hours: float, *, dry_run: bool) -> list[str]:
        """Deletes files that neither the last versions nor those of the last ``hours`` use, unless it is a dry run."""
        table = self.table()
        commits = ((number, stored["version"]) for number, stored in self._history(table))
        last = newest(commits)[:keep]
        chosen: dict[str, Any] = {
            "retention_hours": math.ceil(hours),
            "enforce_retention_duration": False,
            "full": True,
            "keep_versions": last,
        }
        # the dry run also lists files that an earlier call deleted
        gone = self._there(table.vacuum(dry_run=True, **chosen))
        if gone and not dry_run:
            table.vacuum(dry_run=False, **chosen)
        return gone

    def _there(self, paths: list[str]) -> list[str]:
        """Returns the paths whose files exist."""
        from pyarrow.fs import FileType

        infos = self.files.fs.get_file_info(paths) if paths else []
        return [path for path, info in zip(paths, infos, strict=True) if info.type == FileType.File]

    def _history(self, table: deltalake.DeltaTable) -> list[tuple[int, dict[str, Any]]]:
        """Returns the commits of the replica, the last one first; the table may have other commits."""
        commits: list[dict[str, Any]] = []
        version = None
        # commits are counted down from the version of the table, so none may be newer
        while version != table.version():
            version, commits = table.version(), table.history()
            table.update_incremental()
        return [(commit["version"], _read(commit[META])) for commit in commits if META in commit]


def _read(text: str) -> dict[str, Any]:
    stored: dict[str, Any] = json.loads(text)
    if stored.get("format") != _FORMAT:
        raise too_new("the metadata of a commit")
    return stored


def _state(table: deltalake.DeltaTable, stored: Mapping[str, Any]) -> State:
    import pyarrow as pa

    actions = pa.table(table.get_add_actions(flatten=True))
    buckets: dict[str, list[DataFile]] = {}
    if actions.num_rows:
        names = ["path", "num_records", "size_bytes", f"partition.{_COLUMN}"]
        columns = [actions.column(name).to_pylist() for name in names]
        for path, rows, size, value in zip(*columns, strict=True):
            buckets.setdefault(value[1:], []).append(DataFile(path, rows, size))
    return state_of(table.version(), stored, stored, buckets)


class _Attempt:
    """A commit in progress."""

    def __init__(self, store: DeltaStore, state: State) -> None:
        self._store = store
        self._before = state
        self._committed = False
        self.name = secrets.token_hex(6)

    def commit(
        self, state: State, removed: Sequence[DataFile], added: Sequence[tuple[str, DataFile]]
    ) -> None:
        """Publishes a state as the last one, atomically.

        Raises:
            ReplicaError: Another writer committed first.
        """
        import pyarrow as pa

        store, now = self._store, int(time.time() * 1000)
        code_of = {
            file.path: code for code, files in self._before.buckets.items() for file in files
        }
        adds = [
            AddAction(
                path=file.path,
                size=file.size,
                partition_values={_COLUMN: _value(code)},
                modification_time=now,
                data_change=True,
                stats=json.dumps({"numRecords": file.rows}),
            )
            for code, file in added
        ]
        removes = [
            RemoveAction(file.path, True, now, file.size, {_COLUMN: _value(code_of[file.path])})
            for file in removed
        ]
        stored = {"format": _FORMAT, **state.fixed(), **state.meaning()}
        properties = CommitProperties(
            custom_metadata={META: json.dumps(stored, ensure_ascii=False)},
            app_transactions=[Transaction(f"jelly.replica-{state.table}", state.version)],
            max_commit_retries=0,  # the other writer may have changed data that was read
        )
        columns = deltalake.Schema.from_arrow(schema().append(pa.field(_COLUMN, pa.string())))
        try:
            if state.commit == 0:
                create_table_with_add_actions(
                    store.root, columns, adds,
                    partition_by=[_COLUMN],
                    configuration={"delta.enableExpiredLogCleanup": "false"},
                    storage_options=store.options,
                    commit_properties=properties,
                )  # fmt: skip
            else:
                table = store.table(self._before.commit)
                table.create_write_transaction(
                    [*adds, *removes], "append", columns, [_COLUMN], commit_properties=properties
                )
        except DeltaError as error:
            with suppress(TableNotFoundError):
                if store.table().version() > self._before.commit:
                    raise overtaken(store.root) from error
            raise
        self._committed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        files = self._store.files
        mine = [path for path in files.written if self.name in path]
        for path in mine:
            files.written.remove(path)
            if not self._committed:
                with suppress(OSError):
                    files.fs.delete_file(path)
