"""A patch before it is published: read once, checked, given the headers that a log gives."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from jelly import _internal
from jelly._log_files import ENDING
from jelly._readers import read_patch
from jelly._times import as_term, of_term, shown
from jelly._writers import PatchWriter
from jelly.errors import PatchError
from jelly.types import PatchFormat, Source

OF_THE_CHAIN = ("id", "prev", "previous")
_AHEAD = timedelta(minutes=5)
# what a row of a patch is, without the place that it had
ROW = ("op", "subject", "predicate", "object", "graph", "name", "value")


class Summary(NamedTuple):
    """What one patch says and does.

    Attributes:
        patches: Patches in the source.
        headers: Those of the first patch, in order.
        id: Its id.
        prev: The id of the patch before.
        identity: By what the id is compared.
        added: ``A`` rows that count.
        deleted: ``D`` rows that count.
        prefixes: ``PA`` and ``PD`` rows that count.
        digest: SHA-256 of its rows.
    """

    patches: int
    headers: list[tuple[str, str]]
    id: str | None
    prev: str | None
    identity: str | None
    added: int
    deleted: int
    prefixes: int
    digest: str

    @property
    def said(self) -> dict[str, str]:
        """The headers under names in lower case."""
        return {key.lower(): value for key, value in self.headers}


def summary_of(source: Source, **options: object) -> Summary:
    """Reads patches to their end.

    Raises:
        PatchError: They have no meaning.
        JellyError: The source is bad.
    """
    return Summary._make(_internal.summarize(source, options))


class Prepared(NamedTuple):
    """A patch that has a meaning, in a file of its own.

    Attributes:
        copy: Its rows, as Jelly-Patch.
        summary: What it says.
        more: Headers that the publisher adds.
    """

    copy: Path
    summary: Summary
    more: dict[str, str]

    @property
    def said(self) -> dict[str, str]:
        """Its headers, under names in lower case."""
        return {key.lower(): value for key, value in self.more.items()} | self.summary.said

    def write(self, path: Path, ending: str, prev: str | None) -> Summary:
        """Writes the patch as the next one after ``prev``, flushed to the disk; returns what it says then.

        It gets an id, the time and the ``prev``, where it has none.
        """
        format: Any = "auto" if ENDING.fullmatch(ending) else "rdfp"
        with PatchWriter(path, format=format) as writer:
            return self._write(writer, prev, stamp=True)

    def write_to_send(self, path: Path) -> None:
        """Writes the patch as Jelly-Patch, with an id, for a server that makes it the next one; not flushed."""
        with path.open("wb") as file, PatchWriter(file) as writer:
            self._write(writer, None, stamp=False)

    def _write(self, writer: PatchWriter, prev: str | None, *, stamp: bool) -> Summary:
        made = self.summary.id or f"<urn:uuid:{uuid.uuid4()}>"
        more = {"id": made} | ({} if prev is None else {"prev": prev}) | self.more
        has = set(self.summary.said)
        if "previous" in has:
            has.add("prev")
        if stamp and "timestamp" not in self.said:
            more["timestamp"] = as_term(datetime.now(UTC))
        added = [(key, value) for key, value in more.items() if key.lower() not in has]
        with closing(read_patch(self.copy, columns=ROW)) as reader:
            writer.write({"op": "H", "name": key, "value": value} for key, value in added)
            writer.write(reader)
        headers = added + self.summary.headers
        return self.summary._replace(id=made, prev=self.summary.prev or prev, headers=headers)


def prepared(
    patch: Source,
    work: Path,
    headers: Mapping[str, str],
    format: PatchFormat,
    **options: Any,
) -> Prepared:
    """Reads a patch that is to be published, and checks what it means.

    Raises:
        PatchError: It has no meaning, or is not one patch.
        JellyError: The source is bad.
        ValueError: A header is one that the log gives.
    """
    if taken := [key for key in headers if key.lower() in OF_THE_CHAIN]:
        raise ValueError(f"headers cannot have {taken[0]!r}: the log gives it, or the patch has it")
    copy = work / "copy.jellyp"
    with (
        closing(read_patch(patch, format=format, **options)) as reader,
        copy.open("wb") as file,  # nobody needs it after a crash, so it is not flushed
        PatchWriter(file) as writer,
    ):
        writer.write(reader)
    found = Prepared(copy, summary_of(copy), dict(headers))
    if (count := found.summary.patches) != 1:
        raise refused("patch.several", several(count))
    if "blank-nodes" in found.said:
        message = (
            "the header 'blank-nodes' says that rows name blank nodes by the content of a dump; a published log has labels "
            "that last: make the patch from the dataset of the log (`jelly log dataset`, then `jelly diff`), or canonicalize it"
        )
        raise refused("patch.base", message)
    return found


def refuse_time(found: Prepared, last: datetime | None) -> None:
    """Refuses a time that is ahead of the clock, since all later times of the log would be wrong.

    In a backup, each version has a time: ``last`` is that of its last version.

    Raises:
        PatchError: The time is ahead (``patch.time``). In a backup, it is older than the last
            version, or the header has no time (``patch.header``).
    """
    said = found.said.get("timestamp")
    if said is None:
        return
    time, now = of_term(said), datetime.now(UTC)
    if time is None:
        if last is None:
            return
        message = (
            f"the header 'timestamp' is {said}; expected an xsd:dateTime, such as {as_term(now)}"
        )
        raise refused("patch.header", message)
    if time > now + _AHEAD:
        message = f"the header 'timestamp' says {shown(time)}, which is ahead of the clock: it is {shown(now)}"
        raise refused("patch.time", message)
    if last is not None and time < last:
        message = (
            f"the header 'timestamp' says {shown(time)}, but the last version is of {shown(last)}"
        )
        raise refused("patch.time", message)


def refuse_miscounted(found: Prepared, before: int | None) -> None:
    """Refuses a number of statements that does not fit the one before and the changes.

    Raises:
        PatchError: It does not (``patch.header``).
    """
    after = count_of(found.said.get("statements", ""))
    if before is None or after is None:
        return
    made = before + found.summary.added - found.summary.deleted
    if after == made:
        return
    message = f"the header 'statements' says {after}, but the {before} before the patch and its changes make {made}"
    raise refused("patch.header", message)


def refuse_range(after: int, upto: int, first: int, last: int, place: object) -> None:
    """Refuses versions after one, up to another, that a log with the versions ``first`` to ``last`` does not have.

    Raises:
        PatchError: They are gone (``patch.gap``), not there yet, or end before they begin
            (``patch.version``).
    """
    if after < 0 or upto < 0:
        kind, message = "patch.version", f"there is no version {min(after, upto)}: versions count from 0"  # fmt: skip
    elif upto > last or after > last:
        kind, message = "patch.version", f"there is no version {max(after, upto)}: the head is {last}"  # fmt: skip
    elif upto < after:
        kind, message = "patch.version", f"versions after {after} cannot end with version {upto}"
    elif after < first - 1:
        kind, message = "patch.gap", f"the log begins with version {first}: what is after version {after} is gone"  # fmt: skip
    else:
        return
    raise refused(kind, f"{message} ({place})", str(place))


def several(count: int) -> str:
    """Why so many patches are not one."""
    if not count:
        return "no patch is here"
    return f"{count} patches are here; publish one at a time, or squash them"


def joined(files: Iterable[Path], out: Any, format: Any) -> None:
    """Writes the patches of files one after the other, as one stream."""
    with PatchWriter(out, format=format) as writer:
        for path in files:
            with closing(read_patch(path, columns=ROW)) as reader:
                writer.write(reader)


def lexical(term: str) -> str:
    """The text of a literal; empty: the term is none."""
    return term.split('"')[1] if term.startswith('"') else ""


def count_of(term: str) -> int | None:
    """The number that a literal says."""
    text = lexical(term)
    return int(text) if text.isascii() and text.isdecimal() else None


def refused(kind: str, message: str, source: str | None = None) -> PatchError:
    """The error of a patch that a log does not take."""
    return PatchError(f"{kind}: {message}", kind=kind, source=source)
