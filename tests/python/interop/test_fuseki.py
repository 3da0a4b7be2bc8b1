"""A real Fuseki follows a log."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

import jelly
from fuseki_server import Fuseki, fuseki
from jelly.errors import PatchError
from places import SkippedError
from shared_data import shared

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
