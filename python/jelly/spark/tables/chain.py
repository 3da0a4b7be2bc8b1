"""The order of the patches of a log, by the same rules as the native library."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from jelly import _internal
from jelly._patching import rank_of
from jelly.errors import PatchError


class Facts(NamedTuple):
    """What is known of a patch without its changes."""

    source: str | None
    patch: int
    id: str | None = None
    prev: str | None = None
    timestamp: datetime | None = None


def id_text(text: str) -> str:
    """An id as a term, of a term or a bare IRI."""
    return _internal.identify(text)[0]


def identity(term: str) -> str:
    """By which ids are compared: a UUID is the same one in all its forms."""
    return _internal.identify(term)[1]


def error(kind: str, message: str, source: str | None = None) -> PatchError:
    """What the native library raises."""
    where = f" ({source})" if source is not None else ""
    return PatchError(f"{kind}: {message}{where}", kind=kind, source=source)


def ordered(patches: Sequence[Facts], *, ignore: bool) -> list[Facts]:
    """Puts patches in the order of their versions.

    By the names of their sources, with numbers as people count, and then as they stand in them, if
    no ``prev`` speaks against that; else as ``prev`` says.

    Raises:
        PatchError: A gap, a fork, a cycle, an id that is there twice, patches without an id.
    """
    rank = rank_of({facts.source for facts in patches})
    given = sorted(patches, key=lambda facts: (rank[facts.source], facts.patch))
    if ignore:
        return given
    with_id = [facts for facts in given if facts.id is not None]
    if len(with_id) < len(given):
        _require_no_ids(given, len(with_id))
        return given
    ids = [identity(facts.id or "") for facts in given]
    places: dict[str, int] = {}
    for place, name in enumerate(ids):
        if name in places:
            raise _error(
                given[place],
                "patch.duplicate",
                f"another patch before this one has the id {given[place].id}",
            )
        places[name] = place
    prevs = [None if facts.prev is None else identity(facts.prev) for facts in given]
    if all(
        prev is None or (prev == ids[place - 1] if place else prev not in places)
        for place, prev in enumerate(prevs)
    ):
        return given
    return _by_prev(given, [None if prev is None else places.get(prev) for prev in prevs])


def _require_no_ids(given: Sequence[Facts], with_id: int) -> None:
    for facts in given:
        if with_id and facts.id is None:
            raise _error(
                facts, "patch.mixed", f"{with_id} patches of this log have an id, but not this one"
            )
        if facts.prev is not None and not with_id:
            raise _error(facts, "patch.mixed", "this patch has a prev, but no id")


def _by_prev(given: Sequence[Facts], before: Sequence[int | None]) -> list[Facts]:
    follower: dict[int, int] = {}
    for place, prev in enumerate(before):
        if prev is None:
            continue
        if prev in follower:
            other, this = given[follower[prev]], given[place]
            raise _error(
                this, "patch.fork", f"{other.id} and {this.id} both come after {this.prev}"
            )
        follower[prev] = place
    starts = [place for place, prev in enumerate(before) if prev is None]
    says_so = [place for place in starts if given[place].prev is None]
    first = next(iter(says_so or starts), None)
    for place in starts:
        if place != first:
            facts = given[place]
            raise _error(
                facts,
                "patch.gap",
                f"{facts.id} comes after no patch, and so does another one"
                if facts.prev is None
                else f"{facts.id} comes after {facts.prev}, which is not there",
            )
    order: list[int] = []
    at: int | None = first
    while at is not None:
        order.append(at)
        at = follower.get(at)
    left = sorted(set(range(len(given))) - set(order))
    if left:
        facts = given[left[0]]
        raise _error(facts, "patch.cycle", f"{facts.id} comes after itself, by way of others")
    return [given[place] for place in order]


def _error(facts: Facts, kind: str, message: str) -> PatchError:
    advice = 'chain="ignore" takes patches as they are given'
    return error(kind, f"patch {facts.patch}: {message}; {advice}", facts.source)
