"""A store that follows a log: the store has the dataset of the log, also when requests are lost, late or sent twice."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import jelly
from jelly.errors import EncodeError, PatchError
from sparql_store import Store, lost, oxigraph, sparql_store

HEAD = 6
PATCHES = [
    b'TX .\nA <a:s> <a:p> "1" .\nA <a:s> <a:p> "x"@en <a:g> .\nPA "e" <http://e/> .\nTC .\n',
    b'TX .\nD <a:s> <a:p> "1" .\nA <a:s> <a:p> "2" .\nA <a:t> <a:p> "2" <a:h> .\nTC .\n',
    b'TX .\nA <a:lost> <a:p> "3" .\nTA .\nTX .\nA <a:s> <a:p> "3" .\nD <a:s> <a:p> "3" .\nTC .\n',
    rb'TX .' b'\n' rb'A <a:odd> <a:p> "\\u0022 } ; DROP ALL # \\U0000007D \n\t\r\"" .' b"\n" rb"TC ." b"\n",
    b'TX .\nD <a:s> <a:p> "2" .\nA <a:s> <a:p> "1" .\nTC .\n',
    b"H note \"nothing\" .\n",
]  # fmt: skip


@pytest.fixture
def store() -> Iterator[Store]:
    with sparql_store() as found:
        yield found


@pytest.fixture
def log(tmp_path: Path) -> jelly.Log:
    made = jelly.Log.create(tmp_path / "log")
    for patch in PATCHES:
        made.publish(patch)
    return made


def dataset(log: jelly.Log, folder: Path, version: int | None = None) -> set[str]:
    out = folder / "state.nq"
    log.dataset(out, version)
    parsed = oxigraph.parse(out.read_bytes(), format=oxigraph.RdfFormat.N_QUADS)
    return {str(quad) for quad in parsed}


def test_the_store_has_the_dataset_of_the_log(log: jelly.Log, store: Store, tmp_path: Path) -> None:
    done = jelly.push(log, store.url)
    assert done == (HEAD, log.head.id, 6, 6, 3, 1, 2)
    assert store.statements() == dataset(log, tmp_path)
    assert [store.says()[name] for name in ("version", "skolemize")] == [str(HEAD), ""]
    assert jelly.push(str(log.place), store.url) == (HEAD, log.head.id, 0, 0, 0, 0, 0)
    log.publish(b'TX .\nD <a:t> <a:p> "2" <a:h> .\nTC .\n')
    assert jelly.push(log, store.url)[:5] == (7, log.head.id, 1, 0, 1)
    assert store.statements() == dataset(log, tmp_path)


def test_other_logs_and_data_of_the_store_stay(
    log: jelly.Log, store: Store, tmp_path: Path
) -> None:
    store.store.update("INSERT DATA { <a:mine> <a:p> 1 }")
    other = jelly.Log.create(tmp_path / "other")
    other.publish(b"TX .\nA <a:other> <a:p> <a:o> .\nTC .\n")
    jelly.push(log, store.url)
    jelly.push(other, store.url)
    assert len(store.statements() - dataset(log, tmp_path)) == 2
    assert jelly.push(log, store.url).patches == jelly.push(other, store.url).patches == 0


@pytest.mark.parametrize(("default", "trials"), [("", 0), ("union", 1), ("RDF4J", 1)])
def test_deletes_of_the_default_graph_leave_named_graphs_alone(
    tmp_path: Path, default: str, trials: int
) -> None:
    """Also where the default graph of queries is that of all graphs, and where deletes are such."""
    log = jelly.Log.create(tmp_path / "log")
    log.publish(
        b'TX .\nA <a:s> <a:p> "1" .\nA <a:s> <a:p> "1" <a:g> .\nA <a:s> <a:p> "2" .\nTC .\n'
    )
    with sparql_store(Store(default)) as store:
        for rows in ('D <a:s> <a:p> "1" .', 'D <a:s> <a:p> "2" .\nA <a:s> <a:p> "2" <a:h> .'):
            jelly.push(log, store.url)
            log.publish(f"TX .\n{rows}\nTC .\n".encode())
            assert jelly.push(log, store.url).deleted == 1
            assert store.statements() == dataset(log, tmp_path)
        assert "tried" not in store.says()
    assert sum("tried" in body for body in store.updates) == 3 * trials, "one of each process"


def test_a_store_that_cannot_delete_from_the_default_graph_alone(log: jelly.Log) -> None:
    with sparql_store(Store("nameless")) as store:
        with pytest.raises(OSError, match="deletes statements of the default graph from all"):
            jelly.push(log, store.url)
        assert store.statements() == set()
        assert "tried" not in store.says()


@pytest.mark.parametrize("op", ["A", "D"])
def test_rows_of_the_graph_that_says_the_version_are_refused(
    store: Store, tmp_path: Path, op: str
) -> None:
    log = jelly.Log.create(tmp_path / "log")
    row = f'{op} <urn:uuid:{log.info().id}> <urn:jelly:patch> "" <urn:jelly:logs>'
    log.publish(b'TX .\nA <a:s> <a:p> "1" .\nTC .\n')
    log.publish(f'TX .\nA <a:s> <a:p> "2" .\n{row} .\nTC .\n'.encode())
    with pytest.raises(EncodeError, match=r"<urn:jelly:logs> .*\(version 2 of ") as refused:
        jelly.push(log, store.url, request_bytes=1)
    assert refused.value.kind == "encode.term"
    assert store.statements() == {'<a:s> <a:p> "1"'}, "as in the version before it"
    assert store.says()["version"] == "1"


def test_a_log_that_was_replaced_is_refused(log: jelly.Log, store: Store, tmp_path: Path) -> None:
    jelly.push(log, store.url)
    before = store.statements()
    (tmp_path / "log").rename(tmp_path / "moved")
    other = jelly.Log.create(tmp_path / "log")
    other.publish(b"TX .\nA <a:other> <a:p> <a:o> .\nTC .\n")
    with pytest.raises(PatchError, match=r"at this place before.* with after=0 \(--after 0\)") as refused:  # fmt: skip
        jelly.push(other, store.url)
    assert refused.value.kind == "patch.fork"
    assert store.statements() == before
    # where it was moved, it is the same log; and both may be wanted
    assert jelly.push(str(tmp_path / "moved"), store.url).patches == 0
    assert jelly.push(other, store.url, after=0).patches == 1
    assert jelly.push(other, store.url).patches == 0
    assert store.statements() == before | {"<a:other> <a:p> <a:o>"}


def test_a_store_of_an_earlier_version_learns_the_place(
    log: jelly.Log, store: Store, tmp_path: Path
) -> None:
    jelly.push(log, store.url)
    store.store.update("DELETE WHERE { GRAPH ?g { ?log <urn:jelly:place> ?place } }")
    assert jelly.push(log, store.url).requests == 1
    assert jelly.push(log, store.url).requests == 0
    (tmp_path / "log").rename(tmp_path / "moved")
    with pytest.raises(PatchError, match="at this place before"):
        jelly.push(jelly.Log.create(tmp_path / "log"), store.url)


@pytest.mark.parametrize("request_bytes", [1, 400, 1000])
def test_requests_are_bounded(log: jelly.Log, store: Store, tmp_path: Path, request_bytes: int) -> None:  # fmt: skip
    rows = "".join(f'A <a:n{n}> <a:p> "{"x" * 30}" .\n' for n in range(2500))
    log.publish(f"TX .\n{rows}TC .\n".encode())
    done = jelly.push(log, store.url, request_bytes=request_bytes)
    assert store.statements() == dataset(log, tmp_path)
    largest = max(body.count("<a:p>") for body in store.updates)
    assert largest == 1000, "rows of the largest request"
    assert done.requests == len(store.updates) > 4
    for body in store.updates:
        # a patch that fits is one request: no request but the last of a patch says the next version
        assert len(body) <= request_bytes or body.count("WHERE") == 1


@pytest.mark.parametrize("part", ["before", "after"])
def test_every_request_is_lost_once(log: jelly.Log, store: Store, tmp_path: Path, part: str) -> None:  # fmt: skip
    seen: set[str] = set()

    def lose(number: int, body: str) -> None:
        if body not in seen:
            seen.add(body)
            lost(number, body)

    setattr(store, part, lose)
    done = jelly.push(log, store.url, request_bytes=1)
    assert (done.version, done.patches, done.added) == (HEAD, 6, 6)
    assert store.statements() == dataset(log, tmp_path)
    assert len(seen) == 1 + 11, "the first version; rows and step of five patches, and a step"


def test_a_late_request_changes_nothing(log: jelly.Log, store: Store, tmp_path: Path) -> None:
    jelly.push(log, store.url, request_bytes=1)
    expected = dataset(log, tmp_path)
    said = store.says()
    for late in list(store.updates):
        store.store.update(late)
        assert store.statements() == expected, late
        assert store.says() == said


@pytest.mark.parametrize("at", range(1, 13))
def test_a_pusher_that_is_overtaken_changes_nothing(log: jelly.Log, store: Store, tmp_path: Path, at: int) -> None:  # fmt: skip
    """While a request is under way, another process pushes the whole log; after it, the first one ends."""
    inner: list[int] = []

    def overtake(number: int, body: str) -> None:
        if number == at:
            inner.append(jelly.push(log, store.url, request_bytes=1).version)
            store.store.update(body)
            raise SyntaxError("stopped")

    store.before = overtake
    with pytest.raises(OSError, match="stopped"):
        jelly.push(log, store.url, request_bytes=1)
    assert inner == [HEAD]
    assert store.statements() == dataset(log, tmp_path)


def test_a_killed_push_goes_on(log: jelly.Log, store: Store, tmp_path: Path) -> None:
    program = "import jelly, sys; jelly.push(sys.argv[1], sys.argv[2], request_bytes=1)"
    for at in range(1, 13):
        command = [sys.executable, "-c", program, str(log.place), store.url]
        with subprocess.Popen(command) as process:
            # killed where the store has the request, before or after it is carried out
            def kill(number: int, body: str, process: subprocess.Popen[bytes] = process) -> None:
                process.kill()
                process.wait()
                lost(number, body)

            setattr(store, "before" if at % 2 else "after", kill)
            process.wait(60)
            store.before = store.after = lambda _number, _body: None
        version = int(store.says().get("version", 0))
        whole = {frozenset(dataset(log, tmp_path, n)) for n in (version, min(version + 1, HEAD))}
        assert store.statements() <= frozenset().union(*whole)
    assert jelly.push(log, store.url).version == HEAD
    assert store.statements() == dataset(log, tmp_path)


def test_a_log_with_a_base(store: Store, tmp_path: Path) -> None:
    log = jelly.Log.create(tmp_path / "log", b'<a:s> <a:p> "base" .\n', base_format="nt")
    log.publish(b'TX .\nD <a:s> <a:p> "base" .\nA <a:s> <a:p> "1" .\nTC .\n')
    log.publish(b'TX .\nA <a:s> <a:p> "2" .\nTC .\n')
    with pytest.raises(PatchError, match="push with after=0") as refused:
        jelly.push(log, store.url)
    assert refused.value.kind == "patch.base"
    store.store.update('INSERT DATA { <a:s> <a:p> "1" }')
    assert jelly.push(log, store.url, after=1).patches == 1
    assert store.statements() == dataset(log, tmp_path)
    with pytest.raises(ValueError, match="after is 1, but the store has version 2"):
        jelly.push(log, store.url, after=1)
    with pytest.raises(PatchError) as refused:
        jelly.push(jelly.Log.create(tmp_path / "other", b"", base_format="nt"), store.url, after=9)
    assert refused.value.kind == "patch.version"


def test_another_log_is_refused(log: jelly.Log, store: Store, tmp_path: Path) -> None:
    copy = log.pull(tmp_path / "copy")
    for one in (log, copy):
        one.publish(f'TX .\nA <a:s> <a:p> "{one.place}" .\nTC .\n'.encode())
    jelly.push(log, store.url)
    before = store.statements()
    with pytest.raises(PatchError, match="has version 7 with the id") as refused:
        jelly.push(copy, store.url)
    copy.publish(b"TX .\nTC .\n")
    with pytest.raises(PatchError) as second:
        jelly.push(copy, store.url)
    log.publish(b"TX .\nTC .\n")
    jelly.push(log, store.url)
    with pytest.raises(PatchError) as third:
        jelly.push(copy, store.url)
    assert {error.value.kind for error in (refused, second, third)} == {"patch.fork"}
    assert store.statements() == before
    nameless = tmp_path / "nameless"
    nameless.mkdir()
    (nameless / "patch-0001.rdfp").write_bytes(PATCHES[0])
    with pytest.raises(PatchError, match="jelly log create"):
        jelly.push(str(nameless), store.url)


def test_blank_nodes(store: Store, tmp_path: Path) -> None:
    log = jelly.Log.create(tmp_path / "log")
    log.publish(b"TX .\nA <a:s> <a:p> <a:o> .\nTC .\n")
    rows = b"".join(b"A <a:%d> <a:p> <a:o> .\n" % row for row in range(2500))
    log.publish(b"TX .\n" + rows + b"A _:b <a:p> <a:o> _:g .\nTC .\n")
    with pytest.raises(PatchError, match="skolemize") as refused:
        jelly.push(log, store.url, request_bytes=1)
    assert refused.value.kind == "patch.blank"
    assert store.statements() == {"<a:s> <a:p> <a:o>"}, "as in the version before it"
    with pytest.raises(ValueError, match="did not use skolemize"):
        jelly.push(log, store.url, skolemize="https://x/b/")
    with sparql_store() as other:
        jelly.push(log, other.url, skolemize="https://x/b/")
        log.publish(b"TX .\nD _:b <a:p> <a:o> _:g .\nTC .\n")
        assert len(other.statements()) == 2502
        with pytest.raises(ValueError, match="used skolemize='https://x/b/'"):
            jelly.push(log, other.url)
        jelly.push(log, other.url, skolemize="https://x/b/")
        assert len(other.statements()) == 2501


@pytest.mark.parametrize("iri", ["b", "http://a/x/../y", "http://a/{x}"])
def test_iris_that_a_store_would_change(store: Store, tmp_path: Path, iri: str) -> None:
    iri = iri.replace("{", "\\u007B").replace("}", "\\u007D")
    check_refused(store, tmp_path, {"object": f"<{iri}>", "graph": ""})


@pytest.mark.parametrize("graph", ["urn:x-arq:DefaultGraph", "http://rdf4j.org/schema/rdf4j#nil"])
def test_names_that_a_store_has_for_its_default_graph(
    store: Store, tmp_path: Path, graph: str
) -> None:
    """Before, Fuseki silently put these rows into its default graph."""
    check_refused(store, tmp_path, {"object": "<a:o>", "graph": f"<{graph}>"})


def check_refused(store: Store, tmp_path: Path, row: dict[str, str]) -> None:
    log = jelly.Log.create(tmp_path / "log")
    with jelly.PatchWriter(tmp_path / "p.jellyp") as writer:
        writer.write([{"op": "A", "subject": "<a:s>", "predicate": "<a:p>", **row}])
    log.publish(tmp_path / "p.jellyp")
    with pytest.raises(EncodeError) as refused:
        jelly.push(log, store.url)
    assert refused.value.kind == "encode.term"
    assert store.statements() == set()


def test_what_a_store_refuses(log: jelly.Log, store: Store) -> None:
    def fail(_number: int, _body: str) -> None:
        raise SyntaxError("no \x1bsuch thing at line 1")

    store.before = fail
    with pytest.raises(OSError, match=r"no such thing at line 1 .*status 400"):
        jelly.push(log, store.url)
    store.before = lambda _number, _body: None
    with pytest.raises(ValueError, match="cannot contain a user or password"):
        jelly.push(log, "http://u:p@localhost/update")
    with pytest.raises(OSError, match="cannot be reached"):
        jelly.push(log, "http://127.0.0.1:1/ds/update")


def test_a_store_that_forgets_is_noticed(log: jelly.Log, store: Store) -> None:
    """The query endpoint is that of another store."""
    with sparql_store() as other, pytest.raises(OSError, match="queries the same store"):
        jelly.push(log, store.url, query_endpoint=other.url)
    jelly.push(log, store.url)
    log.publish(b"TX .\nTC .\n")
    store.before = lambda _number, _body: store.store.clear()
    with pytest.raises(OSError, match="queries the same store"):
        jelly.push(log, store.url)


def test_the_command(
    log: jelly.Log, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JELLY_STORE_AUTHORIZATION", "Basic dTpw")
    command = [sys.executable, "-m", "jelly", "push", str(log.place), store.url]
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["patches"] == HEAD
    assert store.statements() == dataset(log, tmp_path)
    assert store.authorization == {"Basic dTpw"}
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == "version 6: 0 patches pushed (+0, -0)\n"
    missing = [sys.executable, "-m", "jelly", "push", str(tmp_path / "none"), store.url]
    assert subprocess.run(missing, capture_output=True, check=False).returncode == 1
