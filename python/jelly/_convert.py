"""``jelly.convert``: every format in, every format out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, Unpack

from jelly import _internal
from jelly._arrow import require_pyarrow
from jelly._option_table import options_of, refuse_unknown, takes
from jelly._option_types import (
    ConvertReadOptions,
    ConvertWriteOptions,
    WrittenCompression,
    WrittenFormat,
)
from jelly._patching import genid
from jelly._tables import TableFormat, open_table, refuse_options, table_format, table_writer
from jelly._whole_file import check_folder
from jelly.types import Destination, Limits, Source

if TYPE_CHECKING:
    import pyarrow as pa

# Bytes between two reports, as in the core.
_STEP = 1 << 20


class ConvertOptions(ConvertReadOptions, ConvertWriteOptions, total=False):
    """Options of ``convert``."""

    limits: Limits | None


class Tally(NamedTuple):
    """Progress of a conversion.

    Attributes:
        rows: Rows that were read.
        bytes_in: Bytes that were read, without compression; for Parquet and Arrow files, bytes of their columns.
        bytes_out: Bytes that were written, without compression; for Parquet and Arrow files, bytes of their columns.
        prefixes_left_out: Prefix declarations that the output cannot hold: N-Triples, N-Quads, Parquet and Arrow
            files have none.
    """

    rows: int
    bytes_in: int
    bytes_out: int
    prefixes_left_out: int = 0


Progress: TypeAlias = Callable[[Tally], object] | None


@takes("convert", "converted")
def convert(
    source: Source,
    dest: Destination,
    *,
    to: WrittenFormat | Literal["parquet", "arrow"] = "auto",
    to_compression: WrittenCompression = "auto",
    progress: Progress = None,
    skolemize: bool | str = False,
    deskolemize: bool | str = False,
    **options: Unpack[ConvertOptions],
) -> Tally:
    """Reads a source in one format and writes it in another, as a stream.

    The formats are those of ``read_rdf`` and ``read_patch``, Parquet and Arrow files (with the
    extra ``[arrow]``). Statements can become a patch that adds all of them in one transaction. A Jelly stream keeps
    the options of a Jelly source, except those given here.

    Args:
        source: Path (``-`` is standard input), bytes, binary file object or iterable of bytes.
        dest: Path (``-`` is standard output) or binary file object. A path appears complete or not at all.
        to: Format of the output: ``jelly``, ``nt``, ``nq``, ``ttl``, ``trig``, ``jelly-patch``,
            ``rdfp``, ``trp``, ``parquet``, ``arrow``; ``text``: N-Quads or RDF Patch; ``auto``: by
            the extension of ``dest``, else Jelly.
        to_compression: ``none``, ``gzip``, ``zstd``, or ``auto``: by the extension of ``dest``,
            zstd in Parquet files, none in Arrow files (which cannot have gzip).
        progress: Called with a :class:`Tally` about every MiB that was read; an exception stops the work.
        skolemize: Write blank nodes of statements as IRIs, as for :func:`diff`. If labels are not stable, the IRIs
            are made from content labels, and the source is read twice.
        deskolemize: The reverse of ``skolemize``: the start of the IRIs that become blank nodes, or True for those
            that ``skolemize=True`` made. Other IRIs stay. An IRI with this start that was not made from a label, or
            whose label another node has, is rejected (``encode.skolem``). Labels are kept in memory, up to four times
            ``limits.blank_bytes``.
        **options: See ``docs/options.md``.

    Returns:
        A summary of the result.

    Raises:
        JellyError: The source has an error, or cannot be written in this format; ``dest`` stays as before.
        OSError: Reading or writing failed; ``dest`` stays as before.
        ValueError: An option is wrong, or the format does not have it.
        TypeError: An option does not exist, or has the wrong type.
        ImportError: Parquet or Arrow files are requested, but pyarrow is not installed.
    """
    refuse_unknown("convert", options, "convert", "converted")
    check_folder(dest, ())
    given: Mapping[str, Any] = options
    of_source, of_output = options_of("convert"), options_of("converted")
    read = {name: given[name] for name in given if name in of_source and name != "limits"}
    write = {name: given[name] for name in given if name in of_output and name != "limits"}
    limits = {"limits": given.get("limits")}
    table_in = table_format(source, given.get("format", "auto"))
    table_out = table_format(dest, to)
    if table_in or table_out:
        require_pyarrow()
        labels = read.pop("blank_nodes", "keep")
        for name, is_given in (
            ("skolemize", skolemize), ("deskolemize", deskolemize), (f'blank_nodes="{labels}"', labels != "keep"),
        ):  # fmt: skip
            if is_given:
                raise ValueError(f"{name} cannot be used with Parquet and Arrow files")
    if table_in:
        refuse_options({**read, "format": None}, "source", table_in)
    if table_out:
        level = write.pop("compression_level", None)
        refuse_options(write | (limits if table_in else {}), "output", table_out)
        with _of_table(source, table_in) if table_in else _of_reader(source, read | limits) as feed:
            writer = table_writer(dest, table_out, feed.schema, to_compression, level)
            return _to_table(feed, writer, progress)
    write |= {"to": to, "to_compression": to_compression} | limits
    read |= {"skolemize": genid(skolemize), "deskolemize": genid(deskolemize)}
    report = None if progress is None else lambda *counts: progress(Tally(*counts))
    if table_in:
        schema, batches = open_table(source, table_in)
        kind: Literal["patch", "rdf"] = "patch" if "op" in schema.names else "rdf"
        return Tally(*_internal.convert(batches, dest, {}, write, report, kind))
    return Tally(*_internal.convert(source, dest, read | limits, write, report))


@dataclass(slots=True)
class _Feed:
    """Batches, and how many bytes were read for them so far."""

    schema: pa.Schema
    batches: Iterator[pa.RecordBatch]
    bytes_in: Callable[[], int]
    prefixes: Callable[[], int]


@contextmanager
def _of_table(source: Source, kind: TableFormat) -> Iterator[_Feed]:
    schema, batches = open_table(source, kind)
    count = 0

    def counted() -> Iterator[pa.RecordBatch]:
        nonlocal count
        for batch in batches:
            count += batch.nbytes
            yield batch

    yield _Feed(schema, counted(), lambda: count, lambda: 0)


@contextmanager
def _of_reader(source: Source, options: dict[str, Any]) -> Iterator[_Feed]:
    import pyarrow as pa

    with _internal.read_any(source, options) as reader:
        batches = (pa.record_batch(batch) for batch in reader)
        yield _Feed(
            pa.schema(reader.schema),
            batches,
            lambda: reader.position.offset,
            lambda: 0 if "op" in reader.schema.names else len(reader.namespaces),
        )


def _to_table(
    feed: _Feed,
    writer: AbstractContextManager[Callable[[pa.RecordBatch], object]],
    progress: Progress,
) -> Tally:
    tally = reported = Tally(0, 0, 0)
    with writer as write:
        for batch in feed.batches:
            write(batch)
            rows, bytes_out = tally.rows + batch.num_rows, tally.bytes_out + batch.nbytes
            tally = Tally(rows, feed.bytes_in(), bytes_out)
            if progress is not None and tally.bytes_in >= reported.bytes_in + _STEP:
                reported = tally
                progress(tally)
    return tally._replace(bytes_in=feed.bytes_in(), prefixes_left_out=feed.prefixes())
