"""Several servers and processes on one folder, full disks, and servers that are killed."""

from __future__ import annotations

import multiprocessing
import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import jelly

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from servers import free_port, served, start


def patch(name: object) -> bytes:
    return f'H id <u:{name}> .\nTX .\nA <a:s> <a:p> "{name}" .\nTC .\n'.encode()


def publish_all(place: str, who: int, count: int, done: Callable[[str, int], None]) -> None:
    log = jelly.Log(place)
    for number in range(count):
        found = log.publish(patch(f"{who}-{number}"))
        done(found.id, found.version)


def check(folder: Path, acknowledged: dict[str, int]) -> None:
    """Each acknowledged patch is there once, at its version, and there is no hole."""
    log = jelly.Log(folder)
    found = {version.id: version.version for version in log.versions()}
    assert found == acknowledged
    assert sorted(found.values()) == list(range(1, len(acknowledged) + 1))
    assert {problem.kind for problem in log.verify().problems} <= {"patch.effect"}


def _direct(folder: str, who: int, count: int, queue: multiprocessing.Queue[tuple[str, int]]) -> None:  # fmt: skip
    publish_all(folder, who, count, lambda *one: queue.put(one))


def test_two_servers_and_a_process_on_one_folder(tmp_path: Path) -> None:
    root, each = tmp_path / "logs", 15
    jelly.Log.create(root / "x")
    with served(root) as one, served(root) as other:
        acknowledged: dict[str, int] = {}
        failed: list[BaseException] = []

        def publisher(place: str, who: int) -> None:
            try:
                publish_all(place, who, each, acknowledged.__setitem__)
            except BaseException as error:
                failed.append(error)

        context = multiprocessing.get_context("spawn")
        queue: multiprocessing.Queue[tuple[str, int]] = context.Queue()
        direct = context.Process(target=_direct, args=(str(root / "x"), 9, each, queue))
        direct.start()
        threads = [threading.Thread(target=publisher, args=[f"{place}/x", who]) for who, place in enumerate((one, one, other, other))]  # fmt: skip
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        acknowledged |= dict(queue.get(timeout=60) for _ in range(each))
        direct.join(60)
        assert not failed, failed
        assert len(acknowledged) == 5 * each
        # each server answers for what the other one took
        for place in (one, other):
            assert jelly.Log(f"{place}/x").head.version == 5 * each
            assert jelly.Log(f"{place}/x").publish(patch("9-0")).replayed
    check(root / "x", acknowledged)


_LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
import jelly
log = jelly.Log(sys.argv[2])
try:
    print("published", log.publish(open(sys.argv[3], "rb").read()).version)
except OSError as error:
    print("refused", error.errno)
"""


def test_a_disk_that_is_full_at_any_write(tmp_path: Path) -> None:
    """Files may grow to a size and no further, so that each write in turn is the one that fails."""
    folder, source = tmp_path / "x", tmp_path / "patch.rdfp"
    rows = "".join(f'A <a:s> <a:p> "{n}-{random.Random(n).random()}" .\n' for n in range(300))
    source.write_text(f"H id <u:big> .\nTX .\n{rows}TC .\n")
    jelly.Log.create(folder)
    seen = set()
    for size in (0, 64, 2048, 4096, 1 << 20):
        done = subprocess.run([sys.executable, "-c", _LIMITED, str(size), str(folder), str(source)], capture_output=True, text=True, check=True)  # fmt: skip
        word = done.stdout.split()[0]
        seen.add(word)
        log = jelly.Log(folder)
        assert log.head.version == (1 if "published" in seen else 0), (size, done)
        assert not [path for path in folder.iterdir() if path.name.startswith("patch-0002")]
    assert seen == {"refused", "published"}
    assert log.verify().ok
    assert log.publish(patch(2)).version == 2


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="mounts a small file system")  # fmt: skip
def test_a_server_on_a_small_file_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jelly.log._server._TRIES", 0.2)  # the disk stays full
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(small)], capture_output=True, check=False)  # fmt: skip
    if mounted.returncode:
        pytest.skip("nothing can be mounted here")
    try:
        root = small / "logs"
        jelly.Log.create(root / "x")
        with served(root, "--limit=free=0", "--limit=states=0") as address:
            log = jelly.Log(f"{address}/x")
            acknowledged: dict[str, int] = {}
            refused = 0
            for number in range(60):
                text = "".join(f'A <a:s> <a:p> "{random.Random(number * 1000 + n).random()}" .\n' for n in range(3000))  # fmt: skip
                body = f"H id <u:{number}> .\nTX .\n{text}TC .\n".encode()
                try:
                    found = log.publish(body)
                except ConnectionError as error:
                    assert "507" in str(error)  # noqa: PT017 - each of them, not the last
                    refused += 1
                    if refused == 3:
                        break
                else:
                    acknowledged[found.id] = found.version
            assert refused == 3
            assert len(acknowledged) >= 3
            check(root / "x", acknowledged)
            (small / "filler").unlink(missing_ok=True)
            mounted = subprocess.run(["mount", "-o", "remount,size=16m", str(small)], capture_output=True, check=True)  # fmt: skip
            assert log.publish(patch("later")).version == len(acknowledged) + 1, "it goes on when there is room"  # fmt: skip
    finally:
        subprocess.run(["umount", str(small)], check=True)


def killed(tmp_path: Path, kills: int, publishers: int = 4) -> int:
    """Kills a server again and again while others publish; returns how many patches they got in."""
    root, port = tmp_path / "logs", free_port()
    jelly.Log.create(root / "x")
    server = start(root, port)
    acknowledged: dict[str, int] = {}
    failed: list[BaseException] = []
    stop = threading.Event()

    def publisher(who: int) -> None:
        try:
            log, number = jelly.Log(f"http://127.0.0.1:{port}/x"), 0
            while not stop.is_set():
                found = log.publish(patch(f"{who}-{number}"))
                acknowledged[found.id] = found.version
                number += 1
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=publisher, args=[who]) for who in range(publishers)]
    for thread in threads:
        thread.start()
    chance = random.Random(kills)
    for _ in range(kills):
        before, wanted = len(acknowledged), chance.randint(1, 6)
        while len(acknowledged) < before + wanted and not failed:
            threads[0].join(0.002)
        server.kill()
        server.wait()
        server = start(root, port)
    stop.set()
    for thread in threads:
        thread.join(120)
    server.kill()
    server.wait()
    assert not failed, failed
    check(root / "x", acknowledged)
    return len(acknowledged)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_a_hundred_kills(tmp_path: Path) -> None:
    assert killed(tmp_path, kills=100) >= 100


def test_a_few_kills(tmp_path: Path) -> None:
    assert killed(tmp_path, kills=2) >= 2
