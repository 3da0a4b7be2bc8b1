"""Where results cannot go: URLs, and names whose extension is that of no format, at every door."""

import io
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import jelly
from test_patching_cli import run

BASE = b'<a:s> <a:p> "x" .\n'
PATCH = b'TX .\nA <a:s> <a:p> "y" .\nTC .\n'
ROW = {"subject": "<a:s>", "predicate": "<a:p>", "object": "<a:o>", "graph": ""}

Door = Callable[[str], object]

# doors that write a file of statements, of patches, or a folder
STATEMENTS: dict[str, Door] = {
    "convert": lambda to: jelly.convert(BASE, to, format="nt"),
    "apply": lambda to: jelly.apply(BASE, PATCH, to),
    "as_of": lambda to: jelly.as_of(BASE, PATCH, 1, to),
    "restore": lambda to: jelly.restore("kept", to),
    "writer": lambda to: jelly.RdfWriter(to).close(),
}
PATCHES: dict[str, Door] = {
    "convert": lambda to: jelly.convert(PATCH, to),
    "diff": lambda to: jelly.diff(BASE, b"", to),
    "invert": lambda to: jelly.invert(PATCH, to),
    "squash": lambda to: jelly.squash(PATCH, to),
    "net": lambda to: jelly.net(PATCH, to),
    "between": lambda to: jelly.between(PATCH, 0, 1, to),
    "canonicalize": lambda to: jelly.canonicalize(PATCH, BASE, to),
    "writer": lambda to: jelly.PatchWriter(to).close(),
}
FOLDERS: dict[str, Door] = {
    "backup": lambda to: jelly.backup(BASE, to),
    "restore from": lambda to: jelly.restore(to, io.BytesIO()),
    "publish": lambda to: jelly.Log(to).publish(PATCH),
    "stage": lambda to: jelly.stage(BASE, PATCH, to),
    "parquet": lambda to: jelly.convert(BASE, to, format="nt", to="parquet"),
    "replica": lambda to: jelly.Replica.create(to),
    "index": jelly.index,
}
COMMANDS = [
    "convert base.nq {}",
    "apply base.nq log.rdfp -o {}",
    "as-of base.nq log.rdfp --version 1 -o {}",
    "restore kept -o {}",
    "diff base.nq kept/base.jelly.zst -o {}",
    "invert log.rdfp -o {}",
    "squash log.rdfp -o {}",
    "net log.rdfp -o {}",
    "between log.rdfp --from-version 0 --to-version 1 -o {}",
    "canonicalize base.nq log.rdfp -o {}",
]
OF_FOLDERS = ["backup base.nq {}", "replica create {}", "index {}"]
OF_LOGS = ["publish {} log.rdfp", "stage base.nq log.rdfp --log {}"]
SOURCES = ["cat {}", "stats {}", "apply {} log.rdfp", "stage base.nq {}", "inspect {}"]
READ_LOGS = ["apply base.nq {}", "log verify {}", "replica follow table {}"]
URLS = ["s3://bucket/x", "https://h/x", "gs://b/x", "abfss://c@a.net/x", "s3:/bucket/x"]
EXTENSIONS = [
    "json",
    "jsonl",
    "csv",
    "txt",
    "xml",
    "n3",
    "hdt",
    "ru",
    "md",
    "docx",
    "tmp",
    "json.gz",
    "nt.csv.zst",
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "base.nq").write_bytes(BASE)
    (tmp_path / "log.rdfp").write_bytes(PATCH)
    jelly.backup(BASE, "kept", dump_format="nt")
    return tmp_path


def names(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.mark.parametrize("url", URLS)
def test_urls_are_refused_at_every_door(folder: Path, url: str) -> None:
    before = names(folder)
    doors = [*STATEMENTS.items(), *PATCHES.items(), *FOLDERS.items()]
    for name, door in doors:
        if "://" in url and name in ("publish", "stage"):
            continue  # the address of a log on a server or in an object store
        with pytest.raises(jelly.errors.ArgumentError) as caught:
            door(url)
        assert caught.value.kind == "argument.remote", name
        assert f"{url}: only local paths can be read and written" in str(caught.value), name
        with pytest.raises(jelly.errors.ArgumentError, match=r"^argument\.remote: s3:/b/x: "):
            door(Path("s3://b/x"))  # type: ignore[arg-type]
    assert names(folder) == before
    assert len(doors) == 20


def test_commands_refuse_urls_and_make_nothing(folder: Path) -> None:
    jelly.Replica.create("table")
    before = names(folder)
    files = dict.fromkeys([*COMMANDS, *OF_FOLDERS, *SOURCES], ("s3://bucket/x", "only local paths"))
    # s3:// is a place of logs
    logs = dict.fromkeys(
        OF_LOGS, ("hdfs://host/x", "a log cannot be at this place: expected a folder")
    )
    read = dict.fromkeys(READ_LOGS, ("hdfs://host/x", "only local paths"))
    for command, (url, why) in (files | logs | read).items():
        out, said = run(folder, *command.format(url).split(), code=2)
        assert out == "", command
        assert said.startswith(f"jelly: argument.remote: {url}: {why}"), command
    assert names(folder) == before


@pytest.mark.parametrize("name", [".", "some", "kept", "some.parquet"])
def test_a_folder_is_no_file(folder: Path, name: str) -> None:
    """The error names what was given, at every door that writes a file, and says what to give."""
    (folder / name).mkdir(exist_ok=True)
    before = names(folder)
    tables: dict[str, Door] = {
        "to a table": lambda to: jelly.convert(BASE, to, format="nt", to="parquet"),
        "to Arrow": lambda to: jelly.convert(BASE, to, format="nt", to="arrow"),
    }
    said = f"{name}: found a folder; expected the name of a file, or - for standard output"
    for door_name, door in [*STATEMENTS.items(), *PATCHES.items(), *tables.items()]:
        with pytest.raises(IsADirectoryError) as caught:
            door(name)
        assert str(caught.value) == said, door_name
    for command in COMMANDS:
        out, err = run(folder, *command.format(name).split(), code=1)
        assert (out, err) == ("", f"jelly: {said}\n"), command
    assert names(folder) == before


def test_file_uris_are_paths(folder: Path) -> None:
    uri = folder.as_uri()
    for door in STATEMENTS.values():
        door(f"{uri}/some%20file.nt")
        (folder / "some file.nt").unlink()
    jelly.backup(BASE, f"{uri}/again", dump_format="nt")
    assert (folder / "again/base.json").is_file()
    assert jelly.Log(f"{uri}/log").publish(PATCH).path == folder / "log/patch-0001.jellyp"
    assert jelly.apply(BASE, f"{uri}/log", io.BytesIO()).statements == 2
    assert len(jelly.Replica.create(f"{uri}/table", BASE)) == 1
    assert (folder / "table/_replica").is_dir()
    with pytest.raises(ValueError, match="another host"):
        jelly.convert(BASE, "file://other/x.nt")


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_names_of_other_formats_are_refused(folder: Path, extension: str) -> None:
    before = names(folder)
    for doors, known in (STATEMENTS, ".jelly, .nt, .nq, .ttl or .trig"), (PATCHES, ".jellyp, .rdfp or .trp"):  # fmt: skip
        for name, door in doors.items():
            with pytest.raises(jelly.errors.ArgumentError) as caught:
                door(f"o.{extension}")
            assert caught.value.kind == "argument.extension", name
            assert known in str(caught.value), name
    assert names(folder) == before
    jelly.convert(BASE, f"o.{extension}", format="nt", to="nt", to_compression="none")
    assert (folder / f"o.{extension}").read_bytes() == BASE
    jelly.RdfWriter(f"o.{extension}", format="ttl").close()


def test_commands_refuse_names_of_other_formats(folder: Path) -> None:
    before = names(folder)
    for command in COMMANDS:
        out, said = run(folder, *command.format("o.json").split(), code=2)
        assert out == "", command
        assert said.startswith(
            "jelly: argument.extension: o.json: .json is not the extension of a format"
        ), command
    assert names(folder) == before
    run(folder, "convert", "base.nq", "o.json", "--to", "nt")
    assert (folder / "o.json").read_bytes() == BASE


def test_names_without_an_extension_keep_their_defaults() -> None:
    for name in ("out", "log.0001", "dump-2026.01.02", ".hidden"):
        jelly.convert(BASE, name, format="nt")
        assert next(iter(jelly.read_rdf(name).rows())).object == '"x"'
        assert jelly.inspect(name).format == "jelly"


def test_formats_have_the_names_that_others_give_them(folder: Path) -> None:
    for name in ("n-triples", "N-Triples", "application/n-triples", "nt"):
        out = io.BytesIO()
        jelly.convert(BASE, out, format=name, to=name)  # type: ignore[arg-type]
        assert out.getvalue() == BASE
    for name in ("turtle", "text/turtle"):
        assert run(folder, "convert", "base.nq", "-", "--from", name, "--to", name)[0]
    out = io.BytesIO()
    jelly.convert(PATCH, out, format="application/rdf-patch", to="rdf-patch")  # type: ignore[arg-type]
    assert out.getvalue() == PATCH


def test_text_of_no_format_says_so(folder: Path) -> None:
    (folder / "letter.docx").write_text("Dear all,\nthis is a letter.\n")
    for read in (jelly.read_rdf, jelly.read_patch):
        with pytest.raises(jelly.errors.WireError) as caught:
            read("letter.docx")
        assert caught.value.kind == "wire.format"
        assert "its format cannot be detected; set it with format=" in str(caught.value)


def test_places_that_cannot_be_written_are_named_as_typed(folder: Path) -> None:
    _, said = run(folder, "restore", "kept", "-o", "no/such/x.nt", code=1)
    assert said == "jelly: no/such/x.nt: the folder no/such does not exist\n"
    (folder / "read-only").mkdir()
    (folder / "read-only").chmod(0o500)
    try:
        (folder / "read-only/probe").touch()
    except PermissionError:
        _, said = run(folder, "convert", "base.nq", "read-only/x.nt", code=1)
        assert "read-only/x.nt" in said
        assert ".jelly-" not in said
    finally:
        (folder / "read-only").chmod(0o700)
        shutil.rmtree(folder / "read-only")
