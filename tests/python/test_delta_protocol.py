"""The protocol of RDF Delta: its Python client, and what its Java client sends."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

import pytest

import jelly
from asgi import Reply, ask
from servers import served

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from jelly.service import app
from jelly.service._logs import Logs
from jelly.service._tokens import made

A, B = f"<uuid:{uuid.uuid4()}>", f"<uuid:{uuid.uuid4()}>"


def patch(id: str | None, prev: str | None, value: str) -> bytes:
    heads = "".join(f"H {key} {term} .\n" for key, term in (("id", id), ("prev", prev)) if term)
    return f'{heads}TX .\nA <a:s> <a:p> "{value}" .\nTC .\n'.encode()


class Client:
    """Sends what the Java client sends: no Content-Type with patches."""

    def __init__(self, served: Any, **headers: str) -> None:
        self.served, self.headers = served, headers

    def rpc(self, operation: str, **arg: Any) -> Any:
        reply = self.call(operation, arg)
        assert reply.status == 200, reply.body
        return json.loads(reply.body)

    def call(self, operation: str, arg: Any) -> Reply:
        body = json.dumps({"operation": operation, "opid": "1", "arg": arg}).encode()
        headers = {"content_type": "application/json"} | self.headers
        return ask(self.served, "POST", "/-/delta/$/rpc", body, **headers)

    def append(self, log: str, body: bytes, **headers: str) -> Reply:
        return ask(self.served, "POST", f"/-/delta/{log}", body, **{"content_type": ""} | self.headers | headers)  # fmt: skip

    def get(self, path: str) -> Reply:
        return ask(self.served, "GET", f"/-/delta/{path}", b"", client="127.0.0.1", **self.headers)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "logs"


@pytest.fixture
def client(root: Path) -> Client:
    return Client(app(root, delta=True))


def test_the_python_client_of_rdf_delta(root: Path) -> None:
    rdf_delta = pytest.importorskip("rdf_delta.client", reason="rdf-delta is not installed")
    jelly.Log.create(root / "brick")
    with served(root, "--delta") as address:
        client = rdf_delta.DeltaClient(f"{address}/-/delta/")
        source = client.describe_datasource("brick")
        assert client.list_datasource() == [source.id]
        assert client.list_descriptions() == [source]
        empty = client.describe_log(source.id)
        assert (empty.min_version, empty.max_version, empty.latest) == (0, 0, "")
        assert client.create_log(patch(A, None, "1").decode(), "brick").version == 1
        assert client.create_log(patch(A, None, "1").decode(), "brick").version == 1  # a retry
        assert client.create_log(patch(B, A, "2").decode(), source.id).version == 2
        with pytest.raises(rdf_delta.DeltaServerError, match="patch-conflict"):
            client.create_log(patch(None, A, "3").decode(), "brick")
        found = client.describe_log(source.id)
        assert (found.min_version, found.max_version) == (1, 2)
        assert found.latest == B[6:-1]
        text = client.get_log(2, "brick")
        assert f"H id {B} .\n" in text
        assert f"H prev {A} .\n" in text
        with pytest.raises(rdf_delta.DeltaServerError, match="404"):
            client.get_log(3, "brick")
        client.close()
        # it is the log of everybody else
        log = jelly.Log(f"{address}/brick")
        assert log.publish(patch(None, None, "3")).version == 3
        assert not log.verify().problems
    assert jelly.Log(root / "brick").info().id == source.id


def test_a_write_of_the_java_client(client: Client, root: Path) -> None:
    ref = client.rpc("create_datasource", name="ds", uri="http://e/ds")["id"]
    described = {"id": f"id:{ref}", "name": "ds", "uri": "http://e/ds"}
    for given in ({"datasource": ref}, {"name": "ds"}, {"uri": "http://e/ds"}):
        assert client.rpc("describe_datasource", **given) == described
    assert client.rpc("describe_datasource", name="none") == {}
    assert client.rpc("describe_log", datasource=str(uuid.uuid4())) == {}
    assert client.call("create_datasource", {"name": "ds"}).status == 400
    # lock, look, append, fetch, unlock
    lock = client.rpc("lock", datasource=ref)["lock-ref"]
    assert client.rpc("lock", datasource=ref) == {"lock-ref": None}
    mine, other = {"datasource": ref, "lock-ref": lock}, {"datasource": ref, "lock-ref": A[6:-1]}
    assert client.rpc("lock-refresh", array=[mine, other]) == {"array": [other]}
    assert client.rpc("lock-read", datasource=ref) == {"lock-ref": lock, "lock-ticks": 2}
    info = described | {"min_version": 0, "max_version": 0, "latest": ""}
    assert client.rpc("list_log_info") == {"array": [info]}
    done = client.append(ref, patch(A, None, "1"))
    where = f"/-/delta/{ref}?version=1"
    assert (done.status, done.headers["location"]) == (200, where)
    assert json.loads(done.body) == {"version": 1, "location": where}
    for path in (f"{ref}/1", f"ds/{A[6:-1]}", "ds?version=1", f"ds?patch={A[6:-1]}"):
        assert b'<a:s> <a:p> "1"' in client.get(path).body
    assert client.rpc("unlock", **mine) == {}
    assert client.rpc("lock-read", datasource=ref) == {}
    # a client that is behind: it names no patch, or an old one
    info |= {"min_version": 1, "max_version": 1, "latest": f"id:{A[6:-1]}"}
    for body in (patch(B, None, "2"), patch(B, B, "2")):
        refused = client.append(ref, body)
        assert (refused.status, refused.headers["content-type"]) == (400, "application/json")
        assert json.loads(refused.body) == {"error": "patch-conflict", "log_info": info}
    assert client.rpc("describe_log", datasource=ref) == info
    # a holder that died
    lock = client.rpc("lock", datasource=ref)["lock-ref"]
    assert client.rpc("lock-grab", **other) == {"lock-ref": None}
    new = client.rpc("lock-grab", datasource=ref, **{"lock-ref": lock})["lock-ref"]
    assert new not in (None, lock)
    assert client.rpc("unlock", datasource=ref, **{"lock-ref": lock}) == {}
    assert client.rpc("lock-read", datasource=ref)["lock-ref"] == new
    assert not jelly.Log(root / "ds").verify().problems


def test_an_append_looks_the_log_up_once(
    client: Client, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jelly.Log.create(root / "brick")
    client.append("brick", patch(A, None, "1"))
    looked, get = [], Logs.get

    def counted(self: Logs, name: str) -> Any:
        looked.append(name)
        return get(self, name)

    monkeypatch.setattr(Logs, "get", counted)
    assert client.append("brick", patch(B, A, "2")).status == 200
    assert looked == ["brick"]
    assert client.append("none", patch(A, None, "1")).status == 404


def test_ids_that_are_no_uuids(client: Client, root: Path) -> None:
    log = jelly.Log.create(root / "x", b'<a:s> <a:p> "_:no" .\n_:b0 <a:p> _:b1 _:g .\n<a:s> <a:q> <<( _:b0 <a:p> _:b1 )>> .\n', base_format="nq")  # fmt: skip
    for number in (1, 2):
        log.publish(patch(f"<urn:p:{number}>", None, str(number)))
    text = client.get("x/2").body.decode()
    id, prev = (text.split(f"H {key} <uuid:")[1].split(">")[0] for key in ("id", "prev"))
    (info,) = client.rpc("list_log_info")["array"]
    assert (info["latest"], info["uri"]) == (f"id:{id}", "delta:x")
    assert f"H id <uuid:{prev}>" in client.get(f"x/{prev}").body.decode()
    assert client.append("x", patch(A, f"<uuid:{prev}>", "3")).status == 400
    for _ in range(2):  # and a retry
        assert json.loads(client.append("x", patch(A, f"<uuid:{id}>", "3")).body)["version"] == 3
    assert [version.prev for version in log.versions()] == [None, "<urn:p:1>", "<urn:p:2>"]
    assert not log.verify().problems
    # blank nodes have their labels, as Jena reads them
    initial = client.get(f"init-data?datasource={info['id'][3:]}").body.decode()
    assert client.get("x/init").body.decode() == initial
    assert sorted(initial.splitlines()) == [
        "<_:b0> <a:p> <_:b1> <_:g> .",
        '<a:s> <a:p> "_:no" .',
        "<a:s> <a:q> <<( <_:b0> <a:p> <_:b1> )>> .",
    ]


def test_what_is_refused(client: Client, root: Path) -> None:
    jelly.Log.create(root / "x")
    for body in (b"[]", b"{", b'{"operation":"ping","arg":{}}', b'{"operation":"ping","opid":""}', b"[" * 100_000):  # fmt: skip
        assert ask(client.served, "POST", "/-/delta/$/rpc", body).status == 400
    for operation in ("remove_datasource", "rename_datasource", "lock", "describe_log", "lock-refresh", "no"):  # fmt: skip
        assert client.call(operation, {}).status == 400
    assert client.call("lock", {"datasource": "none"}).status == 404
    assert client.call("create_datasource", {"name": "../y"}).status == 404
    for path in ("none/1", "x/1", "x/y", "..%2fx/1", "x/0", f"x/{A[6:-1]}"):
        assert client.get(path).status == 404
    assert client.get("x").status == 400
    assert client.append("x", b"TX .\nA <a:s> .\n").status == 400
    assert client.append("x", patch(A, None, "1"), content_type="text/plain").status == 415
    assert jelly.Log(root / "x").head.version == 0
    assert Client(app(root)).get("x/1").status == 404  # without --delta


def test_a_patch_without_prev_begins_a_log_and_none_that_was_compacted(
    client: Client, root: Path
) -> None:
    log = jelly.Log.create(root / "x")
    assert client.append("x", patch(A, None, "1")).status == 200
    for _ in ("with its patch", "compacted"):
        reply = client.append("x", patch(B, None, "2"))
        assert (reply.status, json.loads(reply.body)["error"]) == (400, "patch-conflict")
        log.compact(1)
    assert client.append("x", patch(B, A, "2")).status == 200
    assert log.head.version == 2


@pytest.fixture
def tokens(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    lines, found = [], {}
    for name, scopes in (("bob", "read"), ("ci", "read,publish"), ("eve", "read,publish,admin")):
        token, line = made(name, scopes, "y*" if name == "eve" else "x*")
        lines.append(line)
        found[name] = f"Bearer {token}"
    path = tmp_path / "tokens"
    path.write_text("\n".join(lines))
    return path, found


def test_who_may_do_what(root: Path, tokens: tuple[Path, dict[str, str]]) -> None:
    ref = jelly.Log.create(root / "x").info().id
    served = app(root, delta=True, tokens=tokens[0])
    assert Client(served).call("list_datasource", {}).status == 401
    assert Client(served).append("x", patch(A, None, "1")).status == 401
    who = {name: Client(served, authorization=token) for name, token in tokens[1].items()}
    assert who["bob"].rpc("list_datasource") == {"array": [ref]}
    assert who["eve"].rpc("list_datasource") == {"array": []}
    assert who["eve"].rpc("describe_datasource", datasource=ref) == {}
    assert [who[name].append(str(ref), patch(A, None, "1")).status for name in ("bob", "eve", "ci")] == [403, 404, 200]  # fmt: skip
    assert [who[name].get("x/1").status for name in ("bob", "eve")] == [200, 404]
    assert [who[name].call("lock", {"datasource": ref}).status for name in ("bob", "ci")] == [403, 200]  # fmt: skip
    asked = [who[name].call("create_datasource", {"name": "y"}).status for name in ("ci", "eve")]
    assert asked == [404, 200]
    missing = str(uuid.uuid4())
    names = [str(ref), f"id:{ref}", "delta:x", "x", missing, f"id:{missing}", "delta:none", "none"]
    for name in names:
        said = f"there is no log {name!r}; create it with PUT or `jelly log create`"
        one = {"datasource": name, "lock-ref": missing}
        answers = [
            *(who["eve"].get(path) for path in (f"init-data?datasource={name}", f"{name}/init", f"{name}/1")),
            who["eve"].append(name, patch(A, None, "1")),
            *(who["eve"].call(lock, one) for lock in ("lock", "lock-read", "lock-grab", "unlock")),
            who["eve"].call("lock-refresh", {"array": [one]}),
        ]  # fmt: skip
        found = {(reply.status, json.loads(reply.body)["detail"]) for reply in answers}
        assert found == {(404, said)}
        assert who["eve"].rpc("describe_log", datasource=name) == {}
    only = Client(app(root, delta=True, read_only=True))
    assert len(only.rpc("list_datasource")["array"]) == 2
    assert only.append("x", patch(B, A, "2")).status == 403
    assert only.call("create_datasource", {"name": "z"}).status == 403
