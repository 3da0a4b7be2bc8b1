"""``jelly.history`` and ``jelly.verify_log``: what a log says."""

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
    """A time in which a quad was there.

    Attributes:
        valid_from: The version that added it; 0: it was in the base.
        valid_to: The version that deleted it; None: it is still there.
    """

    subject: str
    predicate: str
    object: str
    graph: str
    valid_from: int
    valid_to: int | None


class PeriodBy(NamedTuple):
    """A time in which a quad was there, and the patches that began and ended it.

    Attributes:
        valid_from: The version that added it; 0: it was in the base.
        valid_to: The version that deleted it; None: it is still there.
        added_by: Headers of the patch that added it, key and term, in order; empty: it was in the
            base, or the patch has none.
        deleted_by: Headers of the patch that deleted it. None: it is still there.
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
    """What is wrong with a log.

    Attributes:
        kind: A stable word, as errors have it: ``patch.fork``, ``patch.gap``, ``patch.cycle``,
            ``patch.duplicate``, ``patch.mixed``, ``patch.header``, ``patch.unfinished``,
            ``patch.stray``, ``patch.damaged``, ``patch.labels``, ``patch.effect``, or that of an error
            of decoding.
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
    """What a log is, and what is wrong with it.

    Attributes:
        patches: Patches: versions after the base.
        ids: Patches that have an id.
        prev: The id of the patch that the first one comes after.
        head: The id of the last patch.
        committed: Transactions that were committed.
        aborted: Transactions that were aborted.
        changes: ``A`` and ``D`` rows of committed transactions; 0, as ``prefixes``, where problems
            of the chain or of transactions leave no order to look at them.
        prefixes: ``PA`` and ``PD`` rows, counted as changes are.
        without_effect: Rows of both that change nothing. Without a base only those are known that
            repeat another one. None: the patches have no order, so nothing is known of that.
        problems: What is wrong, in order; of rows without effect the first hundred.
        base_version: The version that the first patch comes after: 0, but for a folder that begins
            later.
        order: Files of a folder, in the order in which they were taken, where nothing but their
            names decided it.
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
        """Nothing is wrong."""
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
    """Lists from which version to which quads were there.

    Args:
        patches: A log, as for :func:`apply`.
        subject: Only quads with this term, or one of these, as canonical N-Triples: ``<iri>``, ``_:label``.
        predicate: As ``subject``.
        object: As ``subject``, also ``"text"@en`` and the like; language tags in any case.
        graph: As ``subject``; ``""`` is the default graph.
        base: The dataset before the log; without it, that is empty. All its quads that fit are
            remembered.
        progress: Called with a :class:`Step` now and then; an exception stops.
        **options: Of reading: ``base_format``, ``patch_format``, ``framing``, ``strict``,
            ``lenient_flags``, ``strict_graphs``, ``limits``. Of the log: ``unfinished``, ``chain``,
            as for :func:`apply`.

    Returns:
        Periods, quad after quad in the order of their first appearance. A quad that one patch adds
        and deletes was at no version there.

    Warns:
        JellyWarning: Nothing but their names decided the order of files; the warning says that order.

    Raises:
        PatchError: The patches have no meaning: unfinished transactions, a broken chain.
        JellyError: A source is bad.
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
    """As :func:`history`, with the headers of the patches that began and ended each period.

    Those say who changed it and when, as far as the patches do: ``id``, ``author``, ``timestamp``.
    """
    pattern = [subject, predicate, object, graph]
    found = _found("history_by", patches, base, pattern, options, progress)

    def by(version: int) -> tuple[tuple[str, str], ...]:
        return tuple(found.headers(version))

    return (
        PeriodBy(*period, by(period[4]), None if period[5] is None else by(period[5]))
        for period in found
    )


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
    terms = [
        [one] if isinstance(one, str) else None if one is None else list(one) for one in pattern
    ]
    found = _internal.history(sources(patches), base, terms, given, reported(progress))
    if order := found.order:
        message = f"the log is taken in the order {', '.join(order)}; only the names of the files decided it"
        warnings.warn(message, JellyWarning, stacklevel=3)
    return found


def verify_log(
    patches: Patches,
    *,
    base: Source | None = None,
    progress: Report | None = None,
    **options: Unpack[LookingOptions],
) -> LogReport:
    """Checks a log and reports all that is wrong with it.

    Forks, gaps, cycles, duplicate and missing ids, unfinished and stray transactions, damaged
    sources; and, if nothing of that is found, rows without effect.

    Args:
        patches: A log, as for :func:`apply`.
        base: The dataset before the log, by which rows without effect are known.
        progress: Called with a :class:`Step` now and then; an exception stops.
        **options: As for :func:`history`.

    Returns:
        What the log is, and what is wrong with it.

    Raises:
        JellyError: The base is bad.
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
