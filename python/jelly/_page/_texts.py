"""The files of RDF Patch text of a site: text has five times the bytes of Jelly, so it is compressed where it is long."""

from __future__ import annotations

from pathlib import Path

# bytes of Jelly up to which the text stands as it is, for whoever opens it in a browser
_PLAIN = 16 << 10


def text_beside(jelly: Path, more: str = "") -> Path:
    """The file of the text of a patch, beside its file of Jelly; ``more`` stands behind the name."""
    return _both(jelly, more)[jelly.stat().st_size > _PLAIN]


def new_text_beside(jelly: Path, more: str = "") -> Path:
    """As :func:`text_beside`, of a file that is to be written; an older one under the other name goes."""
    for path in {*_both(jelly, more)} - {found := text_beside(jelly, more)}:
        path.unlink(missing_ok=True)
    return found


def _both(jelly: Path, more: str) -> tuple[Path, Path]:
    plain = jelly.with_name(f"{jelly.stem}{more}.rdfp")
    return plain, plain.with_name(plain.name + ".gz")
