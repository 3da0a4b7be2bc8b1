"""Which column a stream comes from, and by what its rows are named, in `decode_batches`."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import jelly
from jelly.errors import TruncatedError

from .decoded import TWO, batch, decoded, sources


def test_content_is_named_by_path() -> None:
    given = batch(path=["x/a.jellyp", "b"], length=[1, 2], content=[TWO, TWO])
    assert sources(decoded([given])) == ["x/a.jellyp", "b"]


def test_content_needs_no_path() -> None:
    assert sources(decoded([batch(content=[TWO], value=[b"bad"])])) == [None]


def test_kafka_is_named_by_topic_partition_and_offset() -> None:
    given = batch(key=[b"k"], value=[TWO], topic=["t"], partition=[3], offset=[41])
    assert sources(decoded([given])) == ["t/3@41"]


@pytest.mark.parametrize(
    ("known", "name"), [({}, "t"), ({"partition": [3]}, "t/3"), ({"offset": [4]}, "t@4")]
)
def test_kafka_without_all_its_columns(known: dict[str, Any], name: str) -> None:
    assert sources(decoded([batch(value=[TWO], topic=["t"], **known)])) == [name]


def test_path_is_opened(tmp_path: Path) -> None:
    file = tmp_path / "a.jellyp"
    file.write_bytes(TWO)
    assert sources(decoded([batch(path=[str(file)], thumbnail=[b"x"])])) == [str(file)]


def test_file_uris_are_decoded(tmp_path: Path) -> None:
    file = tmp_path / "a %20é.jellyp"
    file.write_bytes(TWO)
    uris = [file.as_uri(), file.as_uri().replace("file://", "FILE:"), f"file:{file}"]
    uris.append(file.as_uri().replace("file://", "file://localhost"))
    assert all("%2520" in uri for uri in (uris[0], uris[1], uris[3]))
    assert "%20é" in uris[2]  # as binaryFile gives it
    assert sources(decoded([batch(path=uris)])) == uris


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("s3://bucket/key", "binaryFile"),
        ("hdfs://h/x", "binaryFile"),
        ("file://h/x", "host"),
        ("-", "standard input"),
    ],
)
def test_paths_elsewhere_are_refused(path: str, why: str) -> None:
    with pytest.raises(ValueError, match=f"{path}.*{why}"):
        decoded([batch(path=[path])])


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"gone\.jellyp"):
        decoded([batch(path=[str(tmp_path / "gone.jellyp")])])


def test_only_binary_column() -> None:
    assert sources(decoded([batch(day=["mon"], payload=[TWO])])) == [None]
    large = pa.record_batch({"payload": pa.array([TWO], pa.large_binary())})
    assert sources(decoded([large])) == [None]


@pytest.mark.parametrize(
    "columns",
    [
        {"a": [b""], "b": [b""]},
        {"key": [b""], "value": [b""]},
        {"content": ["text"]},
        {"topic": ["t"], "value": ["text"]},
    ],
)
def test_ambiguous_or_missing_column_lists_what_is_expected(columns: dict[str, Any]) -> None:
    with pytest.raises(
        ValueError, match=r"`content`.*`topic`.*`value`.*`path`.*one binary"
    ) as raised:
        decoded([batch(**columns)])
    for name, values in columns.items():
        kind = "binary" if isinstance(values[0], bytes) else "string"
        assert f"{name} ({kind})" in str(raised.value)


def test_source_column_names_the_stream(tmp_path: Path) -> None:
    decoder = jelly.batch_decoder("patch", source_column="n")
    assert sources(decoded([batch(content=[TWO, TWO], path=["p", "q"], n=[7, None])], decoder)) == [
        "7",
        None,
    ]
    file = tmp_path / "a.jellyp"
    file.write_bytes(TWO)
    assert sources(decoded([batch(path=[str(file)], n=["x"])], decoder)) == ["x"]
    with pytest.raises(ValueError, match="no source column 'n'; there are content"):
        decoded([batch(content=[TWO])], decoder)


def test_nulls_are_no_streams() -> None:
    assert sources(decoded([batch(path=["a", "b", None], content=[None, TWO, TWO])])) == ["b", None]
    assert decoded([pa.record_batch({"path": pa.array([None], pa.string())})]) == []


@pytest.mark.parametrize("nothing", [b"", gzip.compress(b"")])
def test_a_stream_without_a_byte_is_reported(tmp_path: Path, nothing: bytes) -> None:
    path = tmp_path / "nothing.jellyp"
    path.write_bytes(nothing)
    whole = tmp_path / "whole.jellyp"
    whole.write_bytes(TWO)
    inputs = [
        (batch(path=["a", "b"], content=[TWO, nothing]), "b"),
        (batch(topic=["t", "t"], partition=[0, 0], offset=[7, 8], value=[TWO, nothing]), "t/0@8"),
        (batch(path=[str(whole), str(path)]), str(path)),
    ]
    for given, name in inputs:
        with pytest.raises(TruncatedError, match=rf"truncated\.stream: .*\({name}") as caught:
            decoded([given])
        assert caught.value.source == name
        rows = decoded([given], jelly.batch_decoder("patch", mode="permissive"))
        corrupt = [row for row in rows if row["_corrupt_record"] is not None]
        assert [row["source"] for row in corrupt] == [name]
        assert len(rows) > 1
    # text may be empty where it is known to be text
    assert decoded([batch(content=[b""])], jelly.batch_decoder("patch", format="rdfp")) == []
    (tmp_path / "empty.rdfp").touch()
    assert decoded([batch(path=[str(tmp_path / "empty.rdfp")])]) == []
