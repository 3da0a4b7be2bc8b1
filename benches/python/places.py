"""Where things are: the shared data, and the build folder that git ignores."""

import gzip
import os
import shutil
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = REPOSITORY / "build"


class SkippedError(Exception):
    """A comparison that cannot be made here, and why."""


def shared(part: str) -> Path:
    """A part of the shared data: in $JELLY_SHARED, else beside the repository."""
    root = Path(os.environ.get("JELLY_SHARED", REPOSITORY.parent / "shared"))
    if not (root / part).exists():
        raise SkippedError(f"no {part} in the shared data (JELLY_SHARED names its folder)")
    return root / part


def need(*programs: str) -> None:
    missing = [program for program in programs if shutil.which(program) is None]
    if missing:
        raise SkippedError(f"not installed: {', '.join(missing)}")


def corpus(suffix: str) -> list[Path]:
    """Every corpus file with this suffix, unpacked."""
    packed = sorted(shared("corpus").glob(f"*{suffix}.gz"))
    if not packed:
        raise SkippedError(f"the corpus has no {suffix} file")
    return [unpacked(path) for path in packed]


def twin(path: Path, *suffixes: str) -> Path:
    """The text file with the same statements in the same order."""
    for suffix in suffixes:
        packed = shared("corpus") / f"{path.stem}{suffix}.gz"
        if packed.exists():
            return unpacked(packed)
    raise SkippedError(f"{path.name} has no text twin")


def unpacked(packed: Path) -> Path:
    plain = BUILD / "corpus" / packed.stem
    if not plain.exists():
        plain.parent.mkdir(parents=True, exist_ok=True)
        with gzip.open(packed) as source:
            write_whole(plain, source.read())
    return plain


def write_whole(path: Path, content: bytes) -> None:
    """Never leaves half a file under the name: the next run would take it for the whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}")
    part.write_bytes(content)
    part.rename(path)
