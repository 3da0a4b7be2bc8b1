"""Jena applies patches to the same datasets as we do."""

import gzip
import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import jelly
from shared_data import shared

Jvm = Callable[..., None]
LANGUAGE = re.compile(rb'(?<=")@[A-Za-z0-9-]+')


def folded(data: bytes) -> list[bytes]:
    """Sorted lines; Jena puts language tags in the case that it likes."""
    return sorted(LANGUAGE.sub(lambda tag: tag[0].lower(), line) for line in data.splitlines())


def as_of(base: Path, log: Path, version: int) -> bytes:
    out = io.BytesIO()
    jelly.as_of(base, log, version, out, to="nq", base_format="nq")
    return out.getvalue()


@pytest.mark.parametrize("name", ["brick-versions", "schemaorg-releases", "weather-cdc-2000tx"])
def test_every_version_of_the_corpus_logs(name: str, jvm: Jvm, tmp_path: Path) -> None:
    log = tmp_path / "log.rdfp"
    log.write_bytes(gzip.decompress(shared(f"corpus/{name}.rdfp.gz").read_bytes()))
    base = tmp_path / "base.nq"
    base.write_bytes(b"")
    versions = jelly.verify_log(log).patches
    assert versions >= 3
    # of many versions, some; the test below takes all
    chosen = sorted({1, (versions + 1) // 2, versions})
    commands = []
    for version in chosen:
        part = tmp_path / f"{version}.rdfp"
        rows = (row for row in jelly.read_patch(log).rows() if row.patch < version)
        with jelly.PatchWriter(part) as writer:
            writer.write(rows)
        commands.append(("apply", base, part, tmp_path / f"{version}.nq"))
    jvm(*commands)
    sizes = []
    for version in chosen:
        theirs = folded((tmp_path / f"{version}.nq").read_bytes())
        assert folded(as_of(base, log, version)) == theirs
        sizes.append(len(theirs))
    assert max(sizes) > 40
    # the patch between two versions, as Jena applies it
    first, last = chosen[0], chosen[-1]
    (tmp_path / "first.nq").write_bytes(as_of(base, log, first))
    jelly.between(log, first, last, tmp_path / "between.rdfp")
    jelly.diff(tmp_path / "first.nq", tmp_path / f"{last}.nq", tmp_path / "diff.rdfp")
    jelly.invert(tmp_path / "diff.rdfp", tmp_path / "back.rdfp")
    jvm(
        ("apply", tmp_path / "first.nq", tmp_path / "between.rdfp", tmp_path / "one.nq"),
        ("apply", tmp_path / "first.nq", tmp_path / "diff.rdfp", tmp_path / "two.nq"),
        ("apply", tmp_path / "two.nq", tmp_path / "back.rdfp", tmp_path / "three.nq"),
    )
    for made, wanted in [("one", str(last)), ("two", str(last)), ("three", "first")]:
        made_lines = folded((tmp_path / f"{made}.nq").read_bytes())
        assert made_lines == folded((tmp_path / f"{wanted}.nq").read_bytes()), made


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", ["brick-versions", "schemaorg-releases", "weather-cdc-2000tx"])
def test_every_single_version_of_the_corpus_logs(name: str, jvm: Jvm, tmp_path: Path) -> None:
    """Jena applies patch after patch to what it has; we replay the log up to each version."""
    log, base = tmp_path / "log.jellyp", tmp_path / "0.nq"
    log.write_bytes(gzip.decompress(shared(f"corpus/{name}.jellyp.gz").read_bytes()))
    base.write_bytes(b"")
    commands: list[tuple[object, ...]] = []
    for version, patch in enumerate(jelly.read_patch(log).patches(), 1):
        part = tmp_path / f"{version}.rdfp"
        with jelly.PatchWriter(part) as writer:
            writer.write(patch.rows())
        commands.append(("apply", tmp_path / f"{version - 1}.nq", part, tmp_path / f"{version}.nq"))
    jvm(*commands)
    assert len(commands) == jelly.verify_log(log).patches >= 3
    changed, before = 0, base
    for version in range(1, len(commands) + 1):
        theirs = folded((tmp_path / f"{version}.nq").read_bytes())
        ours = as_of(base, log, version)
        assert folded(ours) == theirs, version
        # what makes one version of the other, and takes it back, to the very bytes
        after, there, back = (tmp_path / name for name in ("after.nq", "there.jellyp", "back.jellyp"))  # fmt: skip
        after.write_bytes(b"".join(sorted(ours.splitlines(keepends=True))))
        changed += jelly.diff(before, after, there).added
        jelly.invert(there, back)
        undone = io.BytesIO()
        jelly.apply(after, back, undone)
        assert sorted(undone.getvalue().splitlines()) == before.read_bytes().splitlines(), version
        after.replace(before := tmp_path / "before.nq")
    assert changed > 1000
