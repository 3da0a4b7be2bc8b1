"""What the server makes of versions: states that are kept, differences, histories, compressed answers."""

from __future__ import annotations

import gzip
import io
import itertools
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import jelly
from jelly.errors import PatchError
from jelly.log._repair import repair

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from servers import served
from test_service import RDFP, curl, patch

pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")

NUMBERS = itertools.count()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    root = tmp_path_factory.mktemp("views") / "logs"
    with served(root) as address:
        yield address, root


@pytest.fixture
def log(place: tuple[str, Path]) -> tuple[str, Path]:
    """A log of five versions, each with another value and a prefix; the address and the folder."""
    address, root = place
    name = f"log{next(NUMBERS)}"
    assert curl(f"{address}/{name}", "-X", "PUT").status == 201
    for number in range(1, 6):
        rows = f'TX .\nPA "p{number}" <http://x/{number}> .\nA <a:s> <a:p> "{number}" .\nD <a:s> <a:p> "{number - 1}" .\nA <a:s> <a:p> "all" .\nTC .\n'
        done = curl(f"{address}/{name}", *RDFP, data=f"H id <u:{number}> .\n{rows}".encode())
        assert done.status == 201
    return f"{address}/{name}", root / name


def lines(*values: object) -> set[bytes]:
    return {f'<a:s> <a:p> "{value}" .'.encode() for value in values}


def test_states_are_kept_and_used(log: tuple[str, Path]) -> None:
    url, folder = log
    for version in (3, 5, 4, 3):
        answer = curl(f"{url}/data?version={version}")
        assert set(answer.body.splitlines()) == lines(version, "all")
    kept = sorted(path.name for path in (folder / "_states").iterdir())
    assert len(kept) >= 1
    # a state that is there is what the next version is made from
    state = folder / "_states" / next(name for name in kept if name.startswith("state-0003-"))
    jelly.convert(b'<a:s> <a:p> "3" .\n<a:marked> <a:p> <a:o> .\n', state, format="nq", to="jelly", to_compression="zstd")  # fmt: skip
    for name in kept:
        if not name.startswith("state-0003-"):
            (folder / "_states" / name).unlink()
    assert b"<a:marked>" in curl(f"{url}/data?version=4").body
    # without it, or with one of another log, all is as it was
    state.rename(state.with_name("state-0003-0123456789abcdef.jelly.zst"))
    for other in (folder / "_states").glob("state-0004-*"):
        other.unlink()
    assert set(curl(f"{url}/data?version=4").body.splitlines()) == lines(4, "all")
    assert b"PREFIX p3:" in curl(f"{url}/data?version=4&format=ttl").body.replace(b"@prefix", b"PREFIX")  # fmt: skip
    assert jelly.Log(folder).verify().patches == 5


def test_a_state_that_would_take_too_much_is_not_kept(tmp_path: Path) -> None:
    from jelly.service import Limits
    from jelly.service._states import write_state

    log = jelly.Log.create(tmp_path / "x")
    for number in range(4):
        log.publish(patch(number))
    for limits in (Limits(states=0), Limits(states=10), Limits(free=1 << 60)):
        out = io.BytesIO()
        write_state(log, out, 3, "nq", limits)  # type: ignore[arg-type]
        assert out.getvalue().count(b"\n") == 3
        assert not list((tmp_path / "x").glob("_states/*"))
    for version in (1, 2, 3, 4):
        write_state(log, io.BytesIO(), version, "nq", Limits(states=400))  # type: ignore[arg-type]
    kept = list((tmp_path / "x" / "_states").iterdir())
    assert kept
    assert sum(path.stat().st_size for path in kept) <= 400


def test_difference(log: tuple[str, Path]) -> None:
    url, folder = log
    forward = curl(f"{url}/diff?from=2&to=4").body.splitlines()
    assert b'D <a:s> <a:p> "2" .' in forward
    assert b'A <a:s> <a:p> "4" .' in forward
    assert not [line for line in forward if b'"all"' in line or b'"3"' in line], "only the net change"  # fmt: skip
    assert [line for line in forward if line.startswith(b"H ")] == [b"H id <u:4> .", b"H prev <u:2> ."]  # fmt: skip
    # from a later version to an earlier one: what undoes it
    undo = curl(f"{url}/diff?from=u:5&to=4", "-H", "Accept: application/x-jelly-rdf-patch")
    assert undo.headers["jelly-to"] == "4"
    done = curl(url, "-H", "Content-Type: application/x-jelly-rdf-patch", data=undo.body)
    assert done.status == 201
    assert set(curl(f"{url}/data").body.splitlines()) == lines(4, "all")
    assert curl(f"{url}/diff?from=4&to=4").body == b""
    same = curl(f"{url}/diff?from=4&to=4", "-H", "Accept: application/x-jelly-rdf-patch").body
    assert list(jelly.read_patch(same).rows()) == []
    for query, status in [("from=1", 400), ("from=1&to=99", 404), ("from=1&to=u:none", 404)]:
        assert curl(f"{url}/diff?{query}").status == status
    assert (folder / "_states").is_dir()


def test_history(log: tuple[str, Path]) -> None:
    url, _ = log
    for query in ("subject=a:s", "subject=%3Ca:s%3E", "predicate=a:p&graph="):
        answer = curl(f"{url}/history?{query}")
        found = [json.loads(line) for line in answer.body.splitlines()]
        assert {(one["object"], one["valid_from"], one["valid_to"]) for one in found} == {
            ('"all"', 1, None), ('"5"', 5, None), *((f'"{n}"', n, n + 1) for n in range(1, 5))
        }  # fmt: skip
    assert curl(f"{url}/history?object=%223%22").body.count(b"\n") == 1
    assert curl(f"{url}/history?object=%22none%22&object=%223%22").body.count(b"\n") == 1
    assert curl(f"{url}/history?subject=a:none")[::2] == (200, b"")
    for query in ("", "subject=%3Ca%20b%3E", "object=%22x"):
        assert curl(f"{url}/history?{query}").status == 400


def test_a_log_that_does_not_say_how_it_begins(place: tuple[str, Path]) -> None:
    address, root = place
    jelly.Log(root / "unsaid").publish(patch(1, "H id <u:1> .\n"))
    for path in ("data", "diff?from=0&to=1", "history?subject=a:s"):
        answer = curl(f"{address}/unsaid/{path}")
        assert (answer.status, answer.kind) == (404, "patch.base"), path


def test_answers_are_compressed_as_asked(log: tuple[str, Path], tmp_path: Path) -> None:
    url, _ = log
    text = "".join(f'A <a:s> <a:p> "{n} and some more" .\n' for n in range(300))
    curl(url, *RDFP, data=f"TX .\n{text}TC .\n".encode())
    plain = curl(f"{url}/data")
    assert "content-encoding" not in plain.headers
    for asked, coding in [("gzip", "gzip"), ("gzip, zstd", "zstd"), ("zstd;q=0, gzip;q=0.5", "gzip"), ("br", ""), ("*;q=0", "")]:  # fmt: skip
        answer = curl(f"{url}/data", "-H", f"Accept-Encoding: {asked}")
        assert answer.headers.get("content-encoding", "") == coding
        assert answer.headers["vary"] == "Accept, Accept-Encoding"
        if coding:
            assert len(answer.body) < len(plain.body) / 2
            packed = tmp_path / "packed"
            packed.write_bytes(answer.body)
            out = io.BytesIO()
            jelly.convert(packed, out, format="nq", to="nq")
            assert out.getvalue() == plain.body
            tag = answer.headers["etag"]
            assert tag == plain.headers["etag"].removesuffix('"') + f'.{coding}"', "each coding has its own tag"  # fmt: skip
            again = curl(f"{url}/data", "-H", f"Accept-Encoding: {asked}", "-H", f"If-None-Match: {tag}")  # fmt: skip
            assert (again.status, again.headers["etag"]) == (304, tag)
            stale = curl(f"{url}/data", "-X", "PATCH", *RDFP, "-H", f"If-Match: {tag}", data=patch(1))  # fmt: skip
            assert stale.status == 200
            plain = curl(f"{url}/data")
    whole = curl(f"{url}/patches", "-H", "Accept-Encoding: gzip")
    assert gzip.decompress(whole.body) == curl(f"{url}/patches").body
    head = curl(f"{url}/data", "-I", "-H", "Accept-Encoding: gzip")
    assert (head.headers["content-encoding"], head.body) == ("gzip", b"")
    assert "content-encoding" not in curl(url, "-H", "Accept-Encoding: gzip").headers, "too short"


def test_a_base_from_a_client_keeps_its_prefixes(place: tuple[str, Path]) -> None:
    address, _ = place
    turtle = b"@prefix ex: <http://example.org/> . ex:s ex:p ex:o ."
    log = jelly.Log.create(f"{address}/prefixed", turtle, base_format="ttl")
    out = io.BytesIO()
    log.dataset(out, to="ttl")
    assert b"ex:s ex:p ex:o" in out.getvalue()
    assert b"ex:s ex:p ex:o" in curl(f"{address}/prefixed/data?format=ttl").body
    jelly.Log.create(f"{address}/prefixed", turtle, base_format="ttl")  # the same beginning


def test_a_repaired_log_has_no_states_of_before(log: tuple[str, Path], tmp_path: Path) -> None:
    url, folder = log
    copy = jelly.Log(url).pull(tmp_path / "copy")
    for version in (4, 5):
        assert set(curl(f"{url}/data?version={version}").body.splitlines()) == lines(version, "all")
    (folder / "patch-0004.jellyp").unlink()
    repair(folder)
    other = b"H id <u:other> .\nTX .\nA <a:s> <a:p> <a:other> .\nTC .\n"
    assert curl(url, *RDFP, data=other).status == 201
    rows = b'TX .\nPA "p5" <http://x/5> .\nA <a:s> <a:p> "5" .\nD <a:s> <a:p> "4" .\nA <a:s> <a:p> "all" .\nTC .\n'
    assert curl(url, *RDFP, data=b"H id <u:5> .\n" + rows).status == 201
    wanted = lines(3, 5, "all") | {b"<a:s> <a:p> <a:other> ."}
    assert set(curl(f"{url}/data").body.splitlines()) == wanted
    with pytest.raises(PatchError, match=r"patch\.fork"):
        jelly.Log(url).pull(copy.folder)


def test_a_log_that_begins_later(log: tuple[str, Path], tmp_path: Path) -> None:
    url, folder = log
    later = folder.with_name(folder.name + "later")
    shutil.copytree(
        folder, later, ignore=shutil.ignore_patterns("_*", "patch-000[1-3]*", "log.json")
    )
    jelly.as_of(b"", folder, 3, later / "base.jelly", base_format="nq")
    said = {"base": "base.jelly", "statements": 2, "version": 3, "id": "<u:3>", "timestamp": "2026-01-01T00:00Z"}  # fmt: skip
    (later / "base.json").write_text(json.dumps(said))
    there = jelly.Log(url + "later")
    out = tmp_path / "out.nq"
    for base in (later / "base.jelly", None):
        for version in (3, 4, 5):
            for asked in (version, f"u:{version}"):
                if base is None:
                    done = there.dataset(out, asked)
                else:
                    done = jelly.as_of(base, url + "later", asked, out)
                assert (done.version, done.base_version) == (version, 3)
                assert set(out.read_bytes().splitlines()) == lines(version, "all")
    with pytest.raises(
        PatchError, match="begins with version 4: the changes after version 2 are gone"
    ):
        there.dataset(out, 2)
    base = later / "base.jelly"
    assert jelly.apply(base, there, out).version == 5
    assert jelly.between(there, 4, 5, out.with_suffix(".rdfp")).added == 2
    periods = {(p.object, p.valid_from, p.valid_to) for p in jelly.history(there, base=base)}
    assert periods == {('"3"', 3, 4), ('"4"', 4, 5), ('"5"', 5, None), ('"all"', 3, None)}
    assert there.verify(base).base_version == 3
    copy = there.pull(tmp_path / "copy")
    assert copy.dataset(out, 4).version == 4
    assert set(out.read_bytes().splitlines()) == lines(4, "all")


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("?expct=0", "'expct' is not a parameter of POST for this path; its parameters: expect="),
        (
            "/data?verison=1",
            "'verison' is not a parameter of GET for this path; its parameters: version=",
        ),
        ("/data?default", "'default'"),
        ("/versions?from=1", "'from'"),
        ("/patches?from=1", "'from'"),
        ("/patches/1?after=1", "'after'"),
        ("/diff?from=1&to=2&vorsion=1", "'vorsion'"),
        ("/history?subject=a:s&graf=x", "'graf'"),
        ("/events?from=1", "'from'"),
        ("/feed.atom?after=1", "its parameters: none"),
    ],
)
def test_parameters_that_a_path_does_not_have(log: tuple[str, Path], path: str, said: str) -> None:
    """The answer looked like the one that was asked for, and a patch was published without its condition."""
    url, folder = log
    more = (*RDFP,) if path.startswith("?") else ()
    answer = curl(f"{url}{path}", *more, **({"data": patch(9)} if more else {}))
    assert (answer.status, json.loads(answer.body)["type"]) == (400, "urn:jelly:problem:query")
    assert said in json.loads(answer.body)["detail"]
    assert jelly.Log(folder).head.version == 5
    # sites add parameters to links
    assert curl(f"{url}?utm_source=x", "-H", "Accept: text/html").status == 200


def test_errors_name_no_file_of_the_server(log: tuple[str, Path]) -> None:
    url, folder = log
    jelly.Log(folder).publish(b'TX .\nA <rel> <a:p> "x" .\nTC .\n')
    answer = curl(f"{url}/data?format=ttl")
    assert answer.status == 406
    detail = json.loads(answer.body)["detail"]
    assert "has no scheme" in detail
    assert str(folder.parent) not in detail
    assert ".jelly" not in detail
