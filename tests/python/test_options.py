"""Options of readers and of streams."""

import dataclasses
import pickle
import re
from typing import Literal

import pytest

import jelly
import jellybytes as jb


def test_options_of_a_stream_are_known_at_once() -> None:
    data = jb.small_rdf(5)
    reader = jelly.read_rdf(data)
    assert reader.options == jelly.RdfOptions(
        stream_name="",
        physical_type="TRIPLES",
        logical_type="UNSPECIFIED",
        generalized_statements=False,
        rdf_star=False,
        max_name_table_size=16,
        max_prefix_table_size=8,
        max_datatype_table_size=8,
        version=2,
    )
    assert reader.position.seq == 0
    assert [row.seq for row in reader.rows()] == [0, 1, 2, 3, 4]
    assert reader.options == jelly.read_rdf(data).options


def test_options_do_not_wait_for_rows() -> None:
    """The source has no more than the options, and would fail the test if it were asked for it."""

    def pieces() -> object:
        yield jb.small_rdf(2)[:24]
        pytest.fail("the source was read on")

    options = jelly.read_rdf(pieces(), format="jelly", framing="delimited").options  # type: ignore[call-overload]
    assert options is not None
    assert options.physical_type == "TRIPLES"


def test_options_of_patches() -> None:
    data = jb.small_patch(stream=jb.FRAME)
    ways: tuple[Literal["all", "committed"], ...] = ("all", "committed")
    for rows in ways:
        reader = jelly.read_patch(data, rows=rows)
        options = reader.options
        assert options is not None
        assert (options.stream_type, options.statement_type) == ("FRAME", "QUADS")
        assert options.version == 1
        count = sum(batch.num_rows for batch in reader)
        assert count == (4 if rows == "committed" else 13)
        with pytest.raises(dataclasses.FrozenInstanceError):
            options.version = 2  # type: ignore[misc]


@pytest.mark.parametrize(
    ("number", "name"),
    [(0, "UNSPECIFIED"), (1, "FLAT_TRIPLES"), (114, "TIMESTAMPED_NAMED_GRAPHS"), (15, "15")],
)
def test_logical_types_have_names(number: int, name: str) -> None:
    data = jb.delimited(jb.frame(jb.rdf_options(logical=number, stream_name="s")))
    options = jelly.read_rdf(data).options
    assert options is not None
    assert (options.logical_type, options.stream_name) == (name, "s")


def test_options_of_a_broken_stream_are_none_and_the_error_stays() -> None:
    reader = jelly.read_rdf(jb.delimited(jb.frame(jb.rdf_entry("name", "urn:a"))))
    assert reader.options is None
    with pytest.raises(jelly.errors.OptionsError, match=r"options\.missing"):
        list(reader)


def test_concatenated_streams_have_the_options_of_the_last() -> None:
    data = jb.small_rdf(2) + jb.small_rdf(3, physical=jb.QUADS)
    reader = jelly.read_rdf(data, framing="concatenated")
    assert reader.options is not None
    assert reader.options.physical_type == "TRIPLES"
    assert len(list(reader.rows())) == 5
    assert reader.options.physical_type == "QUADS"
    with pytest.raises(jelly.errors.OptionsError, match=r"options\.changed"):
        list(jelly.read_rdf(data).rows())


FORMATS = '"auto", "jelly", "nt", "nq", "ttl", "trig", "rdfxml", "jsonld"'


@pytest.mark.parametrize(
    ("keyword", "value", "message"),
    [
        ("format", "turtle", f'format is "turtle"; it can be {FORMATS}'),
        ("format", "jelly-patch", f'format is "jelly-patch"; it can be {FORMATS}'),
        ("framing", "both", 'framing is "both"; it can be "auto", "delimited", "single", "conc'),
        (
            "compression",
            "lz4",
            'compression is "lz4"; it can be "auto", "none", "gzip", "zstd", "b',
        ),
        ("terms", "Text", 'terms is "Text"; it can be "text", "struct"'),
        ("blank_nodes", "", 'blank_nodes is ""; it can be "auto", "keep", "scoped", "named"'),
        ("mode", "dropmalformed", 'mode is "dropmalformed"; it can be "failfast", "permissive"'),
        ("columns", ["subject", "x"], 'there is no column "x"; the columns are source, frame, seq'),
        ("columns", ["subject", "subject"], 'column "subject" is given twice'),
        ("batch_rows", 0, "batch_rows is 0; it must be at least 1"),
        ("batch_rows", -1, "batch_rows is -1; it must be at least 1"),
        ("batch_bytes", 0, "batch_bytes is 0; it must be at least 1"),
        (
            "batch_bytes",
            (1 << 30) + 1,
            "batch_bytes is 1073741825; it must be from 1 to 1073741824",
        ),
    ],
)
def test_wrong_values_are_value_errors(keyword: str, value: object, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        jelly.read_rdf(b"", **{keyword: value})  # type: ignore[call-overload]
    assert type(caught.value) is ValueError


@pytest.mark.parametrize(
    ("keyword", "value"),
    [
        ("format", 1),
        ("columns", "subject"),
        ("columns", [1]),
        ("columns", 7),
        ("batch_rows", "8"),
        ("limits", {"row_bytes": 1000}),
        ("resume", "text"),
        ("strict", 1),
        ("source_name", b"x"),
        ("rows", "all"),
        ("unknown", 1),
    ],
)
def test_wrong_types_are_type_errors(keyword: str, value: object) -> None:
    with pytest.raises(TypeError):
        jelly.read_rdf(b"", **{keyword: value})  # type: ignore[call-overload]


def test_options_are_checked_before_the_source_is_read() -> None:
    class Source:
        def read(self, _: int) -> bytes:
            raise AssertionError

    with pytest.raises(ValueError, match="framing"):
        jelly.read_rdf(Source(), framing="x")  # type: ignore[call-overload]


def test_framing_can_be_told() -> None:
    single = jb.frame(jb.rdf_options())
    assert jelly.read_rdf(single, framing="single").options is not None
    assert jelly.inspect(single).framing == "single"
    with pytest.raises(jelly.errors.DecodeError):
        list(jelly.read_rdf(single, framing="delimited"))


def test_undeclared_features() -> None:
    rows = [jb.rdf_options(), jb.rdf_entry("name", "urn:a")]
    rows.append(jb.triple(s_literal=jb.literal("x"), p_iri=jb.iri(1), o_iri=jb.iri(1)))
    data = jb.delimited(jb.frame(*rows))
    with pytest.raises(jelly.errors.OptionsError, match=r"options\.undeclared"):
        list(jelly.read_rdf(data))
    assert len(list(jelly.read_rdf(data, lenient_flags=True).rows())) == 1


def test_graph_in_a_graph() -> None:
    start = {4: {1: jb.iri(1)}}
    rows = [jb.rdf_options(jb.GRAPHS), jb.rdf_entry("name", "urn:a"), start, start]
    rows.append(jb.triple(s_iri=jb.iri(1), p_iri=jb.iri(1), o_iri=jb.iri(1)))
    data = jb.delimited(jb.frame(*rows))
    with pytest.raises(jelly.errors.WireError, match=r"wire\.graph"):
        list(jelly.read_rdf(data))
    assert len(list(jelly.read_rdf(data, strict_graphs=False).rows())) == 1


def test_limits() -> None:
    limits = jelly.Limits(row_bytes=1 << 20, expansion=0)
    assert limits.replace(nesting=10) == jelly.Limits(row_bytes=1 << 20, expansion=0, nesting=10)
    assert pickle.loads(pickle.dumps(limits)) == limits
    assert hash(limits) == hash(limits.replace())
    assert "row_bytes=1048576" in repr(limits)
    with pytest.raises(dataclasses.FrozenInstanceError):
        limits.nesting = 1  # type: ignore[misc]
    with pytest.raises(TypeError, match="takes 1 positional"):
        jelly.Limits(1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"limits\.nesting must be an int, not str"):
        jelly.Limits(nesting="1")  # type: ignore[arg-type]
    for values in ({"row_bytes": 0}, {"nesting": -1}, {"name_table": 1 << 32}, {"batch_rows": 0}):
        with pytest.raises(ValueError, match="it must be from"):
            jelly.Limits(**values)


def test_every_limit_reaches_the_core() -> None:
    fields = jelly.Limits.__dataclass_fields__
    most = jelly.Limits(**dict.fromkeys(fields, 1024) | {"nesting": 256})
    with pytest.raises(ValueError, match=r"limits\.nesting is 257"):
        most.replace(nesting=257)
    assert jelly.read_rdf(jb.small_rdf(), limits=most).options is not None
    assert len(fields) == 16


def test_batch_limits_can_be_told_apart_from_the_rest() -> None:
    limits = jelly.Limits(batch_rows=2)
    assert [len(batch) for batch in jelly.read_rdf(jb.small_rdf(5), limits=limits)] == [2, 2, 1]
    assert [
        len(batch) for batch in jelly.read_rdf(jb.small_rdf(5), limits=limits, batch_rows=4)
    ] == [4, 1]
