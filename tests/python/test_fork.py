"""Readers after a fork, as Spark's Python daemon makes them."""

import os
import warnings
from collections.abc import Callable

import pytest

import jelly
import jellybytes as jb

DATA = jb.small_rdf(5000, 10)

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")


def in_child(work: Callable[[], bool]) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # other tests may have left threads
        pid = os.fork()
    if pid == 0:
        code = 1
        try:
            code = 0 if work() else 2
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def count(source: object) -> int:
    return len(list(jelly.read_rdf(source).rows()))  # type: ignore[call-overload]


def test_a_child_decodes() -> None:
    assert count(DATA) == 5000
    for _ in range(20):
        assert in_child(lambda: count(DATA) == 5000)
        assert in_child(lambda: count(iter([DATA])) == 5000)
    assert not in_child(lambda: count(DATA) == 1)


def test_a_child_goes_on_with_a_reader_of_its_parent() -> None:
    reader = jelly.read_rdf(DATA, batch_rows=1000)
    rows = reader.rows()
    seen = [next(rows).seq for _ in range(10)]
    assert in_child(lambda: [row.seq for row in rows] == list(range(10, 5000)))
    assert seen + [row.seq for row in rows] == list(range(5000))


def test_an_error_in_a_child_is_an_error() -> None:
    def fails() -> bool:
        try:
            count(DATA[:-1])
        except jelly.errors.TruncatedError as error:
            return error.kind == "truncated.frame"
        return False

    assert in_child(fails)
