"""Batch decoders, without Spark: they take and give pyarrow batches."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import pickle
import random
import re
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import jelly
from jelly.errors import JellyError, LimitError, TruncatedError

from .decoded import TWO, batch, decoded
from .streams import patch, rdf, row_length


def test_rows_are_those_of_the_reader() -> None:
    found = decoded([batch(content=[TWO])])
    assert [row["op"] for row in found] == ["A", "D", "Z"]
    assert found == pa.table(jelly.read_patch(TWO)).to_pylist()


# Where the streams are


def test_nothing_gives_nothing() -> None:
    assert decoded([]) == []
    assert decoded([batch(content=[TWO]).slice(0, 0)]) == []


# Schemas


def test_schema_is_exact() -> None:
    (found,) = jelly.decode_batches(iter([batch(content=[TWO])]))
    assert found.schema.equals(pa.schema(jelly.batch_decoder("patch").schema), check_metadata=True)
    assert all(field.nullable for field in found.schema)
    assert jelly.batch_decoder("patch").ddl == jelly.PATCH_SCHEMA_DDL
    assert jelly.batch_decoder("rdf").ddl == jelly.RDF_SCHEMA_DDL


def test_rdf_and_options() -> None:
    decoder = jelly.batch_decoder("rdf", columns=["object", "seq"], batch_rows=2)
    assert decoder.ddl == "object string, seq bigint"
    assert decoded([batch(content=[rdf(5)])], decoder) == [
        {"object": f'"{number}"', "seq": number} for number in range(5)
    ]


def test_structs_and_corrupt_records_have_ddl() -> None:
    decoder = jelly.batch_decoder("patch", columns=["object"], terms="struct", mode="permissive")
    parts = "kind: string, value: string, datatype: string, language: string"
    assert decoder.ddl == f"object struct<{parts}>, _corrupt_record string"
    (add, _) = decoded([batch(content=[patch(["A"])])], decoder)
    assert add["object"] == {"kind": "literal", "value": "0", "datatype": None, "language": None}


def test_committed_rows() -> None:
    stream = patch(["TX", "A", "TA", "TX", "A", "D", "TC", "A"])
    decoder = jelly.batch_decoder("patch", rows="committed", columns=["op", "object"])
    found = [(row["op"], row["object"]) for row in decoded([batch(content=[stream])], decoder)]
    assert found == [("A", '"4"'), ("D", '"5"'), ("A", '"7"')]


# Columns that pass through


def test_passthrough_repeats_values_with_their_types() -> None:
    given = pa.record_batch(
        {
            "content": [TWO, patch(["A"])],
            "day": pa.array([0, None], pa.date32()),
            "tags": [{"k": [1, 2]}, {}],
        },
        schema=pa.schema(
            {
                "content": pa.binary(),
                "day": pa.date32(),
                "tags": pa.struct({"k": pa.list_(pa.int32())}),
            }
        ),
    )
    decoder = jelly.batch_decoder(
        "patch", columns=["op"], passthrough={"tags": "struct<k: array<int>>", "day": "date"}
    )
    assert decoder.ddl == "op string, `tags` struct<k: array<int>>, `day` date"
    (found,) = decoder(iter([given]))
    assert found.schema.equals(decoder.schema)
    rows = found.to_pylist()
    assert [row["op"] for row in rows] == ["A", "D", "Z", "A", "Z"]
    assert [row["tags"]["k"] for row in rows] == [[1, 2]] * 3 + [None] * 2
    assert [str(row["day"]) for row in rows] == ["1970-01-01"] * 3 + ["None"] * 2


def test_passthrough_names_alone_are_strings() -> None:
    decoder = jelly.batch_decoder("patch", columns=["seq"], passthrough=["n"])
    assert decoder.ddl == "seq bigint, `n` string"
    found = decoded([batch(content=[TWO], n=[7])], decoder)
    assert found == [{"seq": seq, "n": "7"} for seq in range(3)]


def test_passthrough_faults_are_told() -> None:
    given = batch(content=[TWO], n=["seven"])
    with pytest.raises(ValueError, match=r"'n' \(string\) cannot pass through as int32.*'seven'"):
        decoded([given], jelly.batch_decoder("patch", passthrough={"n": "int"}))
    with pytest.raises(ValueError, match="no column 'm' to pass through; there are content, n"):
        decoded([given], jelly.batch_decoder("patch", passthrough=["m"]))
    with pytest.raises(ValueError, match="'value' is one of the decoded columns"):
        jelly.batch_decoder("patch", passthrough=["value"])
    with pytest.raises(ValueError, match="list of names"):
        jelly.batch_decoder("patch", passthrough="n")
    for wrong in ("", "array<int", "interval day"):
        with pytest.raises(ValueError, match=f"^{re.escape(repr(wrong))} is not a Spark type"):
            jelly.batch_decoder("patch", passthrough={"n": wrong})
    for wrong in ("varint", "map<int>", "int(3)"):
        with pytest.raises(
            ValueError, match=rf"^columns of type {re.escape(repr(wrong))} cannot pass through"
        ):
            jelly.batch_decoder("patch", passthrough={"n": wrong})
    with pytest.raises(ValueError, match=r"^'a' is not a field of a struct"):
        jelly.batch_decoder("patch", passthrough={"n": "struct<a>"})


# Options


def test_wrong_options_show_at_once() -> None:
    with pytest.raises(ValueError, match='"patch" or "rdf"'):
        jelly.batch_decoder("text")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="source_column"):
        jelly.batch_decoder("patch", source_name="x")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="whole stream"):
        jelly.batch_decoder("patch", resume=b"")  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="colums"):
        jelly.batch_decoder("patch", colums=["op"])  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="verb"):
        jelly.batch_decoder("patch", columns=["verb"])


def test_decoders_are_pickled() -> None:
    decoder = jelly.batch_decoder(
        "rdf", source_column="n", passthrough={"day": "date"}, limits=jelly.Limits(row_bytes=1000)
    )
    copy = pickle.loads(pickle.dumps(decoder))
    assert copy.ddl == decoder.ddl
    assert (copy.kind, copy.source_column) == ("rdf", "n")
    assert copy.options["limits"].row_bytes == 1000


def test_import_needs_neither_pyarrow_nor_pyspark() -> None:
    code = (
        "import sys, jelly, jelly.spark; jelly.decode_batches; jelly.batch_decoder('rdf').schema;"
        "print([name for name in ('pyarrow', 'pyspark', 'pandas') if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


# Bad input


def test_rows_before_an_error_are_given_and_none_after() -> None:
    good, other = patch(["A"] * 250, "good"), patch(["A"], "other")
    given = batch(path=["a", "cut", "c"], content=[TWO, good[:-5], other])
    rows: list[Any] = []
    with pytest.raises(TruncatedError) as raised:
        rows.extend(row for part in jelly.decode_batches(iter([given])) for row in part.to_pylist())
    # Two rows come before the statements, and 100 rows are a frame: the last row is 51 of frame 2.
    last = len(good) - row_length("A", "good", 249)
    assert f"(cut: frame 2, row 51, byte {last})" in str(raised.value)
    assert (raised.value.source, raised.value.offset) == ("cut", last)
    assert [row["source"] for row in rows] == ["a"] * 3 + ["cut"] * 249
    assert rows[-1]["object"] == '"248"'


def test_permissive_goes_on_with_the_next_stream() -> None:
    decoder = jelly.batch_decoder("patch", mode="permissive", columns=["source", "op"])
    given = batch(path=["a", "cut", "junk", "c"], content=[TWO, TWO[:-3], b"\xff" * 9, TWO])
    rows = decoded([given], decoder)
    whole = [("A", False), ("D", False), ("Z", False)]
    found = [(row["source"], row["op"], row["_corrupt_record"] is not None) for row in rows]
    assert found == [
        *(("a", *row) for row in whole),
        ("cut", "A", False),
        ("cut", None, True),
        ("junk", None, True),
        *(("c", *row) for row in whole),
    ]
    assert "frame 0, row 3" in rows[4]["_corrupt_record"]


def test_limits_hold() -> None:
    decoder = jelly.batch_decoder("patch", limits=jelly.Limits(row_bytes=200), mode="permissive")
    assert len(decoded([batch(content=[patch(["A"], "s" * 150)])], decoder)) == 2
    with pytest.raises(LimitError, match=r"limits\.row_bytes"):
        decoded([batch(content=[patch(["A"], "s" * 250)])], decoder)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"columns": ["object", "source"], "batch_rows": 3},
        {"terms": "struct", "blank_nodes": "scoped"},
        {"mode": "permissive"},
        {"mode": "permissive", "columns": ["seq"], "terms": "struct"},
        {"rows": "committed"},
        {"strict": True, "framing": "delimited"},
        {"limits": jelly.Limits(row_bytes=300, batch_rows=5)},
    ],
)
@pytest.mark.parametrize("is_passed", [False, True])
def test_values_are_read_as_readers_read_them(options: dict[str, Any], is_passed: bool) -> None:
    """Random values, good and bad, and the first error among them with all that it tells."""
    rnd = random.Random(str(options))
    passed = ["n"] if is_passed else []
    decoder = jelly.batch_decoder("patch", passthrough=passed, **options)
    errors = 0
    for _ in range(12):
        values = [value_of(rnd, len(options)) for _ in range(rnd.randrange(1, 60))]
        names = [rnd.choice([None, "é", f"n{n}"]) for n in range(len(values))]
        given = pa.record_batch(
            {
                "name": pa.array(names, pa.string()),
                "n": pa.array(range(len(values))),
                "value": pa.array(values, rnd.choice([pa.binary(), pa.large_binary()])),
            }
        ).slice(rnd.randrange(2))
        wanted, fault = [], None
        for row in given.to_pylist():
            if row["value"] is not None and fault is None:
                extra = {"n": str(row["n"])} if is_passed else {}
                rows, fault = read_alone(row["value"], row["name"], options)
                wanted += [each | extra for each in rows]
        cut = rnd.randrange(given.num_rows + 1)
        found: list[Any] = []
        raised = None
        try:
            decode = replace(decoder, source_column="name")
            for part in decode(iter([given.slice(0, cut), given.slice(cut)])):
                part.validate(full=True)
                assert part.schema.equals(pa.schema(decode.schema))
                found += part.to_pylist()
        except JellyError as error:
            raised = error
        assert found == wanted
        assert facts(raised) == facts(fault)
        errors += fault is not None
    assert (errors > 0) == ("permissive" not in options.values())


def value_of(rnd: random.Random, least: int) -> bytes | None:
    subject = rnd.choice("abc") * rnd.choice([1, 9, 90])
    whole = patch(rnd.choices(["A", "D"], k=rnd.randrange(least, 130)), subject)
    kinds: list[bytes | None] = [None, gzip.compress(whole), patch(["TX", "A", "TC"], subject)]
    kinds += [whole] * 40
    if rnd.random() < 0.03:
        kinds = [whole[: rnd.randrange(len(whole))], b"\xff" * 9, rdf(3), b"A _:a <p> _:b .\n"]
    return rnd.choice(kinds)


def read_alone(value: bytes, name: str | None, options: Any) -> tuple[list[Any], Any]:
    rows: list[Any] = []
    try:
        with jelly.read_patch(value, source_name=name, **options) as reader:
            for part in reader:
                rows += pa.record_batch(part).to_pylist()
    except JellyError as error:
        return rows, error
    return rows, None


def facts(error: Any) -> Any:
    return error and (type(error), str(error), vars(error))


def test_warnings_of_values_are_given() -> None:
    good = patch(["A"])
    index = io.BytesIO()
    with jelly.PatchWriter(index, restart_bytes=64) as writer:
        rows = {"subject": "_:s", "predicate": "<p:p>", "graph": ""}
        writer.write([{"op": "A", "object": f'"{n}"', **rows} for n in range(100)])
    marked = bytearray(index.getvalue())
    with warnings.catch_warnings(record=True) as alone:
        warnings.simplefilter("always")
        read_alone(bytes(marked[:-3]), "x", {})
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        values = batch(topic=["x"] * 3, value=[good, bytes(marked[:-3]), good])
        with contextlib.suppress(JellyError):
            decoded([values])
    assert [str(one.message) for one in given] == [str(one.message) for one in alone]


# Streaming


def test_dropped_iterator_closes_its_file(tmp_path: Path) -> None:
    file = tmp_path / "long.jellyp"
    file.write_bytes(patch(["A"] * 30_000))
    rows = jelly.decode_batches(iter([batch(path=[str(file)])]))
    assert next(rows).num_rows == 10_000
    assert is_open(file)
    rows.close()  # type: ignore[attr-defined]
    assert not is_open(file)


def is_open(file: Path) -> bool:
    fds = Path("/proc/self/fd")
    if not fds.exists():
        pytest.skip("no /proc to see open files in")
    return any(os.path.realpath(fd) == str(file.resolve()) for fd in fds.iterdir())


def test_input_is_taken_as_rows_are_asked_for() -> None:
    taken = []

    def feed() -> Any:
        for number in range(3):
            taken.append(number)
            yield batch(content=[patch(["A"] * 9_999)])

    rows = jelly.decode_batches(feed())
    assert next(rows).num_rows == 10_000
    assert taken == [0]


def test_small_streams_are_joined_in_order() -> None:
    streams = [patch(["A", "D"], f"s{number}") for number in range(3000)]
    given = [
        batch(topic=["t"] * 1000, offset=list(range(i, i + 1000)), value=streams[i : i + 1000])
        for i in range(0, 3000, 1000)
    ]
    batches = list(jelly.decode_batches(iter(given)))
    assert [part.num_rows for part in batches] == [6000, 3000]
    rows = [(row["source"], row["seq"]) for part in batches for row in part.to_pylist()]
    assert rows == [(f"t@{number}", seq) for number in range(3000) for seq in range(3)]


def test_large_streams_are_not_joined() -> None:
    small, long, wide = patch(["A"]), patch(["A"] * 5000), patch(["A"], "s" * (1 << 20))
    given = batch(path=list("abcde"), content=[small, long, small, wide, small])
    batches = list(jelly.decode_batches(iter([given])))
    assert [part.num_rows for part in batches] == [2, 5001, 2, 2, 2]
    assert [part.to_pylist()[0]["source"] for part in batches] == list("abcde")
