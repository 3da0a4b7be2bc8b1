"""A server of logs next to Fuseki and to Jelly-JVM over grpc-java, and Spark's stream of a log next to that of a folder; each figure is a ratio
of one run, and answers are proved first.

python benches/python/service_peers.py FOLDER [--rounds 50] [--quads 1000000] [--patches 300]
"""

from __future__ import annotations

import argparse
import http.client
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import jelly
import jelly.grpc
from patching import generate
from places import SkippedError
from service import patch, said
from spark_hop import session
from streams import in_turn, rows_of

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests/python"))
from fuseki_server import fuseki
from grpc_peer import grpc_peer
from grpc_servers import process
from servers import served

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def change(rows: int, operation: str) -> bytes:
    lines = "".join(f'{operation} <http://example.org/s> <http://example.org/p> "{row}" .\n' for row in range(rows))  # fmt: skip
    return f"TX .\n{lines}TC .\n".encode()


def patching(url: str, method: str, rows: int) -> Callable[[], None]:
    """Sends a change over one connection: rows that are added at one call and deleted at the next."""
    found = urlsplit(url)
    link = http.client.HTTPConnection(found.hostname or "", found.port)
    bodies = [change(rows, "A"), change(rows, "D")]

    def send() -> None:
        bodies.reverse()
        link.request(method, found.path, bodies[1], {"Content-Type": "application/rdf-patch"})
        answer = link.getresponse()
        answer.read()
        assert 200 <= answer.status < 300, answer.status

    return send


def patches(folder: Path, rounds: int) -> None:
    with fuseki(folder) as store, served(folder / "logs") as address:
        for rows, goal in ((10_000, 3), (1, 1)):
            log = jelly.Log.create(f"{address}/to-{rows}")
            ours = patching(f"{address}/to-{rows}/data", "PATCH", rows)
            theirs = patching(f"{store.url}/patch", "POST", rows)
            store.clear()
            ours(), theirs()
            assert next(log.versions()).added == len(store.statements().splitlines()) == rows
            for _ in range(2 * rounds + 1):  # Java compiles; rows are added and deleted in turn
                ours(), theirs()
            ratio, took = in_turn(ours, theirs, rounds)
            said(f"PATCH of {rows:,} rows, on the disk, to Fuseki in memory", ratio, goal, f"{took * 1000:.1f} ms")  # fmt: skip


def subscriptions(folder: Path, quads: int, rounds: int) -> None:
    generate(folder, quads, max(2, quads // 10))
    file = folder / "t.jelly"
    jelly.convert(folder / "old.nq", file, restart_bytes=0)
    server, target = process(folder / "root", "--topic", f"t={file}")
    try:
        with grpc_peer(folder) as peer:

            def ours() -> None:
                assert rows_of(jelly.grpc.subscribe(target, "t")) == quads

            def theirs() -> None:
                assert peer.ask("count", target, "t") == f"ok {quads}"

            for _ in range(5):
                theirs()
            ratio, took = in_turn(ours, theirs, rounds)
            said("SubscribeRdf to Arrow, to Jelly-JVM, which counts", ratio, 1, f"{quads / took / 1e6:.2f} M rows/s")  # fmt: skip
    finally:
        server.terminate()
        server.wait()


def drained(spark: SparkSession, format: str, place: str, work: Path, options: dict[str, str]) -> Callable[[], None]:  # fmt: skip
    """One pass of a stream over all that is there, into nothing."""
    runs = 0

    def run() -> None:
        nonlocal runs
        runs += 1
        stream = spark.readStream.format(format).options(**options).load(place)
        query = (
            stream.writeStream.format("noop").trigger(availableNow=True)
            .option("checkpointLocation", str(work / f"{format}-{runs}")).start()
        )  # fmt: skip
        query.awaitTermination()
        assert sum(progress.numInputRows for progress in query.recentProgress) > 0

    return run


def streams(folder: Path, count: int, rounds: int) -> None:
    home = folder / "logs" / "streamed"
    log = jelly.Log.create(home)
    for number in range(count):
        log.publish(patch(number, 2000))
    with served(folder / "logs") as address, session("local[2]") as spark:
        batch = {"maxVersionsPerTrigger": str(count)}
        ours = drained(spark, "jelly-log", f"{address}/streamed", folder / "checks", batch)
        files = drained(spark, "jelly-patch", str(home), folder / "checks", {})
        frames = [
            spark.read.format(format).load(place).select("op", "subject", "object")
            for format, place in (("jelly-log", f"{address}/streamed"), ("jelly-patch", str(home)))
        ]
        assert frames[0].exceptAll(frames[1]).isEmpty()
        assert frames[0].count() == frames[1].count() > 2000 * count
        for _ in range(2):
            ours(), files()
        ratio, took = in_turn(ours, files, rounds)
        said("readStream of jelly-log from a server, to jelly-patch", ratio, 0.8, f"{took:.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--quads", type=int, default=1_000_000)
    parser.add_argument("--patches", type=int, default=300)
    args = parser.parse_args()
    folder = args.folder / "service_peers"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "logs").mkdir(parents=True)
    few = max(1, args.rounds // 10)
    parts: list[Callable[[], None]] = [
        lambda: patches(folder, args.rounds),
        lambda: subscriptions(folder, args.quads, few),
        lambda: streams(folder, args.patches, few),
    ]
    for part in parts:
        try:
            part()
        except SkippedError as reason:
            print(f"not run: {reason}")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
