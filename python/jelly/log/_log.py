"""``jelly.Log``: one class for logs in all kinds of places."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self, Unpack

from jelly import _internal
from jelly._apply import Applied
from jelly._history import LogReport, verify_log
from jelly._http import is_address
from jelly._internal import PatchReader
from jelly._log_files import ENDING
from jelly._option_types import DatasetOptions, ShowLogOptions
from jelly._show import Shown
from jelly.log._listed import log_html
from jelly.log._objects import is_store
from jelly.log._patch import Summary
from jelly.log._show import show_version
from jelly.log._types import Compacted, Head, LogInfo, LogVersion, Published, WrittenPatch
from jelly.types import Destination, PatchFormat, Source


def _kind_of(place: object) -> Any:
    if is_address(place):
        from jelly.log._server import ServerLog

        return ServerLog
    if isinstance(place, str) and is_store(place):
        from jelly.log._object import ObjectLog

        return ObjectLog
    from jelly.log._folder import FolderLog

    return FolderLog


class Log:
    """A log: patches one after the other, each with an id and the id of the patch before.

    A log is a folder with ``patch-0001.jellyp``, ``patch-0002.jellyp`` and so on, or it is on a server (``jelly
    serve``) or in an object store; the kind follows from the place. Functions that take patches, such as
    :func:`apply`, also take a log. If several processes publish at once, each gets its own number or is rejected; a
    patch appears complete or not at all. Files that a killed process leaves have names that begin with ``.jelly-``;
    readers ignore them, and the next process that publishes removes them.

    Args:
        place: A folder, as a local path, which is created when the first patch is published; the address of a log on
            a server, such as ``https://host/brick``; or an address in an object store:
            ``s3://bucket/brick``, ``gs://...``, ``az://...`` (extra ``[object-store]``).
        ending: The extension of the files of a new log, which selects format and compression: ``.jellyp``, ``.rdfp``
            or ``.trp``, optionally followed by ``.gz`` or ``.zst``. An existing log keeps its extension.
        token: The token for a server. Without it, ``JELLY_TOKEN`` of the environment is sent, only over TLS or to
            this machine.
        storage: How to reach an object store: ``endpoint``, ``region``, ``accessKey``, ``secretKey``,
            ``sessionToken``, ``anonymous``, and other settings with the names of obstore. Settings that are left out
            come from the environment, such as ``AWS_ACCESS_KEY_ID``.
    """

    def __new__(
        cls,
        place: str | os.PathLike[str],
        *,
        storage: Mapping[str, Any] | None = None,
        **_: object,
    ) -> Self:
        """Creates a log of the kind that matches the place."""
        kind: Any = cls if cls is not Log else _kind_of(place)
        if storage is not None and not is_store(str(place)):
            raise ValueError(f"storage= works only with object stores, such as s3://bucket/log, not with {place}")  # fmt: skip
        found: Self = super().__new__(kind)
        return found

    def __init__(
        self,
        place: str | os.PathLike[str],
        *,
        ending: str = ".jellyp",
        token: str | None = None,
        storage: Mapping[str, Any] | None = None,
    ) -> None:
        if not ENDING.fullmatch(ending):
            raise ValueError(f"ending is {ending!r}; it must be .jellyp, .rdfp or .trp, optionally followed by .gz or .zst")  # fmt: skip
        self.place = str(place) if isinstance(place, str) else os.fspath(place)
        self._ending = ending
        self._token = token
        self._open(storage)

    def _open(self, storage: Mapping[str, Any] | None) -> None:
        """Prepares a log of this kind; opens no connection."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"jelly.Log({str(self.place)!r})"

    @staticmethod
    def create(
        place: str | os.PathLike[str],
        base: Source | None = None,
        *,
        ending: str = ".jellyp",
        token: str | None = None,
        storage: Mapping[str, Any] | None = None,
        base_format: Any = "auto",
    ) -> Log:
        """Creates a log that begins with a dataset, or empty.

        For an existing log that does not record what it begins with, the beginning can be set once.

        Args:
            place: As for :class:`Log`.
            base: The dataset before the first patch. A new log without a base begins empty. A log that has patches
                needs a base; ``b""`` is the empty dataset.
            ending: As for :class:`Log`.
            token: As for :class:`Log`.
            storage: As for :class:`Log`.
            base_format: Format of the base, as in :func:`read_rdf`.

        Returns:
            The log.

        Raises:
            PatchError: A log exists that begins differently (``patch.conflict``), the base has blank nodes without
                stable labels (``patch.labels``), or the log has patches and no base was given (``patch.base``).
            JellyError: The base has an error.
            OSError: Reading or writing failed.
        """
        log = Log(place, ending=ending, token=token, storage=storage)
        log._create(base, base_format)
        return log

    @property
    def folder(self) -> Path:
        """The folder of the log.

        Raises:
            TypeError: The log is not in a folder.
        """
        raise TypeError(f"{self!r} is not a folder; copy it to a folder with pull()")

    @property
    def files(self) -> list[Path]:
        """The files of a log in a folder, in order.

        Raises:
            TypeError: The log is not in a folder.
        """
        raise TypeError(f"{self!r} has no local files; copy it to a folder with pull()")

    @property
    def head(self) -> Head:
        """Number and id of the last patch."""
        return self.info().head

    def info(self) -> LogInfo:
        """Information about the log."""
        raise NotImplementedError

    def publish(
        self,
        patch: Source,
        *,
        expect: int | str | None = None,
        headers: Mapping[str, str] | None = None,
        format: PatchFormat = "auto",
    ) -> Published:
        """Publishes a patch as the next patch of the log.

        The patch gets an id (``<urn:uuid:...>``), the ``prev`` and the time (``timestamp``) if it has none. If the
        log already has a patch with this id and the same rows, at any version, nothing is published again, so
        publishing can be repeated after a failure.

        Args:
            patch: One patch of any format: path (``-`` is standard input), bytes, binary file
                object or iterable of bytes.
            expect: Number or id of the patch that must be the head; 0 if the log must be empty. Without it, and
                without a ``prev`` in the patch, the patch comes after the last one.
            headers: Headers to add, as terms: ``{"author": '"me"'}``. Headers of the patch stay as they are. ``id``
                and ``prev`` are not allowed here.
            format: Format of the patch, as in :func:`read_patch`.

        Returns:
            The version and id of the published patch.

        Raises:
            PatchError: The head is another patch (``patch.conflict``), the id belongs to other rows
                (``patch.duplicate``), the time is in the future (``patch.time``), or the patch is not valid:
                unfinished transactions, several patches in one source, a header ``statements`` that is wrong or
                belongs to a backup (``patch.header``).
            JellyError: The source has an error.
            OSError: Reading or writing failed.
            ValueError: A header is ``id`` or ``prev``.
        """
        return self._publish(patch, expect, headers or {}, format)

    def _publish(
        self, patch: Source, expect: int | str | None, more: Mapping[str, str], format: PatchFormat
    ) -> Published:
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return log_html(self)

    def versions(self, after: int = 0, upto: int | None = None) -> Iterator[LogVersion]:
        """Yields the versions of the log, in order.

        Args:
            after: Begin after this version.
            upto: End with this version; the default is the head.

        Yields:
            Versions, in order.

        Raises:
            PatchError: A version of the range is gone (``patch.gap``), or does not exist yet, or the range ends
                before it begins (``patch.version``).
        """
        raise NotImplementedError

    def read(self, after: int = 0, upto: int | None = None, **options: Any) -> PatchReader[Any]:
        """Reads the patches of a range of versions, in order, as one stream.

        Args:
            after: Begin after this version.
            upto: End with this version; the default is the head.
            **options: As for :func:`read_patch`.

        Returns:
            The reader; close it, or read it to its end.

        Raises:
            PatchError: As for :meth:`versions`.
        """
        raise NotImplementedError

    def fetch(
        self, version: int | str, dest: Destination, *, to: WrittenPatch = "auto"
    ) -> LogVersion:
        """Writes one patch.

        Args:
            version: Its number or id.
            dest: Path (``-`` is standard output) or binary file object. A path appears complete or not at all.
            to: The format: ``jelly-patch``, ``rdfp``, ``trp``; ``auto``: by the extension of
                ``dest``, else Jelly-Patch.

        Returns:
            The version.

        Raises:
            PatchError: The log does not have this version (``patch.version``), or its patch is gone (``patch.gap``).
        """
        raise NotImplementedError

    def watch(self, after: int | None = None, timeout: float | None = None) -> Iterator[LogVersion]:
        """Waits for versions.

        Args:
            after: Begin after this version; the default is the head.
            timeout: End after this number of seconds without a new version; the default is never.

        Yields:
            New versions as they arrive, each once.

        Raises:
            PatchError: The versions after ``after`` are gone (``patch.gap``), or the log does not have this version
                (``patch.version``), because the place has another log.
        """
        raise NotImplementedError

    def dataset(
        self, dest: Destination, version: int | str | None = None, **options: Unpack[DatasetOptions]
    ) -> Applied:
        """Writes the dataset at a version.

        Args:
            dest: As for :meth:`fetch`.
            version: Number of the version or id of its patch; the default is the last version.
            **options: For writing, as for :func:`apply`.

        Returns:
            A summary of the result.

        Raises:
            PatchError: The log does not record what it begins with (``patch.base``), or does not have this version
                (``patch.version``).
        """
        raise NotImplementedError

    def show(
        self,
        version: int | str,
        dest: Destination | None = None,
        **options: Unpack[ShowLogOptions],
    ) -> Shown:
        """Shows what a version changed compared with the version before, like :func:`show`.

        If the log records what it begins with, the dataset before the version is written to a temporary file, and the
        view has labels, nested blank nodes, and what is new and gone; otherwise it shows only the rows.

        Args:
            version: Number of the version, or id of its patch.
            dest: Path (``-`` is standard output) or binary file object; None if the result should have the text.
            **options: For the view, as for :func:`show`.

        Raises:
            PatchError: The log does not have this version (``patch.version``), or its patch is gone (``patch.gap``).
        """
        return show_version(self, version, dest, **options)

    def verify(self, base: Source | None = None) -> LogReport:
        """Reports all problems of the log, like :func:`verify_log`.

        Args:
            base: The dataset before the first patch, which is needed to find rows without effect.
        """
        return verify_log(self._source(), base=base, patch_format="jelly-patch")

    def pull(self, folder: str | os.PathLike[str]) -> Log:
        """Copies the log to a folder; later calls copy only new versions.

        Args:
            folder: The copy, which is also a log.

        Returns:
            The copy.

        Raises:
            PatchError: The folder has another log (``patch.fork``).
        """
        from jelly.log._pull import pull

        return pull(self, folder)

    def compact(self, upto: int | str) -> Compacted:
        """Replaces the patches up to a version with the dataset at that version.

        The headers and the digests of the rows stay, so the log still recognizes a patch that is sent again; reading
        the rows raises ``patch.gap``. If the process is killed, the log is either as before or compacted; the next
        call completes the work. A server with tokens needs a token with the scope ``admin`` for this.

        Args:
            upto: Number of the version, or id of its patch.

        Raises:
            PatchError: As for :meth:`dataset`.
        """
        raise NotImplementedError

    def would_replay(self, found: Summary, head: Head, expect: int | str | None = None) -> bool:
        """Returns whether the log already has the patch, as ``head`` or before.

        Raises:
            PatchError: The patch cannot be the next one.
        """
        claim = found.id, found.prev, found.digest
        return _internal.place_patch(claim, expect, head, self.known(found.identity)) is not None

    def known(self, identity: str | None) -> tuple[int, str] | None:
        """Returns version and digest of the patch with an id."""
        raise NotImplementedError

    def _create(self, base: Source | None, base_format: Any) -> None:
        raise NotImplementedError

    def _digest(self, version: int) -> str:
        """Returns the digest of the rows of an existing version."""
        raise NotImplementedError

    def _chain(self, version: int) -> str | None:
        """Returns the digest of ids and rows of all versions up to one; None if a server does not report it."""
        raise NotImplementedError

    def _stored(self, version: int, path: Path) -> None:
        """Writes a patch to a new file, in the format of :meth:`_stored_ending`, for a copy."""
        raise NotImplementedError

    def _stored_ending(self) -> str:
        raise NotImplementedError

    def _each(self, after: int, sizes: Sequence[int]) -> Generator[tuple[Any, PatchFormat]]:
        """Yields the patches after a version one by one: a source for readers, and its format.

        ``sizes`` are the sizes of the patches in bytes, as in :meth:`versions`.
        """
        raise NotImplementedError

    def _copy_base(self, work: Path) -> str:
        """Writes the base and ``base.json`` into a folder; returns the name of the base."""
        raise NotImplementedError

    def _source(self) -> Any:
        """Returns the source that functions of patches read."""
        raise NotImplementedError
