"""convert: every format to every other, options kept, files whole or not at all; the command line."""

import gzip
import io
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import jelly
from conversions import LOG, QUADS, TABLES, converted, rows, run, statements
from jelly.errors import EncodeError, JellyError
from shared_data import shared

PATCH_FORMATS = ["jelly-patch", "rdfp", "trp"]
RDF_FORMATS = ["jelly", "nq", "trig"]


@pytest.mark.parametrize("one", PATCH_FORMATS + TABLES)
@pytest.mark.parametrize("other", PATCH_FORMATS + TABLES)
def test_patches_from_each_to_each(one: Any, other: Any, tmp_path: Path) -> None:
    names = [tmp_path / f"one.{one}", tmp_path / f"other.{other}"]
    expected = rows(LOG.encode())
    assert len(expected) == 18
    jelly.convert(LOG.encode(), names[0], to=one)
    jelly.convert(names[0], names[1], format=one, to=other)
    back = tmp_path / "back.rdfp"
    jelly.convert(names[1], back, format=other)
    found = rows(back)
    if "trp" in (one, other):  # Thrift has no place for the namespace of a PD, nor has text
        found = [row if row[0] != "PD" else (*row[:-1], None) for row in found]
    assert found == expected
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [names[0].name, names[1].name, "back.rdfp"]
    )


@pytest.mark.parametrize("one", RDF_FORMATS + TABLES)
@pytest.mark.parametrize("other", RDF_FORMATS + TABLES)
def test_statements_from_each_to_each(one: Any, other: Any, tmp_path: Path) -> None:
    names = [tmp_path / f"one.{one}", tmp_path / f"other.{other}"]
    expected = statements(QUADS.encode())
    assert len(expected) == 3
    jelly.convert(QUADS.encode(), names[0], to=one)
    jelly.convert(names[0], names[1], format=one, to=other)
    back = tmp_path / "back.nq"
    jelly.convert(names[1], back, format=other)
    assert statements(back) == expected


def test_options_are_kept_but_for_those_told() -> None:
    first = jelly.PatchOptions(stream_type="FRAME", max_name_table_size=16, rdf_star=True)
    data = converted(LOG.encode(), "jelly-patch", options=first)
    again = converted(data, "jelly-patch", max_prefix_table_size=0, stream_type="PUNCTUATED")
    assert jelly.read_patch(data).options == first
    read = jelly.read_patch(again).options
    assert read is not None
    assert (read.stream_type, read.max_name_table_size, read.max_prefix_table_size) == (
        "PUNCTUATED",
        16,
        0,
    )
    assert rows(again) == rows(data)


def test_elements_and_their_metadata_are_kept() -> None:
    out = io.BytesIO()
    options = jelly.RdfOptions(physical_type="QUADS", logical_type="DATASETS", stream_name="name")
    with jelly.RdfWriter(out, options, namespaces={"e": "http://e/"}) as writer:
        for n in range(5):
            writer.write([("<u:s>", "<u:p>", f'"{n}"')] * n)
            writer.end_frame({"n": str(n).encode()})
    again = converted(out.getvalue(), "jelly", max_name_table_size=8)
    one, other = (jelly.read_rdf(data, batch_rows=1) for data in (out.getvalue(), again))
    assert [row[1:] for row in other.rows()] == [row[1:] for row in one.rows()]
    assert one.namespaces == other.namespaces == {"e": "http://e/"}
    found = jelly.inspect(again)
    assert (found.frames, found.metadata_keys) == (5, ["jelly.restart", "n"])
    assert isinstance(found.options, jelly.RdfOptions)
    assert found.options.logical_type == "DATASETS"


@pytest.mark.parametrize(
    ("before", "physical", "after"),
    [
        ("SUBJECT_GRAPHS", "QUADS", "DATASETS"),
        ("GRAPHS", "GRAPHS", "DATASETS"),
        ("NAMED_GRAPHS", "TRIPLES", "GRAPHS"),
        ("NAMED_GRAPHS", "GRAPHS", "NAMED_GRAPHS"),
        ("FLAT_TRIPLES", "QUADS", "FLAT_QUADS"),
        ("UNSPECIFIED", "QUADS", "UNSPECIFIED"),
    ],
)
def test_the_logical_type_fits_the_physical_type(before: str, physical: str, after: str) -> None:
    """Before, a grouped stream kept a type that other readers reject."""
    triples = before.endswith(("TRIPLES", "CT_GRAPHS")) or before == "GRAPHS"
    given = jelly.RdfOptions(physical_type="TRIPLES" if triples else "QUADS", logical_type=before)
    out = io.BytesIO()
    with jelly.RdfWriter(out, given) as writer:
        writer.write([("<u:s>", "<u:p>", "<u:o>")])
    again = converted(out.getvalue(), "jelly", physical_type=physical)
    found = jelly.read_rdf(again).options
    assert found is not None
    assert (found.physical_type, found.logical_type) == (physical, after)
    kinds = {warning.kind for warning in jelly.validate(again).warnings}
    assert "options.logical_type" not in kinds


def test_statements_become_a_patch_and_not_back() -> None:
    patch = converted(QUADS.encode(), "rdfp")
    assert [row[0] for row in rows(patch)] == ["TX", "A", "A", "A", "TC", "Z"]
    with pytest.raises(ValueError, match="apply them"):
        converted(LOG.encode(), "nq")


def test_several_patches_are_not_flat() -> None:
    with pytest.raises(EncodeError, match="FLAT"):
        converted(LOG.encode(), "jelly-patch", stream_type="FLAT")


def test_generalized_statements_are_not_n_quads() -> None:
    out = io.BytesIO()
    with jelly.RdfWriter(out, jelly.RdfOptions(generalized_statements=True)) as writer:
        writer.write([('"literal"', "_:p", "<u:o>")])
    for to in ("nq", "nt", "ttl", "trig"):
        with pytest.raises(EncodeError) as caught:
            converted(out.getvalue(), to)
        assert caught.value.kind == "encode.generalized"


def test_progress_is_told_and_may_stop(tmp_path: Path) -> None:
    source = tmp_path / "big.nt"
    source.write_text("".join(f'<http://e/{n}> <http://e/p> "{n}" .\n' for n in range(100_000)))
    reported: list[jelly.Tally] = []
    done = jelly.convert(source, tmp_path / "big.jelly", progress=reported.append)
    assert done.rows == 100_000
    assert done.bytes_in == source.stat().st_size
    assert done.bytes_out == (tmp_path / "big.jelly").stat().st_size
    assert len(reported) >= 2
    assert [tally.rows for tally in reported] == sorted(tally.rows for tally in reported)

    def stop(_: jelly.Tally) -> None:
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        jelly.convert(source, tmp_path / "stopped.jelly", progress=stop)
    assert not (tmp_path / "stopped.jelly").exists()


def test_bad_input_leaves_what_was_there(tmp_path: Path) -> None:
    dest = tmp_path / "out.jelly"
    dest.write_bytes(b"before")
    for bad in (QUADS.encode() + b"<x", gzip.compress(QUADS.encode())[:-9]):
        with pytest.raises(JellyError):
            jelly.convert(bad, dest)
        assert dest.read_bytes() == b"before"
    to: Any
    for to in TABLES:
        with pytest.raises(JellyError):
            jelly.convert(QUADS.encode() + b"<x", dest, to=to)
        assert dest.read_bytes() == b"before"
    assert [path.name for path in tmp_path.iterdir()] == ["out.jelly"]


KILLED = """
import sys, jelly
def feed():
    yield b'<http://e/s> <http://e/p> "x" .\\n' * 40_000
    print("wrote", flush=True)
    while True:
        yield b'<http://e/s> <http://e/p> "y" .\\n' * 1000
jelly.convert(feed(), sys.argv[1], format="nt")
"""


@pytest.mark.parametrize("name", ["out.jelly", "out.nq.gz", "out.jelly.zst"])
def test_a_killed_conversion_leaves_no_file_under_the_name(name: str, tmp_path: Path) -> None:
    for before in (None, b"before"):
        dest = tmp_path / name
        if before:
            dest.write_bytes(before)
        command = [sys.executable, "-c", KILLED, str(dest)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"wrote\n"
            process.send_signal(signal.SIGKILL)
        assert process.returncode == -signal.SIGKILL
        assert (dest.read_bytes() if dest.exists() else None) == before


LOGS = ["brick-versions", "schemaorg-releases", "weather-cdc-2000tx"]


@pytest.mark.parametrize("name", LOGS)
def test_round_trips_of_the_logs(name: str, record_property: Any) -> None:
    source = gzip.decompress(shared(f"corpus/{name}.rdfp.gz").read_bytes())
    text = converted(source, "rdfp")
    for stream_type in ("FRAME", "PUNCTUATED"):
        binary = converted(text, "jelly-patch", stream_type=stream_type, restart_bytes=0)
        assert converted(binary, "rdfp") == text, stream_type
    assert converted(converted(text, "trp"), "rdfp") == text
    with pytest.raises(EncodeError, match="FLAT"):
        converted(text, "jelly-patch", stream_type="FLAT")
    # one patch at a time
    blocks = text.decode().split("H id ")[1:4]
    for block in blocks:
        patch = f"H id {block}".encode()
        assert converted(converted(patch, "jelly-patch", stream_type="FLAT"), "rdfp") == patch
    theirs = gzip.decompress(shared(f"corpus/{name}.jellyp.gz").read_bytes())
    ours = converted(theirs, "jelly-patch", restart_bytes=0)
    assert len(ours) <= 1.02 * len(theirs)
    record_property("size", len(ours) / len(theirs))


def test_the_command_line(tmp_path: Path) -> None:
    pytest.importorskip("click")
    source, dest = tmp_path / "log.rdfp", tmp_path / "log.jellyp.zst"
    source.write_text(LOG)
    done = run("convert", source, dest, "--stream-type", "FRAME", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rows"] == 18
    printed = run("cat", dest)
    assert rows(printed.stdout) == rows(LOG.encode())
    piped = run("convert", "-", "-", "--from", "nq", "--to", "jelly", data=QUADS.encode())
    assert statements(piped.stdout) == statements(QUADS.encode())
    log = tmp_path / "log.jellyp"
    assert run("convert", source, log, "--restart-bytes", 0).returncode == 0
    indexed = run("index", log, "--every", 100)
    assert indexed.returncode == 0, indexed.stderr
    (sidecar,) = tmp_path.glob(".*.jellyindex")
    assert indexed.stdout.decode() == f"{sidecar}, sync points: 2\n"
    assert b"nowhere: no such file" in run("index", "nowhere").stderr
    sidecar.unlink()
    log.unlink()
    source.write_text("A <x\n")
    bad = run("convert", source, dest)
    assert (bad.returncode, bad.stdout) == (1, b"")
    assert b"line 1" in bad.stderr
    assert b"Traceback" not in bad.stderr
    assert run("convert", source, dest, "--to", "xml").returncode == 2
    assert run("convert", tmp_path / "none", dest).returncode == 1
    assert run("convert").returncode == 2
    assert b"format:       Jelly-Patch" in run("inspect", dest).stdout
    assert json.loads(run("inspect", dest, "--json").stdout)["patches"] == 4
    assert run("inspect", source).returncode == 1
    assert run("validate", dest).stdout.startswith(b"valid\n")
    invalid = run("validate", source, "--json")
    assert (invalid.returncode, json.loads(invalid.stdout)["ok"]) == (1, False)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log.jellyp.zst", "log.rdfp"]
