"""apply, diff, invert, squash, canonicalize, as_of, between, history, verify_log."""

import gzip
import io
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import jelly
import patch_model as model
from jelly.errors import JellyError, PatchError
from shared_data import shared
from small_log import BASE, FIRST, SECOND, THIRD, applied, out_of


def inverted(patches: list[bytes], base: bytes) -> bytes:
    out = io.BytesIO()
    jelly.invert(patches, out, base, base_format="nq", to="rdfp")
    return out.getvalue()


def quads(data: bytes) -> set[model.Quad]:
    rows = jelly.read_rdf(data, format="nq").rows() if data else iter(())
    return {model.folded(row[3:]) for row in rows}


def net_rows(data: bytes) -> set[tuple[Any, ...]]:
    rows = jelly.read_patch(data, rows="committed").rows()
    return {(row.op, *model.folded(row[5:9])) for row in rows if row.op in "AD"}  # type: ignore[arg-type]


def test_random_logs_come_to_what_the_model_says() -> None:
    rng, changed, spelled = random.Random(6), 0, 0
    for _ in range(300):
        base = [model.random_quad(rng) for _ in range(rng.randrange(20))]
        log = model.random_log(rng)
        data, text = model.nquads(base), model.text(log)
        if not log:
            continue
        pieces = [model.text([patch]) for patch in log] if rng.random() < 0.5 else [text]
        after = applied(data, *pieces, to="nq", base_format="nq")
        expected = model.applied(set(base), log)
        assert quads(after) == expected
        spelled += model.spelled_as_added(
            (row[3:] for row in jelly.read_rdf(after, format="nq").rows()), log
        )
        changed += expected != model.applied(set(base), [])
        version = rng.randrange(len(log) + 1)
        then = out_of(jelly.as_of, data, pieces, version, to="nq", base_format="nq")
        assert quads(then) == model.applied(set(base), log[:version])
        rest = out_of(jelly.between, pieces, version, len(log), to="rdfp")
        assert quads(applied(then, rest, to="nq", base_format="nq", chain="ignore")) == expected
        back = inverted(pieces, data)
        assert quads(applied(after, back, to="nq", base_format="nq")) == {*map(model.folded, base)}
        difference = out_of(jelly.diff, data, after, to="rdfp", old_format="nq", new_format="nq")
        assert quads(applied(data, difference, to="nq", base_format="nq")) == expected
    assert changed > 150 < spelled


@pytest.mark.parametrize(
    ("log", "kind"),
    [
        (b"TX .\nA <a:s> <a:p> <a:o> .\n", "patch.unfinished"),
        (b"TX .\nTX .\nTC .\n", "patch.unfinished"),
        (b"A <a:s> <a:p> <a:o> .\nTC .\n", "patch.stray"),
        (b"H id <u:1> .\nH ID <u:2> .\n", "patch.header"),
        (FIRST + THIRD, "patch.gap"),
        (FIRST + SECOND + THIRD.replace(b"u:2", b"u:1"), "patch.fork"),
        (FIRST + SECOND + SECOND, "patch.duplicate"),
        (SECOND + FIRST.replace(b"<u:1> .", b"<u:1> .\nH prev <u:2> .", 1), "patch.cycle"),
        (FIRST + b"Z .\nA <a:s> <a:p> <a:o> .\n", "patch.mixed"),
        (FIRST[:-10], "truncated.row"),
        (FIRST + b"A <a:s> <a:p> .\n", "text.row"),
    ],
)
def test_bad_patches_change_nothing(log: bytes, kind: str, tmp_path: Path) -> None:
    dest = tmp_path / "after.nq"
    dest.write_bytes(b"as before")
    path = tmp_path / "log.rdfp"
    path.write_bytes(log)
    with pytest.raises(JellyError) as caught:
        jelly.apply(BASE, path, dest)
    assert caught.value.kind == kind
    assert caught.value.source == str(path)
    assert dest.read_bytes() == b"as before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["after.nq", "log.rdfp"]
    report = jelly.verify_log(path)
    assert not report.ok
    assert kind in {problem.kind for problem in report.problems}


def test_prefixes() -> None:
    base = out_of(jelly.convert, b"@prefix e: <http://e/> . @prefix f: <http://f/> . e:s e:p e:o .", to="jelly", namespaces=True)  # fmt: skip
    log = b'PA "g" "http://g/" .\nPA "e" "http://e2/" .\nPD "f" .\nPA "h" "http://h/" <a:g> .\n'
    out = io.BytesIO()
    done = jelly.apply(base, log, out)
    assert (done.prefixes, done.prefixes_left_out) == (4, 1)
    reader = jelly.read_rdf(out.getvalue())
    assert len(list(reader.rows())) == 1
    assert dict(reader.namespaces) == {"g": "http://g/", "e": "http://e2/"}
    assert jelly.apply(base, log, io.BytesIO(), to="nq").prefixes_left_out == 4
    difference = out_of(jelly.diff, base, out.getvalue(), to="jelly-patch")
    rows = [row[4:] for row in jelly.read_patch(difference).rows() if row.op in ("PA", "PD")]
    assert [(row[0], row[5], row[6]) for row in rows] == [
        ("PD", "e", "<http://e/>"),
        ("PA", "e", "<http://e2/>"),
        ("PD", "f", "<http://f/>"),
        ("PA", "g", "<http://g/>"),
    ]
    back = out_of(jelly.invert, difference, to="jelly-patch")
    again = jelly.read_rdf(applied(out.getvalue(), back))
    assert len(list(again.rows())) == 1
    assert dict(again.namespaces) == {"e": "http://e/", "f": "http://f/"}
    assert out_of(jelly.diff, base, out.getvalue(), prefixes=False, to="rdfp") == b""
    with pytest.raises(PatchError, match='PD "f" does not contain the namespace of the prefix'):
        out_of(jelly.invert, log)
    with pytest.raises(
        PatchError, match=r'patch.canonical: A <a:s> <a:p> "x"@EN \. changes nothing'
    ):
        out_of(jelly.invert, b'A <a:s> <a:p> "x"@en .\nA <a:s> <a:p> "x"@EN .\n')


def test_headers_of_what_is_made() -> None:
    log = [FIRST, SECOND, THIRD]

    def headers(function: Callable[..., Any], *arguments: Any, **options: Any) -> dict[str, str]:
        data = out_of(function, *arguments, to="rdfp", **options)
        (patch,) = jelly.read_patch(data).patches()
        return dict(patch.headers)

    made = headers(jelly.squash, log)
    assert re.fullmatch(r"<uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}>", made.pop("id"))
    assert made == {"squashed-from": "<u:1>", "squashed-to": "<u:3>"}
    assert headers(jelly.squash, log[1:], id="u:9")["prev"] == "<u:1>"
    assert headers(jelly.invert, log[2], id='"x"') == {"id": '"x"', "prev": "<u:3>"}
    assert headers(jelly.between, log, 1, 3) == {"id": "<u:3>", "prev": "<u:1>"}
    assert headers(jelly.diff, BASE, FIRST[:0], id="u:n", prev="u:m") == {"id": "<u:n>", "prev": "<u:m>"}  # fmt: skip
    assert headers(jelly.canonicalize, SECOND, BASE) == {"id": "<u:2>", "prev": "<u:1>"}
    assert headers(jelly.net, log) == {}
    net = out_of(jelly.squash, log, mode="net", to="rdfp")
    assert b"<a:n>" in net
    assert b'<a:n> <a:p> "1"' not in net
    assert b'D <a:n> <a:p> "1"' in out_of(jelly.squash, log, to="rdfp")


@pytest.mark.parametrize(
    ("before", "log", "expected"),
    [
        (b"", b'PA "p" <u:1> .\nPD "p" "u:1" .\n', []),
        (b"@prefix p: <u:1> .\n", b'PD "p" "u:1" .\nPA "p" <u:1> .\n', []),
        (
            b"@prefix p: <u:1> .\n",
            b'PD "p" "u:1" .\nPA "p" <u:2> .\nPD "p" "u:2" .\nPA "p" <u:3> .\n',
            [("PD", "<u:1>"), ("PA", "<u:3>")],
        ),
        (b"", b"D <a:s> <a:p> <a:o> .\nA <a:s> <a:p> <a:o> .\n", []),
    ],
)
def test_the_net_of_a_canonical_log_can_be_taken_back(
    before: bytes, log: bytes, expected: list[tuple[str, str]]
) -> None:
    base = before + b"<a:s> <a:p> <a:o> .\n"
    done = jelly.canonicalize(log, base, io.BytesIO(), to="rdfp", base_format="ttl")
    assert done.added + done.deleted + done.prefixes == log.count(b"\n")
    net = out_of(jelly.net, log, mode="net", to="jelly-patch")
    rows = jelly.read_patch(net).rows() if net else iter(())
    assert [(row.op, row.value) for row in rows if row.op not in ("TX", "TC", "Z")] == expected
    after = applied(base, log, to="ttl", base_format="ttl")
    back = out_of(jelly.invert, net, to="jelly-patch")
    assert applied(after, back, to="ttl", base_format="ttl") == base


EARLY = b"A <a:1> <a:p> <a:o> .\nZ .\nTX .\nA <a:2> <a:p> <a:o> .\nTC .\nZ .\n"


@pytest.mark.parametrize("as_jelly", [False, True])
@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("bad", ["unfinished", "malformed", "cut"])
def test_versions_before_a_bad_patch(bad: str, apart: bool, as_jelly: bool) -> None:
    last = b"TX .\nA <a:3> <a:p> <a:o> .\n"
    good, tail = (EARLY, last) if apart else (EARLY + last, b"")
    if as_jelly:
        good, tail = (
            out_of(jelly.convert, data, to="jelly-patch", format="rdfp") if data else b""
            for data in (good, tail)
        )
    spoils: dict[str, Callable[[bytes], bytes]] = {
        "unfinished": lambda data: data,
        "malformed": lambda data: data + b"\xff\xff\xff\xff",
        "cut": lambda data: data[:-3],
    }
    spoil = spoils[bad]
    log = [good, spoil(tail)] if apart else [spoil(good)]
    for version in range(3):
        state = out_of(jelly.as_of, b"", log, version, to="nq", base_format="nq")
        assert len(quads(state)) == version
    assert b"<a:2>" in out_of(jelly.between, log, 1, 2, to="rdfp")
    calls: list[tuple[Any, tuple[Any, ...]]] = [
        (jelly.as_of, (b"", log, 3)),
        (jelly.as_of, (b"", log, "u:1")),
        (jelly.between, (log, 0, 3)),
        (jelly.apply, (b"", log)),
        (jelly.squash, (log,)),
    ]
    for function, arguments in calls:
        with pytest.raises(JellyError) as caught:
            function(*arguments, io.BytesIO())
        assert caught.value.kind != "patch.version"
    # nothing says that what is there begins the log
    order = [SECOND, b"H id <u:1> .\nTX .\n"]
    with pytest.raises(PatchError, match="neither committed"):
        jelly.as_of(BASE, order, 1, io.BytesIO())


def test_changes_are_those_of_quads_everywhere() -> None:
    log = b'PA "p" <u:1> .\nA <a:s> <a:p> <a:o> .\nA <a:s> <a:p> <a:o> .\nPA "p" <u:1> .\n'
    report = jelly.verify_log(log)
    assert (report.changes, report.prefixes, report.without_effect) == (2, 2, 2)
    assert jelly.squash(log, io.BytesIO()).changes == report.changes
    assert jelly.apply(b"", log, io.BytesIO()).changes == report.changes
    assert jelly.stage(b"", log).changes == report.changes


def test_generalized_statements_can_be_staged() -> None:
    staged = jelly.stage(b"", b'TX .\nA "subject" <a:p> <a:o> .\nTC .\n')
    assert (staged.ok, staged.added, staged.after) == (True, 1, 1)


def test_a_bare_uuid_is_an_id() -> None:
    uuid = "0b5e9d8a-77a9-4c0e-9f6e-3f0f3b0a2c11"
    log = f"H id <uuid:{uuid}> .\nA <a:s> <a:p> <a:o> .\n".encode()
    assert jelly.as_of(b"", log, uuid, io.BytesIO()).version == 1


def test_history() -> None:
    log = [FIRST, SECOND, THIRD]
    periods = list(jelly.history(log, base=BASE, predicate="<a:p>"))
    assert periods == [
        jelly.Period("<a:s>", "<a:p>", '"x"@en', "", 0, None),
        jelly.Period("<a:s>", "<a:p>", '"y"', "<a:g>", 0, 1),
        jelly.Period("_:b", "<a:p>", "<a:o>", "", 0, 2),
        jelly.Period("<a:n>", "<a:p>", '"1"', "", 1, 3),
        jelly.Period("<a:n>", "<a:p>", '"2"', "", 3, None),
    ]
    assert list(jelly.history(log, base=BASE, object='"x"@EN')) == periods[:1]
    assert list(jelly.history(log, graph="", subject="<a:n>")) == periods[3:]
    several = iter(['"x"@EN', '"none"'])
    assert list(jelly.history(log, base=BASE, object=several)) == periods[:1]
    assert list(jelly.history(log, base=BASE, object=[])) == []
    with pytest.raises(ValueError, match="not the canonical text of a term"):
        jelly.history(log, subject="<a")


def test_verify_log() -> None:
    report = jelly.verify_log([FIRST, SECOND, THIRD], base=BASE)
    assert report.ok
    assert report == jelly.LogReport(3, 3, None, "<u:3>", 3, 1, 5, 0, 0, ())
    report = jelly.verify_log([FIRST, SECOND, THIRD], base=b"")
    assert [problem.kind for problem in report.problems] == ["patch.effect"] * 2
    assert report.problems[1] == jelly.Problem(
        "patch.effect", None, 0, "<u:2>", "row 3, D _:b <a:p> <a:o>: the quad does not exist"
    )
    assert jelly.verify_log([FIRST, SECOND, THIRD]).without_effect == 0
    both = jelly.verify_log(
        [FIRST[:-10], SECOND + b"H id <u:4> .\nTC .\nH id <u:5> .\nH id <u:6> .\n"]
    )
    kinds = [problem.kind for problem in both.problems]
    assert {"truncated.row", "patch.stray", "patch.header"} <= set(kinds)
    assert both.without_effect is None


def test_blank_nodes_as_iris() -> None:
    new = b"_:b <a:p> <<( <a:s> <a:p> _:c )>> _:g .\n"
    genid = b"https://e.org/.well-known/genid/"
    patch = out_of(jelly.diff, b"", new, skolemize=genid.decode(), to="rdfp", old_format="nq")
    assert patch.splitlines()[1] == b"A <%sb> <a:p> <<( <a:s> <a:p> <%sc> )>> <%sg> ." % (
        (genid,) * 3
    )
    text = out_of(jelly.convert, new, to="nq", skolemize=True)
    assert text.startswith(b"<https://genid.invalid/.well-known/genid/b> <a:p> ")
    # both sides get the same names
    assert out_of(jelly.diff, new, text, skolemize=True, to="rdfp") == b""
    with pytest.raises(ValueError, match="skolemize is for statements"):
        out_of(jelly.convert, FIRST, skolemize=True)


def test_consecutive_versions_of_a_corpus_log() -> None:
    """The difference of two versions is the net effect of the patch between; undo gives back the bytes."""
    log = gzip.decompress(shared("corpus/brick-versions.rdfp.gz").read_bytes())
    versions = jelly.verify_log(log).patches
    assert versions >= 3
    states = [out_of(jelly.as_of, b"", log, version, base_format="nq", to="nq") for version in range(versions + 1)]  # fmt: skip
    compared = 0
    for version in range(1, versions + 1):
        before, after = states[version - 1], states[version]
        sorted_before = b"".join(sorted(before.splitlines(keepends=True)))
        patch = out_of(jelly.between, log, version - 1, version, to="rdfp")
        difference = out_of(jelly.diff, before, after, to="rdfp", old_format="nq", new_format="nq")
        canonical = out_of(
            jelly.canonicalize, patch, before, to="rdfp", base_format="nq", chain="ignore"
        )
        net = out_of(jelly.squash, canonical, mode="net", to="rdfp")
        assert net_rows(difference) == net_rows(net)
        back = out_of(jelly.invert, canonical, to="rdfp")
        undone = applied(after, back, to="nq", base_format="nq")
        assert b"".join(sorted(undone.splitlines(keepends=True))) == sorted_before
        compared += difference.count(b"\n")
    assert compared > 10_000


def test_progress_and_interrupts() -> None:
    rows = b"".join(b"<a:s%d> <a:p> <a:o> .\n" % n for n in range(300_000))
    steps: list[jelly.Step] = []

    def step_done(step: jelly.Step) -> None:
        steps.append(step)
        if step.phase == "comparing the new dataset" and step.rows > 0:
            raise KeyError(step.phase)

    def compare() -> None:
        while True:  # a step is told every tenth of a second
            jelly.diff(rows, rows, io.BytesIO(), progress=step_done, to="rdfp", old_format="nq")

    with pytest.raises(KeyError):
        compare()
    assert steps[-1].rows > 0
    assert steps[-1].bytes > 0
