"""Replicas whose files were damaged."""

from collections.abc import Callable
from pathlib import Path

import pytest

from jelly.errors import ReplicaError
from jelly.replica import Replica

pytest.importorskip("pyarrow")

ROWS = 2000


def made(table: Path, format: str) -> Replica:
    rows = "".join(f'<a:{row}> <a:p> "{row}" .\n' for row in range(ROWS))
    return Replica.create(table, rows.encode(), base_format="nq", format=format, bucket_rows=500)  # type: ignore[arg-type]


def cut(file: Path, _: Path) -> None:
    file.write_bytes(b"x")


def flip(file: Path, _: Path) -> None:
    """One bit in the middle of a page."""
    data = bytearray(file.read_bytes())
    data[len(data) // 3] ^= 1
    file.write_bytes(data)


def exchange(file: Path, other: Path) -> None:
    file.write_bytes(other.read_bytes())


@pytest.mark.parametrize("format", ["parquet", "delta"])
@pytest.mark.parametrize("damage", [cut, flip, exchange])
def test_damaged_data_files_are_rejected(
    damage: Callable[[Path, Path], None], format: str, tmp_path: Path
) -> None:
    """Before, a flipped bit or another bucket gave other rows without an error."""
    if format == "delta":
        pytest.importorskip("deltalake")
    replica = made(tmp_path / "t", format)
    found = sorted((tmp_path / "t").rglob("*.parquet"))
    # the data of Parquet replicas are also linked where other programs read them
    files = {path.stat().st_ino: path for path in found}
    file, other, *_ = sorted(files.values(), key=lambda path: path.stat().st_size)
    assert replica.read().read_all().num_rows == ROWS
    damage(file, other)
    with pytest.raises(ReplicaError, match="a data file is damaged: ") as caught:
        replica.read().read_all()
    assert caught.value.kind == "replica.table"
    assert caught.value.source
    assert file.name == Path(caught.value.source).name or format == "parquet"


def test_a_damaged_manifest_has_a_name(tmp_path: Path) -> None:
    Replica.create(tmp_path / "t", b"<a:s> <a:p> <a:o> .\n", base_format="nq")
    (manifest,) = (tmp_path / "t/_replica").glob("*.json")
    manifest.write_bytes(manifest.read_bytes()[:100])
    with pytest.raises(ReplicaError, match=r"or is damaged.*\.json") as caught:
        Replica(tmp_path / "t").read()
    assert caught.value.kind == "replica.table"
