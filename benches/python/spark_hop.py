"""Our own decode, mapInArrow handing over ready-made batches, and mapInArrow decoding.

If the third is hardly slower than the second, which decodes nothing, then Spark's hop from the
Python worker into the JVM is the limit.
"""

import contextlib
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

import jelly
from measure import Effort, WrongAnswerError
from places import BUILD, SkippedError, corpus, need
from processes import cpu_seconds

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

WARM_UP = 3
LOG = "brick-versions.jellyp"
COPIES = 20


@dataclass(frozen=True)
class Run:
    """Seconds of one pass over all rows: on the clock, of the JVM and of Python."""

    wall: float
    jvm: float
    python: float


@dataclass(frozen=True)
class Measured:
    what: str
    rows: int
    runs: list[Run]

    def middle(self, seconds: Callable[[Run], float]) -> float:
        return statistics.median(map(seconds, self.runs))


def compare(effort: Effort) -> list[Measured]:
    need("java")
    log = next((path for path in corpus(".jellyp") if path.name == LOG), None)
    if log is None:
        raise SkippedError(f"no {LOG} in the corpus")
    copies = COPIES // 4 if effort.quick else COPIES
    paths = [str(log)] * copies
    ready, batches = ready_made(log)
    rows = copies * sum(batch.num_rows for batch in batches)

    with session() as spark:
        files = spark.createDataFrame([(path,) for path in paths], "path string")
        decoding = files.mapInArrow(jelly.decode_batches, jelly.PATCH_SCHEMA_DDL)
        handing_over = files.mapInArrow(hand_over(ready), jelly.PATCH_SCHEMA_DDL)
        prove(rows, decoding, handing_over)

        jvm = jvm_of(spark)
        ways: dict[str, Callable[[], Run]] = {
            "our own decode, no Spark": lambda: decode_alone(paths, rows),
            "mapInArrow, ready-made batches": lambda: drain(handing_over, jvm),
            "mapInArrow, decoding": lambda: drain(decoding, jvm),
        }
        for _ in range(WARM_UP):
            for way in ways.values():
                way()
        passes = [{what: way() for what, way in ways.items()} for _ in range(effort.pairs)]
    return [Measured(what, rows, [each[what] for each in passes]) for what in ways]


def decode_alone(paths: Iterable[str], rows: int) -> Run:
    wall, cpu = time.perf_counter(), time.process_time()
    seen = sum(batch.num_rows for path in paths for batch in jelly.read_patch(path))
    run = Run(time.perf_counter() - wall, 0.0, time.process_time() - cpu)
    if seen != rows:
        raise WrongAnswerError(f"{seen} rows instead of {rows}")
    return run


def drain(frame: "DataFrame", jvm: int) -> Run:
    """Into a sink that takes every row and keeps none."""
    return timed(lambda: frame.write.format("noop").mode("overwrite").save(), jvm)


def timed(task: Callable[[], object], jvm: int) -> Run:
    before, wall = cpu_seconds(jvm), time.perf_counter()
    task()
    elapsed, after = time.perf_counter() - wall, cpu_seconds(jvm)
    return Run(elapsed, after[0] - before[0], after[1] - before[1])


def ready_made(log: Path) -> tuple[Path, list[pa.RecordBatch]]:
    """The decoded batches as an Arrow file, from which a worker can hand them over without work."""
    target = BUILD / "spark" / f"{log.name}.arrow"
    target.parent.mkdir(parents=True, exist_ok=True)
    batches = [pa.record_batch(batch) for batch in jelly.read_patch(log)]
    source = batches[0].schema.get_field_index("source")
    # as decode_batches names the stream of a path column
    named = [
        b.set_column(source, b.schema.field(source), pa.array([str(log)] * b.num_rows))
        for b in batches
    ]
    with pa.OSFile(str(target), "wb") as file, pa.ipc.new_file(file, named[0].schema) as writer:
        for batch in named:
            writer.write_batch(batch)
    return target, named


def hand_over(ready: Path) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """For each path in the input the same batches, out of mapped memory: nothing is copied."""
    name = str(ready)

    def each_path(inputs: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        file = pa.ipc.open_file(pa.memory_map(name))
        batches = [file.get_batch(i) for i in range(file.num_record_batches)]
        for batch in inputs:
            for _ in range(batch.num_rows):
                yield from batches

    return each_path


def prove(rows: int, *frames: "DataFrame") -> None:
    """Both frames have all rows, and the same."""
    sums = [
        frame.selectExpr("count(*)", "sum(cast(xxhash64(*) as decimal(38, 0)))").first()
        for frame in frames
    ]
    if any(found is None or found[0] != rows for found in sums) or len(set(sums)) != 1:
        raise WrongAnswerError(f"Spark has other rows: {sums}, {rows} expected")


def jvm_of(spark: "SparkSession") -> int:
    pid: int = spark.sparkContext._gateway.proc.pid  # type: ignore[union-attr]
    return pid


@contextlib.contextmanager
def session(master: str = "local[1]") -> "Iterator[SparkSession]":
    """One task at a time, so that the clock shows one hop. Workers must run this interpreter."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise SkippedError("pyspark is not installed") from None
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    options: dict[str, Any] = {
        "spark.driver.memory": "2g",
        "spark.local.dir": BUILD / "spark",
        "spark.log.level": "ERROR",
        "spark.sql.warehouse.dir": BUILD / "spark" / "warehouse",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master(master).appName("hop")
    for name, value in options.items():
        builder = builder.config(name, str(value))
    spark = builder.getOrCreate()
    try:
        yield spark
    finally:
        spark.stop()
