"""Files that tasks write: one file for each task, which becomes visible when the job commits."""

from __future__ import annotations

import io
import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.sql.datasource import WriterCommitMessage

import jelly
from jelly._internal import RESTART_BYTES
from jelly._writers import WRITERS, PatchWriter, RdfWriter
from jelly.spark._columns import NEEDED, require_types
from jelly.spark.files import manifest
from jelly.spark.files.commits import FOLDER, Batch, Written
from jelly.spark.files.order import Order, Run, require_whole_patches
from jelly.storage import Place, naming, resolve

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

    from jelly.spark._options import Kind, WriteOptions

_JELLY = {"patch": "jelly-patch", "rdf": "jelly"}
_EXTENSIONS = {"jelly-patch": "jellyp"}
_SUFFIXES = {"none": "", "gzip": ".gz", "zstd": ".zst"}


class Job(NamedTuple):
    """A write of a DataFrame, or of a batch of a stream."""

    name: str
    batch: Batch | None = None

    @property
    def label(self) -> str:
        """Prefix of the names of the files of the job; sorted prefixes give the order of batches."""
        return self.name if self.batch is None else f"{self.name}-{self.batch.number:010d}"

    @property
    def staging(self) -> str:
        """The folder where tasks of the job write if files can be renamed."""
        return f"{FOLDER}/{self.label}"


@dataclass(frozen=True)
class Part(WriterCommitMessage):
    """The file that a task has written."""

    partition: int
    job: Job
    name: str | None = None
    """Path of the file in the folder; None if there are no rows."""
    size: int = 0
    runs: tuple[Run, ...] = ()


@dataclass(frozen=True)
class Output:
    """A folder, and the options for writing files into it."""

    options: WriteOptions
    columns: tuple[str, ...]

    @classmethod
    def of(cls, options: WriteOptions, schema: StructType) -> Output:
        """Creates the output of a DataFrame; checks it before tasks begin.

        Raises:
            ValueError: Columns are missing or unknown, or options are wrong.
            OSError: The path is a file, or cannot be reached.
        """
        made = cls(options, tuple(schema.names))
        require_columns(options.kind, schema)
        made._require_folder()
        made._writer(io.BytesIO()).abort()
        return made

    @property
    def place(self) -> Place:
        """The folder."""
        return resolve(self.options.path, self.options.storage)

    def write(self, batches: Iterable[pa.RecordBatch], job: Job, partition: int) -> Part:
        """Writes the rows of a partition; several attempts may run at the same time."""
        rows = (batch for batch in batches if batch.num_rows)
        first = next(rows, None)
        if first is None:
            return Part(partition, job)
        return self._write_file(chain([first], rows), job, partition)

    def commit(self, parts: Sequence[Part | None], job: Job, *, overwrite: bool) -> None:
        """Makes all files of the tasks visible, atomically."""
        place = self.place
        written = [part for part in parts if part is not None]
        with naming(place.uri):
            if job.batch is not None and manifest.is_committed(place, job.name, job.batch):
                _discard(place, parts, job)
                return
        require_whole_patches([(part.partition, part.runs) for part in written])
        files = [part for part in written if part.name is not None]
        if not files and job.batch is None:
            files = [self._write_file(iter(()), job, 0)]
        with naming(place.uri):
            if place.can_rename:
                # until the commit names the files, readers must not take them for files of other programs
                manifest.announce(place, job.name)
            published = [Written(_moved(place, part), part.size) for part in files]
            manifest.publish(place, job.name, published, overwrite=overwrite, batch=job.batch)
            manifest.delete_folder(place, job.staging)

    def abort(self, parts: Sequence[Part | None], job: Job) -> None:
        """Deletes the files of the tasks; files that attempts write later never become visible."""
        place = self.place
        with naming(place.uri):
            # Spark also calls this if the commit was written and only its answer was lost
            if not manifest.is_committed(place, job.name, job.batch):
                _discard(place, parts, job)
                manifest.delete(place, manifest.leftovers(place, job.label))

    def _write_file(self, batches: Iterator[pa.RecordBatch], job: Job, partition: int) -> Part:
        place = self.place
        name = f"part-{job.label}-{partition:05d}-{secrets.token_hex(4)}{self._extension}"
        with naming(place.uri):
            if place.can_rename:
                name = f"{job.staging}/{name}"
                place.fs.create_dir(place.under(job.staging).path)
            else:
                manifest.announce(place, job.name)
        target = place.under(name)
        order = Order()
        if place.fs.type_name == "local":
            self._fill(target.path, batches, order)
            size = Path(target.path).stat().st_size
        else:
            size = self._upload(target, batches, order)
        return Part(partition, job, name, size, order.runs)

    def _upload(self, target: Place, batches: Iterator[pa.RecordBatch], order: Order) -> int:
        with naming(target.uri):
            file = target.fs.open_output_stream(target.path, compression=None)
            try:
                self._fill(file, batches, order)
                size: int = file.tell()
            except BaseException:
                # an upload cannot be cancelled; no commit names its file
                file.close()
                target.fs.delete_file(target.path)
                raise
            file.close()
        return size

    def _fill(self, destination: Any, batches: Iterator[pa.RecordBatch], order: Order) -> None:
        with self._writer(destination) as writer:
            for batch in batches:
                if self.options.kind == "patch":
                    order.check(batch)
                writer.write(batch)

    def _writer(self, destination: Any) -> PatchWriter | RdfWriter:
        kind, keywords = self.options.kind, dict(self.options.keywords)
        keywords |= {"format": self._format, "compression": self._compression}
        if self._format == _JELLY[kind]:
            # as for local files, so that several workers can read one file
            restart = RESTART_BYTES if keywords.get("delimited", True) else 0
            keywords.setdefault("restart_bytes", restart)
            if kind == "rdf":
                # a partition does not know whether other partitions have graphs
                physical = "QUADS" if "graph" in self.columns else "TRIPLES"
                keywords.setdefault("options", jelly.RdfOptions(physical_type=physical))
        return WRITERS[kind](destination, **keywords)

    @property
    def _format(self) -> str:
        chosen = self.options.keywords.get("format", "auto")
        return _JELLY[self.options.kind] if chosen == "auto" else str(chosen)

    @property
    def _compression(self) -> str:
        chosen = self.options.keywords.get("compression", "auto")
        return "none" if chosen == "auto" else str(chosen)

    @property
    def _extension(self) -> str:
        return f".{_EXTENSIONS.get(self._format, self._format)}{_SUFFIXES[self._compression]}"

    def _require_folder(self) -> None:
        import pyarrow.fs as pafs

        place = self.place
        with naming(place.uri):
            if place.fs.get_file_info(place.path).type == pafs.FileType.File:
                raise NotADirectoryError(
                    f"{place.uri}: this is a file; choose a folder to write to"
                )


def _discard(place: Place, parts: Sequence[Part | None], job: Job) -> None:
    manifest.delete(place, [part.name for part in parts if part and part.name])
    manifest.delete_folder(place, job.staging)


def _moved(place: Place, part: Part) -> str:
    """Moves a file into its folder; returns its name there."""
    assert part.name is not None
    if not place.can_rename:
        return part.name
    # the name omits the attempt, so that a batch repeated after a crash replaces its earlier file
    stem, _, rest = part.name.rpartition("/")[2].rpartition("-")
    name = f"{stem}.{rest.partition('.')[2]}"
    place.fs.move(place.under(part.name).path, place.under(name).path)
    return name


def require_columns(kind: Kind, schema: StructType) -> None:
    """Rejects columns that cannot be written.

    Raises:
        ValueError: A column is missing or unknown, or its type is wrong.
    """
    known = (jelly.PATCH_SCHEMA if kind == "patch" else jelly.RDF_SCHEMA).names
    listed = f"{_JELLY[kind]} has {', '.join(known)}"
    for name in NEEDED[kind]:
        if name not in schema.names:
            raise ValueError(f"there is no column {name!r}; {listed}")
    if others := [name for name in schema.names if name not in known]:
        names, s = ", ".join(map(repr, others)), "s" if len(others) > 1 else ""
        advice = f"use df.drop({names})"
        if "op" in others:
            advice = 'rows of patches are written with format("jelly-patch"), and jelly.spark.apply makes statements of them'
        raise ValueError(f"column{s} {names} cannot be written, {advice}; {listed}")
    require_types(schema)
