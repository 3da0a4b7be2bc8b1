"""How fast a server of logs is, each figure as a ratio to a yardstick of the same run; answers are proved first.

python benches/python/service.py FOLDER [--publishes 300] [--patches 1000] [--rows 100000] [--megabytes 256] [--versions 100000] [--flush 2]

Publishes are bound by the flushes of the disk. Where a flush is nearly free their ratio would only say how much Python costs, so
each flush of a publish, in the server and in the loop beside it, takes --flush milliseconds at least.
"""

from __future__ import annotations

import argparse
import http.client
import os
import shutil
import socket
import statistics
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import jelly
from jelly.log._folder import FolderLog

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests/python"))
from servers import served

LEAST_RUNS = 3


def patch(number: object, rows: int = 10) -> bytes:
    lines = "".join(f'A <http://example.org/s{number}> <http://example.org/p{row}> "{row}" .\n' for row in range(rows))  # fmt: skip
    return f"H id <urn:patch:{number}> .\nTX .\n{lines}TC .\n".encode()


def seconds(task: Callable[[], object]) -> float:
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


def said(what: str, ratio: float, goal: float | None, note: str) -> None:
    wanted = "" if goal is None else f"   goal {goal:g}{'' if ratio >= goal else '   NOT MET'}"
    print(f"{what:<58} {ratio:8.3f}{wanted}   {note}", flush=True)


# the flushes of a publish are those of Python; sitecustomize is what Python imports when it starts
_SLOW_DISK = """
import os, time
def slow(handle, flush=os.fsync, least={least}):
    begin = time.perf_counter()
    flush(handle)
    time.sleep(max(0, least - (time.perf_counter() - begin)))
os.fsync = slow
"""


def slow_disk(folder: Path, milliseconds: float) -> None:
    """Makes flushes of this process, and of those that it starts, take so long at least."""
    folder.mkdir(parents=True)
    code = _SLOW_DISK.format(least=milliseconds / 1000)
    (folder / "sitecustomize.py").write_text(code)
    os.environ["PYTHONPATH"] = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    exec(code, {})


def flushes(folder: Path, count: int, data: bytes) -> float:
    """The yardstick of a publish: write, fsync, link, fsync of the folder."""
    work, names = folder / "work", folder / "names"
    work.mkdir(parents=True)
    names.mkdir()
    handle = os.open(names, os.O_RDONLY)

    def loop() -> None:
        for number in range(count):
            part = work / str(number)
            with part.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            (names / str(number)).hardlink_to(part)
            os.fsync(handle)

    took = seconds(loop)
    os.close(handle)
    assert len(list(names.iterdir())) == count
    return took


def publishes(address: str, root: Path, folder: Path, count: int) -> None:
    stored = root / "sample" / "patch-0001.jellyp"
    jelly.Log.create(f"{address}/sample").publish(patch("sample"))
    yard = flushes(folder / "yard", count, stored.read_bytes()) / count
    log = jelly.Log.create(f"{address}/one")
    one = seconds(lambda: [log.publish(patch(number)) for number in range(count)]) / count
    assert log.head.version == count
    jelly.Log.create(f"{address}/many")
    each = -(-count // 16)

    def client(who: int) -> None:
        mine = jelly.Log(f"{address}/many")
        for number in range(each):
            mine.publish(patch(f"{who}-{number}"))

    threads = [threading.Thread(target=client, args=[who]) for who in range(16)]

    def run() -> None:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    many = seconds(run) / (16 * each)
    assert jelly.Log(f"{address}/many").head.version == 16 * each
    note = f"{1 / one:,.0f} a second; the loop {1 / yard:,.0f}"
    said("publishes, 1 client, to a loop of flushes", yard / one, 0.5, note)
    said("publishes, 16 clients, to the same", yard / many, 1.5, f"{1 / many:,.0f} a second")
    fresh = jelly.Log.create(root / "direct")
    direct = seconds(lambda: [fresh.publish(patch(n)) for n in range(count)]) / count
    said("publishes, 1 client, to Log.publish of a folder", direct / one, None, f"{1 / direct:,.0f} a second")  # fmt: skip


def one_large_publish(address: str, root: Path, rows: int) -> None:
    data = patch("large", rows)
    folder = jelly.Log.create(root / "large-direct")
    here = seconds(lambda: folder.publish(data))
    log = jelly.Log.create(f"{address}/large")
    there = seconds(lambda: log.publish(data))
    assert next(log.versions()).added == next(folder.versions()).added == rows
    said(f"publish of {rows:,} rows, to Log.publish of a folder", here / there, 0.8, f"{there:.2f} s")  # fmt: skip


def catch_up(address: str, root: Path, count: int) -> None:
    made = jelly.Log.create(root / "range")
    for number in range(count):
        made.publish(patch(number))
    log, url = jelly.Log(f"{address}/range"), urlsplit(address)

    def rows_of(reader: jelly.PatchReader[jelly.PatchRow]) -> int:
        with closing(reader):
            return sum(batch.num_rows for batch in reader)

    def one_by_one() -> None:
        link = http.client.HTTPConnection(url.hostname or "", url.port)
        for version in range(1, count + 1):
            link.request("GET", f"/range/patches/{version}", headers={"Accept": "application/x-jelly-rdf-patch"})  # fmt: skip
            answer = link.getresponse().read()
            with closing(jelly.read_patch(answer)) as reader:
                assert sum(batch.num_rows for batch in reader) >= 10
        link.close()

    files = made.files
    whole = rows_of(log.read())
    assert whole == rows_of(jelly.read_patch(path.read_bytes() for path in files))
    ranged = statistics.median(seconds(lambda: rows_of(log.read())) for _ in range(LEAST_RUNS))
    local = statistics.median(
        seconds(lambda: rows_of(jelly.read_patch(path.read_bytes() for path in files)))
        for _ in range(LEAST_RUNS)
    )
    single = seconds(one_by_one)
    said(f"catch-up, {count:,} patches in one range, to a GET each", single / ranged, 20, f"{ranged:.3f} s")  # fmt: skip
    said("the same, to reading the files of the folder", local / ranged, 0.5, f"{local:.3f} s")


def bytes_out(address: str, root: Path, megabytes: int) -> None:
    log = FolderLog(root / "big")
    jelly.Log.create(root / "big")
    rows = (
        f'A <a:s{number}> <a:p> "{number:01048576}" .\n'.encode() for number in range(megabytes)
    )
    log.publish(piece for part in ([b"TX .\n"], rows, [b"TC .\n"]) for piece in part)
    stored = log.path(1)
    size = stored.stat().st_size
    assert size > megabytes << 20
    url = urlsplit(address)

    def fetch() -> None:
        link = http.client.HTTPConnection(url.hostname or "", url.port)
        link.request("GET", "/big/patches/1", headers={"Accept": "application/x-jelly-rdf-patch"})
        answer, seen = link.getresponse(), 0
        while piece := answer.read(1 << 18):
            seen += len(piece)
        link.close()
        assert seen == size, (answer.status, seen)

    def sendfile() -> None:
        ready = socket.create_server(("127.0.0.1", 0))

        def give() -> None:
            link, _ = ready.accept()
            with closing(link), stored.open("rb") as file:
                link.sendfile(file)

        giver = threading.Thread(target=give)
        giver.start()
        with closing(socket.create_connection(ready.getsockname())) as link:
            seen = 0
            while piece := link.recv(1 << 18):
                seen += len(piece)
        giver.join()
        ready.close()
        assert seen == size

    ours = statistics.median(seconds(fetch) for _ in range(LEAST_RUNS))
    yard = statistics.median(seconds(sendfile) for _ in range(LEAST_RUNS))
    said(f"a stored patch of {megabytes} MiB out, to sendfile", yard / ours, 0.4, f"{megabytes / ours:,.0f} MiB/s")  # fmt: skip


def watcher(address: str, count: int) -> None:
    url = f"{address}/watched"
    log = jelly.Log.create(url)
    seen: dict[str, float] = {}

    def follow() -> None:
        for version in jelly.Log(url).watch(0, timeout=20):
            seen[str(version.id)] = time.perf_counter()
            if len(seen) == count:
                return

    thread = threading.Thread(target=follow)
    thread.start()
    answered = {}
    for number in range(count):
        done = log.publish(patch(number))
        answered[done.id] = time.perf_counter()
    thread.join()
    assert len(seen) == count
    late = sorted(max(0.0, seen[id] - answered[id]) * 1000 for id in answered)
    print(f"a publish that a watcher sees, after its answer: p50 {late[count // 2]:.1f} ms, p99 {late[count * 99 // 100]:.1f} ms   goal 5, 50")  # fmt: skip


def made(root: Path, name: str, versions: int) -> None:
    """A log of so many versions, whose flushes cost nothing."""
    log, flush = jelly.Log.create(root / name), os.fsync
    os.fsync = lambda fd: None  # noqa: ARG005
    for number in range(versions):
        log.publish(patch(number, 2))
    os.fsync = flush


def long_log(address: str, root: Path, versions: int, count: int) -> None:
    made(root, "short", 100)
    made(root, "long", versions)
    short, long = (jelly.Log(f"{address}/{name}") for name in ("short", "long"))

    def publish(log: jelly.Log, number: int) -> float:
        return seconds(lambda: log.publish(patch(f"new-{number}")))

    pairs = [(publish(short, number), publish(long, number)) for number in range(count)]
    assert (short.head.version, long.head.version) == (100 + count, versions + count)
    few, many = (statistics.median(took) for took in zip(*pairs, strict=True))
    said(f"publishes at version {versions:,}, to version 100", few / many, 0.9, f"{1 / many:,.0f} a second")  # fmt: skip
    page(address, "long", versions + count)


def page(address: str, name: str, versions: int) -> None:
    url = urlsplit(address)

    def get() -> None:
        link = http.client.HTTPConnection(url.hostname or "", url.port)
        link.request("GET", f"/{name}", headers={"Accept": "text/html"})
        answer = link.getresponse()
        body = answer.read()
        link.close()
        assert (answer.status, f"{versions:,}".encode() in body) == (200, True)

    first = seconds(get)
    later = statistics.median(seconds(get) for _ in range(5))
    print(f"page of a log with {versions:,} versions: first {first * 1000:.0f} ms, later {later * 1000:.0f} ms   goal 100")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--publishes", type=int, default=300)
    parser.add_argument("--patches", type=int, default=1000)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--megabytes", type=int, default=256)
    parser.add_argument("--versions", type=int, default=100_000)
    parser.add_argument("--flush", type=float, default=2, metavar="MILLISECONDS")
    args = parser.parse_args()
    folder = args.folder / "service"
    shutil.rmtree(folder, ignore_errors=True)
    root = folder / "logs"
    root.mkdir(parents=True)
    slow_disk(folder / "slow", args.flush)
    with served(root) as address:
        publishes(address, root, folder, args.publishes)
        one_large_publish(address, root, args.rows)
        catch_up(address, root, args.patches)
        bytes_out(address, root, args.megabytes)
        watcher(address, min(100, args.publishes))
        long_log(address, root, args.versions, min(100, args.publishes))
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
