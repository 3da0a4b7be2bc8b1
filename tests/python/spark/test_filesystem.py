"""File systems of URIs: what is opened, and errors that say what is missing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed")

import jelly
from jelly.storage import Place, naming, open_input, resolve
from jellybytes import small_patch, small_rdf
from object_store import ObjectStore

EXPECTED = ['"0"', '"1"', '"2"']


@pytest.fixture
def no_environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    return monkeypatch


def put(place: Place, data: bytes) -> None:
    with place.fs.open_output_stream(place.path) as file:
        file.write(data)


def test_local_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path in ("a b", f"{tmp_path}/a b", f"file:{tmp_path}/a%20b", f"file://{tmp_path}/a b"):
        place = resolve(path, {})
        assert (place.fs.type_name, place.path) == ("local", f"{tmp_path}/a b")
        assert place.can_rename
        assert open_input(path, {}) == path


def test_s3_file_is_read_like_any_other(store: ObjectStore) -> None:
    bucket = store.bucket()
    for name, data in (("a/b c#%3F.jelly", small_rdf(3)), ("big.jelly", small_rdf(90_000, 900))):
        put(resolve(f"{bucket}/{name}", store.storage), data)
        file = open_input(f"{bucket.replace('s3:', 's3a:')}/{name}", store.storage)
        assert file.seekable()
        with jelly.read_rdf(file, source_name="it") as reader:
            objects = [row.object for row in reader.rows()]
        assert objects[:3] == EXPECTED
    assert len(objects) == 90_000


def test_s3_file_is_read_twice_for_committed_rows(store: ObjectStore) -> None:
    uri = f"{store.bucket()}/p.jellyp"
    put(resolve(uri, store.storage), small_patch(2, 2))
    with jelly.read_patch(open_input(uri, store.storage), rows="committed") as reader:
        assert [row.op for row in reader.rows()] == ["A"] * 4


def test_endpoint_and_keys_of_the_environment(
    store: ObjectStore, no_environment: pytest.MonkeyPatch
) -> None:
    uri = f"{store.bucket()}/x.jelly"
    put(resolve(uri, store.storage), small_rdf(3))
    no_environment.setenv("AWS_ENDPOINT_URL_S3", store.storage["endpoint"])
    no_environment.setenv("AWS_ACCESS_KEY_ID", "test")
    no_environment.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    no_environment.setenv("AWS_REGION", "eu-central-1")
    with jelly.read_rdf(open_input(uri, {"anonymous": "false"})) as reader:
        assert [row.object for row in reader.rows()] == EXPECTED


@pytest.mark.parametrize(
    ("uri", "storage", "message"),
    [
        (
            "ftp://host/x",
            {},
            "ftp://host/x: there is no file system for ftp:; the known ones are file, s3,",
        ),
        ("s3:///x", {}, "expected a URI such as s3://bucket/path"),
        ("abfss://here/x", {}, "abfss://container@account.dfs.core.windows.net/path"),
        ("s3://b/x", {"accesskey": "k"}, "s3://b/x: storage.secretKey is missing"),
        ("s3://b/x", {"secretkey": "k"}, "s3://b/x: storage.accessKey is missing"),
        ("s3://b/x", {"acesskey": "k"}, "did you mean 'storage.accessKey'"),
        ("s3://b/x", {"anonymous": "maybe"}, "option 'storage.anonymous': 'maybe' is neither"),
        ("/x", {"endpoint": "h"}, "/x: file has no option 'storage.endpoint'"),
        ("hdfs://h/x", {"replication": "many"}, "option 'storage.replication'"),
        ("-", {}, "workers have no standard input"),
    ],
)
def test_wrong_uris_and_options(
    uri: str, storage: dict[str, str], message: str, no_environment: Any
) -> None:
    del no_environment
    with pytest.raises(ValueError, match=re.escape(message)):
        resolve(uri, storage)


def test_what_is_missing_is_named(store: ObjectStore, no_environment: pytest.MonkeyPatch) -> None:
    uri = f"{store.bucket()}/not-there.jelly"
    with pytest.raises(FileNotFoundError, match=uri):
        open_input(uri, store.storage)

    def no_hadoop(*_: object) -> None:
        raise OSError("Unable to load libjvm\nand where it was looked for")

    no_environment.setattr("pyarrow.fs.HadoopFileSystem", no_hadoop)
    with pytest.raises(
        OSError, match=r"hdfs://host:8020/x: Unable to load libjvm .libhdfs needs JAVA_HOME"
    ):
        resolve("hdfs://host:8020/x", {})
    with (
        pytest.raises(OSError, match=r"^s3://b/x: .*keys come from the options storage"),
        naming("s3://b/x"),
    ):
        raise OSError("AWS Error ACCESS_DENIED during HeadObject operation")


def test_google_and_azure_are_connected_without_a_request() -> None:
    gs = resolve("gs://bucket/a/b", {"anonymous": "true", "endpoint": "http://127.0.0.1:9"})
    assert (gs.fs.type_name, gs.path, gs.can_rename) == ("gcs", "bucket/a/b", False)
    uri = "abfss://box@account.dfs.core.windows.net/a/b"
    azure = resolve(uri, {"accountkey": "a2V5"})
    assert (azure.fs.type_name, azure.path, azure.can_rename) == ("abfs", "box/a/b", False)
    assert azure.under("c").uri == uri + "/c"
