"""Files without a byte: an empty document where the format has one, a damaged file elsewhere."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import jelly
from jelly.errors import TruncatedError

DATASETS = (
    "a.jelly",
    "a.rdf",
    "a.owl",
    "a.jsonld",
    "a.parquet",
    "a.arrow",
    "a.JELLY",
    "a.nt.gz",
    "a.ttl.zst",
    "a.nq.bz2",
    "a.nt.xz",
    "a.gz",
)
PATCHES = ("a.jellyp", "a.rdfp.gz", "a.trp.zst", "a.zstd")
LEGAL_DATASETS = ("a.nt", "a.nq", "a.ttl", "a.trig", "a", "a.txt")
LEGAL_PATCHES = ("a.rdfp", "a.trp", "patch-0001")
ROW = b"<urn:s> <urn:p> <urn:o> .\n"
PATCH = b"H id <urn:p:1> .\nTX .\nA <urn:s> <urn:p> <urn:o> .\nTC .\n"

READS_DATASET: dict[str, Callable[[Path, Path], Any]] = {
    "read_rdf": lambda path, _: list(jelly.read_rdf(path).rows()),
    "convert": lambda path, out: jelly.convert(path, out / "o.nq"),
    "apply": lambda path, out: jelly.apply(path, PATCH, out / "o.nq"),
    "diff from": lambda path, out: jelly.diff(path, ROW, out / "o.rdfp"),
    "diff to": lambda path, out: jelly.diff(ROW, path, out / "o.rdfp"),
    "backup": lambda path, out: jelly.backup(path, out / "backup"),
    "stage": lambda path, _: jelly.stage(path, PATCH),
    "replica": lambda path, out: jelly.Replica.create(out / "replica", base=path),
}
READS_PATCH: dict[str, Callable[[Path, Path], Any]] = {
    "read_patch": lambda path, _: list(jelly.read_patch(path).rows()),
    "convert": lambda path, out: jelly.convert(path, out / "o.rdfp"),
    "apply": lambda path, out: jelly.apply(ROW, [path], out / "o.nq"),
    "squash": lambda path, out: jelly.squash([path], out / "o.rdfp"),
    "publish": lambda path, out: jelly.Log(out / "log").publish(path),
}


@pytest.fixture
def out(tmp_path: Path) -> Path:
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


def refused(read: Callable[[Path, Path], Any], path: Path, out: Path) -> None:
    with pytest.raises(TruncatedError) as caught:
        read(path, out)
    assert caught.value.kind == "truncated.stream"
    for text in ("the source is empty", str(path)):
        assert text in str(caught.value)
    assert not [path for path in out.rglob("*") if path.is_file()]


@pytest.mark.parametrize("name", DATASETS)
def test_a_dataset_that_cannot_be_empty_is_damaged(name: str, tmp_path: Path, out: Path) -> None:
    (tmp_path / name).touch()
    for door, read in READS_DATASET.items():
        if door == "convert" and name.endswith((".parquet", ".arrow")):
            continue  # pyarrow refuses those
        refused(read, tmp_path / name, out)


@pytest.mark.parametrize("name", PATCHES)
def test_a_patch_that_cannot_be_empty_is_damaged(name: str, tmp_path: Path, out: Path) -> None:
    (tmp_path / name).touch()
    for door, read in READS_PATCH.items():
        if not (door == "convert" and name == "a.zstd"):
            refused(read, tmp_path / name, out)


def test_a_log_with_an_empty_file_is_damaged(tmp_path: Path, out: Path) -> None:
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / "patch-0001.rdfp").write_bytes(PATCH)
    (tmp_path / "log" / "patch-0002.jellyp").touch()
    with pytest.raises(TruncatedError):
        jelly.apply(ROW, tmp_path / "log", out / "o.nq")
    assert [problem.kind for problem in jelly.verify_log(tmp_path / "log").problems] == [
        "truncated.stream"
    ]


def test_a_compressed_file_of_nothing_is_what_its_name_says(tmp_path: Path, out: Path) -> None:
    for name in ("a.nt.gz", "a.jelly.gz"):
        (tmp_path / name).write_bytes(gzip.compress(b""))
    assert jelly.convert(tmp_path / "a.nt.gz", out / "o.nq").rows == 0
    (out / "o.nq").unlink()
    refused(READS_DATASET["convert"], tmp_path / "a.jelly.gz", out)


@pytest.mark.parametrize("name", LEGAL_DATASETS)
def test_an_empty_text_is_an_empty_dataset(name: str, tmp_path: Path) -> None:
    (tmp_path / name).touch()
    assert list(jelly.read_rdf(tmp_path / name).rows()) == []
    assert jelly.diff(tmp_path / name, ROW, io.BytesIO()).added == 1


@pytest.mark.parametrize("name", LEGAL_PATCHES)
def test_an_empty_text_is_no_patch(name: str, tmp_path: Path) -> None:
    (tmp_path / name).touch()
    assert jelly.apply(ROW, [tmp_path / name], io.BytesIO()).statements == 1


def test_no_bytes_without_a_name_are_an_empty_dataset() -> None:
    assert list(jelly.read_rdf(b"").rows()) == []
    for nothing in (b"", os.devnull):
        assert jelly.diff(nothing, ROW, io.BytesIO()).added == 1


def test_the_shell_refuses_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "a.jelly").touch()
    (tmp_path / "b.nt").write_bytes(ROW)
    command = [sys.executable, "-m", "jelly", "diff", "a.jelly", "b.nt"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert not done.stdout
    assert "the source is empty" in done.stderr
