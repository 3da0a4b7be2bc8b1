"""A patch before it is published: read once, checked, and written with the headers that a log sets."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from jelly import _internal
from jelly._inputs import refuse_bool, whole_number
from jelly._log_files import ENDING, stored_format
from jelly._times import as_term, of_term, shown
from jelly.errors import PatchError
from jelly.types import PatchFormat, Source

if TYPE_CHECKING:
    from jelly._apply import Applied
    from jelly.log._index import Line
    from jelly.log._types import LogInfo

OF_THE_LOG = ("id", "prev", "previous", "compacted")
_AHEAD = timedelta(minutes=5)
# columns of a row of a patch, without its position
ROW = ("op", "subject", "predicate", "object", "graph", "name", "value")


class Summary(NamedTuple):
    """A summary of one patch.

    Attributes:
        patches: Patches in the source.
        headers: Headers of the first patch, in order.
        id: The id of the patch.
        prev: The id of the patch before.
        identity: The form of the id that is used for comparison.
        added: Committed ``A`` rows.
        deleted: Committed ``D`` rows.
        prefixes: Committed ``PA`` and ``PD`` rows.
        digest: SHA-256 of the rows.
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
        """The headers, with keys in lower case."""
        return {key.lower(): value for key, value in self.headers}


def summary_of(source: Source, **options: object) -> Summary:
    """Reads patches to their end.

    Raises:
        PatchError: The patches are not valid.
        JellyError: The source has an error.
    """
    return Summary._make(_internal.summarize(source, options))


class Prepared(NamedTuple):
    """A valid patch, written so that it follows a head; not flushed to disk.

    Attributes:
        path: Its file.
        ending: The ending of the file, which determines the format.
        summary: Summary of the patch; its id is generated here if the patch had none.
        added: Headers that were added to the patch. The file begins with them.
        prev: The id of the head.
        more: Headers that the publisher adds.
        stamps: Whether the patch gets a time if it has none.
    """

    path: Path
    ending: str
    summary: Summary
    added: list[tuple[str, str]]
    prev: str | None
    more: dict[str, str]
    stamps: bool

    @property
    def said(self) -> dict[str, str]:
        """The headers of the patch, with keys in lower case."""
        return {key.lower(): value for key, value in self.more.items()} | self.summary.said

    @property
    def written(self) -> Summary:
        """Summary of the patch as written to the file."""
        prev = self.summary.prev or self.prev
        return self.summary._replace(prev=prev, headers=self.added + self.summary.headers)

    def after(self, prev: str | None, ending: str) -> Prepared:
        """Returns the patch so that it follows a head; writes it again if another head was expected."""
        has_prev = self.summary.prev is not None or prev == self.prev
        if has_prev and ending == self.ending:
            return self
        name = "again" if self.path.name.startswith("patch") else "patch"
        path, read = self.path.with_name(name + ending), {"format": stored_format(self.ending)}
        headers = _headers(self.summary.id or "", prev, self.more, stamps=self.stamps)
        _, added = _stamped(self.path, path, ending, headers, len(self.added), read)
        return self._replace(path=path, ending=ending, added=added, prev=prev)


def prepared(
    patch: Source,
    work: Path,
    headers: Mapping[str, str],
    format: PatchFormat,
    *,
    ending: str = ".jellyp",
    prev: str | None = None,
    stamps: bool = False,
    **options: Any,
) -> Prepared:
    """Reads a patch to be published once: checks it, and writes it with the headers that it lacks.

    Args:
        patch: The patch.
        work: A folder for its file.
        headers: More headers.
        format: Format of the patch.
        ending: The ending of the file.
        prev: The id of the expected head.
        stamps: Add a time if the patch has none.
        **options: Options for reading.

    Raises:
        PatchError: The patch is not valid, or the source does not have exactly one patch.
        JellyError: The source has an error.
        ValueError: A header is one that the log sets.
    """
    if taken := [key for key in headers if key.lower() in OF_THE_LOG]:
        raise ValueError(
            f"headers cannot have {taken[0]!r}: the log sets it, or the patch already has it"
        )
    path, more = work / f"patch{ending}", dict(headers)
    made = f"<urn:uuid:{uuid.uuid4()}>"
    given = _headers(made, prev, more, stamps=stamps)
    found, added = _stamped(patch, path, ending, given, 0, options | {"format": format})
    if found.id is None:  # each attempt uses the same id
        found = found._replace(id=made, identity=_internal.identify(made)[1])
    if found.patches != 1:
        raise refused("patch.several", several(found.patches))
    done = Prepared(path, ending, found, added, prev, more, stamps)
    if "blank-nodes" in done.said:
        message = (
            "the header 'blank-nodes' declares that rows name blank nodes by the content of a "
            "dump, but a published log needs stable labels: make the patch from the dataset of "
            "the log, as Jelly, which keeps labels (`jelly log dataset LOG -o now.jelly`, then "
            "`jelly diff now.jelly NEW`)"
        )
        raise refused("patch.base", message)
    return done


def _headers(
    id: str, prev: str | None, more: Mapping[str, str], *, stamps: bool
) -> list[tuple[str, str]]:
    """Returns the headers that a patch gets if it lacks them."""
    headers = [("id", id)] + ([] if prev is None else [("prev", prev)]) + list(more.items())
    if stamps and "timestamp" not in map(str.lower, more):
        headers.append(("timestamp", as_term(datetime.now(UTC))))
    return headers


def _stamped(
    patch: Source, path: Path, ending: str, headers: list[tuple[str, str]], skip: int, options: dict[str, Any]
) -> tuple[Summary, list[tuple[str, str]]]:  # fmt: skip
    """Writes a patch with the headers that it lacks; returns its summary without these headers, and the headers."""
    to: Any = {} if ENDING.fullmatch(ending) else {"format": "rdfp"}
    found, added = _internal.stamp_patch(patch, path, headers, skip, options, to)
    return Summary._make(found), added


def refuse_time(found: Prepared, last: datetime | None) -> None:
    """Rejects a time in the future, because all later times of the log would be wrong.

    In a backup, each version has a time: ``last`` is the time of the last version.

    Raises:
        PatchError: The time is in the future (``patch.time``). In a backup: the time is older than the last version,
            or the header has no time (``patch.header``).
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
    refuse_future(time, "the header 'timestamp' is")
    if last is not None and time < last:
        message = (
            f"the header 'timestamp' is {shown(time)}, but the last version is of {shown(last)}"
        )
        raise refused("patch.time", message)


def refuse_future(time: datetime, what: str) -> None:
    """Rejects a time in the future; ``what`` begins the message.

    Raises:
        PatchError: The time is in the future (``patch.time``).
    """
    now = datetime.now(UTC)
    if time > now + _AHEAD:
        message = f"{what} {shown(time)}, which is in the future: it is {shown(now)} now"
        raise refused("patch.time", message)


def refuse_miscounted(found: Prepared, before: int | None) -> None:
    """Rejects a number of statements that does not match the number before it and the changes.

    Raises:
        PatchError: The numbers do not match, or the number before is unknown (``patch.header``).
    """
    after = count_of(found.said.get("statements", ""))
    if after is None:
        return
    if before is None:
        message = (
            f"the header 'statements' is {after}, but the number of statements before the patch "
            "is unknown, so it cannot be checked: publish the patch without this header"
        )
        raise refused("patch.header", message)
    made = before + found.summary.added - found.summary.deleted
    if after == made:
        return
    message = (
        f"the header 'statements' is {after}, but the {before} statements before the patch and "
        f"its changes give {made}"
    )
    raise refused("patch.header", message)


def refuse_other_count(done: Applied, said: int | None, place: object) -> None:
    """Rejects a dataset whose number of statements differs from the recorded one; None: none is recorded.

    Raises:
        PatchError: The numbers differ (``patch.damaged``).
    """
    if said is not None and said != done.statements:
        message = f"version {done.version} had {said} statements, but the stored files give {done.statements}"
        raise refused_at("patch.damaged", message, place)


def refuse_range(after: int, upto: int | None, first: int, last: int, place: object) -> int:
    """Rejects a range of versions that a log with the versions ``first`` to ``last`` does not have.

    Returns:
        The end of the range: ``upto``, or the last version.

    Raises:
        PatchError: Versions are gone (``patch.gap``), do not exist yet, or the range ends before it begins
            (``patch.version``).
    """
    refuse_bool("after", after)
    refuse_bool("upto", upto)
    upto = last if upto is None else upto
    if after < 0 or upto < 0:
        kind, message = "patch.version", f"there is no version {min(after, upto)}: versions count from 0"  # fmt: skip
    elif upto > last or after > last:
        kind, message = "patch.version", f"there is no version {max(after, upto)}: the head is {last}"  # fmt: skip
    elif upto < after:
        kind, message = "patch.version", f"versions after {after} cannot end with version {upto}"
    elif after < first - 1:
        kind, message = "patch.gap", f"the log begins with version {first}: the changes after version {after} are gone"  # fmt: skip
    else:
        return upto
    raise refused_at(kind, message, place)


def version_of(version: int | str, find: Callable[[str], Line | None], place: object) -> int:
    """Returns the number of a version given by its number or id; ``find`` looks up ids.

    Raises:
        PatchError: The number cannot be a version, or no version has the id (``patch.version``).
    """
    refuse_bool("version", version)
    if isinstance(version, str):
        line = find(_internal.identify(version)[1])
        if line is not None:
            return line.version
        message = f"no patch of the log has the id {version}"
    elif version >= 1:
        return version
    else:
        message = f"there is no patch {version}: patches count from 1"
    raise refused_at("patch.version", message, place)


def base_id(info: LogInfo, versions: Callable[[int, int], Iterator[Any]]) -> str | None:
    """Returns the id of the version that a log begins after; None if no patch made it, or the log does not record it.

    Args:
        info: Information about the log.
        versions: Returns the versions after one, up to another.
    """
    before = info.first - 1
    if not before:
        return None
    is_last = info.head.version == before
    return info.head.id if is_last else next(versions(before, info.first)).prev


def several(count: int) -> str:
    """Returns the message for a source whose number of patches is not one."""
    if not count:
        return "expected one patch, found none"
    return f"expected one patch, found {count}; publish them one by one, or squash them"


def lexical(term: str) -> str:
    """Returns the text of a literal; empty if the term is not a literal."""
    return term.split('"')[1] if term.startswith('"') else ""


def count_of(term: str) -> int | None:
    """Returns the number in a literal."""
    return whole_number(lexical(term))


def refused(kind: str, message: str, source: str | None = None) -> PatchError:
    """Returns the error for a patch that a log rejects."""
    return PatchError(f"{kind}: {message}", kind=kind, source=source)


def refused_at(kind: str, message: str, place: object) -> PatchError:
    """Returns the error for the log at a place, which is appended to the message."""
    return refused(kind, f"{message} ({place})", str(place))
