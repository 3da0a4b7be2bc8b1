"""A driver that is there to be killed: it says when a batch begins, when a task was given rows, and when a batch is done."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import jelly.spark


def main(folder: str, options: str) -> None:
    conf = {"spark.master": "local[2]", "spark.ui.enabled": False, "spark.log.level": "OFF"}
    spark = jelly.spark.session("killed", conf)
    jelly.spark.register(spark)
    df = spark.readStream.format("jelly-kafka").options(**json.loads(options)).load()
    query = (
        df.writeStream.format("parquet").option("checkpointLocation", str(Path(folder, "checkpoint")))
        .trigger(availableNow=True).start(str(Path(folder, "rows")))
    )  # fmt: skip
    steps: set[Any] = set()
    while not query.awaitTermination(0.05):
        status = query.status
        progress = query.lastProgress
        step = (status["message"], progress and progress.batchId)
        if step not in steps and step[0] != "Initializing sources":
            steps.add(step)
            print(*step, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
