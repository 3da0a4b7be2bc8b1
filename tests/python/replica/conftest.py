"""Replicas of both formats."""

from __future__ import annotations

import pytest

from .tables import FORMATS


@pytest.fixture(params=FORMATS)
def format(request: pytest.FixtureRequest) -> str:
    """A format of tables."""
    pytest.importorskip("pyarrow")
    if request.param == "delta":
        pytest.importorskip("deltalake")
    return str(request.param)
