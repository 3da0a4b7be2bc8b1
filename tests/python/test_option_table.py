"""One table of options: what is made from it is fresh, and every door takes what it says."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

import jelly
from jelly import _internal
from jelly._option_table import TABLE, options_of
from jelly.cli.options import table_options
from jelly.spark._options import DECODE, ENCODE, LIMITS, camel

SCRIPT = Path(__file__).parents[2] / "scripts/options_table.py"


@pytest.mark.parametrize(("file", "text"), [("TYPES", "types"), ("PAGE", "page")])
def test_types_and_docs_are_those_of_the_table(file: str, text: str) -> None:
    if not SCRIPT.exists():
        pytest.skip("the scripts are not here")
    made = runpy.run_path(str(SCRIPT))
    assert made[file].read_text() == made[text](), "run scripts/options_table.py"


def test_every_option_says_what_it_does() -> None:
    assert len(TABLE) >= 60
    for row in TABLE:
        assert row.doors, row.name
        assert row.doc.endswith("."), row.name
        assert row.default is None or not row.words or row.default in row.words, row.name
    for door in {door for row in TABLE for door in row.doors}:
        names = [row.name for row in TABLE if door in row.doors]
        assert len(set(names)) == len(names), door


@pytest.mark.parametrize("kind", ["rdf", "patch"])
def test_defaults_are_as_good_as_nothing(kind: Any) -> None:
    given = {name: row.default for name, row in options_of(f"decode_{kind}", "read").items()}
    assert len(given) >= 15
    data = b""
    read = jelly.read_rdf if kind == "rdf" else jelly.read_patch
    assert read(data, **given).schema == read(data).schema
    assert jelly.Limits() == jelly.Limits(
        **{name: row.default for name, row in options_of("limits").items()}
    )


@pytest.mark.parametrize("kind", ["rdf", "patch"])
def test_spark_has_the_options_of_readers_and_writers(kind: str) -> None:
    for known, door in ((DECODE, "decode"), (ENCODE, "write")):
        names = {option.name for option in known[kind]}
        assert names == {
            camel(name)
            for name in options_of(f"{door}_{kind}")
            if name not in ("limits", "options")
        }
    assert len(LIMITS) == len(options_of("limits")) - 2


def test_commands_take_words_from_the_table() -> None:
    from click.testing import CliRunner

    from jelly.cli.group import jelly as group

    done = CliRunner().invoke(group, ["cat", "-", "--framing", "none"])
    assert done.exit_code == 2
    for word in options_of("convert")["framing"].words:
        assert word in done.output
    with pytest.raises(KeyError):
        table_options("stats", "no_such_option")


def test_a_wrong_option_is_refused_by_name() -> None:
    wrong: dict[str, Any] = {"frameing": "single"}
    with pytest.raises(TypeError, match=r"read_rdf\(\) got .* 'frameing'; did you mean 'framing'"):
        jelly.read_rdf(b"", **wrong)
    types: list[tuple[dict[str, Any], str]] = [
        ({"strict": 1}, "strict must be a bool, not int"),
        ({"framing": 1}, "framing must be a str, not int"),
        ({"batch_rows": "1"}, "batch_rows must be an int, not str"),
        ({"columns": "op"}, "columns must be a sequence of names"),
        ({"limits": 1}, "limits must be a jelly.Limits, not int"),
        ({"resume": "x"}, "resume must be bytes, not str"),
    ]
    for options, message in types:
        with pytest.raises(TypeError, match=message):
            jelly.read_rdf(b"", **options)


def test_options_open_no_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sources and decoders know their schema without reading an empty source."""
    pytest.importorskip("pyspark")
    from jelly.spark._options import ReadOptions

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a reader was opened")

    for name in ("read", "read_any"):
        monkeypatch.setattr(_internal, name, refuse)
    options = ReadOptions.of("patch", {"path": "x", "terms": "struct"}, "jelly-patch", stream=False)
    assert options.schema == jelly.Schema("patch", terms="struct")
    assert "`subject` struct" in options.ddl or "subject struct" in options.ddl
    assert jelly.batch_decoder("rdf", columns=["subject"]).ddl
    with pytest.raises(ValueError, match="committed"):
        jelly.batch_decoder("patch", rows="committed", mode="permissive")
