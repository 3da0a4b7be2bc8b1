"""Threads read lines and parts of Jelly side by side: rows, errors and positions are those of one thread."""

import gzip
import io
import os
import random
import signal
import threading
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pytest

import jelly
import own_threads
from jelly.errors import JellyError
from own_threads import on_linux
from shared_data import shared

LINE = "<https://example.org/{:01000x}> <https://example.org/p> {} <https://example.org/g{}> ."
OBJECTS = ["_:b", "_:anon-7", '"a\\u00e9"@EN', '"é"', '"1"^^<https://example.org/int>']
ENDS = ["\n", "\r\n", " # a comment\n", "\n\n", "\n# <a> <b> <c>\n", "\r# \n", "\t\n"]


def lines(count: int, seed: int = 5) -> bytes:
    """N-Quads with all that may stand between two rows."""
    chance = random.Random(seed)
    rows = (
        LINE.format(chance.getrandbits(4000), chance.choice(OBJECTS), row // 700)
        + chance.choice(ENDS if chance.random() < 0.1 else ENDS[:1])
        for row in range(count)
    )
    return "".join(rows).encode()


ROWS = 4_200
DATA = lines(ROWS)
assert len(DATA) > 4 << 20


class Found(NamedTuple):
    """What a reader gave, and what it said at its end."""

    rows: pa.Table
    error: str | None
    position: Any
    options: Any
    namespaces: dict[str, str]
    metadata: dict[str, bytes]


def read(source: Any, threads: int, how: Any = jelly.read_rdf, **options: Any) -> Found:
    batches: list[pa.RecordBatch] = []
    error = None
    with how(source, threads=threads, **options) as reader:
        try:
            batches.extend(pa.record_batch(batch) for batch in reader)
        except JellyError as raised:
            error = f"{raised.kind} {raised}"
        rows = pa.Table.from_batches(batches, pa.schema(reader.schema))
        return Found(rows, error, reader.position, reader.options, reader.namespaces, reader.metadata)  # fmt: skip


def check(source: Any, how: Any = jelly.read_rdf, **options: Any) -> Found:
    one = read(source, 1, how, **options)
    for threads in (2, 3):
        assert read(source, threads, how, **options) == one
    return one


@pytest.mark.parametrize(
    "options",
    [
        {"batch_rows": 500},
        {"batch_rows": 700, "terms": "struct", "blank_nodes": "scoped", "source_name": "x"},
        {"strings": "view", "columns": ["object", "seq"], "batch_rows": 500},
        {"mode": "permissive", "strict": True, "batch_rows": 500},
    ],
)
def test_batches(tmp_path: Path, options: dict[str, Any]) -> None:
    path = tmp_path / "data.nq.gz"
    path.write_bytes(gzip.compress(DATA, 1))
    for source in (DATA, b"\xef\xbb\xbf" + DATA[:-1], path):
        found = check(source, **options)
        assert found.error is None
        assert len(found.rows) == ROWS


def test_corpus() -> None:
    for name in ("iotg-50k.nq.gz", "vocab-open.nq.gz"):
        found = check(shared(f"corpus/{name}"))
        assert found.error is None
        assert len(found.rows) >= 50_000


def test_damage() -> None:
    chance = random.Random(6)
    for _ in range(6):
        damaged = bytearray(DATA)
        for _ in range(chance.choice((1, 1, 3))):
            place = chance.randrange(len(DATA))
            damaged[place : place + chance.randrange(3)] = chance.choice(
                (b"\n", b"\r", b"\xff", b'"', b"VERSION", b"<", b"\\", b"", b"_:a . _:b")
            )
        del damaged[len(damaged) - chance.choice((0, 0, 40, 1 << 20)) :]
        mode = chance.choice(("failfast", "permissive"))
        check(bytes(damaged), mode=mode, batch_rows=chance.choice((500, 77)))
    error = check(DATA[: 3 << 20] + b"x\n" + DATA[3 << 20 :]).error
    assert error is not None
    assert "line" in error


def test_what_is_no_block_is_read_by_one() -> None:
    huge = b'<u:s> <u:p> "' + b"x" * (9 << 20) + b'" .\n'
    source = DATA[: DATA.rindex(b"\n", 0, 2 << 20) + 1] + huge + DATA[: 1 << 19]
    for options, wrong in (
        ({}, "truncated"),
        ({"row_bytes": 1 << 20}, "limit.row"),
    ):
        found = check(source, batch_rows=500, limits=jelly.Limits(**options))
        assert str(found.error).startswith(wrong)
        assert len(found.rows) > 1500


def test_a_row_that_is_too_long_has_a_line() -> None:
    usual = b"<u:s> <u:p> <u:o> .\n" * 20
    for length in (70_000, 100_000, 3 << 20):
        source = usual + b'<u:s> <u:p> "' + b"x" * length + b'" .\n' + usual
        found = check(source, limits=jelly.Limits(row_bytes=1 << 16))
        assert str(found.error).endswith("(byte 400, line 21, column 1)")
        assert len(found.rows) == 20


def test_a_comment_is_no_row_of_any_length(tmp_path: Path) -> None:
    usual = b"<u:s> <u:p> <u:o> .\n"
    limits = jelly.Limits(row_bytes=1000)
    path = tmp_path / "commented.nq"
    for rows in (0, 700, 20_000):
        comment = b"#" + "é".encode() * 300_000
        path.write_bytes(usual * rows + comment + b"\n<u:s>\n" + usual)
        for source in (path, path.read_bytes()):
            found = check(source, format="nq", limits=limits, batch_rows=500)
            assert str(found.error).endswith(f"line {rows + 2}, column 6)")
            assert len(found.rows) == rows
    row = b"A <u:s> <u:p> <u:o> .\n"
    for format in ("rdfp", "rdfp-v1"):
        path.write_bytes(row * 9 + b"#" + b"c" * 50_000 + b"\n" + row * 30_000 + comment)
        for one in (path, path.read_bytes()):
            read = jelly.read_patch(one, format=format, limits=limits)
            assert sum(len(batch) for batch in read) >= 30_009


def test_batches_of_other_sizes_have_the_same_rows() -> None:
    data = DATA[: DATA.rindex(b"\n", 0, 3 << 20) + 1] * 3
    every: list[dict[str, Any]] = [
        {"batch_rows": 1 << 20},
        {"batch_bytes": 400_000, "batch_rows": 500},
    ]
    for options in every:
        tables = [pa.table(jelly.read_rdf(data, threads=threads, **options)) for threads in (1, 3)]
        assert tables[0].equals(tables[1])


def test_limits_and_damaged_gzip(tmp_path: Path) -> None:
    path = tmp_path / "data.nq.gz"
    whole = gzip.compress(DATA, 1)
    path.write_bytes(whole[: len(whole) * 3 // 4])
    assert check(path).error is not None
    path.write_bytes(whole)
    found = check(path, limits=jelly.Limits(decompressed_bytes=2 << 20))
    assert str(found.error).startswith("limit.decompressed")
    assert str(check(DATA, blank_nodes="named", batch_rows=500).error).startswith("patch.labels")


def test_threads_end() -> None:
    with jelly.read_rdf(DATA, threads=2, batch_rows=500) as reader:
        assert own_threads.threads("jelly-read", 0) == 0
        next(reader)
        assert own_threads.threads("jelly-read", 2) == 2
    assert own_threads.threads("jelly-read", 0) == 0
    one_thread: list[dict[str, Any]] = [{"threads": 1}, {}]  # several only if asked
    for few in one_thread:
        with jelly.read_rdf(DATA, batch_rows=500, **few) as reader:
            next(reader)
            assert own_threads.threads("jelly-read", 0) == 0
    dropped = jelly.read_rdf(DATA, threads=2, batch_rows=500)
    next(dropped)
    del dropped
    assert own_threads.threads("jelly-read", 0) == 0
    with jelly.read_rdf(DATA, threads=3, batch_rows=500) as reader:
        assert sum(len(batch) for batch in reader) == ROWS
        assert own_threads.threads("jelly-read", 0) == 0


@on_linux
def test_fork() -> None:
    """The child has no such threads: it gets an error, and the parent reads on."""
    for _ in range(5):
        with jelly.read_rdf(DATA, threads=2, batch_rows=10) as reader:
            first = len(next(reader))
            child = os.fork()
            if child == 0:
                signal.alarm(60)
                try:
                    sum(len(batch) for batch in reader)
                except ValueError as error:
                    os._exit(7 if "threads=1" in str(error) else 8)
                os._exit(9)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
            assert first + sum(len(batch) for batch in reader) == ROWS


@on_linux
def test_interrupt() -> None:
    """Ctrl-C ends a read, and its threads."""

    source = DATA * 20
    sender = threading.Thread(target=os.kill, args=(os.getpid(), signal.SIGINT))

    def read_all() -> None:
        sender.start()
        is_last = False
        while not is_last:  # the thread may be slow to send it
            is_last = not sender.is_alive()
            with jelly.read_rdf(source, threads=2, batch_rows=1 << 20) as reader:
                for _ in reader:
                    pass

    # a shell that starts the tests in the background has SIGINT ignored
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            read_all()
    finally:
        signal.signal(signal.SIGINT, before)
    sender.join()
    assert own_threads.threads("jelly-read", 0) == 0


# Jelly, from one restart point to the next

LABELS = ["_:b{}", "_:anon-{}", "<https://example.org/{}>"]


def statements(count: int, seed: int) -> list[tuple[str, str, str, str]]:
    chance = random.Random(seed)
    return [
        (
            chance.choice(LABELS).format(chance.randrange(4000)),
            f"<https://example.org/p{chance.randrange(9)}>",
            f'"{chance.randrange(99)} {"x" * chance.randrange(400)}"@en',
            f"<https://example.org/g{row // 900}>",
        )
        for row in range(count)
    ]


def rdf(count: int = 9_000, seed: int = 1, **options: Any) -> bytes:
    out = io.BytesIO()
    with jelly.RdfWriter(out, restart_bytes=64 << 10, **options) as writer:
        writer.write(statements(count, seed))
    return out.getvalue()


def patches(count: int = 9, seed: int = 2, **options: Any) -> bytes:
    """Patches that add prefixes, delete those of others, and end in all ways."""
    out = io.BytesIO()
    with jelly.PatchWriter(out, restart_bytes=64 << 10, **options) as writer:
        for patch in range(count):
            rows: list[dict[str, Any]] = [{"op": "H", "name": "id", "value": f"<urn:{patch}>"}]
            rows += [{"op": "TX"}, {"op": "PA", "name": f"p{patch}", "value": f"<urn:p{patch}>"}]
            if patch % 4 == 3:
                rows.append({"op": "PD", "name": f"p{patch - 2}"})
            rows += [
                {"op": "AD"[row[0] < "_"], **dict(zip(NAMES, row, strict=True))}
                for row in statements(1_000, seed + patch)
            ]
            writer.write([*rows, {"op": "TA" if patch % 5 == 4 else "TC"}])
    return out.getvalue()


NAMES = ["subject", "predicate", "object", "graph"]


def readers(source: bytes, how: Any, expected: int) -> int:
    """How many threads read a source when its first batch is there."""
    with how(source, threads=2, batch_rows=100) as reader:
        next(reader)
        return own_threads.threads("jelly-read", expected)


@on_linux
@pytest.mark.parametrize("make", [rdf, patches])
def test_jelly(make: Any, tmp_path: Path) -> None:
    how = jelly.read_rdf if make is rdf else jelly.read_patch
    # a file of several streams, of which each has its own positions
    source = make() + make(3, 7)
    assert readers(source, how, 2) == 2
    path = tmp_path / "source.jelly"
    path.write_bytes(source)
    every: list[dict[str, Any]] = [
        {},
        {"batch_rows": 77, "blank_nodes": "scoped", "source_name": "x"},
        {"terms": "struct", "mode": "permissive"},
        {"columns": ["object"], "strings": "view"},
    ]
    if how is jelly.read_patch:
        every.append({"rows": "committed"})
    for options in every:
        for one in (source, path):
            found = check(one, how, **options)
            assert found.error is None
            assert len(found.rows) > 6_000
            assert found.options is not None
    with how(source, threads=2) as reader:
        assert reader.options == found.options
        assert reader.peek() is not None
        assert sum(map(len, reader)) > 6_000
        with pytest.raises(ValueError, match="threads=1"):
            reader.snapshot()


def damage(source: bytes, chance: random.Random) -> bytes:
    """The bytes with up to two of them replaced, and sometimes cut off there."""
    damaged = bytearray(source)
    place = chance.randrange(len(source))
    damaged[place : place + chance.randrange(3)] = chance.randbytes(chance.randrange(3))
    if chance.random() < 0.2:
        del damaged[place:]
    return bytes(damaged)


@pytest.mark.parametrize("make", [rdf, patches])
def test_damaged_jelly(make: Any) -> None:
    """Also where the damage lies at, before or behind a restart point, or in a footer."""
    how = jelly.read_rdf if make is rdf else jelly.read_patch
    source, chance, errors = make(), random.Random(8), 0
    for _ in range(16):
        damaged = damage(source, chance)
        mode = chance.choice(("failfast", "permissive"))
        rows = {"rows": "committed"} if make is patches and chance.random() < 0.5 else {}
        if rows:
            mode = "failfast"
        found = check(damaged, how, mode=mode, batch_rows=500, **rows)
        errors += found.error is not None or "_corrupt_record" in found.rows.column_names
    assert errors > 6


def test_namespaces_of_parts(tmp_path: Path) -> None:
    found = check(patches(), jelly.read_patch)
    assert len(found.namespaces) == 7
    assert "p1" not in found.namespaces
    turtle = "".join(
        f"@prefix p{row // 4000}: <urn:p{row // 4000}#> .\n<urn:s{row}> <urn:p> '{row:0200}' .\n"
        for row in range(9_000)
    )
    path = tmp_path / "changed.jelly"
    jelly.convert(turtle.encode(), path, format="ttl", restart_bytes=1 << 16)
    assert readers(path.read_bytes(), jelly.read_rdf, 2) == 2
    assert check(path).namespaces == {f"p{at}": f"urn:p{at}#" for at in range(3)}
    path.write_bytes(rdf(30_000))
    with jelly.read_rdf(path, threads=2, batch_rows=100) as reader:
        next(reader)
        path.write_bytes(rdf(30_000, seed=3))
        with pytest.raises(OSError, match="changed since it was split"):
            sum(len(batch) for batch in reader)
