"""Paths of requests: what a token is checked for is what is served."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

import jelly
from asgi import ask

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from jelly.service import app
from jelly.service._tokens import made

PATHS = ["", "/versions", "/patches", "/patches/1", "/data", "/patch", "/compact", "/diff", "/feed.atom", "/history", "/events"]  # fmt: skip
OTHERS = ["/", "/-/health", "/-/ready", "/-/metrics", "/-/style.css", "/-/delta/$/ping", "/-/delta/$/rpc", "/-/delta/init-data", "/-/delta/x", "/-/delta/x/1"]  # fmt: skip


@pytest.fixture
def root(tmp_path: Path) -> Path:
    log = jelly.Log.create(tmp_path / "logs" / "x")
    for number in range(3):
        log.publish(f'TX .\nA <a:s> <a:p> "{number}" .\nTC .\n'.encode())
    return tmp_path / "logs"


@pytest.mark.parametrize("root_path", ["", "/logs"])
def test_a_token_does_what_it_may_under_each_spelling(
    root: Path, tmp_path: Path, root_path: str
) -> None:
    publisher, line = made("publisher", "read,publish")
    (tmp_path / "tokens").write_text(line)
    served = app(root, tokens=tmp_path / "tokens")
    for end in ("", "\n", "\r", "\x00", "\x7f"):
        by = {"root": root_path, "authorization": f"Bearer {publisher}"}
        for method, path in (("POST", f"/x/compact{end}?upto=2"), ("GET", f"/-/metrics{end}")):
            answer = ask(served, method, path, b"", **by)
            assert answer.status == (404 if end else 403), (path, answer)
    assert jelly.Log(root / "x").info().first == 1


def test_no_path_has_a_control_character(root: Path) -> None:
    served = app(root, delta=True)
    for path, method, accept in itertools.product([*(f"/x{path}" for path in PATHS), *OTHERS], ("GET", "HEAD", "POST", "PUT", "PATCH", "OPTIONS"), ("*/*", "text/html")):  # fmt: skip
        for odd in (f"{path}\n", f"{path[:1]}\t{path[1:]}"):
            answer = ask(served, method, f"{odd}?after=0", accept=accept)
            assert (answer.status, answer.kind) == (404, "path"), (method, odd)
    assert sorted(path.name for path in root.iterdir()) == ["x"]


def test_logs_under_a_root_path(root: Path, tmp_path: Path) -> None:
    """A token for some logs is one for these logs wherever the application stands."""
    mine, line = made("mine", "read,publish,admin", "mine*")
    (tmp_path / "tokens").write_text(line)
    served = app(root, tokens=tmp_path / "tokens")
    by = {"root": "/mine", "authorization": f"Bearer {mine}"}
    assert ask(served, "GET", "/x/data", b"", **by).status == 404
    assert ask(served, "PUT", "/mine1", b"", **by).status == 201
    assert ask(served, "GET", "/-/health", root="/mine").status == 200
