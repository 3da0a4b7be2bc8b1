"""Changes that are stored beside the buckets: added quads, and deleted rows of the buckets."""

from __future__ import annotations

import os
import secrets
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

from jelly.replica._data_file import opened, table_writer
from jelly.replica._keys import BITS, COLUMNS, keys, schema
from jelly.replica._rewrite import GROUP, count, read_file, texts
from jelly.replica._spill import ADD
from jelly.replica._state import DataFile, Files, State

if TYPE_CHECKING:
    import pyarrow as pa

_SHARE = 16
_MOST = 65_536
_LARGE = 1024
_THREADS = 4


class Changed(NamedTuple):
    """The files of changes beside the buckets, after more changes were merged into them."""

    adds: DataFile | None
    deletes: DataFile | None
    added: int
    """Quads that exist now and did not exist before."""
    deleted: int
    written: list[DataFile]


def fits(state: State, changes: int) -> bool:
    """Returns whether changes are stored beside the buckets instead of in them.

    Each commit rewrites all changes beside the buckets, and each reader reads them, so they are at most a 16th of the
    table. In tables of more than a million quads the maximum is 65,536 rows, or a 1024th of the table, so a commit
    costs the same in small and large tables.
    """
    base = sum(file.rows for file in state.files)
    beside = sum(file.rows for file in (state.adds, state.deletes) if file is not None)
    return beside + changes <= min(base // _SHARE, max(_MOST, base // _LARGE))


def deleted_rows(files: Files, state: State) -> dict[str, list[int]]:
    """Returns the numbers of the deleted rows, by the paths of their files."""
    found: dict[str, list[int]] = {}
    if state.deletes is not None:
        names = {file.name: file.path for file in state.files}
        rows = _read_table(files, state.deletes)
        for name, row in zip(rows.column("file").to_pylist(), rows.column("row").to_pylist(), strict=True):  # fmt: skip
            found.setdefault(names[name], []).append(row)
    return found


def read_rows(files: Files, state: State) -> Iterator[pa.RecordBatch]:
    """Yields the quads of a version."""
    gone = deleted_rows(files, state)
    for file in state.files:
        yield from read_file(files, file, gone.get(file.path, ()))
    if state.adds is not None:
        yield from read_file(files, state.adds)


def beside(files: Files, state: State, changes: pa.Table, attempt: str) -> Changed:
    """Rewrites the changes beside the buckets, together with new changes.

    Args:
        files: The files of the table.
        state: The version before.
        changes: The last change of each quad, with its place number and key.
        attempt: The name of the attempt, which is part of the file names.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    adds = _schema_of_adds().empty_table()
    if state.adds is not None:
        rows = pa.Table.from_batches(read_file(files, state.adds), schema())
        adds = rows.append_column("key", keys(rows.combine_chunks(), state.secret))
    deletes = _schema_of_deletes().empty_table()
    if state.deletes is not None:
        deletes = _read_table(files, state.deletes)
    found = _find(files, state, changes)
    is_add = pc.equal(changes.column("op"), ADD)
    new, ends = changes.filter(is_add), changes.filter(pc.invert(is_add)).column("key")
    hit = pc.is_in(adds.column("key"), value_set=changes.column("key"))
    there = pa.chunked_array(
        [*found.column("key").chunks, *adds.filter(hit).column("key").chunks], pa.binary(16)
    )
    # quads that already exist in the same spelling stay as they are
    spelled = texts(new)
    stays = pa.chunked_array([*texts(found).chunks, *texts(adds.filter(hit)).chunks], pa.string())
    fresh = new.filter(pc.invert(pc.is_in(spelled, value_set=stays)))
    gone = found.filter(pc.invert(pc.is_in(texts(found), value_set=spelled)))
    stale = pc.and_(hit, pc.invert(pc.is_in(texts(adds), value_set=spelled)))
    after_adds, after_deletes, written = state.adds, state.deletes, []
    if fresh.num_rows or count(stale):
        kept = adds.filter(pc.invert(stale)).select(COLUMNS)
        rows = pa.concat_tables([kept, fresh.select(COLUMNS)]).combine_chunks().sort_by("subject")
        after_adds = _write(files, "adds", attempt, rows)
        written += [] if after_adds is None else [after_adds]
    if gone.num_rows:
        rows = pa.concat_tables([deletes, gone.select(["file", "row"])])
        rows = rows.sort_by([("file", "ascending"), ("row", "ascending")])
        after_deletes = _write(files, "deletes", attempt, rows)
        written += [] if after_deletes is None else [after_deletes]
    return Changed(
        after_adds,
        after_deletes,
        new.num_rows - count(pc.is_in(new.column("key"), value_set=there)),
        count(pc.is_in(there, value_set=ends)),
        written,
    )


def _schema_of_adds() -> pa.Schema:
    import pyarrow as pa

    return schema().append(pa.field("key", pa.binary(16)))


def _schema_of_deletes() -> pa.Schema:
    import pyarrow as pa

    return pa.schema([("file", pa.string()), ("row", pa.int64())])


def _read_table(files: Files, file: DataFile) -> pa.Table:
    with opened(files, file) as parquet:
        return parquet.read(use_threads=False)


def _write(files: Files, kind: str, attempt: str, rows: pa.Table) -> DataFile | None:
    if not rows.num_rows:
        return None
    path = files.name(kind, f"{attempt}-{secrets.token_hex(4)}")
    with files.create(path) as opened, table_writer(opened, rows.schema) as writer:
        writer.write_table(rows, row_group_size=GROUP)
    return DataFile(path, rows.num_rows, files.keep(path))


def _find(files: Files, state: State, changes: pa.Table) -> pa.Table:
    """Returns the rows of the buckets that have changed quads and are not deleted, with file, row number and key."""
    import pyarrow as pa

    gone = deleted_rows(files, state)
    subjects = changes.column("subject").to_pylist()
    keys_of = changes.column("key").combine_chunks()
    tasks = []
    for code, numbers in _by_bucket(state.buckets, changes.column("place").to_pylist()).items():
        wanted = sorted({subjects[number] for number in numbers})
        tasks += [(file, wanted) for file in state.buckets[code]]

    def search(task: tuple[DataFile, list[str]]) -> list[pa.Table]:
        file, wanted = task
        return list(_search(files, file, wanted, keys_of, gone.get(file.path, ()), state.secret))

    with ThreadPoolExecutor(min(os.cpu_count() or 1, _THREADS)) as pool:
        found = [rows for several in pool.map(search, tasks) for rows in several]
    fields = [*_schema_of_adds(), *_schema_of_deletes()]
    return pa.concat_tables([pa.schema(fields).empty_table(), *found])


def _by_bucket(codes: Mapping[str, Any], places: Iterable[int]) -> dict[str, list[int]]:
    """Groups changes by the buckets of their place numbers; changes without a bucket are left out."""
    found: dict[str, list[int]] = {}
    for number, place in enumerate(places):
        digits = f"{place:0{BITS}b}"
        code = next((digits[:size] for size in range(BITS + 1) if digits[:size] in codes), None)
        if code is not None:
            found.setdefault(code, []).append(number)
    return found


def _search(
    files: Files,
    file: DataFile,
    subjects: Sequence[str],
    wanted: pa.Array,
    gone: Sequence[int],
    secret: bytes,
) -> Iterator[pa.Table]:
    """Yields rows of a file with the given subjects, in order, and the given keys."""
    import pyarrow as pa
    import pyarrow.compute as pc

    # one subject can have several spellings only if it contains a literal
    is_text = not any('"' in subject for subject in subjects)
    values = pa.array(subjects, pa.string())
    with opened(files, file) as parquet:
        groups, first = parquet.metadata, 0
        for number in range(groups.num_row_groups):
            group = groups.row_group(number)
            at, first = first, first + group.num_rows
            if is_text and not _may_have(group.column(0).statistics, subjects):
                continue
            rows = parquet.read_row_group(number, columns=list(COLUMNS), use_threads=False)
            numbers = pa.array(range(at, first), pa.int64())
            rows = rows.cast(schema()).append_column("row", numbers)
            if is_text:
                rows = rows.filter(pc.is_in(rows.column("subject"), value_set=values))
            rows = rows.combine_chunks()
            found = keys(rows.select(COLUMNS), secret)
            rows = rows.append_column("key", found).filter(pc.is_in(found, value_set=wanted))
            rows = rows.filter(pc.invert(pc.is_in(rows.column("row"), value_set=pa.array(gone, pa.int64()))))  # fmt: skip
            if rows.num_rows:
                names = pa.repeat(pa.scalar(file.name, pa.string()), rows.num_rows)
                yield rows.append_column("file", names).select([*COLUMNS, "key", "file", "row"])


def _may_have(statistics: Any, subjects: Sequence[str]) -> bool:
    if statistics is None or not statistics.has_min_max:
        return True
    at = bisect_left(subjects, statistics.min)
    return at < len(subjects) and subjects[at] <= statistics.max
