"""How fast streams over gRPC are, each figure as a ratio to a yardstick of the same run; answers are proved first.

python benches/python/streams.py FOLDER [--quads 1000000] [--rounds 5]

The yardstick of a subscription is a bare server of grpcio that sends the same frames, in a process of its own as ours; that of a
publish decodes and encodes the same file without a network.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import grpc

import jelly
import jelly.grpc
from jelly._frames import frames_in, length_of
from jelly.grpc._wire import RDF_SERVICE, written
from patching import generate
from service import said, seconds

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests/python"))
from grpc_servers import process, raw


def bare(file: Path) -> None:
    """Serves the frames of a file to every subscriber, until standard input ends."""
    frames = list(frames_in(file.read_bytes()))
    method = grpc.unary_stream_rpc_method_handler(lambda _request, _context: iter(frames))
    server = grpc.server(ThreadPoolExecutor(4))
    handlers = {"SubscribeRdf": method}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(RDF_SERVICE, handlers),))
    print(server.add_insecure_port("127.0.0.1:0"), flush=True)
    server.start()
    sys.stdin.read()
    server.stop(0)


def subscribed(target: str, frames: list[bytes]) -> Callable[[], None]:
    def task() -> None:
        found = raw(target, "SubscribeRdf", [written("t", None)], jelly_follow="false")
        assert found == frames

    return task


def in_turn(ours: Callable[[], object], yard: Callable[[], object], rounds: int) -> tuple[float, float]:  # fmt: skip
    """The middle ratio of the yardstick's time to ours, and our middle time; the first round does not count."""
    pairs = [(seconds(yard), seconds(ours)) for _ in range(rounds + 1)][1:]
    return statistics.median(a / b for a, b in pairs), statistics.median(b for _, b in pairs)


def rows_of(reader: Any) -> int:
    with closing(reader):
        return sum(batch.num_rows for batch in reader)


def compare(folder: Path, quads: int, rounds: int) -> None:
    generate(folder, quads, max(2, quads // 10))
    file = folder / "t.jelly"
    jelly.convert(folder / "old.nq", file, restart_bytes=0)
    server, target = process(folder / "root", "--topic", f"t={file}")
    frames = raw(target, "SubscribeRdf", [written("t", None)], jelly_follow="false")
    sent = folder / "sent.jelly"
    sent.write_bytes(b"".join(length_of(frame) + frame for frame in frames))
    assert rows_of(jelly.read_rdf(sent)) == quads
    other = subprocess.Popen([sys.executable, __file__, "--bare", str(sent)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # fmt: skip
    assert other.stdout
    beside = f"127.0.0.1:{other.stdout.readline().strip()}"
    try:
        ratio, took = in_turn(subscribed(target, frames), subscribed(beside, frames), rounds)
        size = file.stat().st_size / took / (1 << 20)
        said("SubscribeRdf, stored bytes, to bare grpcio", ratio, 0.9, f"{size:,.0f} MiB/s")

        def to_arrow() -> None:
            assert rows_of(jelly.grpc.subscribe(target, "t")) == quads

        ratio, took = in_turn(to_arrow, lambda: rows_of(jelly.read_rdf(file)), rounds)
        said("SubscribeRdf to Arrow, to reading the file", ratio, None, f"{quads / took / 1e6:.2f} M rows/s")  # fmt: skip

        def publish() -> None:
            jelly.grpc.publish(target, file, topic="p")

        ratio, took = in_turn(publish, lambda: jelly.convert(file, folder / "again.jelly", to="jelly"), rounds)  # fmt: skip
        said("PublishRdf, checked and stored, to decoding and encoding", ratio, 0.7, f"{quads / took / 1e6:.2f} M rows/s")  # fmt: skip
        assert rows_of(jelly.grpc.subscribe(target, "p")) == quads * (rounds + 1)
    finally:
        server.terminate()
        server.wait()
        other.communicate("")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--quads", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--bare", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.bare:
        return bare(args.bare)
    folder = args.folder / "streams"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "root").mkdir(parents=True)
    compare(folder, args.quads, args.rounds)
    shutil.rmtree(folder)
    return None


if __name__ == "__main__":
    main()
