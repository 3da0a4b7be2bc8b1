"""Programs that run a query of Spark and kill their own driver, JVM and all, at some moment."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

IMPORTED_BY_WORKERS = [
    Path(__file__).parent,
    Path(__file__).with_name("spark") / "workers",
]


@dataclass(frozen=True)
class Death:
    """Kills the driver when a moment comes for the ``number``-th time, in any of its processes.

    Without a ``moment`` each counts; after the killing of an even one the process goes on for a while.
    """

    ticks: str
    number: int
    moment: str | None = None
    group: int = field(default_factory=os.getpid)

    def __call__(self, moment: str) -> None:
        if self.moment not in (None, moment):
            return
        with open(self.ticks, "ab") as file:  # noqa: PTH123
            file.write(b"x")
            file.flush()
            if file.tell() == self.number:
                os.killpg(self.group, signal.SIGKILL)
                if self.moment is not None or self.number % 2:
                    os.kill(os.getpid(), signal.SIGKILL)


def killed(program: Path, *arguments: object) -> None:
    """Runs a program, which must kill itself."""
    command = [sys.executable, str(program), *map(str, arguments)]
    done = subprocess.run(
        command,
        start_new_session=True,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, IMPORTED_BY_WORKERS))},
    )
    assert done.returncode == -signal.SIGKILL, (arguments, done.stdout, done.stderr[-3000:])


def session(warehouse: Path) -> SparkSession:
    """A small session."""
    import jelly.spark

    conf: dict[str, bool | int | str] = {
        "spark.master": "local[2]",
        "spark.ui.enabled": False,
        "spark.log.level": "OFF",
        "spark.driver.memory": "512m",
        "spark.python.daemon.module": "warm_daemon",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
        "spark.sql.shuffle.partitions": 2,
        "spark.sql.warehouse.dir": str(warehouse),
    }
    return jelly.spark.session("killed", conf)


def reader(base: type, death: Death) -> type:
    """A reader of streams that may die before, in or after each thing that it does."""

    class Reader(base):  # type: ignore[misc]
        def latestOffset(self, start: Any = None, limit: Any = None) -> Any:  # noqa: N802
            death("ask")
            end = super().latestOffset(start, limit)
            death("asked")
            return end

        def partitions(self, start: Any, end: Any) -> Any:
            death("plan")
            found = super().partitions(start, end)
            death("planned")
            return found

        def read(self, partition: Any) -> Iterator[Any]:
            for batch in super().read(partition):
                death("decoded")
                yield batch
                death("read")

    return Reader


def source(base: type, name: str, readers: type | None, writers: type | None = None) -> type:
    """A data source with a name of its own, whose streams are read and written by other classes."""

    class Source(base):  # type: ignore[misc]
        @classmethod
        def name(cls) -> str:
            return name

        def streamReader(self, schema: Any) -> Any:  # noqa: N802
            found = super().streamReader(schema)
            found.__class__ = readers or found.__class__
            return found

        def streamWriter(self, schema: Any, overwrite: bool) -> Any:  # noqa: N802
            found = super().streamWriter(schema, overwrite)
            found.__class__ = writers or found.__class__
            return found

    return Source
