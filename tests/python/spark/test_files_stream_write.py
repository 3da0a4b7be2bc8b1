"""The stream sink: each batch counts once, as a whole."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed")

from jelly.spark.files import manifest
from jelly.spark.files.commits import Batch
from jelly.spark.files.output import Job, Output
from jelly.spark.files.stream_write import FilesStreamWriter

from .tables import RDF, Table, literals, schema, statements

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

QUERY = "6ecb3fdc-0000-4000-8000-000000000000"


def write(table: Table, number: int, *batches: pa.RecordBatch, query: str = QUERY) -> Any:
    """What a task of a batch of a stream does."""
    output = output_of(table)
    return output.write(iter(batches), Job(manifest.stream_job(query), Batch(query, number)), 0)


def output_of(table: Table) -> Output:
    return table.writer()._output


def sink(table: Table, overwrite: bool = False) -> FilesStreamWriter:
    return FilesStreamWriter(output_of(table).options, schema(RDF), overwrite)


def test_batch_that_is_repeated_counts_once(table: Table) -> None:
    sink(table).commit([write(table, 0, statements(0))], 0)
    first = table.files()
    sink(table).commit([write(table, 0, statements(0))], 0)
    assert table.files() == first
    assert [name for name in table.stored() if "part-" in name] == first
    sink(table).commit([write(table, 1, statements(1))], 1)
    sink(table).commit([write(table, 0, statements(0))], 0)
    assert table.objects() == literals(range(2))
    # Another query may have the same numbers.
    sink(table).commit([write(table, 0, statements(2), query="other")], 0)
    assert table.objects() == literals(range(3))


def test_batch_that_dies_before_its_commit_is_repeated(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = write(table, 0, statements(0))

    def killed(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(manifest, "publish", killed)
    with pytest.raises(KeyboardInterrupt):
        sink(table).commit([part], 0)
    monkeypatch.undo()
    assert table.files() == []
    sink(table).commit([write(table, 0, statements(0))], 0)
    assert table.objects() == literals(range(1))


def test_abort_of_a_batch(table: Table) -> None:
    sink(table).commit([write(table, 0, statements(0))], 0)
    sink(table).abort([write(table, 1, statements(1)), None], 1)
    assert [name for name in table.stored() if "part-" in name] == table.files()
    # Spark lost the answer to a commit, and takes it for a failure.
    part = write(table, 2, statements(2))
    sink(table).commit([part], 2)
    sink(table).abort([part], 2)
    assert table.objects() == ['"0"', '"2"']
    sink(table).abort([None], 3)


def test_batches_without_rows_leave_no_files(table: Table) -> None:
    sink(table).commit([write(table, 0), write(table, 0, statements())], 0)
    sink(table).commit([], 1)
    assert [name for name in table.stored() if "part-" in name] == []
    sink(table).commit([write(table, 2, statements(2))], 2)
    assert table.objects() == ['"2"']


def test_complete_mode_replaces_all(table: Table) -> None:
    for number in range(3):
        sink(table, overwrite=True).commit([write(table, number, statements(number))], number)
        assert table.objects() == [f'"{number}"']
    sink(table, overwrite=True).commit([write(table, 2, statements(9))], 2)
    assert table.objects() == ['"2"']


@pytest.mark.spark
def test_query_that_forgets_its_last_commit(
    jelly_spark: SparkSession, table: Table, tmp_path: Path
) -> None:
    """As after a crash between the commit of a batch and Spark's own note of it."""
    source, checkpoint = tmp_path / "in", tmp_path / "checkpoint"
    source.mkdir()

    def run(number: int) -> None:
        text = "".join(f'<http://e/s> <http://e/p> "{number * 10 + n}" .\n' for n in range(10))
        (source / f"{number}.nt").write_text(text)
        query = (
            jelly_spark.readStream.format("jelly")
            .option("latenessSeconds", 0)
            .load(str(source))
            .writeStream.format("jelly")
            .options(**table.options, compression="gzip")
            .option("checkpointLocation", str(checkpoint))
            .trigger(availableNow=True)
            .start(table.path)
        )
        query.awaitTermination()

    run(0)
    run(1)
    assert table.objects() == literals(range(20))
    (checkpoint / "commits" / "1").unlink()
    (checkpoint / "commits" / ".1.crc").unlink(missing_ok=True)
    run(2)
    assert table.objects() == literals(range(30))
    assert table.read(jelly_spark).count() == 30
    # Without its checkpoint it is another query, which writes all again.
    shutil.rmtree(checkpoint)
    run(3)
    assert len(table.objects()) == 70
