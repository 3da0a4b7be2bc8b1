"""``jelly.Log``: one class for logs wherever they stand."""

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
    """A log: patches that come one after the other, each with an id and the id of the one before.

    A log is a folder with ``patch-0001.jellyp``, ``patch-0002.jellyp`` and so on, or stands on a
    server (``jelly serve``); the kind follows from the place. A log can stand wherever patches can,
    such as in :func:`apply`. Of several processes that publish at once each gets a number of its
    own, or is refused; a patch is there whole or not at all. What a killed process leaves has names
    that begin with ``.jelly-``; nobody reads it, and the next process that publishes removes it.

    Args:
        place: A folder, as a local path, which is made when the first patch is published; the
            address of a log on a server, such as ``https://host/brick``; or one in an object store:
            ``s3://bucket/brick``, ``gs://...``, ``az://...`` (extra ``[object-store]``).
        ending: Of the files of a new folder, which says format and compression: ``.jellyp``,
            ``.rdfp`` or ``.trp``, and after that ``.gz`` or ``.zst``. A log that is there keeps its
            ending.
        token: Of a server. Without it, ``JELLY_TOKEN`` of the environment is sent, over TLS and to
            this machine only.
        storage: How an object store is reached: ``endpoint``, ``region``, ``accessKey``, ``secretKey``,
            ``sessionToken``, ``anonymous``, and other settings by the names that obstore has for them.
            Without it, what the environment says counts, such as ``AWS_ACCESS_KEY_ID``.
    """

    def __new__(
        cls,
        place: str | os.PathLike[str],
        *,
        storage: Mapping[str, Any] | None = None,
        **_: object,
    ) -> Self:
        """Makes a log of the kind that the place has."""
        kind: Any = cls if cls is not Log else _kind_of(place)
        if storage is not None and not is_store(str(place)):
            raise ValueError(f"storage= is for object stores, such as s3://bucket/log, not for {place}")  # fmt: skip
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
            raise ValueError(f"ending is {ending!r}; it can be .jellyp, .rdfp or .trp, and .gz or .zst after that")  # fmt: skip
        self.place = str(place) if isinstance(place, str) else os.fspath(place)
        self._ending = ending
        self._token = token
        self._open(storage)

    def _open(self, storage: Mapping[str, Any] | None) -> None:
        """Prepares what a log of this kind needs; opens no connection."""
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
        """Makes a log, and says how it begins: with a dataset, or empty.

        A log that is there and does not say yet how it begins can be given its beginning once.

        Args:
            place: As of :class:`Log`.
            base: The dataset before the first patch; without it, the log begins empty.
            ending: As of :class:`Log`.
            token: As of :class:`Log`.
            storage: As of :class:`Log`.
            base_format: Of the base, as in :func:`read_rdf`.

        Returns:
            The log.

        Raises:
            PatchError: A log is there that began otherwise (``patch.conflict``), or blank nodes of
                the base have no labels that last (``patch.labels``).
            JellyError: The base is bad.
            OSError: Reading or writing failed.
        """
        log = Log(place, ending=ending, token=token, storage=storage)
        log._create(base, base_format)
        return log

    @property
    def folder(self) -> Path:
        """The folder of the log.

        Raises:
            TypeError: The log stands elsewhere.
        """
        raise TypeError(f"{self!r} is no folder; pull() makes a copy that is one")

    @property
    def files(self) -> list[Path]:
        """The files of the log, in order; of a folder.

        Raises:
            TypeError: The log stands elsewhere.
        """
        raise TypeError(f"{self!r} has no files here; pull() makes a copy that has")

    @property
    def head(self) -> Head:
        """Number and id of the last patch."""
        return self.info().head

    def info(self) -> LogInfo:
        """What the log is."""
        raise NotImplementedError

    def publish(
        self,
        patch: Source,
        *,
        expect: int | str | None = None,
        headers: Mapping[str, str] | None = None,
        format: PatchFormat = "auto",
    ) -> Published:
        """Makes a patch the next one of the log.

        It gets an id (``<urn:uuid:...>``), the ``prev`` and the time (``timestamp``) where it has
        none. A patch whose id the log has already, at any version, with the same rows, is not
        published again: whoever did not learn how publishing ended can repeat it.

        Args:
            patch: One patch of any format: path (``-`` is standard input), bytes, binary file
                object or iterable of bytes.
            expect: Number or id of the patch that must be the head; 0: the log must be empty.
                Without it, and without a ``prev`` in the patch, it comes after the last one.
            headers: More headers, as terms: ``{"author": '"me"'}``. Those that the patch has
                stay as they are. ``id`` and ``prev`` cannot be given here.
            format: Of the patch, as in :func:`read_patch`.

        Returns:
            Where it is now.

        Raises:
            PatchError: The head is another one (``patch.conflict``), the id belongs to other rows
                (``patch.duplicate``), the time is ahead of the clock (``patch.time``), or the patch
                has no meaning: unfinished transactions, several patches in one, a header
                ``statements`` that is wrong or is for a backup (``patch.header``).
            JellyError: The source is bad.
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
        """What the log has, version after version.

        Args:
            after: Begin after this version.
            upto: End with this version; the head otherwise.

        Yields:
            Versions, in order.

        Raises:
            PatchError: A version of the range is gone (``patch.gap``), or not there yet, or the range
                ends before it begins (``patch.version``).
        """
        raise NotImplementedError

    def read(self, after: int = 0, upto: int | None = None, **options: Any) -> PatchReader[Any]:
        """Reads the patches of a range of versions, in order, as one stream.

        Args:
            after: Begin after this version.
            upto: End with this version; the head otherwise.
            **options: As of :func:`read_patch`.

        Returns:
            The reader; close it, or read it to its end.

        Raises:
            PatchError: As of :meth:`versions`.
        """
        raise NotImplementedError

    def fetch(
        self, version: int | str, dest: Destination, *, to: WrittenPatch = "auto"
    ) -> LogVersion:
        """Writes one patch.

        Args:
            version: Its number or id.
            dest: Path (``-`` is standard output) or binary file object. A path appears whole or not
                at all.
            to: The format: ``jelly-patch``, ``rdfp``, ``trp``; ``auto``: by the extension of
                ``dest``, else Jelly-Patch.

        Returns:
            The version.

        Raises:
            PatchError: The log has no such version (``patch.version``), or no longer (``patch.gap``).
        """
        raise NotImplementedError

    def watch(self, after: int | None = None, timeout: float | None = None) -> Iterator[LogVersion]:
        """Waits for versions.

        Args:
            after: Begin after this version; after the head otherwise.
            timeout: End after so many seconds without a new version; never otherwise.

        Yields:
            Versions as they come, each once.

        Raises:
            PatchError: What comes after the version is gone (``patch.gap``), or the version is not there
                (``patch.version``): the log is not the one that had it.
        """
        raise NotImplementedError

    def dataset(
        self, dest: Destination, version: int | str | None = None, **options: Unpack[DatasetOptions]
    ) -> Applied:
        """Writes the dataset as it is at a version.

        Args:
            dest: As of :meth:`fetch`.
            version: Number of the version or id of its patch; the last one otherwise.
            **options: Of writing, as for :func:`apply`.

        Returns:
            What was done.

        Raises:
            PatchError: The log does not say how it begins (``patch.base``), or has no such version
                (``patch.version``).
        """
        raise NotImplementedError

    def show(
        self,
        version: int | str,
        dest: Destination | None = None,
        **options: Unpack[ShowLogOptions],
    ) -> Shown:
        """Shows what a version changed of the one before it, as :func:`show` does.

        Where the log says how it begins, the dataset before the version is made in a temporary file
        and shows labels, nested blank nodes, and what is new and gone; else only the rows do.

        Args:
            version: Number of the version, or id of its patch.
            dest: Path (``-`` is standard output) or binary file object; None: the result has the
                text.
            **options: How it is shown, as for :func:`show`.

        Raises:
            PatchError: The log has no such version (``patch.version``), or no longer
                (``patch.gap``).
        """
        return show_version(self, version, dest, **options)

    def verify(self, base: Source | None = None) -> LogReport:
        """Reports all that is wrong with the log, as :func:`verify_log` does.

        Args:
            base: The dataset before the first patch, by which rows without effect are known.
        """
        return verify_log(self._source(), base=base, patch_format="jelly-patch")

    def pull(self, folder: str | os.PathLike[str]) -> Log:
        """Copies the log to a folder, or what is new since the last time.

        Args:
            folder: The copy, which is a log itself.

        Returns:
            The copy.

        Raises:
            PatchError: The folder has another log (``patch.fork``).
        """
        from jelly.log._pull import pull

        return pull(self, folder)

    def compact(self, upto: int | str) -> Compacted:
        """Puts the dataset at a version in place of the patches up to it.

        Headers and digests of rows stay, so that a late retry is known; reading the rows is ``patch.gap``.
        Killed at any moment, it leaves the log as it was or compacted; the next call goes on. A server does
        it in its folder, and needs a token with ``admin`` for it where it has tokens.

        Args:
            upto: Number of the version, or id of its patch.

        Raises:
            PatchError: As of :meth:`dataset`.
        """
        raise NotImplementedError

    def would_replay(self, found: Summary, head: Head, expect: int | str | None = None) -> bool:
        """Whether publishing a patch would find it there already, as ``head`` or before.

        Raises:
            PatchError: It cannot be the next one.
        """
        claim = found.id, found.prev, found.digest
        return _internal.place_patch(claim, expect, head, self.known(found.identity)) is not None

    def known(self, identity: str | None) -> tuple[int, str] | None:
        """Version and digest of the patch that has an id."""
        raise NotImplementedError

    def _create(self, base: Source | None, base_format: Any) -> None:
        raise NotImplementedError

    def _digest(self, version: int) -> str:
        """The digest of the rows of a version that is there."""
        raise NotImplementedError

    def _chain(self, version: int) -> str | None:
        """The digest of ids and rows of all versions up to one; None: a server does not say it."""
        raise NotImplementedError

    def _stored(self, version: int, path: Path) -> None:
        """Writes a patch to a new file, in the format of :meth:`_stored_ending`, that of a copy."""
        raise NotImplementedError

    def _stored_ending(self) -> str:
        raise NotImplementedError

    def _each(self, after: int, sizes: Sequence[int]) -> Generator[tuple[Any, PatchFormat]]:
        """The patches after a version one by one: each as readers take it, and its format.

        ``sizes`` are the bytes of each, as :meth:`versions` says them.
        """
        raise NotImplementedError

    def _copy_base(self, work: Path) -> str:
        """Writes the base and ``base.json`` into a folder; returns the name of the base."""
        raise NotImplementedError

    def _source(self) -> Any:
        """What functions of patches read."""
        raise NotImplementedError
