"""convert from and to Parquet and Arrow files: every option is used, or refused."""

import gzip
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import jelly
import jellybytes as jb
from conversions import LOG, QUADS, TABLES, converted, rows, run, statements
from jelly.errors import EncodeError


def table(data: bytes | str, kind: str = "parquet") -> bytes:
    return converted(data if isinstance(data, bytes) else data.encode(), kind)


def test_arrow_tables_hold_the_schemas(tmp_path: Path) -> None:
    jelly.convert(LOG.encode(), tmp_path / "log.parquet")
    import pyarrow.parquet as pq

    table = pq.read_table(tmp_path / "log.parquet")
    assert table.schema.equals(pa.schema(jelly.PATCH_SCHEMA))
    assert table.num_rows == 18


@pytest.mark.parametrize("kind", TABLES)
def test_single_options_of_patches(kind: Any) -> None:
    source = table(LOG, kind)
    found = converted(
        source,
        "jelly-patch",
        format=kind,
        stream_type="FRAME",
        max_name_table_size=16,
        max_prefix_table_size=0,
        max_datatype_table_size=9,
        generalized_statements=False,
    )
    assert jelly.read_patch(found).options == jelly.PatchOptions(
        stream_type="FRAME",
        max_name_table_size=16,
        max_prefix_table_size=0,
        max_datatype_table_size=9,
        generalized_statements=False,
    )
    assert rows(found) == rows(LOG.encode())
    with pytest.raises(EncodeError, match="FLAT"):
        converted(source, "jelly-patch", format=kind, stream_type="FLAT")


@pytest.mark.parametrize("kind", TABLES)
def test_single_options_and_namespaces_of_statements(kind: Any) -> None:
    given: Any = {"stream_name": "n", "logical_type": "DATASETS", "max_name_table_size": 8}
    namespaces = {"e": "http://e/"}
    found = converted(table(QUADS, kind), "jelly", format=kind, namespaces=namespaces, **given)
    reader = jelly.read_rdf(found)
    assert statements(found) == statements(QUADS.encode())
    options = reader.options
    assert options is not None
    assert (options.stream_name, options.logical_type, options.max_name_table_size) == (
        "n",
        "DATASETS",
        8,
    )
    assert options.physical_type == "QUADS"
    assert len(list(reader.rows())) == 3
    assert reader.namespaces == namespaces
    turtle = converted(table(QUADS, kind), "trig", format=kind, namespaces=namespaces)
    assert b"@prefix e: <http://e/>" in turtle


def test_frames_that_are_elements_stay_apart() -> None:
    out = io.BytesIO()
    with jelly.RdfWriter(out, jelly.RdfOptions(logical_type="GRAPHS")) as writer:
        for n in range(3):
            writer.write([("<u:s>", "<u:p>", f'"{n}"')] * 2)
            writer.end_frame()
    given = {"physical_type": "TRIPLES", "logical_type": "GRAPHS"}
    found = converted(table(out.getvalue()), "jelly", format="parquet", **given)
    assert [row.frame for row in jelly.read_rdf(found).rows()] == [0, 0, 1, 1, 2, 2]


def test_a_graph_may_come_after_the_first_row() -> None:
    data = b"<u:s> <u:p> <u:o> .\n<u:s> <u:p> <u:o> <u:g> .\n"
    found = converted(table(data), "jelly", format="parquet")
    assert statements(found) == statements(data)


def test_abbreviations() -> None:
    text = converted(table(LOG), "rdfp", format="parquet", abbreviate=True)
    assert b" 5 ." in text
    assert rows(text) == rows(LOG.encode())


def test_frames_and_restart_points(tmp_path: Path) -> None:
    dest = tmp_path / "log.jellyp"
    given: Any = {"frame_rows": 4, "restart_bytes": 60}
    jelly.convert(table(LOG), dest, format="parquet", **given)
    assert jelly.inspect(dest).frames >= 4
    second = jelly.splits(dest, split_bytes=1)[1]
    with jelly.read_patch(dest, split=second) as reader:
        assert 0 < len(list(reader.rows())) < 18
    single = converted(table(QUADS), "jelly", format="parquet", delimited=False)
    assert statements(single, framing="single") == statements(QUADS.encode())


def test_kinds_are_told_apart(tmp_path: Path) -> None:
    """Statements become patches and not the other way round, as without tables."""
    dest = tmp_path / "quads.rdfp"
    jelly.convert(table(QUADS), dest, format="parquet")
    assert dest.read_bytes() == converted(QUADS.encode(), "rdfp")
    assert [row[0] for row in rows(dest)] == ["TX", "A", "A", "A", "TC", "Z"]
    to: Any
    for to in ("auto", "nq", "jelly"):
        with pytest.raises(ValueError, match="apply them"):
            jelly.convert(table(LOG), tmp_path / "log.nq", format="parquet", to=to)
    assert converted(table(LOG), "text", format="parquet") == converted(LOG.encode(), "rdfp")
    assert converted(table(QUADS), "text", format="parquet") == converted(QUADS.encode(), "nq")
    assert converted(table(b"".join([])), "nq", format="parquet") == b""


SOURCE_OPTIONS: dict[str, Any] = {
    "framing": "single",
    "compression": "gzip",
    "rows": "committed",
    "strict": True,
    "lenient_flags": True,
    "strict_graphs": False,
    "source_name": "n",
}
DEST_OPTIONS: dict[str, Any] = {
    "options": jelly.PatchOptions(),
    "stream_name": "n",
    "physical_type": "QUADS",
    "logical_type": "FLAT_QUADS",
    "statement_type": "QUADS",
    "stream_type": "FRAME",
    "generalized_statements": True,
    "rdf_star": True,
    "max_name_table_size": 9,
    "max_prefix_table_size": 9,
    "max_datatype_table_size": 9,
    "namespaces": {},
    "delimited": False,
    "frame_rows": 9,
    "restart_bytes": 9,
    "abbreviate": True,
}


@pytest.mark.parametrize("kind", TABLES)
def test_what_says_nothing_of_a_table_is_refused(kind: Any, tmp_path: Path) -> None:
    source, dest = table(LOG, kind), tmp_path / "out"
    for name, value in SOURCE_OPTIONS.items():
        to: Any
        for to in ("jelly-patch", "arrow"):
            with pytest.raises(ValueError, match=f"{name} .*the source is"):
                jelly.convert(source, dest, format=kind, to=to, **{name: value})
    for name, value in DEST_OPTIONS.items():
        for data, options in ((LOG.encode(), {}), (source, {"format": kind})):
            with pytest.raises(ValueError, match=f"{name} .*the output is"):
                jelly.convert(data, dest, to=kind, **{name: value, **options})
    with pytest.raises(ValueError, match=r"limits .*the output is"):
        jelly.convert(source, dest, format=kind, to=kind, limits=jelly.Limits())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("to", "names"),
    [
        ("rdfp", [name for name in DEST_OPTIONS if name not in ("abbreviate", "namespaces")]),
        ("trp", ["stream_type", "max_name_table_size", "abbreviate", "options", "delimited"]),
        ("jelly-patch", ["physical_type", "logical_type", "stream_name", "abbreviate"]),
    ],
)
def test_options_of_another_format_are_refused(to: str, names: list[str]) -> None:
    for name in names:
        with pytest.raises(ValueError, match=f"{name} is an option of"):
            converted(LOG.encode(), to, **{name: DEST_OPTIONS[name]})
        with pytest.raises(ValueError, match=f"{name} is an option of"):
            converted(table(LOG), to, format="parquet", **{name: DEST_OPTIONS[name]})
    with pytest.raises(ValueError, match="namespaces is an option of"):
        converted(LOG.encode(), to, namespaces=True)
    with pytest.raises(ValueError, match="namespaces is an option of"):
        converted(QUADS.encode(), "nq", namespaces={"e": "http://e/"})
    with pytest.raises(ValueError, match="stream_type is an option of Jelly-Patch"):
        converted(QUADS.encode(), "jelly", stream_type="FLAT")


def test_turtle_without_prefixes() -> None:
    turtle = b"@prefix e: <http://e/> . e:s e:p e:o .\n"
    assert b"@prefix" in converted(turtle, "ttl", format="ttl")
    assert b"@prefix" not in converted(turtle, "ttl", format="ttl", namespaces=False)


def test_compression_of_tables() -> None:
    def codec(data: bytes) -> Any:
        return pq.ParquetFile(pa.BufferReader(data)).metadata.row_group(0).column(0).compression

    words = {"auto": "ZSTD", "zstd": "ZSTD", "gzip": "GZIP", "none": "UNCOMPRESSED"}
    for word, expected in words.items():
        assert codec(converted(LOG.encode(), "parquet", to_compression=word)) == expected
    big = jb.small_patch(3, 3000)
    for kind in TABLES:
        sizes = [
            len(converted(big, kind, to_compression="zstd", compression_level=level))
            for level in (1, 19)
        ]
        assert sizes[1] < sizes[0] < len(converted(big, kind, to_compression="none"))
        with pytest.raises(ValueError, match="there is no compression"):
            converted(big, kind, to_compression="none", compression_level=3)
        with pytest.raises(ValueError, match="to_compression is"):
            converted(big, kind, to_compression="brotli")
    with pytest.raises(ValueError, match="to_compression is"):
        converted(LOG.encode(), "arrow", to_compression="gzip")
    text = converted(
        table(LOG), "rdfp", format="parquet", to_compression="gzip", compression_level=9
    )
    assert rows(gzip.decompress(text)) == rows(LOG.encode())


@pytest.mark.parametrize("kind", TABLES)
def test_sources_that_are_no_paths(kind: Any, tmp_path: Path) -> None:
    data = table(LOG, kind)
    path = tmp_path / "log"
    path.write_bytes(data)

    class Pipe:
        def __init__(self) -> None:
            self.read = io.BytesIO(data).read

    sources: list[Any] = [
        data,
        bytearray(data),
        path,
        str(path),
        io.BytesIO(data),
        iter([data[:9], data[9:]]),
        Pipe(),
    ]
    for source in sources:
        assert rows(converted(source, "rdfp", format=kind)) == rows(LOG.encode())
    piped = run("convert", "-", "-", "--from", kind, "--to", "rdfp", data=data)
    assert rows(piped.stdout) == rows(LOG.encode()), piped.stderr
    back = run("convert", "-", "-", "--from", "rdfp", "--to", kind, data=LOG.encode())
    assert rows(converted(back.stdout, "rdfp", format=kind)) == rows(LOG.encode()), back.stderr
    out = io.BytesIO()
    jelly.convert(LOG.encode(), out, to=kind)
    assert out.write(b"") == 0  # it is still open


def _stopping(_: jelly.Tally) -> None:
    raise KeyError("enough")


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("big")
    nt, parquet = folder / "big.nt", folder / "big.parquet"
    nt.write_text("".join(f'<http://e/{n}> <http://e/p> "{n}" .\n' for n in range(100_000)))
    jelly.convert(nt, parquet)
    return {"nt": nt, "parquet": parquet}


@pytest.mark.parametrize(
    ("one", "other"), [("nt", "arrow"), ("parquet", "nt"), ("parquet", "arrow")]
)
def test_progress_of_tables(one: str, other: str, big: dict[str, Path], tmp_path: Path) -> None:
    given: list[jelly.Tally] = []
    dest = tmp_path / f"out.{other}"
    done = jelly.convert(big[one], dest, progress=given.append)
    assert done.rows == 100_000
    if one == "nt":
        assert done.bytes_in == big["nt"].stat().st_size
    if other == "nt":
        assert done.bytes_out == dest.stat().st_size
    assert done.bytes_in > 3 << 20
    assert done.bytes_out > 3 << 20
    assert len(given) >= 2
    assert [tally.rows for tally in given] == sorted({tally.rows for tally in given})
    assert given[-1].bytes_out <= done.bytes_out

    stopped = tmp_path / f"stopped.{other}"
    with pytest.raises(KeyError, match="enough"):
        jelly.convert(big[one], stopped, progress=_stopping)
    assert [path.name for path in tmp_path.iterdir()] == [dest.name]


BROKEN: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda data: data[:-9],
    "empty": lambda _: b"",
    "changed": lambda data: data[:200] + b"\xff" * 99 + data[299:],
}


@pytest.mark.parametrize("how", BROKEN)
def test_bad_tables_leave_what_was_there(how: str, tmp_path: Path) -> None:
    dest = tmp_path / "out"
    dest.write_bytes(b"before")
    bad = BROKEN[how](table(LOG))
    to: Any
    for to in ("rdfp", "arrow"):
        with pytest.raises((ValueError, OSError)):
            jelly.convert(bad, dest, format="parquet", to=to)
        assert dest.read_bytes() == b"before"
    with pytest.raises(FileNotFoundError):
        jelly.convert(tmp_path / "none.parquet", dest)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
