"""``diff`` and ``apply`` with several threads: results and errors are those of one thread."""

import gzip
import io
import itertools
import random
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import jelly
import own_threads
from jelly.errors import JellyError
from own_threads import on_linux
from test_reading_threads import DATA, damage, rdf, statements

OUTPUTS = ("x.nq", "x.jelly", "x.trig")


def patched(folder: Path, threads: int, old: Path, new: Path, **options: Any) -> list[Any]:
    """What ``diff`` and ``apply`` make, or their errors."""
    out = folder / str(threads)
    out.mkdir(parents=True)
    makers: list[Callable[[], Any]] = [
        lambda: jelly.diff(old, new, out / "x.rdfp", blank_nodes="labels", threads=threads),
        *(
            lambda name=name: jelly.apply(
                old, out / "x.rdfp", out / name, threads=threads, **options
            )
            for name in OUTPUTS
        ),
    ]
    found: list[Any] = []
    for make in makers:
        try:
            found.append(make())
        except JellyError as raised:
            found.append(f"{raised.kind} {raised}")
            break
    return [*found, *(path.read_bytes() for path in sorted(out.iterdir()))]


def check(folder: Path, old: Path, new: Path, most: int = 3, **options: Any) -> list[Any]:
    one = patched(folder, 1, old, new, **options)
    for threads in range(2, most + 1):
        assert patched(folder, threads, old, new, **options) == one
    return one


def test_lines(tmp_path: Path) -> None:
    old, new = tmp_path / "old.nq", tmp_path / "new.nq.gz"
    data = DATA.replace(b"_:anon-7", b"_:c")
    changed = data.replace(b"@EN", b"@en-gb").replace(b"/g3>", b"/h3>")
    old.write_bytes(data)
    damaged = gzip.compress(changed, 1)[:-1000]
    wrong = gzip.compress(changed + b"<a> <b> .\n")
    for at, whole in enumerate((gzip.compress(changed, 1), damaged, wrong)):
        new.write_bytes(whole)
        found = check(tmp_path / f"of{at}", old, new)
        assert (len(found), isinstance(found[0], str)) == ((1, True) if at else (8, False)), found[
            0
        ]


def changed(count: int = 9_000, seed: int = 1) -> list[Any]:
    """Rows of which the dataset before has most, with tags in another spelling and other terms."""
    rows: list[Any] = statements(count, seed)
    for row in range(0, count, 7):
        subject, predicate, object, graph = rows[row]
        rows[row] = (subject, predicate, object.replace("@en", "@EN"), graph)
    for row in range(0, count, 501):
        quoted = f'<<( <urn:s> <urn:p> "{row}" )>>'
        rows[row] = (rows[row][0], "<urn:says>", quoted, "<https://example.org/g0>")
    return rows


def named(rows: list[Any]) -> list[Any]:
    """Rows whose blank nodes have no positions."""
    return [(row[0].replace("_:anon-", "_:a"), *row[1:]) for row in rows]


def written(rows: list[Any], **options: Any) -> bytes:
    """Jelly with sync points, and with metadata in its middle."""
    out = io.BytesIO()
    half = len(rows) // 2
    with jelly.RdfWriter(out, restart_bytes=64 << 10, **options) as writer:
        writer.write(rows[:half])
        writer.end_frame({"half": b"\x00"})
        writer.write(rows[half:])
    return out.getvalue()


class Calling(io.BytesIO):
    """A file that calls a function before each write."""

    def __init__(self, call: Callable[[], object]) -> None:
        super().__init__()
        self.call = call

    def write(self, data: Any) -> int:
        self.call()
        return super().write(data)


@on_linux
@pytest.mark.parametrize("physical", ["QUADS", "GRAPHS"])
def test_jelly(physical: Any, tmp_path: Path) -> None:
    old, new = tmp_path / "old.jelly", tmp_path / "new.jelly"
    kind: Any = {"options": jelly.RdfOptions(physical_type=physical)}
    old.write_bytes(written(named(statements(9_000, 1)), **kind))
    new.write_bytes(written(named(changed()), **kind))
    found = check(tmp_path / "of", old, new)
    assert len(found) == 8, found
    assert found[0].deleted > 9_000 // 501
    assert found[1].statements > 8_000
    assert len(check(tmp_path / "distinct", old, new, distinct=True)) == 8
    seen: list[int] = []

    def count() -> None:
        if not seen:
            seen.append(own_threads.threads("jelly-read", 2))

    out = Calling(count)
    jelly.apply(old, b"TX .\nTC .\n", out, to="nq", threads=2)
    assert seen == [2]


def test_prefixes(tmp_path: Path) -> None:
    """Prefixes that are declared, and declared again, between statements."""
    paths = tmp_path / "old.jelly", tmp_path / "new.jelly"
    for seed, path in enumerate(paths):
        turtle = "".join(
            f"@prefix p{row // 2000 % 3}: <urn:p{row // 4000}#> .\n<urn:s{row}> <urn:p> '{row + row % 5 * seed:0200}' .\n"
            for row in range(9_000)
        )
        jelly.convert(turtle.encode(), path, format="ttl", restart_bytes=1 << 16)
    found = check(tmp_path / "of", *paths)
    assert (len(found), found[0].deleted) == (8, 7_200)
    assert b"@prefix p2: <urn:p1#> ." in found[-1]


def test_several_streams(tmp_path: Path) -> None:
    old, new = tmp_path / "old.jelly", tmp_path / "new.jelly"
    streams = [written(named(statements(4_000, seed))) for seed in (1, 2, 3)]
    old.write_bytes(b"".join(streams))
    new.write_bytes(b"".join((streams[2], written(named(changed(4_000, 2))))))
    found = check(tmp_path / "of", old, new)
    assert (len(found), found[0].old) == (8, 12_000)


def test_damaged_jelly(tmp_path: Path) -> None:
    whole, chance, errors = written(named(statements(9_000, 1))), random.Random(8), 0
    old, new = tmp_path / "old.jelly", tmp_path / "new.jelly"
    new.write_bytes(written(named(changed())))
    for at in range(8):
        old.write_bytes(damage(whole, chance))
        for pair, (one, other) in enumerate(itertools.permutations((old, new))):
            errors += isinstance(check(tmp_path / f"{at}-{pair}", one, other, 2)[0], str)
    assert errors > 4


def test_an_error_of_the_target_has_the_position_of_one_thread(tmp_path: Path) -> None:
    """N-Triples has no graphs; positions are refused where labels are compared."""
    triples = [(*row[:3], "") for row in named(statements(9_000, 1))]
    triples[6_000] = (*triples[6_000][:3], "<urn:g>")
    base = tmp_path / "base.jelly"
    base.write_bytes(written(triples, options=jelly.RdfOptions(physical_type="QUADS")))
    errors = []
    for threads in (1, 2):
        with pytest.raises(JellyError) as caught:
            jelly.apply(base, b"", io.BytesIO(), to="nt", threads=threads)
        errors.append(str(caught.value))
    assert errors[0] == errors[1]
    assert "row 6000" in errors[0]
    base.write_bytes(rdf())
    for threads in (1, 2):
        with pytest.raises(JellyError) as caught:
            jelly.diff(base, base, io.BytesIO(), to="rdfp", blank_nodes="labels", threads=threads)
        errors.append(f"{caught.value.kind} {caught.value}")
    assert errors[2] == errors[3]
    assert "patch.labels" in errors[2]


def test_a_file_that_changes_while_threads_read_it(tmp_path: Path) -> None:
    path = tmp_path / "base.jelly"
    whole, other = (written(named(statements(20_000, seed))) for seed in (1, 2))
    path.write_bytes(whole)
    out = Calling(lambda: path.write_bytes(other))
    with pytest.raises(OSError, match="changed since it was split"):
        jelly.apply(path, b"TX .\nTC .\n", out, to="nq", threads=2)


def test_a_damaged_sidecar(tmp_path: Path) -> None:
    """Threads enter a file only where the sidecar is whole; one thread does not need the sidecar."""
    path = tmp_path / "base.jelly"
    with jelly.RdfWriter(path, restart_bytes=0) as writer:
        writer.write(named(statements(30_000, 1)))
    jelly.index(path, every=1 << 18)
    side = tmp_path / ".base.jelly.jellyindex"
    whole = side.read_bytes()
    parts = len(jelly.splits(path, split_bytes=1 << 20))
    assert parts > 2
    fewer = 0
    for at in range(100, len(whole) - 200, len(whole) // 5):
        damaged = bytearray(whole)
        damaged[at] ^= 1
        side.write_bytes(damaged)
        results = []
        for threads in (1, 2):
            out = io.BytesIO()
            done = jelly.apply(path, b"TX .\nTC .\n", out, to="nq", threads=threads)
            rows = sum(map(len, jelly.read_rdf(path, threads=threads)))
            results.append((done, out.getvalue(), rows))
        assert results[0] == results[1]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            left = len(jelly.splits(path, split_bytes=1 << 20))
        fewer += bool(caught) and "snapshot is damaged" in str(caught[0].message)
        assert left <= parts
    assert fewer > 0
    side.write_bytes(whole)
    for threads in (1, 2):  # the sidecar was made with another framing
        found = jelly.read_rdf(path, threads=threads, framing="concatenated")
        assert sum(map(len, found)) == rows
        out = io.BytesIO()
        jelly.apply(path, b"TX .\nTC .\n", out, to="nq", threads=threads, framing="concatenated")
        assert out.getvalue() == results[0][1]
