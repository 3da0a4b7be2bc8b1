"""The resources, conditions and status codes of ``jelly serve``, with curl; and a server that is killed."""

from __future__ import annotations

import io
import itertools
import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import examples
import jelly
from jelly.errors import PatchError

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from servers import free_port, served, start

pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")

NUMBERS = itertools.count()
RDFP = ("-H", "Content-Type: application/rdf-patch")


class Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def kind(self) -> str:
        assert self.headers["content-type"] == "application/problem+json"
        said = json.loads(self.body)
        assert said["status"] == self.status
        return str(said["type"]).removeprefix("urn:jelly:problem:")


def curl(url: str, *args: str, data: bytes | None = None) -> Reply:
    command = ["curl", "-sS", "-i", "--path-as-is", "-H", "Expect:", *args]
    command += [] if data is None else ["--data-binary", "@-"]
    done = subprocess.run([*command, url], input=data, capture_output=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    head, _, body = done.stdout.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    pairs = (line.partition(": ") for line in lines)
    return Reply(int(first.split()[1]), {key.lower(): value for key, _, value in pairs}, body)


def patch(value: int, *headers: str) -> bytes:
    return "".join([*headers, f'TX .\nA <a:s> <a:p> "{value}" .\nTC .\n']).encode()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(tmp_path_factory.mktemp("served") / "logs") as address:
        yield address


@pytest.fixture
def log(server: str) -> str:
    url = f"{server}/log{next(NUMBERS)}"
    assert curl(url, "-X", "PUT").status == 201
    return url


def test_put(server: str) -> None:
    url = f"{server}/made"
    assert curl(url).status == 404
    made = curl(url, "-X", "PUT")
    assert (made.status, made.headers["location"]) == (201, "/made")
    assert json.loads(made.body)["base"] == "empty"
    assert curl(url, "-X", "PUT").status == 200
    assert curl(url, "-X", "PUT", "-H", "If-None-Match: *").status == 412
    quads = ("-X", "PUT", "-H", "Content-Type: application/n-quads")
    assert curl(url, *quads, data=b"<a:s> <a:p> <a:o> .\n").status == 409
    based = f"{server}/based"
    assert curl(based, *quads, data=b"<a:s> <a:p> <a:o> .\n").status == 201
    assert curl(based, *quads, data=b"<a:s> <a:p> <a:o> .\n").status == 200
    assert curl(based, *quads, data=b"<a:s> <a:p> <a:o2> .\n").status == 409
    assert curl(f"{based}/data").body == b"<a:s> <a:p> <a:o> .\n"
    assert curl(f"{server}/bad", *quads, data=b"<a:s> <a:p> .\n").status == 400
    assert curl(f"{server}/bad").status == 404, "nothing is left of a base that is bad"
    assert curl(url, "-X", "PUT", "-H", "Content-Type: text/plain", data=b"x").status == 415
    assert {"made", "based"} <= set(json.loads(curl(f"{server}/").body)["logs"])


def test_publish_and_replay(log: str) -> None:
    done = curl(log, *RDFP, data=patch(1, "H id <u:1> .\n"))
    name = log.rsplit("/", 1)[1]
    assert (done.status, done.headers["location"]) == (201, f"/{name}/patches/1")
    assert json.loads(done.body) == {"version": 1, "id": "<u:1>", "prev": None, "path": None, "replayed": False}  # fmt: skip
    assert curl(log, *RDFP, data=patch(2, "H id <u:2> .\n")).status == 201
    again = curl(f"{log}?expect=0", *RDFP, "-H", 'If-Match: "0.x"', data=patch(1, "H id <u:1> .\n"))
    assert (again.status, json.loads(again.body)["replayed"]) == (200, True)
    taken = curl(log, *RDFP, data=patch(9, "H id <u:1> .\n"))
    assert (taken.status, taken.kind) == (409, "patch.duplicate")
    assert json.loads(taken.body)["head"] == {"version": 2, "id": "<u:2>"}


def test_conditions(log: str) -> None:
    empty = curl(log).headers["etag"]
    data = f"{log}/data"
    first = curl(data, "-X", "PATCH", *RDFP, "-H", f"If-Match: {empty}", data=patch(1))
    assert first.status == 200
    tag = curl(log).headers["etag"]
    assert first.headers["etag"] == tag != empty
    stale = curl(data, "-X", "PATCH", *RDFP, "-H", f"If-Match: {empty}", data=patch(2))
    assert (stale.status, stale.kind) == (412, "patch.conflict")
    of_data = curl(f"{data}?format=trig").headers["etag"]
    minimal = ("-H", "Prefer: return=minimal")
    second = curl(data, "-X", "PATCH", *RDFP, *minimal, "-H", f"If-Match: {of_data}", data=patch(2))
    assert (second.status, second.body) == (204, b"")
    assert curl(log, *RDFP, "-H", "If-None-Match: *", data=patch(3)).status == 412
    assert curl(log, *RDFP, "-H", "If-Match: *", data=patch(3)).status == 201
    for url in (log, data, f"{log}/patches/1"):
        now = curl(url).headers["etag"]
        assert curl(url, "-H", f"If-None-Match: {now}").status == 304
        assert curl(url, "-H", f"If-None-Match: {empty}").status == 200
    assert curl(f"{log}/patch", *RDFP, data=patch(4))[::2] == (200, b"")


@pytest.mark.parametrize(
    ("data", "media", "query", "status", "kind"),
    [
        (b"A <a:s", "application/rdf-patch", "", 400, "truncated.row"),
        (b"A <a:s> <a:p> .\n", "application/rdf-patch", "", 400, "text.row"),
        (b"\xff\xff", "application/x-jelly-rdf-patch", "", 400, None),
        (b"TX .\nA <a:s> <a:p> <a:o> .\n", "application/rdf-patch", "", 422, "patch.unfinished"),
        (b"", "application/rdf-patch", "", 422, "patch.several"),
        (patch(1) + b"Z .\n" + patch(2), "application/rdf-patch", "", 422, "patch.several"),
        (patch(1, 'H timestamp "2999-01-01T00:00:00Z" .\n'), "application/rdf-patch", "", 422, "patch.time"),
        (b"A _:anon-0 <a:p> <a:o> .\n", "application/rdf-patch", "", 422, "patch.labels"),
        (patch(1, 'H blank-nodes "content-1" .\n'), "application/rdf-patch", "", 422, "patch.base"),
        (patch(1), "text/plain", "", 415, "media"),
        (patch(1), "application/rdf-patch; charset=latin1", "", 415, "media"),
        (patch(1), "application/rdf-patch", "?expect=7", 409, "patch.conflict"),
        (patch(1, "H prev <u:9> .\n"), "application/rdf-patch", "", 409, "patch.conflict"),
    ],
)  # fmt: skip
def test_what_is_refused(
    data: bytes, media: str, query: str, status: int, kind: str | None, log: str
) -> None:
    answer = curl(log + query, "-H", f"Content-Type: {media}", data=data)
    assert answer.status == status
    assert kind in (None, answer.kind)
    assert b"/tmp" not in answer.body, "where files stand on the server is nobody's business"
    assert json.loads(curl(log).body)["head"]["version"] == 0


def test_a_bad_body_has_its_place_in_the_answer(log: str) -> None:
    found = json.loads(curl(log, *RDFP, data=b"TX .\nA x .\n").body)
    assert (found["line"], found["column"], found["byte"]) == (2, 3, 7)
    jelly_patch = "Content-Type: application/x-jelly-rdf-patch"
    found = json.loads(curl(log, "-H", jelly_patch, data=b"\x02\xff\xff").body)
    assert (found["byte"], "line" in found) == (1, False)


def test_encodings_are_taken_off_once(log: str) -> None:
    import gzip

    once = gzip.compress(patch(1))
    coded = (*RDFP, "-H", "Content-Encoding: gzip")
    assert curl(log, *coded, data=once).status == 201
    assert curl(log, *coded, data=gzip.compress(once)).status == 400
    assert curl(log, *RDFP, data=once).status == 400, "nothing is guessed"
    assert curl(log, *RDFP, "-H", "Content-Encoding: br", data=once).status == 415


def test_formats(log: str) -> None:
    types: dict[Any, str] = {"rdfp": "application/rdf-patch", "trp": "application/rdf-patch+thrift", "jelly-patch": "application/x-jelly-rdf-patch"}  # fmt: skip
    for number, (format, media) in enumerate(types.items(), 1):
        out = io.BytesIO()
        jelly.convert(patch(number), out, to=format)
        assert curl(log, "-H", f"Content-Type: {media}", data=out.getvalue()).status == 201
    for format, media in types.items():
        for url in (f"{log}/patches", f"{log}/patches?format={format}"):
            found = curl(url, "-H", f"Accept: {media}")
            assert found.headers["content-type"].startswith(media)
            with jelly.read_patch(found.body, format=format) as reader:
                assert len(list(reader.patches())) == 3
    assert curl(f"{log}/patches?after=1&limit=1").body.count(b"TX") == 1
    assert curl(f"{log}/patches/2").body.count(b"TX") == 1
    assert curl(f"{log}/data").body.count(b"\n") == 3
    for url, status in [
        ("/patches/9", 404), ("/patches/x", 404), ("/patches?id=u:none", 404), ("/patches?after=9", 404),
        ("/patches?after=x", 400), ("/data?version=9", 404), ("/nothing", 404), ("/data?format=x", 406),
        ("/versions?since=never", 400),
    ]:  # fmt: skip
        assert curl(log + url).status == status, url
    assert curl(f"{log}/data", "-H", "Accept: image/png").status == 406
    quad = b"TX .\nA <a:s> <a:p> <a:o> <a:g> .\nTC .\n"
    assert curl(log, *RDFP, data=quad).status == 201
    assert curl(f"{log}/data", "-H", "Accept: text/turtle").status == 406
    gone = curl(log, "-X", "DELETE")
    assert (gone.status, gone.headers["allow"]) == (405, "GET, PUT, POST, HEAD, OPTIONS")
    assert "application/rdf-patch" in curl(log, "-X", "OPTIONS").headers["accept-patch"]
    assert curl(log, "-I").status == 200


def test_events_and_waiting(log: str) -> None:
    for number in (1, 2):
        curl(log, *RDFP, data=patch(number))
    command = ["curl", "-sN", "-H", "Last-Event-ID: 1", f"{log}/events"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as events:
        assert events.stdout is not None
        lines = (line for line in iter(events.stdout.readline, b"") if line.startswith(b"id:"))
        assert next(lines).startswith(b"id: 1.")  # where it begins
        assert next(lines).startswith(b"id: 2.")
        curl(log, *RDFP, data=patch(7))
        assert next(lines).startswith(b"id: 3.")
        events.kill()
    tag = curl(log).headers["etag"]
    answers: list[Reply] = []
    wait = ("-H", f"If-None-Match: {tag}", "-H", "Prefer: wait=30")
    waiting = threading.Thread(target=lambda: answers.append(curl(log, *wait)))
    waiting.start()
    curl(log, *RDFP, data=patch(3))
    waiting.join(50)
    assert (answers[0].status, json.loads(answers[0].body)["head"]["version"]) == (200, 4)


def test_other_sites_and_hosts_are_refused(log: str, server: str) -> None:
    for header in ("Origin: https://evil.example", "Sec-Fetch-Site: cross-site"):
        assert curl(log, *RDFP, "-H", header, data=patch(1)).status == 403
    assert curl(log, "-H", "Host: evil.example").status == 403
    for path in ("/..", "/%2e%2e", "/.hidden", "/a%00b", "/" + "x" * 129, "/%2f", "/a%2fb"):
        assert curl(server + path).status in (400, 404), path
    assert curl(f"{server}/-/health").status == 200
    assert b"jelly_answers_total" in curl(f"{server}/-/metrics").body


def test_tokens(tmp_path: Path) -> None:
    from jelly.service._tokens import made

    lines, tokens = [], {}
    for name, scopes, logs in [("r", "read", "*"), ("w", "publish", "a*"), ("o", "admin", "*")]:
        tokens[name], line = made(name, scopes, logs)
        lines.append(line)
    (tmp_path / "tokens").write_text("\n".join(lines) + "\n")
    with served(tmp_path / "logs", "--tokens", str(tmp_path / "tokens")) as address:
        by = {name: ("-H", f"Authorization: Bearer {token}") for name, token in tokens.items()}
        url = f"{address}/a1"
        refused = curl(url)
        assert (refused.status, refused.headers["www-authenticate"]) == (
            401,
            'Bearer, Basic realm="jelly"',
        )
        assert curl(url, "-H", "Authorization: Bearer x").status == 401
        assert curl(url, "-X", "PUT", *by["r"]).status == 403
        assert curl(url, "-X", "PUT", *by["o"]).status == 201
        assert curl(url, *RDFP, *by["r"], data=patch(1)).status == 403
        assert curl(url, *RDFP, *by["w"], data=patch(1)).status == 201
        assert curl(f"{address}/b1", *RDFP, *by["w"], data=patch(1)).status == 404
        assert curl(url, "-u", f"any:{tokens['r']}").status == 200
        assert curl(url, *RDFP, "-u", f"any:{tokens['w']}", data=patch(2)).status == 401
        assert jelly.Log(url, token=tokens["r"]).head.version == 1
        with pytest.raises(PermissionError):
            jelly.Log(url, token="other").info()
        assert curl(f"{address}/-/metrics", *by["r"]).status == 403
        assert curl(f"{address}/-/metrics", *by["o"]).status == 200
        (tmp_path / "tokens").write_text(lines[0] + "\n")
        assert curl(url, *RDFP, *by["w"], data=patch(2)).status == 401, "read again when it changes"
    done = subprocess.run([sys.executable, "-m", "jelly", "serve", str(tmp_path), "--host", "0.0.0.0"], capture_output=True, check=False)  # fmt: skip
    assert done.returncode == 2
    assert b"--insecure" in done.stderr


def test_a_client_is_a_log(log: str, tmp_path: Path) -> None:
    remote = jelly.Log(log)
    assert isinstance(remote, jelly.Log)
    done = remote.publish(patch(1), expect=0, headers={"author": '"me"'})
    assert (done.version, done.path) == (1, None)
    assert dict(next(remote.versions()).headers)["author"] == '"me"'
    with pytest.raises(PatchError) as caught:
        remote.publish(patch(2), expect=0)
    assert caught.value.kind == "patch.conflict"
    assert jelly.apply(b"", remote, io.BytesIO(), base_format="nq", to="nq").version == 1
    assert jelly.stage(b'<a:s> <a:p> "1" .\n', patch(2), remote, base_format="nq").ok
    assert remote.verify().patches == 1
    copy = remote.pull(tmp_path / "copy")
    assert (copy.head, copy.info().id) == (remote.head, remote.info().id)
    assert remote.pull(tmp_path / "copy").files == copy.files
    other = tmp_path / "other.jellyp"
    jelly.convert(b'H id %s .\nA <a:s> <a:p> "other" .\n' % done.id.encode(), other, format="rdfp")
    other.replace(copy.files[0])
    (copy.folder / "_index.jsonl").unlink()
    with pytest.raises(PatchError, match="other rows") as caught:
        remote.pull(tmp_path / "copy")
    assert caught.value.kind == "patch.fork"
    for bad in ("http://user:secret@localhost/x", "http://localhost", "http://localhost/x?y=1"):
        with pytest.raises(ValueError, match="address"):
            jelly.Log(bad)


def test_the_examples_of_the_docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with served(tmp_path / "logs") as address:
        counts = examples.run("docs/service.md", instead={"http://127.0.0.1:8080": address})
    assert counts == {"console": 6, "pycon": 6}


def test_nothing_acknowledged_is_lost_when_the_server_is_killed(tmp_path: Path) -> None:
    root, port = tmp_path / "logs", free_port()
    jelly.Log.create(root / "x")
    url = f"http://127.0.0.1:{port}/x"
    server = start(root, port)
    acknowledged: dict[str, int] = {}
    failed: list[BaseException] = []

    def publisher(name: int) -> None:
        try:
            for number in range(12):
                done = jelly.Log(url).publish(patch(number, f"H id <u:{name}-{number}> .\n"))
                acknowledged[done.id] = done.version
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=publisher, args=[name]) for name in range(4)]
    for thread in threads:
        thread.start()
    kills = 0
    for least in (5, 15, 30):
        while len(acknowledged) < least and not failed:
            threads[0].join(0.01)
        server.kill()
        server.communicate()
        server = start(root, port)
        kills += 1
    for thread in threads:
        thread.join(120)
    server.kill()
    server.communicate()
    assert not failed, failed
    assert (kills, len(acknowledged)) == (3, 48)
    found = {version.id: version.version for version in jelly.Log(root / "x").versions()}
    assert found == acknowledged
    assert sorted(found.values()) == list(range(1, 49))
    problems = jelly.Log(root / "x").verify().problems
    assert {problem.kind for problem in problems} <= {"patch.effect"}
