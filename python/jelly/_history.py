"""``jelly.history`` and ``jelly.verify_log``: the contents of a log and its problems."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias, Unpack

from jelly import _internal
from jelly._option_types import LookingOptions
from jelly._patching import Patches, Report, keywords, refuse_twice, reported, sources
from jelly.errors import JellyWarning
from jelly.types import Source

OneOf: TypeAlias = str | Iterable[str] | None
"""A term, or several of which one is wanted; None: any."""


class Period(NamedTuple):
    """A period in which a quad existed.

    Attributes:
        valid_from: The version that added the quad; 0 if it was in the base.
        valid_to: The version that deleted the quad; None if it still exists.
    """

    subject: str
    predicate: str
    object: str
    graph: str
    valid_from: int
    valid_to: int | None


class PeriodBy(NamedTuple):
    """A period in which a quad existed, and the patches that began and ended it.

    Attributes:
        valid_from: The version that added the quad; 0 if it was in the base.
        valid_to: The version that deleted the quad; None if it still exists.
        added_by: Headers of the patch that added the quad, key and term, in order; empty if the quad was in the base
            or the patch has no headers.
        deleted_by: Headers of the patch that deleted the quad; None if it still exists.
    """

    subject: str
    predicate: str
    object: str
    graph: str
    valid_from: int
    valid_to: int | None
    added_by: tuple[tuple[str, str], ...]
    deleted_by: tuple[tuple[str, str], ...] | None


class Problem(NamedTuple):
    """A problem of a log.

    Attributes:
        kind: A stable kind, as in errors: ``patch.fork``, ``patch.gap``, ``patch.cycle``,
            ``patch.duplicate``, ``patch.mixed``, ``patch.header``, ``patch.unfinished``,
            ``patch.stray``, ``patch.damaged``, ``patch.labels``, ``patch.effect``, or the kind of a decoding error.
        source: The source.
        patch: 0-based patch in its source.
        id: Its id.
        message: What is wrong.
    """

    kind: str
    source: str | None
    patch: int | None
    id: str | None
    message: str


class LogReport(NamedTuple):
    """The contents of a log, and its problems.

    Attributes:
        patches: Number of patches: versions after the base.
        ids: Number of patches that have an id.
        prev: The id of the patch that the first one comes after.
        head: The id of the last patch.
        committed: Transactions that were committed.
        aborted: Transactions that were aborted.
        changes: ``A`` and ``D`` rows of committed transactions; 0, like ``prefixes``, if the patches have no order
            because of problems of the chain or of transactions.
        prefixes: ``PA`` and ``PD`` rows, counted like changes.
        without_effect: Rows of both kinds that change nothing. Without a base, only rows that repeat another row are
            detected. None if the patches have no order.
        problems: The problems, in order; of rows without effect only the first hundred.
        base_version: The version that the first patch comes after: 0, unless the folder begins later.
        order: Files of a folder, in the order in which they were read, if only their names decided this order.
    """

    patches: int
    ids: int
    prev: str | None
    head: str | None
    committed: int
    aborted: int
    changes: int
    prefixes: int
    without_effect: int | None
    problems: tuple[Problem, ...]
    base_version: int = 0
    order: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there are no problems."""
        return not self.problems


def history(
    patches: Patches,
    *,
    subject: OneOf = None,
    predicate: OneOf = None,
    object: OneOf = None,
    graph: OneOf = None,
    base: Source | None = None,
    progress: Report | None = None,
    **options: Unpack[LookingOptions],
) -> Iterator[Period]:
    """Lists the versions from which and up to which quads existed.

    Args:
        patches: A log, as for :func:`apply`.
        subject: Only quads with this term, or one of these, as canonical N-Triples: ``<iri>``, ``_:label``.
        predicate: Like ``subject``.
        object: Like ``subject``, also literals such as ``"text"@en``; the case of language tags does not matter.
        graph: Like ``subject``; ``""`` is the default graph.
        base: The dataset before the log. The default is the dataset that a backup or log begins with; if there is none,
            or with ``chain="ignore"``, it is an empty one. All its quads that match are kept in memory.
        progress: Called as each phase begins, and from time to time, with a :class:`Step`; an exception stops the work.
        **options: For reading: ``base_format``, ``patch_format``, ``framing``, ``strict``,
            ``lenient_flags``, ``strict_graphs``, ``limits``. For the log: ``unfinished``, ``chain``,
            as for :func:`apply`.

    Returns:
        Periods, quad after quad in the order of their first appearance. A quad that one patch both adds and deletes
        existed at no version.

    Warns:
        JellyWarning: Only the names of the files decided their order; the warning names this order.

    Raises:
        PatchError: The patches are not valid: unfinished transactions, a broken chain; or the base is empty, as for
            :func:`apply`.
        JellyError: A source has an error.
        OSError: Reading failed.
        ValueError: An option is wrong.
    """
    pattern = [subject, predicate, object, graph]
    found = _found("history", patches, base, pattern, options, progress)
    return (Period(*period) for period in found)


def history_by(
    patches: Patches,
    *,
    subject: OneOf = None,
    predicate: OneOf = None,
    object: OneOf = None,
    graph: OneOf = None,
    base: Source | None = None,
    progress: Report | None = None,
    **options: Unpack[LookingOptions],
) -> Iterator[PeriodBy]:
    """Like :func:`history`, with the headers of the patches that began and ended each period.

    They say who changed a quad and when, if the patches have headers such as ``id``, ``author`` and ``timestamp``.
    """
    pattern = [subject, predicate, object, graph]
    found = _found("history_by", patches, base, pattern, options, progress)

    def by(version: int) -> tuple[tuple[str, str], ...]:
        return tuple(found.headers(version))

    return (
        PeriodBy(*period, by(period[4]), None if period[5] is None else by(period[5]))
        for period in found
    )


def alternatives(wanted: str | Iterable[str]) -> list[str]:
    """Returns the terms of which one is wanted."""
    return [wanted] if isinstance(wanted, str) else list(wanted)


def _found(
    function: str,
    patches: Patches,
    base: Source | None,
    pattern: list[OneOf],
    options: LookingOptions,
    progress: Report | None,
) -> _internal.History:
    refuse_twice(base, patches)
    given = keywords(function, options, "dataset", "log", "base")
    terms = [None if one is None else alternatives(one) for one in pattern]
    found = _internal.history(sources(patches), base, terms, given, reported(progress))
    if order := found.order:
        message = (
            f"the patches are applied in the order {', '.join(order)}; only the names of the "
            "files decided this order"
        )
        warnings.warn(message, JellyWarning, stacklevel=3)
    return found


def verify_log(
    patches: Patches,
    *,
    base: Source | None = None,
    progress: Report | None = None,
    **options: Unpack[LookingOptions],
) -> LogReport:
    """Checks a log and reports all its problems.

    Forks, gaps, cycles, duplicate and missing ids, unfinished and stray transactions, damaged
    sources; and, if there are none of these, rows without effect.

    Args:
        patches: A log, as for :func:`apply`.
        base: The dataset before the log, which is needed to find rows without effect.
        progress: Called as each phase begins, and from time to time, with a :class:`Step`; an exception stops the work.
        **options: As for :func:`history`.

    Returns:
        The contents of the log, and its problems.

    Raises:
        PatchError: The base is empty, but the log begins with a dataset (``patch.base``).
        JellyError: The base has an error.
        OSError: Reading failed.
        ValueError: An option is wrong.
    """
    refuse_twice(base, patches)
    given = keywords("verify_log", options, "dataset", "log", "base")
    log = sources(patches)
    found = _internal.verify_log(log, base, given, reported(progress))
    problems, (base_version, order) = found[9:]
    return LogReport(
        *found[:9], tuple(Problem(*one) for one in problems), base_version, tuple(order)
    )
