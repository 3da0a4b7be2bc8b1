"""A real RDF4J follows a log: there, deletes without ``GRAPH`` are those of all graphs."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

import jelly
from places import SkippedError
from rdf4j_server import rdf4j, statements


@pytest.fixture(scope="module")
def store() -> Iterator[str]:
    try:
        with rdf4j() as found:
            yield found
    except SkippedError as reason:
        pytest.skip(str(reason))


def test_it_has_what_the_log_says(store: str, tmp_path: Path) -> None:
    log, rng = jelly.Log.create(tmp_path / "log"), random.Random(4)
    for number in range(30):
        objects = rng.choices(["<a:o>", '"1"', '"x"@en'], k=10)
        graphs = rng.choices(["", "<a:g>", "<a:h>"], k=10)
        rows = [
            f"{rng.choice('AD')} <a:{rng.choice('st')}> <a:p> {object} {graph} ."
            for object, graph in zip(objects, graphs, strict=True)
        ]
        log.publish("\n".join(["TX .", *rows, "TC .\n"]).encode())
        jelly.push(log, f"{store}/update", request_bytes=rng.choice([1, 1 << 20]))
        log.dataset(tmp_path / "now.nq")
        assert jelly.same(tmp_path / "now.nq", statements(store), new_format="nq"), number
