"""A real Fuseki follows a log."""

from __future__ import annotations

import gzip
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

import jelly
from fuseki_server import Fuseki, fuseki
from jelly._fuseki import publish_to_fuseki
from jelly.errors import PatchError
from places import SkippedError
from shared_data import shared
from sparql_store import sparql_store

ODD = [
    rb'"\\u0022 } ; DROP ALL # \\U0000007D \n\t\r\"\\"',
    b'"x"@EN-gb', b'"x"@en--ltr', b'"01"^^<http://www.w3.org/2001/XMLSchema#int>', "\"é\U0001f600\u007f\"".encode(),
    b"<<( <a:s> <a:p> <<( <a:s> <a:p> \"x\"@en )>> )>>", b"<http://a/%7e/\xc3\xa9?x=/../y#/./z>", b"<urn:a:b>", b"<a:...>",
]  # fmt: skip


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fuseki]:
    try:
        with fuseki(tmp_path_factory.mktemp("fuseki")) as found:
            yield found
    except SkippedError as reason:
        pytest.skip(str(reason))


@pytest.fixture
def store(server: Fuseki) -> Fuseki:
    server.clear()
    return server


def same(store: Fuseki, log: jelly.Log, folder: Path) -> bool:
    log.dataset(folder / "now.nq")
    return jelly.same(folder / "now.nq", store.statements(), new_format="nq")


def test_it_has_what_the_log_says(store: Fuseki, tmp_path: Path) -> None:
    log = jelly.Log.create(tmp_path / "log")
    rows = b"".join(b"A <a:s> <a:p> %s %s .\n" % (term, graph) for term in ODD for graph in (b"", b"<a:g>"))  # fmt: skip
    log.publish(b"TX .\n" + rows + b"TC .\n")
    assert jelly.push(log, f"{store.url}/update").added == 2 * len(ODD)
    assert same(store, log, tmp_path)
    log.publish(b"TX .\n" + rows.replace(b"A <", b"D <") + b"A <a:s> <a:p> <a:o> .\nTC .\n")
    assert jelly.push(log, f"{store.url}/update").deleted == 2 * len(ODD)
    assert store.statements().splitlines() == [b"<a:s> <a:p> <a:o> ."]


@pytest.mark.parametrize("request_bytes", [1 << 20, 5000])
def test_a_real_log(store: Fuseki, tmp_path: Path, request_bytes: int) -> None:
    log = jelly.Log.create(tmp_path / "log")
    text = gzip.decompress(shared("corpus/weather-cdc-2000tx.rdfp.gz").read_bytes())
    for patch in text.split(b"TC .\n")[:60]:
        log.publish(patch + b"TC .\n")
    done = jelly.push(log, f"{store.url}/update", request_bytes=request_bytes, skolemize="https://x/b/")  # fmt: skip
    assert done.patches == log.head.version > 1
    assert done.requests > (1 if request_bytes > 5000 else 20)
    assert jelly.push(log, f"{store.url}", skolemize="https://x/b/").patches == 0


def test_it_ends_before_the_patch_that_is_refused(store: Fuseki, tmp_path: Path) -> None:
    log = jelly.Log.create(tmp_path / "log")
    log.publish(b"TX .\nA <a:s> <a:p> <a:o> .\nTC .\n")
    jelly.push(log, f"{store.url}/update")
    log.publish(b"TX .\nD <a:s> <a:p> <a:o> .\nTC .\n")
    log.publish(b"TX .\nA _:b <a:p> <a:o> .\nTC .\n")
    with pytest.raises(PatchError, match="blank node"):
        jelly.push(log, f"{store.url}/update")
    assert store.statements() == b"", "as in the version before it"


PATCH = (
    b'TX .\nA <a:s> <a:p> "1" .\nA <a:s> <a:p> "2"@EN-gb <a:g> .\nPA "e" <http://e/> .\nTC .\n'
    b'TX .\nA <a:s> <a:p> "aborted" .\nTA .\nTX .\nD <a:s> <a:p> "1" .\nA _:b <a:p> _:b .\nTC .\n'
)
ODD_ROWS = [b"_:b <a:p> _:c _:g", b"<a:s> <a:p> <http://a/x/../y>"]


def test_its_patch_endpoint(store: Fuseki, tmp_path: Path) -> None:
    """Fuseki would undo all of the patch, for it has an abort, and answer 200."""
    (tmp_path / "p.rdfp").write_bytes(PATCH)
    command = [sys.executable, "-m", "jelly", "publish", f"{store.url}/patch", str(tmp_path / "p.rdfp"), "--to", "fuseki"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == f"{store.url}/patch: +2 -1, 1 row of prefixes\n"
    expected = tmp_path / "expected.nq"
    jelly.apply(b"", PATCH, expected, base_format="nq")
    assert jelly.same(expected, store.statements(), new_format="nq")
    refused = subprocess.run([*command, "--expect", "1"], capture_output=True, check=False)
    assert refused.returncode == 2


def test_a_patch_that_did_not_arrive(store: Fuseki) -> None:
    """Fuseki answers 200 to a patch that it cannot read; another dataset has nothing of a patch."""
    bad = urllib.request.Request(f"{store.url}/patch", b"TX .\nA <a:s> .\nTC .\n", {"Content-Type": "application/rdf-patch"})  # fmt: skip
    with urllib.request.urlopen(bad) as answer:
        assert answer.status == 200
    with sparql_store() as other, pytest.raises(PatchError, match="did not apply it") as refused:
        publish_to_fuseki(f"{store.url}/patch", PATCH, query_endpoint=other.url)
    assert refused.value.kind == "patch.conflict"
    with pytest.raises(OSError, match="status 400"):
        publish_to_fuseki(f"{store.url}/patch", PATCH, query_endpoint=f"{store.url}/data")
    with pytest.raises(OSError, match="status 405"):
        publish_to_fuseki(f"{store.url}/none", PATCH)


@pytest.mark.parametrize("row", ODD_ROWS)
def test_rows_that_sparql_cannot_say(store: Fuseki, row: bytes) -> None:
    publish_to_fuseki(f"{store.url}/patch", b"TX .\nA %s .\nTC .\n" % row)
    assert jelly.same(row + b" .\n", store.statements(), old_format="nq", new_format="nq")
