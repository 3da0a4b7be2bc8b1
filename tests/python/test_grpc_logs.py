"""``PatchLog``: the rules of logs over gRPC."""

from __future__ import annotations

import io
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("grpc")
pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

import jelly
import jelly.grpc
from grpc_servers import Refused, frames, here, lines, numbers, raw, raw_log
from jelly._frames import frames_in
from jelly.errors import JellyError, OptionsError, PatchError
from jelly.grpc._wire import written
from jelly.service._limits import Limits
from jelly.service._tokens import made
from jelly.types import PatchOptions, RdfOptions


def patch(value: int, *headers: str) -> bytes:
    return "".join([*headers, f'TX .\nA <a:s> <a:p> "{value}" .\nTC .\n']).encode()


def messages(text: bytes) -> list[bytes]:
    out = io.BytesIO()
    jelly.convert(text, out, format="rdfp", to="jelly-patch", restart_bytes=0)
    return list(frames_in(out.getvalue()))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    jelly.Log.create(tmp_path / "logs" / "brick")
    return tmp_path / "logs"


@pytest.fixture
def server(root: Path) -> Iterator[str]:
    with here(root) as target:
        yield target


def added(server: str, **options: object) -> list[str]:
    with jelly.grpc.read_log(server, "brick", **options) as reader:  # type: ignore[arg-type]
        return [row.object for row in reader.rows() if row.op == "A" and row.object]


def test_publish_and_read(server: str, root: Path) -> None:
    for n in range(1, 4):
        done = jelly.grpc.publish_patch(
            server, "brick", patch(n, f"H id <u:{n}> .\n"), expect=n - 1
        )
        assert (done.version, done.id, done.replayed) == (n, f"<u:{n}>", False)
    again = jelly.grpc.publish_patch(server, "brick", patch(1, "H id <u:1> .\n"), expect=0)
    assert (again.version, again.prev, again.replayed) == (1, None, True)
    assert added(server) == numbers(range(1, 4))
    assert added(server, after=1, after_id="<u:1>", upto=2) == ['"2"']
    log = jelly.Log(root / "brick")
    assert jelly.grpc.describe(server, "brick") == log.info()
    assert log.verify().ok
    jelly.Log.create(root / "text", ending=".rdfp").publish(patch(7))
    with jelly.grpc.read_log(server, "text") as reader:
        assert [row.op for row in reader.rows() if row.op != "H"] == ["TX", "A", "TC", "Z"]


def test_a_range_that_ends_with_version_0_has_no_patch(server: str, root: Path) -> None:
    """Also if it is followed; errors are those of every other range."""
    log = jelly.Log(root / "brick")
    log.publish(patch(1, "H id <u:1> .\n"))
    with log.read(0, 0) as reader:
        assert list(reader.rows()) == []
    assert added(server, upto=0) == added(server, upto=0, follow=True) == []
    wrong: dict[str, dict[str, Any]] = {"patch.version": {"after": 1}, "patch.fork": {"after_id": "<u:9>"}}  # fmt: skip
    for kind, asked in wrong.items():
        with pytest.raises(PatchError) as error:
            added(server, upto=0, **asked)
        assert error.value.kind == kind
    with pytest.raises(FileNotFoundError), jelly.grpc.read_log(server, "none", upto=0) as reader:
        list(reader.rows())


def test_status_codes(server: str) -> None:
    jelly.grpc.publish_patch(server, "brick", patch(1, "H id <u:1> .\n"))
    cases = [
        (patch(2, "H id <u:2> .\n", "H prev <u:0> .\n"), {}, "ABORTED", "patch.conflict"),
        (patch(2), {"jelly_expect": "7"}, "ABORTED", "patch.conflict"),
        (patch(2, "H id <u:1> .\n"), {}, "ALREADY_EXISTS", "patch.duplicate"),
        (b"TX .\n", {}, "INVALID_ARGUMENT", "patch.unfinished"),
        (patch(2) + b"Z .\n" + patch(3), {}, "INVALID_ARGUMENT", "patch.several"),
    ]
    for text, metadata, code, kind in cases:
        with pytest.raises(Refused) as refused:
            raw_log(server, "Publish", messages(text), jelly_log="brick", **metadata)
        assert (refused.value.code, refused.value.trailing["jelly-kind"]) == (code, kind)
        if code in ("ABORTED", "ALREADY_EXISTS"):
            assert refused.value.trailing["jelly-head"] == "1"
            assert refused.value.trailing["jelly-head-id-bin"] == b"<u:1>"
    with pytest.raises(PatchError) as error:
        jelly.grpc.publish_patch(server, "brick", patch(2), expect=7)
    assert error.value.kind == "patch.conflict"
    for given in ([], [b"\xff" * 9], frames(lines(1))):
        with pytest.raises(Refused) as refused:
            raw_log(server, "Publish", given, jelly_log="brick")
        assert refused.value.code == "INVALID_ARGUMENT", given
    for name in ("none", "..", "", "brick/../brick"):
        with pytest.raises(Refused) as refused:
            raw_log(server, "Publish", messages(patch(1)), jelly_log=name)
        assert refused.value.code == "NOT_FOUND", name
        with pytest.raises(FileNotFoundError):
            jelly.grpc.describe(server, name)
    with pytest.raises(PatchError, match="there is no version 5"):
        added(server, after=5)
    with pytest.raises(PatchError) as error:
        added(server, after=1, after_id="<u:9>")
    assert error.value.kind == "patch.fork"
    with pytest.raises(Refused) as refused:
        raw_log(server, "Subscribe", [b"\x0a\x05bri"])
    assert refused.value.code == "INVALID_ARGUMENT"
    assert added(server) == ['"1"']


def test_rules_of_the_server(root: Path, tmp_path: Path) -> None:
    token, line = made("me", "read,publish", "*")
    (tmp_path / "tokens").write_text(line)
    more = {"tokens": tmp_path / "tokens", "require_condition": True, "record_publisher": True}
    with here(root, **more, limits=Limits(requests=5)) as server:
        given = {"jelly_log": "brick", "authorization": f"Bearer {token}"}
        with pytest.raises(Refused, match="a condition is required") as refused:
            raw_log(server, "Publish", messages(patch(1)), **given)
        assert refused.value.code == "FAILED_PRECONDITION"
        with pytest.raises(Refused, match="publish the patch without it"):
            raw_log(
                server,
                "Publish",
                messages(patch(1, 'H publisher "x" .\n')),
                jelly_expect="0",
                **given,
            )
        raw_log(server, "Publish", messages(patch(1)), jelly_expect="0", **given)
        (version,) = jelly.Log(root / "brick").versions()
        assert ("publisher", '"me"') in version.headers
        with pytest.raises(Refused, match="more than 5 requests a minute") as refused:  # noqa: PT012
            for _ in range(9):
                raw_log(server, "Describe", [written("brick")], **given)
        assert refused.value.code == "RESOURCE_EXHAUSTED"


def test_before_the_first(root: Path, server: str) -> None:
    log = jelly.Log(root / "brick")
    for n in range(1, 4):
        log.publish(patch(n))
    copy = root / "later"
    copy.mkdir()
    (copy / "patch-0003.jellyp").write_bytes((root / "brick" / "patch-0003.jellyp").read_bytes())
    with pytest.raises(Refused) as refused:
        raw_log(server, "Subscribe", [written("later")])
    assert (refused.value.code, refused.value.trailing["jelly-kind"]) == (
        "OUT_OF_RANGE",
        "patch.gap",
    )


def test_large_patches(root: Path) -> None:
    big = "".join(f'A <a:s> <a:p> "{n}{"x" * 60_000}" .\n' for n in range(72)).encode()
    with here(root, limits=Limits(body=7 << 20)) as server:
        jelly.Log(root / "brick").publish(b"TX .\n" + big + b"TC .\n")
        assert max(map(len, messages(b"TX .\n" + big + b"TC .\n"))) > 4 << 20
        assert len(added(server)) == 72
        with pytest.raises(Refused, match="more than 7340032 bytes") as refused:
            raw_log(server, "Publish", [b"\x00" * (4 << 20)] * 2, jelly_log="brick")
        assert refused.value.code == "RESOURCE_EXHAUSTED"


def test_follow(server: str, root: Path) -> None:
    got: list[str] = []
    news = threading.Semaphore(0)

    def follow() -> None:
        with jelly.grpc.read_log(server, "brick", follow=True) as reader:
            for row in reader.rows():
                if row.op == "A":
                    got.append(str(row.object))
                    news.release()
                if len(got) == 3:
                    return

    log = jelly.Log(root / "brick")
    log.publish(patch(0))
    thread = threading.Thread(target=follow)
    thread.start()
    for n in range(1, 3):
        assert news.acquire(timeout=30)
        log.publish(patch(n))
    thread.join(30)
    assert got == numbers(range(3))


def raw_of(server: str, options: PatchOptions | None, **asked: int) -> list[bytes]:
    wanted = None if options is None else jelly._internal.written_options(options, PatchOptions)
    fields = ("after", "after_id", "upto", "follow")
    return raw_log(server, "Subscribe", [written("brick", *map(asked.get, fields), wanted)])


def read(server: str, options: PatchOptions, **asked: Any) -> tuple[list[str], PatchOptions]:
    with jelly.grpc.read_log(server, "brick", options=options, **asked) as reader:
        found = [row.object for row in reader.rows() if row.op == "A" and row.object]
        assert reader.options is not None
        return found, reader.options


def test_options_that_are_met(server: str, root: Path) -> None:
    log = jelly.Log(root / "brick")
    for n in range(1, 4):
        log.publish(patch(n, f"H id <u:{n}> .\n"))
    as_stored = raw_of(server, None)
    assert raw_of(server, PatchOptions()) == as_stored, "what fits goes out untouched"
    assert raw_of(server, PatchOptions(max_name_table_size=4096)) == as_stored
    features = b"\x18\x01\x20\x01"
    assert raw_log(server, "Subscribe", [written("brick", 0, None, 0, 0, features)]) == as_stored, "0 is what there is"  # fmt: skip
    small = PatchOptions(max_name_table_size=8, max_prefix_table_size=1, generalized_statements=False)  # fmt: skip
    assert read(server, small) == (numbers(range(1, 4)), small)
    assert read(server, small, after=1, upto=2) == (['"2"'], small)
    assert len(raw_of(server, small)) >= 3


@pytest.mark.parametrize(
    ("options", "kind", "field"),
    [
        (PatchOptions(statement_type="TRIPLES"), "options.type", "statement_type"),
        (PatchOptions(stream_type="FLAT"), "options.type", "stream_type"),
        (PatchOptions(stream_type="FRAME"), "options.type", "stream_type"),
        (PatchOptions(max_name_table_size=7), "options.table", "max_name_table_size"),
        (b"\x78\x02", "options.version", "version"),
        (b"\x10\x09", "options.type", "stream_type"),
        (b"\x0a\x01a", "options.format", None),
        (b"\xff", "wire.varint", None),
    ],
)
def test_options_that_are_refused(
    server: str, options: PatchOptions | bytes, kind: str, field: str | None
) -> None:
    """Also of an empty log: what it has is known before the first patch."""
    asked = (
        options
        if isinstance(options, bytes)
        else jelly._internal.written_options(options, PatchOptions)
    )
    where = "requested_options" if field is None else f"requested_options.{field}"
    with pytest.raises(Refused, match=re.escape(where)) as refused:
        raw_log(server, "Subscribe", [written("brick", 0, None, 0, 0, asked)])
    assert (refused.value.code, refused.value.trailing["jelly-kind"]) == ("INVALID_ARGUMENT", kind)
    if isinstance(options, PatchOptions):
        with pytest.raises(OptionsError) as error:
            read(server, options)
        assert error.value.kind == kind


def test_options_of_the_other_format(server: str) -> None:
    for call in (
        lambda: jelly.grpc.read_log(server, "brick", options=RdfOptions()),  # type: ignore[arg-type]
        lambda: jelly.grpc.subscribe(server, "brick", options=PatchOptions()),  # type: ignore[arg-type]
    ):
        with pytest.raises(TypeError, match="options must be a jelly"), call() as reader:
            list(reader.rows())


def test_terms_that_the_options_exclude(server: str, root: Path) -> None:
    """The versions before the one that holds such a term come; of that one, nothing does."""
    log = jelly.Log(root / "brick")
    log.publish(patch(1))
    log.publish(b'TX .\nA <a:s> <a:p> "2" .\nA <a:s> <a:p> << <a:s> <a:p> <a:o> >> .\nTC .\n')
    assert len(added(server)) == 3
    plain = PatchOptions(rdf_star=False)
    seen: list[str | None] = []
    reader = jelly.grpc.read_log(server, "brick", options=plain, batch_rows=1)
    with pytest.raises(JellyError) as error, reader:
        seen.extend(row.object for row in reader.rows() if row.op == "A")
    assert seen == ['"1"']
    assert error.value.kind.startswith("encode.")
    assert "INVALID_ARGUMENT" in str(error.value)
    assert read(server, plain, upto=1)[0] == ['"1"']


def test_options_of_a_log_that_is_followed(server: str, root: Path) -> None:
    small, got = PatchOptions(max_name_table_size=8), []
    log = jelly.Log(root / "brick")
    log.publish(patch(0))
    with jelly.grpc.read_log(server, "brick", follow=True, options=small) as reader:
        for row in reader.rows():
            if row.op == "A":
                got.append(row.object)
                if len(got) == 3:
                    break
                log.publish(patch(len(got)))
        assert reader.options == small
    assert got == numbers(range(3))


def test_damage_of_a_log_is_no_fault_of_the_caller(root: Path) -> None:
    log = jelly.Log(root / "brick")
    log.publish(patch(1))
    done = log.publish(patch(2))
    assert done.path is not None
    done.path.write_bytes(done.path.read_bytes()[:-3])
    calls: list[tuple[Any, str, list[bytes], dict[str, str]]] = [
        (raw_log, "Publish", messages(patch(3)), {"jelly_log": "brick"}),
        (raw_log, "Publish", [b"\xff" * 9], {"jelly_log": "brick"}),
        (raw_log, "Subscribe", [written("brick")], {}),
        (raw_log, "Describe", [written("brick")], {}),
        (raw, "SubscribeRdf", [written("brick")], {}),
    ]
    with here(root) as server:
        for call, method, sent, metadata in calls:
            with pytest.raises(Refused) as refused:
                call(server, method, sent, **metadata)
            assert refused.value.code == "INTERNAL", method
            assert str(root) not in str(refused.value), method
